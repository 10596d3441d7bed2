"""The findings that are kept, repeat an earlier one or are dropped, and where they are shown."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from kodiai.core.config.keys import ReviewConfig, SeverityConfig
from kodiai.core.findings.finding import Cause, Finding
from kodiai.core.findings.identity import finding_id
from kodiai.core.findings.source import Source
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
from tests.builders import a_file, a_finding, added, an_anchor, reading
from tests.tables import each_row

ID = "F-000000000001"


def decision(number: int = 1, **more: Any) -> JudgeDecision:
    """A candidate that the judge keeps, unless `more` says otherwise."""
    given = {name: more.pop(name) for name in list(more) if name in Finding.model_fields}
    finding = a_finding(**{"title": f"Case {number}", "start_line": number, **given})
    reported = more.pop("reported", finding)
    whole = {"outcome": "kept", "fate": "keep", "finding": finding, **more}
    return JudgeDecision(candidate=Candidate(number, "behavior", reported), **whole)


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


def test_kept_findings_have_the_most_severe_first() -> None:
    """Each has its id and the hunk of its lines."""
    found = of(decision(1, severity="MINOR"), decision(2, severity="CRITICAL"), decision(3, kind="preference"))

    assert [each.finding.title for each in found.kept] == ["Case 2", "Case 3", "Case 1"]
    assert [each.id for each in found.kept] == [finding_id(each.finding) for each in found.kept]
    assert [each.hunk for each in found.kept] == ["hunk of 2", "hunk of 3", "hunk of 1"]


ONE, TWO = {"severity": "CRITICAL"}, {"severity": "MAJOR"}
MEDIUM, MINOR = {"severity": "MEDIUM"}, {"severity": "MINOR"}
UNJUDGED = {"fate": "unjudged"}
SUGGESTED = {"Case 2": Offer("x = 1\n"), "Case 4": Offer("x = 1\n")}


@each_row(
    ("case", "findings", "given", "with_comment", "without"),
    [
        ("no comment at all", [ONE, TWO, MEDIUM], {"max_comments": 0}, [], [1, 2, 3]),
        ("the most severe get one", [MEDIUM, ONE, TWO], {"max_comments": 2}, [2, 3], [1]),
        ("all get one", [MEDIUM, ONE, TWO], {"max_comments": 3}, [2, 3, 1], []),
        ("below the floor", [MINOR, MEDIUM, TWO], {"floor": "MEDIUM", "max_comments": 2}, [3, 2], [1]),
        ("outside the diff", [{**ONE, "path": "off.py"}, TWO], {"max_comments": 1}, [2], [1]),
        (
            "without a ruling only what blocks",
            [UNJUDGED, {**UNJUDGED, **MEDIUM}, {**UNJUDGED, "pre_existing": True}, MEDIUM],
            {"max_comments": 2},
            [1, 4],
            [2, 3],
        ),
        (
            "minor only with a suggestion",
            [MINOR, MINOR, MEDIUM, {**MINOR, "path": "off.py"}],
            {"offers": SUGGESTED},
            [3, 2],
            [4, 1],
        ),
    ],
)
def test_only_some_findings_get_a_comment_and_none_takes_the_place_of_another(
    case: str, findings: list[dict[str, Any]], given: dict[str, Any], with_comment: list[int], without: list[int]
) -> None:
    """The others count all the same, and are in the review's body, without their suggestions."""
    found = of(*(decision(at, **each) for at, each in enumerate(findings, 1)), off_the_diff=("off.py",), **given)

    assert [each.finding.title for each in found.kept if each.inline] == [f"Case {at}" for at in with_comment], case
    assert {each.finding.title for each in found.kept if not each.inline} == {f"Case {at}" for at in without}, case
    assert [each.finding.title for each in found.kept if each.suggestion] == ["Case 2"] * ("offers" in given), case
    assert found.unjudged == sum("fate" in each for each in findings)
    assert (found.judged, found.suppressed) == (len(findings) - found.unjudged, ()), case


def test_a_finding_without_a_suggestion_has_its_readers_fix_where_the_judge_gave_none() -> None:
    """The judge leaves the fix empty where the replacement says it, which may not be shown."""
    reported = a_finding(fix="Set it to 0 " * 5)
    found = of(
        *(decision(number, reported=reported, fix=fix) for number, fix in ((1, ""), (2, ""), (3, "Drop it."))),
        offers=SUGGESTED,
    )

    assert {each.finding.title: each.finding.fix for each in found.kept} == {
        "Case 1": f"{'Set it to 0 ' * 2}Set it…",
        "Case 2": "",
        "Case 3": "Drop it.",
    }


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
    """The more severe of two counts; the judge counts more than code alone."""
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

    assert found.refused_replacements == {"not found complete and correct": 1, "it changes nothing": 1}


APP = a_file(patch="@@ -9,4 +9,5 @@ def f():\n zero\n first\n-second\n+total = 0\n+return total\n last")
SETTINGS = added("settings.py", "RETRIES = 0", "DELAY = 1")
SOURCE = Source(reading({"settings.py": ["RETRIES = 0", "DELAY = 1"]}), (APP, SETTINGS), ())
CAUSE = Cause(path="settings.py", quote="DELAY = 1")
OTHER, NOWHERE = {"path": "src/other.py"}, Cause(path="settings.py", quote="nowhere")


@each_row(
    ("given", "expected"),
    [
        ({"start_line": 11, "end_line": 12}, Anchor("src/app.py", 11, 12)),
        ({"start_line": 5, "end_line": 10}, Anchor("src/app.py", 9, 10)),
        ({"start_line": 12, "end_line": 90}, Anchor("src/app.py", 12, 13)),
        ({"start_line": 40, "end_line": 41}, None),
        ({"cause": CAUSE}, Anchor("src/app.py", 12, 12)),
        ({**OTHER, "cause": CAUSE}, Anchor("settings.py", 2, 2)),
        *(({**OTHER, "cause": cause}, None) for cause in (None, NOWHERE, Cause(path="gone.py", quote="x"))),
    ],
)
def test_a_finding_is_anchored_at_its_own_lines_or_else_at_its_cause(
    given: dict[str, Any], expected: Anchor | None
) -> None:
    """The anchor has the lines that one hunk shows; the author reads it on the line that they changed."""
    assert anchor(a_finding(**given), SOURCE) == expected


def test_an_anchor_knows_whether_it_is_where_the_finding_is() -> None:
    """It has a line in common."""
    finding = a_finding(start_line=10, end_line=12)

    assert Anchor("src/app.py", 12, 20).overlaps(finding)
    assert not Anchor("src/app.py", 13, 20).overlaps(finding)
    assert not Anchor("src/b.py", 10, 12).overlaps(finding)
