"""The findings that are kept, repeat an earlier one or are dropped, and where they are shown."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from kodiai.core.config.keys import ReviewConfig, SeverityConfig
from kodiai.core.findings.finding import Cause, Finding, Severity
from kodiai.core.findings.identity import finding_id
from kodiai.core.findings.places import Located
from kodiai.core.findings.suggestion import Offer
from kodiai.core.judge.judgement import (
    Anchor,
    EarlierFindings,
    Judgement,
    Placement,
    SuppressedFinding,
    anchor,
    judgement,
)
from kodiai.core.plan.candidate import Candidate, JudgeDecision
from tests.builders import a_file, a_finding, added, an_anchor

ID = "F-000000000001"


def decision(number: int = 1, **more: Any) -> JudgeDecision:
    """A candidate that the judge keeps, unless `more` says otherwise."""
    given = {name: more.pop(name) for name in list(more) if name in Finding.model_fields}
    finding = a_finding(**{"title": f"Case {number}", "start_line": number, **given})
    reported = more.pop("reported", finding)
    whole = {"outcome": "kept", "fate": "keep", "finding": finding, **more}
    return JudgeDecision(candidate=Candidate(number, "correctness", reported), **whole)


def of(
    *decisions: JudgeDecision,
    off_the_diff: tuple[str, ...] = (),
    offers: Mapping[str, Offer] = MappingProxyType({}),
    **more: Any,
) -> Judgement:
    """The judgement where lines of every file but these take a comment; `offers` are replacements by title."""
    config = ReviewConfig(
        max_comments=more.pop("max_comments", 10), severity=SeverityConfig(min_level=more.pop("floor", "MINOR"))
    )
    problems = more.pop("problems", ())

    def place(finding: Finding) -> Placement:
        anchor = None if finding.path in off_the_diff else an_anchor(finding)
        return Placement(anchor, f"hunk of {finding.start_line}", offers.get(finding.title, Offer()))

    return judgement(decisions, EarlierFindings(**more), place, config, problems)


def inline(found: Judgement) -> list[tuple[str, bool]]:
    return [(each.finding.title, each.inline) for each in found.kept]


def test_kept_findings_have_the_most_severe_first() -> None:
    """Each has its id and the hunk of its lines."""
    found = of(decision(1, severity="MINOR"), decision(2, severity="CRITICAL"), decision(3, kind="preference"))

    assert [each.finding.title for each in found.kept] == ["Case 2", "Case 3", "Case 1"]
    assert [each.id for each in found.kept] == [finding_id(each.finding) for each in found.kept]
    assert [each.hunk for each in found.kept] == ["hunk of 2", "hunk of 3", "hunk of 1"]


@pytest.mark.parametrize(
    ("most", "shown"),
    [(0, [False, False, False]), (2, [True, True, False]), (3, [True, True, True])],
)
def test_the_cap_decides_only_what_gets_a_comment(most: int, shown: list[bool]) -> None:
    """The most severe get one; the others count all the same."""
    severities: tuple[Severity, ...] = ("MEDIUM", "CRITICAL", "MAJOR")
    found = of(*(decision(at, severity=each) for at, each in enumerate(severities)), max_comments=most)

    assert [each.finding.severity for each in found.kept] == ["CRITICAL", "MAJOR", "MEDIUM"]
    assert [each.inline for each in found.kept] == shown
    assert found.suppressed == ()


def test_the_floor_decides_only_what_gets_a_comment() -> None:
    """A finding below it is kept, and takes no other's place."""
    found = of(
        decision(1, severity="MINOR"), decision(2, severity="MEDIUM"), decision(3), floor="MEDIUM", max_comments=2
    )

    assert inline(found) == [("Case 3", True), ("Case 2", True), ("Case 1", False)]


def test_a_finding_outside_the_diff_leaves_room_for_others() -> None:
    """The review's body has it."""
    found = of(decision(1, path="off.py", severity="CRITICAL"), decision(2), max_comments=1, off_the_diff=("off.py",))

    assert inline(found) == [("Case 1", False), ("Case 2", True)]


def test_a_finding_without_a_ruling_gets_a_comment_only_if_it_blocks() -> None:
    """The rest is listed, and takes no other's place; all of it is counted apart."""
    found = of(
        decision(1, fate="unjudged"),
        decision(2, fate="unjudged", severity="MEDIUM"),
        decision(3, fate="unjudged", pre_existing=True),
        decision(4, severity="MEDIUM"),
        max_comments=2,
    )

    assert dict(inline(found)) == {"Case 1": True, "Case 2": False, "Case 3": False, "Case 4": True}
    assert (found.judged, found.unjudged) == (1, 3)


def test_an_id_is_never_that_of_another_finding() -> None:
    """That holds for earlier findings, and for one of this run with the same text on other lines."""
    twins = [decision(number, title="The same", start_line=10 - number) for number in (1, 2)]
    name = finding_id(twins[0].finding)

    found = of(*twins, ids=[name])

    assert [(each.finding.start_line, each.id) for each in found.kept] == [
        (8, finding_id(twins[0].finding, 2)),
        (9, finding_id(twins[0].finding, 3)),
    ]


def test_an_earlier_finding_that_is_back_is_back_once_under_its_id() -> None:
    """The most severe report of it counts; the other is dropped with the reason."""
    found = of(
        decision(1, known=ID, fate="known", severity="MEDIUM"),
        decision(2, known=ID, fate="known"),
        decision(3, known="F-000000000002", fate="known"),
        ids=[ID, "F-000000000002"],
    )

    assert [(each.id, each.finding.title) for each in found.kept] == [(ID, "Case 2"), ("F-000000000002", "Case 3")]
    assert [(each.finding.title, each.reason, each.fate) for each in found.suppressed] == [
        ("Case 1", f"the same as {ID}", "known")
    ]


@pytest.mark.parametrize("swapped", [False, True])
def test_a_repeated_finding_is_remembered_and_not_posted(swapped: bool) -> None:
    """Of two the most severe counts; the judge counts more than code alone."""
    both = [
        decision(1, outcome="repeated", fate="known", known=ID, severity="MINOR"),
        decision(2, outcome="repeated", fate="known", known=ID),
    ]
    by_code = {ID: a_finding(title="By code"), "F-000000000002": a_finding(title="By code too")}

    found = of(*(both[::-1] if swapped else both), repeated=by_code)

    titles = {name: each.title for name, each in found.repeated.items()}
    assert titles == {ID: "Case 2", "F-000000000002": "By code too"}
    assert (found.kept, found.suppressed) == ((), ())


def test_everything_that_is_dropped_is_there_with_its_fate() -> None:
    """The candidates come first, then the findings that people dismissed on the same code."""
    dismissed = SuppressedFinding(a_finding(title="Dismissed"), "dismissed by ann (won't fix)", "known")

    found = of(
        decision(1, outcome="suppressed", fate="wrong", reason="`guard` raises first."),
        decision(2),
        decision(3, outcome="suppressed", fate="same-as", reason="the same as candidate 2", severity="CRITICAL"),
        suppressed=[dismissed],
    )

    assert [(each.finding.title, each.reason, each.fate) for each in found.suppressed] == [
        ("Case 1", "`guard` raises first.", "wrong"),
        ("Case 3", "the same as candidate 2", "same-as"),
        ("Dismissed", "dismissed by ann (won't fix)", "known"),
    ]
    assert (found.judged, found.unjudged) == (3, 0)


def test_replacements_that_are_not_offered_are_counted_with_their_reason() -> None:
    """Only kept findings with a replacement count."""
    offered = a_finding(title="Offered", replacement="x = 1")

    found = of(
        decision(1, reported=offered),
        decision(2, reported=offered, replacement="x = 1"),
        decision(3),
        decision(4, reported=offered, outcome="suppressed", fate="wrong"),
        decision(5),
        offers={"Case 2": Offer("x = 1\n"), "Case 5": Offer(refused="it changes nothing")},
    )

    assert found.refused_replacements == {"the judge does not offer it": 1, "it changes nothing": 1}


def test_a_minor_finding_gets_a_comment_only_with_a_suggestion() -> None:
    """Otherwise it is a line in the body, without its suggestion."""
    found = of(
        decision(1, severity="MINOR"),
        decision(2, severity="MINOR"),
        decision(3, severity="MEDIUM"),
        decision(4, severity="MINOR", path="off.py"),
        off_the_diff=("off.py",),
        offers={"Case 2": Offer("x = 1\n"), "Case 4": Offer("x = 1\n")},
    )

    assert [(each.finding.title, each.inline, each.suggestion) for each in found.kept] == [
        ("Case 3", True, None),
        ("Case 4", False, None),
        ("Case 1", False, None),
        ("Case 2", True, "x = 1\n"),
    ]


APP = a_file(patch="@@ -9,4 +9,5 @@ def f():\n zero\n first\n-second\n+total = 0\n+return total\n last")
SETTINGS = added("settings.py", "RETRIES = 0", "DELAY = 1")
FILES = {file.path: file for file in (APP, SETTINGS)}
CAUSE = Cause(path="settings.py", quote="RETRIES = 0")


def located(quote: str, path: str, near: int | None) -> Located | None:  # noqa: ARG001 - as the real one is called
    """Every quote is on the second line of its file, except for those that are nowhere."""
    return Located(path, 2, 2, quote) if quote != "nowhere" else None


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((11, 12), Anchor("src/app.py", 11, 12)),
        ((5, 10), Anchor("src/app.py", 9, 10)),
        ((12, 90), Anchor("src/app.py", 12, 13)),
        ((40, 41), None),
    ],
)
def test_a_finding_is_anchored_at_its_own_lines(lines: tuple[int, int], expected: Anchor | None) -> None:
    """The anchor has the lines that one hunk shows."""
    finding = a_finding(start_line=lines[0], end_line=lines[1])

    assert anchor(finding, FILES, located) == expected


def test_a_finding_outside_the_diff_is_anchored_at_its_cause() -> None:
    """The author reads it on the line that they changed; its own lines come first where they are shown."""
    elsewhere = a_finding(path="src/other.py", cause=CAUSE)
    here = a_finding(cause=CAUSE)

    assert anchor(elsewhere, FILES, located) == Anchor("settings.py", 2, 2)
    assert anchor(here, FILES, located) == Anchor("src/app.py", 12, 12)


@pytest.mark.parametrize("cause", [None, Cause(path="settings.py", quote="nowhere"), Cause(path="gone.py", quote="x")])
def test_a_finding_outside_the_diff_without_a_cause_has_no_anchor(cause: Cause | None) -> None:
    """The diff shows neither its lines nor its cause."""
    assert anchor(a_finding(path="src/other.py", cause=cause), FILES, located) is None


def test_an_anchor_knows_whether_it_is_where_the_finding_is() -> None:
    """It is exactly there, or has a line in common."""
    finding = a_finding(start_line=10, end_line=12)

    assert Anchor("src/app.py", 10, 12).is_at(finding)
    assert not Anchor("src/app.py", 10, 11).is_at(finding)
    assert Anchor("src/app.py", 12, 20).overlaps(finding)
    assert not Anchor("src/app.py", 13, 20).overlaps(finding)
    assert not Anchor("src/b.py", 10, 12).overlaps(finding)
