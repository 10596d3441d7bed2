"""The outcomes of earlier findings, over all of them and over several runs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import Evidence, KnownFinding
from kodiai.core.findings.report import EarlierAnswer
from kodiai.core.findings.source import ReadLines
from kodiai.core.github.comment import Thread
from kodiai.core.judge.candidates import Reports, answers_by_finding
from kodiai.core.judge.judgement import Judgement, KeptFinding
from kodiai.core.plan.earlier import at_head, moved_code
from kodiai.core.plan.input import ReviewInput
from kodiai.core.plan.plan import ReviewPlan
from kodiai.core.plan.update import FindingUpdate
from kodiai.core.review.reconcile import TAKEN_BACK, reconcile, with_resolved_threads
from kodiai.flows.review.hear import hear
from tests.builders import PARSER, a_finding, a_known, a_reply, a_thread, an_answer, reading
from tests.core.review_inputs import LAST_HEAD, file, key, loaded, planned, remembered
from tests.tables import each_row

UNSET = "@@ -3,2 +3,3 @@\n def total(values):\n+    return total\n x"
GUARDED = "@@ -3,2 +3,4 @@\n def total(values):\n+    guard(values)\n+    return total\n x"
OTHER = "@@ -30 +30,2 @@\n x\n+y"
CONTEXT = "@@ -3,2 +3,3 @@\n def total(values):\n+    log(values)\n     return total"
MOVED = "@@ -0,0 +1,2 @@\n+import json\n+    return total"
GONE = "@@ -3 +0,0 @@\n-    return total"
AT_HEAD = {
    "a.py": ["import os", "", "def total(values):", "    guard(values)", "    return total", "x", "except:"],
    "b.py": ["return total"],
}


def told(hunk: str | None = UNSET, **given: Any) -> KnownFinding:
    """A finding on line 4 of a.py, on the code of a hunk."""
    of_finding: dict[str, Any] = {name: given.pop(name) for name in ("path", "quote") if name in given}
    finding = a_finding(**{"path": "a.py", "start_line": 4, **of_finding})
    return a_known(finding, **{"id": "F", "hunk": key(hunk) if hunk else None, **given})


def answer(**given: Any) -> EarlierAnswer:
    return an_answer(path="a.py", **given)


def repeated(name: str, finding: Finding) -> Judgement:
    return Judgement((), (), {name: finding})


NOTHING = Judgement((), ())
RESOLVED = Judgement((), (), resolved={"F": Evidence("a.py", "guard(values)")})
NOW, BEFORE = [file("a.py", GUARDED, OTHER)], remembered([file("a.py", UNSET)])


def followed_up(
    known: KnownFinding,
    judgement: Judgement = NOTHING,
    answers: Sequence[EarlierAnswer] = (),
    *,
    now: Sequence[ChangedFile] = NOW,
    threads: Sequence[Thread] = (),
    asked: bool = True,
) -> tuple[FindingUpdate, ...]:
    plan = planned(loaded(now, BEFORE, [known], threads))
    plan = replace(plan, rechecked=(plan.at_head(known),) if asked else ())
    return reconciled(plan, judgement, answers)


def reconciled(
    plan: ReviewPlan,
    judgement: Judgement = NOTHING,
    answers: Sequence[EarlierAnswer] = (),
    lines: Mapping[str, list[str]] = AT_HEAD,
) -> tuple[FindingUpdate, ...]:
    reports = Reports(earlier=answers_by_finding(answers))
    return reconcile(plan, reports, judgement, reading(lines), offline=False).updates


def unread(path: str) -> list[str] | None:
    raise AssertionError(f"{path} was read")


def carried_over(review_input: ReviewInput, lines: Mapping[str, list[str]] | None = None) -> tuple[FindingUpdate, ...]:
    """The outcomes of the findings if nobody is asked; without `lines` no file may be read."""
    read_lines = reading(lines) if lines else ReadLines(unread, PARSER)
    return reconcile(planned(review_input), Reports(), NOTHING, read_lines, offline=False).updates


def test_an_open_finding_is_remembered_where_it_stands_now() -> None:
    """Its lines and its hunk are those of today; what it was before is kept next to it."""
    known = told()

    (followed,) = followed_up(known, answers=[answer()])

    assert (followed.transition, followed.before) == ("stays", known)
    assert followed.known == replace(
        known, finding=known.finding.model_copy(update={"start_line": 5, "end_line": 5}), hunk=key(GUARDED)
    )


def test_a_finding_whose_code_was_edited_stands_where_it_was_reported_again() -> None:
    """With the code of the report and its own words; reported nowhere the last head that had its code is noted.

    What changed since that head may resolve it, in however many pushes.
    """
    known = told(quote="return totals")
    again = a_finding(path="a.py", quote="guard(values)", start_line=4, title="Other words", severity="MINOR")

    (reported,) = followed_up(known, repeated("F", again))
    (silent,) = followed_up(known)
    (later,) = followed_up(replace(known, stood_at="c" * 40))
    (back,) = followed_up(told(stood_at="c" * 40))

    place = {"quote": "guard(values)", "start_line": 4, "end_line": 4}
    assert reported.known == replace(known, finding=known.finding.model_copy(update=place), hunk=key(GUARDED))
    assert silent.known == replace(known, stood_at=LAST_HEAD)
    assert (later.known.stood_at, back.known.stood_at) == ("c" * 40, None)


def test_the_latest_thread_of_a_finding_that_is_posted_again_counts() -> None:
    """It is a finding of this run again; the decisions in its earlier thread were about earlier code."""
    fixed, known = told(status="fixed"), told(comment_id="22")
    old, new = a_thread(a_reply("won't fix"), finding="F"), a_thread(finding="F", comment_id="22", id="new")

    assert followed_up(fixed, Judgement((KeptFinding("F", fixed.finding, None),), ())) == ()
    for threads in ([old, new], [new, old]):
        (followed,) = followed_up(known, threads=threads)
        assert followed.transition == "stays"


def test_a_renamed_file_takes_its_findings_along_whatever_becomes_of_them() -> None:
    """Open or closed; before it they were known under the other path."""
    now = [file("b.py", GUARDED, status="renamed", previous_path="a.py")]

    for known in (told(), told(status="wont_fix", settled_by="ann")):
        (followed,) = followed_up(known, now=now)

        assert (followed.finding.path, followed.before.finding.path) == ("b.py", "a.py")


def test_a_decision_of_people_is_followed_whether_or_not_anybody_is_asked() -> None:
    """By a reply, by resolving the thread, or by opening it again."""
    wont, open_again = a_thread(a_reply("won't fix"), finding="F"), a_thread(finding="F")
    resolved, not_his = (a_thread(finding="F", resolved_by=login) for login in ("ann", "otto"))
    closed = told(status="fixed", resolved_thread=True)

    for known, thread, turn, status in (
        (told(), wont, "dismissed", "wont_fix"),
        (told(), resolved, "dismissed", "dismissed"),
        (told(), not_his, "stays", "open"),
        (closed, open_again, "reopened", "open"),
        (closed, resolved, "stays", "fixed"),
        (told(status="dismissed"), open_again, "reopened", "open"),
    ):
        (read,) = followed_up(known, threads=[thread], asked=False)
        (unread,) = carried_over(loaded(NOW, remembered(NOW), [known], [thread]))

        assert (read.transition, read.known.status) == (unread.transition, unread.known.status) == (turn, status)


def test_only_an_answer_that_was_asked_for_and_judged_counts() -> None:
    """The answer that does not call it addressed counts, in either order; our resolved threads are noted."""
    addressed, partial = answer(answer="ADDRESSED", quote="guard(values)"), answer(answer="PARTIAL")

    (asked,), (unasked,) = (followed_up(told(), RESOLVED, [addressed], asked=asked) for asked in (True, False))
    (unjudged,) = followed_up(told(), answers=[addressed])
    (noted,), (other,) = with_resolved_threads([asked], ["F"]), with_resolved_threads([asked], ["G"])

    assert (asked.transition, asked.known.status, asked.known.hunk) == ("resolved", "fixed", key(UNSET))
    assert (unasked.transition, unasked.is_open) == (unjudged.transition, unjudged.is_open) == ("stays", True)
    assert (noted.known.resolved_thread, other.known.resolved_thread) == (True, False)
    for both in ([addressed, partial], [partial, addressed]):
        assert {name: each.answer for name, each in answers_by_finding(both).items()} == {"F": "PARTIAL"}


@each_row(
    ("case", "known", "now", "is_resolved"),
    [
        ("its change was taken back", told(quote="return total + 1"), [file("a.py", OTHER)], True),
        ("the whole file was", told(quote="return total + 1", path="c.py"), [file("a.py", OTHER)], True),
        ("its code is there all the same", told(), [file("a.py", OTHER)], False),
        ("another change was taken back", told(OTHER, quote="return total + 1"), [file("a.py", OTHER)], False),
        ("it stood outside any hunk", told(None, quote="return total + 1"), [file("a.py", OTHER)], False),
        ("it was settled before", told(quote="return total + 1", status="wont_fix"), [file("a.py", OTHER)], False),
    ],
)
def test_a_finding_whose_change_is_taken_back_is_resolved_without_asking_anybody(
    case: str, known: KnownFinding, now: list[ChangedFile], is_resolved: bool
) -> None:
    """Its hunk is there no more, and neither is the code that it quoted."""
    found = loaded(now, remembered([file("a.py", UNSET, OTHER), file("c.py", UNSET)]), [known])

    (followed,) = carried_over(found, AT_HEAD)

    gone = replace(known, status="fixed")
    expected = (gone, "resolved", TAKEN_BACK, None) if is_resolved else (known, "stays", "", None)
    assert (followed.known, followed.transition, followed.why, followed.answer) == expected, case
    assert followed.before == known


def test_a_finding_whose_change_was_taken_back_comes_back_with_its_change() -> None:
    """Told, taken back, and there again: over three runs, each of which knows what the one before has kept."""
    first, second = [file("a.py", UNSET, OTHER)], [file("a.py", OTHER)]
    known = told(quote="return total + 1")
    lines = {"a.py": ["    return total + 1"]}

    (gone,) = carried_over(loaded(second, remembered(first), [known]), AT_HEAD)
    back = loaded(first, remembered(first, second), [gone.known])
    (again,) = carried_over(back, lines)
    (read,) = reconciled(planned(back), lines=lines)
    (later,) = carried_over(loaded(first, remembered(first, second, first), [gone.known]))

    assert (gone.transition, gone.known.status) == ("resolved", "fixed")
    assert (again.transition, again.why, again.known) == ("reopened", "the code is as it was", known)
    assert (read.transition, read.known.status) == ("reopened", "open")
    assert later.transition == "stays"


def test_a_claim_waits_until_there_is_something_to_read() -> None:
    """Where nothing is new nobody weighs it, so nobody has heard it; in the next run it is fresh."""
    known, thread = told(heard="before"), a_thread(a_reply("Fixed."), finding="F")
    same = loaded(NOW, remembered(NOW), [known], [thread])

    (followed,) = carried_over(same)
    later = loaded(NOW, BEFORE, [followed.known], [thread])

    assert (followed.transition, followed.known) == ("stays", known)
    assert (hear(same, None)["F"].claim, hear(later, None)["F"].claim) == ("done", "done")


@each_row(
    ("case", "known", "now", "path"),
    [
        ("it is in a new file", told(), [file("b.py", MOVED, status="added")], "b.py"),
        ("on new lines of a file that was there", told(), [file("was.py", GUARDED)], "was.py"),
        ("on lines of another file that were seen", told(), [file("was.py", UNSET)], "a.py"),
        ("on lines that the change leaves alone", told(), [file("b.py", CONTEXT)], "a.py"),
        ("on lines that another file loses", told(), [file("b.py", GONE, status="removed")], "a.py"),
        ("on no new line at all", told(quote="return totals"), [file("b.py", MOVED)], "a.py"),
        ("it is too little to tell", told(quote="total"), [file("b.py", MOVED)], "a.py"),
        ("it is where it was, and was copied", told(path="here.py"), [file("b.py", MOVED)], "here.py"),
        (
            "its file was renamed, and has it still",
            told(),
            [file("c.py", GUARDED, previous_path="a.py"), file("b.py", MOVED)],
            "c.py",
        ),
        (
            "its file was renamed, and has it no more",
            told(),
            [file("d.py", OTHER, previous_path="a.py"), file("b.py", MOVED)],
            "b.py",
        ),
    ],
)
def test_a_finding_follows_its_code_to_the_new_lines_of_another_file(
    case: str, known: KnownFinding, now: list[ChangedFile], path: str
) -> None:
    """Whatever git makes of the two files; unchanged code there, or code that was there before, is other code."""
    before = remembered([file("a.py", UNSET), file("was.py", UNSET), file("here.py", UNSET)])
    code = ["    return total"]
    lines = {"b.py": code, "was.py": code, "here.py": code, "c.py": code, "d.py": ["x"]}
    found = loaded(now, before, [known])

    moved = moved_code(found, reading(lines))

    assert moved_code(replace(found, difference=None), reading(lines)) == {}
    assert at_head(found, moved, known).finding.path == path, case
    assert moved == ({known.id: path} if at_head(found, {}, known).finding.path != path else {})


def test_code_that_moved_is_followed_up_where_it_stands_now() -> None:
    """It is remembered with its new path, lines and hunk, and counts as touched; other findings stay in their files."""
    known, stays = told(), told(id="S", quote="return totals")
    found = loaded([file("b.py", GUARDED)], BEFORE, [known, stays])
    lines = {"b.py": ["import os", "", "def total(values):", "    guard(values)", "    return total"]}

    plan = planned(found, {path: "\n".join(of) for path, of in lines.items()})
    followed, other = reconciled(plan, lines=lines)

    now = known.finding.model_copy(update={"path": "b.py", "start_line": 5, "end_line": 5})
    assert (followed.transition, followed.before) == ("stays", known)
    assert followed.known == replace(known, finding=now, hunk=key(GUARDED))
    assert (other.finding.path, found.is_touched(known)) == ("a.py", True)


@pytest.mark.parametrize(("decided_at", "status"), [(None, "open"), (-5, "open"), (0, "conceded"), (7, "conceded")])
def test_a_thread_that_was_read_before_a_decision_opens_nothing_again(decided_at: int | None, status: str) -> None:
    """The run began at 0: whoever decided since then may have resolved the thread that the run has seen open."""
    known = replace(told(status="conceded", resolved_thread=True), decided="thread-9", decided_at=decided_at)
    now = loaded(NOW, remembered(NOW), [known], [a_thread(finding="F")])

    [followed] = carried_over(now)

    assert followed.known.status == status
