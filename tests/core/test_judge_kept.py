"""What the judge says is asked and paid for once, and asked the same way on every try."""

import json
import threading
from typing import Any

import pytest

from kodiai.core.model.messages import ModelRequest
from tests.builders import a_finding, added
from tests.core.examining import Desk
from tests.core.panel import Panel, prose, texts, who

LINES = ["def total(values):", "    result = 0", "    return result + values[0]"]
LINES += [f"x{n} = {n}" for n in range(120)]
FILES = {"src/app.py": "\n".join(LINES) + "\n"}
STANDS = "    return result + values[0]"
GONE = "return values[1]"


def reported(title: str) -> dict[str, Any]:
    finding = a_finding(start_line=3, end_line=3, quote=STANDS, title=title, severity="MAJOR")
    return finding.model_dump(include={*_REPORTED})


_REPORTED = ("severity", "category", "kind", "path", "start_line", "end_line", "title", "explanation", "quote")


def rulings(*quotes: str) -> str:
    """A ruling to keep each candidate, by the line that it quotes."""
    told = {"fate": "keep", "severity": "MAJOR", "path": "src/app.py", "title": "It raises", "problem": "Empty lists."}
    return json.dumps({"rulings": [{**told, "number": at, "quote": quote} for at, quote in enumerate(quotes, 1)]})


def desk(*judge: str, small: bool = True, **steps: list[str]) -> Desk:
    said = {"generalist": [prose(reported("An empty list raises"))], **steps, "judge": [*judge]}
    return Desk([added("src/app.py", *LINES[: 3 if small else None])], FILES, Panel(said))


@pytest.mark.parametrize(("answers", "asked"), [([rulings(STANDS)], 1), ([rulings(GONE), rulings(STANDS)], 2)])
def test_what_can_be_read_of_the_judge_is_paid_for_once(answers: list[str], asked: int) -> None:
    """The next try asks nothing, neither the first question nor that about rulings which could not be followed."""
    there = desk(*answers)

    first, then = there.examine(), there.examine()

    assert there.panel.times("judge") == asked
    assert then == first
    assert [kept.finding.caveat for kept in then.kept] == [None]


@pytest.mark.parametrize(
    ("answers", "asked"),
    [
        (["I am not sure.", "Nor now.", rulings(STANDS)], (2, 3)),
        ([rulings(GONE), "I am not sure.", "Nor now.", rulings(STANDS)], (3, 4)),
    ],
)
def test_what_cannot_be_read_of_the_judge_is_not_kept(answers: list[str], asked: tuple[int, int]) -> None:
    """It is asked for once more at once; then the finding stands with a caveat. The next try really asks again."""
    there = desk(*answers)

    first = there.examine()
    counted = there.panel.times("judge")
    then = there.examine()

    assert (counted, there.panel.times("judge")) == asked
    assert [bool(kept.finding.caveat) for kept in first.kept] == [True]
    assert [kept.finding.caveat for kept in then.kept] == [None]


def test_the_judge_is_asked_the_same_whichever_reviewer_is_done_first() -> None:
    """Its questions are kept under all that it is shown: another order would have them paid for twice."""
    asked = [_asked_when_done_in(order) for order in (("security", "performance"), ("performance", "security"))]

    assert asked[0] == asked[1]
    assert [json.loads(row)["title"] for row in asked[0][-2].split("\n")[2:]] == ["Leaks", "Slow"]


def _asked_when_done_in(order: tuple[str, str]) -> list[str]:
    """What the judge is shown where the second reviewer answers only after the first one's report was extracted."""
    first_is_done = threading.Event()
    titles = {"security": "Leaks", "performance": "Slow"}

    def meanwhile(question: ModelRequest) -> None:
        if who(question) == order[1]:
            assert first_is_done.wait(10)
        elif who(question) == "extract" and titles[order[0]] in texts(question)[0]:
            first_is_done.set()

    told = {name: [prose(reported(title))] for name, title in titles.items()}
    there = desk(rulings(STANDS, STANDS), small=False, **told)
    there.parameters = {"limits/parallel-calls": "4"}
    there.panel.meanwhile = meanwhile
    there.examine()
    return there.panel.shown_to("judge")
