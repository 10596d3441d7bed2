"""Whether findings of several reviewers say the same of the same code."""

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import yaml

from kodiai.core.findings.concern import same_concern
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.sift import sift
from tests.builders import EverythingChanged, NothingKnown, a_finding, reported

CASES: dict[str, list[dict[str, Any]]] = yaml.safe_load(Path(__file__).with_name("concerns.yaml").read_text("utf-8"))


def findings_of(case: dict[str, Any]) -> list[Finding]:
    code = case["code"].removesuffix("\n").split("\n")
    found = []
    for each in case["findings"]:
        start, _, end = each["lines"].partition("-")
        first, last = int(start), int(end or start)
        quote = "\n".join(code[first - 1 : last])
        words = {name: each[name] for name in ("category", "title", "explanation")}
        found.append(a_finding(start_line=first, end_line=last, quote=quote, **words))
    return found


def told(case: dict[str, Any]) -> list[str]:
    """The titles that are left once what says the same is taken out."""
    lines = case["code"].removesuffix("\n").split("\n")
    sifted = sift(
        [reported(finding) for finding in findings_of(case)],
        read_lines=lambda _: lines,
        facts=NothingKnown(),
        change=EverythingChanged(),
        floor="MINOR",
    )
    return [candidate.finding.title for candidate in sifted.candidates]


@pytest.mark.parametrize("case", CASES["same"], ids=lambda case: case["about"])
def test_five_wordings_of_one_concern_are_one_comment(case: dict[str, Any]) -> None:
    """From reviewers of other categories, about the same lines or a part of them."""
    assert len(case["findings"]) == 5
    assert len(told(case)) == 1


@pytest.mark.parametrize("case", CASES["different"], ids=lambda case: case["about"])
def test_two_problems_of_one_line_are_two_comments(case: dict[str, Any]) -> None:
    """Or of neighbouring lines."""
    assert len(told(case)) == 2


def test_it_does_not_matter_which_is_named_first() -> None:
    """Of any two findings here."""
    for case in (*CASES["same"], *CASES["different"]):
        for one, other in combinations(findings_of(case), 2):
            assert same_concern(one, other) is same_concern(other, one)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ({"title": "Call `sum` once", "explanation": "It is slow.", "replacement": "return sum(xs)"}, True),
        ({"title": "Call `sum` once", "explanation": "It is slow.", "replacement": "return max(xs)"}, False),
        ({"path": "src/b.py"}, False),
        ({"start_line": 40, "end_line": 40}, False),
    ],
)
def test_the_same_mending_of_the_same_lines_is_the_same_concern(other: dict[str, Any], same: bool) -> None:
    """Whatever is said of it; in another file or far away it is another one."""
    one = a_finding(quote="x = 1", replacement="return sum(xs)", category="correctness")

    assert same_concern(one, a_finding(**{"quote": "x = 1", "category": "performance", **other})) is same
