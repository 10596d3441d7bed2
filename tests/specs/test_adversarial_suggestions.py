"""A replacement that would break something is not offered, and the details say why."""

import re
from collections import Counter

from tests.specs.adversaries import at, judge, model, opened_on
from tests.specs.conftest import Stage
from tests.specs.material.replacements import BROKEN, GOOD, Replacement
from tests.specs.scripts import Json

ALL = "review:\n  maxComments: 100\n"


def finding(each: Replacement) -> Json:
    found = at(f"app/{each.path}", each.text, each.quote, f"Wrong in {each.path}", replacement=each.replacement)
    return {**found, "end_line": found["end_line"] + each.more_lines}


def test_broken_replacements_are_not_offered_and_good_ones_are(stage: Stage) -> None:
    """Each that is not is counted with its reason, and its finding is posted all the same."""
    every = (*BROKEN, *GOOD)
    stage.model.answers = model(map(finding, every), judge())

    opened = opened_on(stage, {}, {f"app/{each.path}": each.text for each in every}, ALL)

    comments = {each["path"].removeprefix("app/"): each["body"] for each in opened.comments}
    offered = {
        path: found[1]
        for path, body in comments.items()
        if (found := re.search("```+suggestion\n(.*?)\n```", body, re.DOTALL))
    }
    assert sorted(comments) == sorted(each.path for each in every)
    assert [path for path in offered if path in {each.path for each in BROKEN}] == []
    assert offered == {each.path: each.replacement for each in GOOD}
    [row] = [line for line in opened.reviews[0]["body"].split("\n") if line.startswith("- Suggestions not offered: ")]
    counted = (part.split(" × ") for part in row.removeprefix("- Suggestions not offered: ").split("; "))
    assert {why: int(times) for times, why in counted} == Counter(each.reason for each in BROKEN)
