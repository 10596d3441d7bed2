"""Which of the reported findings are told although, or because, they were told before."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kodiai.core.findings.finding import Finding, Severity, rank
from kodiai.core.findings.judge import Judgement, Kept
from kodiai.core.findings.known import SETTLED, Status
from kodiai.core.findings.sift import Memory
from tests.builders import a_known
from tests.core.findings.test_judge import FINDINGS, at, judged, reasons


def told(finding: Finding, status: Status = "open", **given: Any) -> Memory:
    """A finding that was told before; by whom it was settled goes with its status."""
    known = a_known(finding, status=status, settled_by="ann" if status in SETTLED else None)
    return Memory(replace(known, id=f"F-of-{finding.start_line}"), **given)


IN_OTHER_WORDS = {"title": "Unset on 3", "explanation": "An empty list leaves `total` unset here."}


def test_what_was_told_before_and_is_open_is_not_told_again() -> None:
    """Neither under another title, nor on other lines, nor as graver: that is for its own thread."""
    memories = [told(at(3)), told(at(4)), told(at(5))]
    again = [at(3, **IN_OTHER_WORDS), at(4, severity="CRITICAL"), at(5, start_line=30)]

    judgement = judged(*again, at(6), memories=memories)

    assert [kept.finding.start_line for kept in judgement.kept] == [6]
    assert judgement.dropped == ()
    assert {name: finding.title for name, finding in judgement.repeated.items()} == {
        "F-of-3": "Unset on 3",
        "F-of-4": "On 4",
        "F-of-5": "On 5",
    }


def test_what_only_echoes_a_finding_that_is_told_before_is_held_back() -> None:
    """Said of the whole code and once more of a part of it, in other words: both are the one that is known."""
    whole = at(9, quote="line 9\nreturn total", end_line=10, title="The total is unset")
    part = at(10, title="Unset total for an empty list")

    judgement = judged(part, whole, memories=[told(whole)])

    assert (judgement.kept, judgement.repeated) == ((), {"F-of-9": whole})
    assert [(dropped.finding, dropped.reason) for dropped in judgement.dropped] == [
        (part, "the same as what is said of lines 9-10")
    ]


def test_what_was_fixed_is_back_only_when_what_fixed_it_is_gone() -> None:
    """Then it is told again, under its own id; as long as the fix stands it is the model that errs."""
    fixed = told(at(3), "fixed", fix_stands=True)

    stands = judged(at(3), memories=[fixed])
    gone = judged(at(3), on_diff=range(5, 9), memories=[replace(fixed, fix_stands=False)])

    assert (stands.kept, reasons(stands)) == ((), ["it was resolved, and what resolved it still stands"])
    assert gone == Judgement((Kept("F-of-3", at(3), inline=False),), ())


@pytest.mark.parametrize("status", ["fixed", "dismissed"])
def test_what_is_back_is_told_once_however_often_it_is_reported(status: Status) -> None:
    """What only echoes it is held back."""
    whole = at(9, quote="line 9\nreturn total", end_line=10, title="The total is unset")
    part = at(10, title="Unset total for an empty list")
    memory = told(whole.model_copy(update={"severity": "MINOR"}), status)

    judgement = judged(part, whole, memories=[memory])

    assert [(kept.id, kept.finding) for kept in judgement.kept] == [("F-of-9", whole)]
    assert [dropped.finding for dropped in judgement.dropped] == [part]


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("wont_fix", "settled by ann (wont fix)"),
        ("acknowledged", "settled by ann (acknowledged)"),
        ("conceded", "settled by ann (conceded)"),
        ("dismissed", "settled by ann (dismissed)"),
    ],
)
def test_what_people_settled_is_never_raised_again(status: Status, said: str) -> None:
    """Under other words neither, nor where its code was edited; the reason names who it was."""
    was = at(3, quote="line three")

    same = judged(at(3, **IN_OTHER_WORDS), memories=[told(at(3), status)])
    edited = judged(at(3), memories=[told(was, status, stands=False)])

    assert (same.kept, reasons(same)) == ((), [said])
    assert (edited.kept, reasons(edited)) == ((), [said])


def test_who_settled_it_may_be_unknown() -> None:
    """An account that is gone, and a status from before names were kept."""
    for nobody in ("", None):
        memory = told(at(3), "dismissed")
        memory = replace(memory, known=replace(memory.known, settled_by=nobody))

        assert reasons(judged(at(3), memories=[memory])) == ["settled by somebody (dismissed)"]


@pytest.mark.parametrize(
    ("status", "was", "now", "kind", "is_told"),
    [
        ("dismissed", "MEDIUM", "MAJOR", "impact", True),
        ("dismissed", "MINOR", "CRITICAL", "impact", True),
        ("dismissed", "MAJOR", "CRITICAL", "impact", True),
        ("dismissed", "MAJOR", "MAJOR", "impact", False),
        ("dismissed", "CRITICAL", "MAJOR", "impact", False),
        ("dismissed", "MINOR", "MEDIUM", "impact", False),
        ("dismissed", "MINOR", "CRITICAL", "preference", False),
        ("wont_fix", "MINOR", "CRITICAL", "impact", False),
        ("acknowledged", "MINOR", "CRITICAL", "impact", False),
        ("conceded", "MINOR", "CRITICAL", "impact", False),
    ],
)
def test_a_resolved_thread_is_respected_unless_it_became_materially_worse(
    status: Status, was: Severity, now: Severity, kind: str, is_told: bool
) -> None:
    """Graver than it was, and blocking; a decision in words holds whatever comes."""
    memory = told(at(3, severity=was, kind=kind), status)

    judgement = judged(at(3, severity=now, kind=kind), memories=[memory])

    assert [kept.id for kept in judgement.kept] == (["F-of-3"] if is_told else [])


def test_what_is_back_has_to_pass_the_floor_and_the_cap_too() -> None:
    """It is told like any other."""
    memories = [told(at(3, severity="MINOR"), "fixed"), told(at(4), "fixed")]

    judgement = judged(
        at(3, severity="MINOR"), at(4), at(5, severity="CRITICAL"), floor="MEDIUM", most=1, memories=memories
    )

    assert [kept.finding.start_line for kept in judgement.kept] == [5]
    assert reasons(judgement) == ["over the cap of 1 comments", "below the severity floor MEDIUM"]


def test_what_was_told_before_takes_nobodys_place_under_the_cap() -> None:
    """It is told already."""
    judgement = judged(at(3, severity="CRITICAL"), at(4), most=1, memories=[told(at(3))])

    assert [kept.finding.start_line for kept in judgement.kept] == [4]


def test_a_new_finding_that_is_alike_never_takes_the_id_of_a_known_one() -> None:
    """The one on line 10 is mended, the one on line 30 has the same code and title: they are two."""
    (first,) = judged(at(10)).kept
    memory = Memory(a_known(first.finding), is_mended=True)

    judgement = judged(at(30, title="On 10"), memories=[memory])

    assert first.id == memory.known.id
    assert [kept.finding.start_line for kept in judgement.kept] == [30]
    assert judgement.kept[0].id != first.id
    assert judged(at(30, title="On 10"), memories=[memory]) == judgement


def test_what_was_told_of_another_file_counts_for_nothing() -> None:
    """The same code and the same words there are another finding."""
    judgement = judged(at(3), memories=[told(at(3, path="src/b.py")), told(at(3, path="src/c.py"), "wont_fix")])

    assert (len(judgement.kept), judgement.repeated) == (1, {})


_STATUSES: list[Status] = ["open", "open", "fixed", "wont_fix", "dismissed"]
_MEMORIES = st.lists(
    st.tuples(st.integers(0, 11), st.sampled_from(_STATUSES), st.booleans(), st.booleans(), st.booleans()),
    max_size=5,
    unique_by=lambda drawn: drawn[0],
)


@settings(max_examples=60, deadline=None)
@given(reported=FINDINGS, drawn=_MEMORIES, others=FINDINGS, most=st.integers(0, 6))
def test_with_memories_too_every_finding_has_its_place(
    reported: list[Finding], drawn: list[Any], others: list[Finding], most: int
) -> None:
    """Told, held back or known; told anew under a known id is only what was closed, and no id is given twice."""
    told_before = [*reported, *others]
    memories = [
        Memory(
            a_known(told_before[at], id=f"F-{at}", status=status), stands, is_mended=is_mended, fix_stands=fix_stands
        )
        for at, status, stands, is_mended, fix_stands in drawn
        if at < len(told_before)
    ]
    statuses = {memory.known.id: memory.known.status for memory in memories}

    judgement = judged(*reported, most=most, memories=memories)

    ids = [kept.id for kept in judgement.kept]
    assert len(ids) + len(judgement.dropped) + len(judgement.repeated) == len(reported)
    assert len(set(ids)) == len(ids) <= most
    assert {statuses[name] for name in ids if name in statuses} <= {"fixed", "dismissed"}
    assert {statuses[name] for name in judgement.repeated} <= {"open"}
    findings = [kept.finding for kept in judgement.kept]
    assert findings == sorted(findings, key=rank)
    assert all(dropped.reason for dropped in judgement.dropped)
    assert judged(*reported, most=most, memories=memories) == judgement
