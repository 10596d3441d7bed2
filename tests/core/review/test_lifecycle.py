"""The transitions of a finding from one review to the next."""

from dataclasses import replace
from typing import Any

from kodiai.core.conversation.stance import Stance
from kodiai.core.findings.finding import SEVERITIES
from kodiai.core.findings.known import DECIDED_BY_PEOPLE, Evidence, FindingStatus, KnownFinding
from kodiai.core.findings.report import EarlierAnswer
from kodiai.core.plan.update import FindingTransition, FindingUpdate
from kodiai.core.review.lifecycle import Observation, follow
from tests.builders import a_finding, a_known, reading
from tests.builders import an_answer as answer
from tests.tables import each_row

HEAD = {
    "src/app.py": ["def total(values):", "    guard(values)", "    return total"],
    "src/guard.py": ["def guard(values):", "    if not values:", "        raise ValueError", "}"],
}
KNOWN = a_known(hunk="h1", heard="r1")
QUIET = Stance()
ARGUED = Stance(by="ann", claim="disagrees", may_win=True, heard="r2")
GUARDED = {"answer": "ADDRESSED", "path": "src/guard.py", "quote": "if not values:", "why": "It is guarded."}
EVIDENCE = Evidence("src/guard.py", "if not values:")


RESOLVED = {"answered": answer(**GUARDED), "resolved": EVIDENCE}


def after(known: KnownFinding = KNOWN, stance: Stance = QUIET, **seen: Any) -> FindingUpdate:
    """The update of a finding that was asked about, unless `seen` says otherwise."""
    return follow(known, Observation(**{"stance": stance, "was_asked": True, **seen}), reading(HEAD))


def changes(followed: FindingUpdate, known: KnownFinding = KNOWN) -> dict[str, Any]:
    """The fields that differ from before."""
    now, before = vars(followed.known), vars(known)
    return {name: value for name, value in now.items() if value != before[name]}


def test_a_fixed_finding_is_closed_with_its_evidence() -> None:
    """The evidence is what code and judge agree on, in another file too; the reason is kept for its history."""
    followed = after(answered=answer(**GUARDED), resolved=EVIDENCE)

    assert (followed.transition, followed.why, followed.answer, followed.is_open) == (
        "resolved",
        "It is guarded.",
        None,
        False,
    )
    assert changes(followed) == {"status": "fixed", "evidence": EVIDENCE}


@each_row(
    ("case", "given"),
    [
        ("nobody said anything of it", {}),
        ("it was not asked about", {"was_asked": False}),
        ("addressed, without a quote", {"answered": answer(**{**GUARDED, "quote": ""})}),
        ("addressed, by code that is not there", {"answered": answer(**{**GUARDED, "quote": "if not value:"})}),
        ("addressed, by code of another file", {"answered": answer(**{**GUARDED, "path": "src/app.py"})}),
        ("addressed, by the code that was complained of", {"answered": answer(answer="ADDRESSED")}),
        ("addressed, by code that is there, and nobody agrees", {"answered": answer(**GUARDED)}),
        ("addressed, and reported again", {**RESOLVED, "reported": a_finding()}),
        ("in part", {"answered": answer(**{**GUARDED, "answer": "PARTIAL"})}),
        ("not addressed", {"answered": answer()}),
        ("who knows", {"answered": answer(answer="CANNOT_TELL", quote="")}),
    ],
)
def test_the_word_addressed_alone_resolves_nothing(case: str, given: dict[str, Any]) -> None:
    """Only what code and judge agree on does: it is still open, and nothing else is remembered."""
    followed = after(**given)

    assert (followed.transition, followed.is_open, changes(followed)) == ("stays", True, {}), case


MINOR = a_known(a_finding(severity="MINOR"))
BOTH = {
    "answered": answer(severity="MEDIUM", why="By the answer."),
    "reported": a_finding(explanation="By the report."),
}
UNSHOWN = {**BOTH, "answered": answer(severity="MEDIUM", quote="not there")}


@each_row(("seen", "severity", "said"), [(BOTH, "MEDIUM", "By the answer."), (UNSHOWN, "MAJOR", "By the report.")])
def test_a_worse_finding_is_raised_and_one_reply_says_why(seen: dict[str, Any], severity: str, said: str) -> None:
    """The answer with current code counts, else a report that is more severe; nothing else changes."""
    followed = after(MINOR, **seen)

    assert (followed.transition, followed.answer, followed.is_open) == ("raised", said, True)
    assert followed.known == replace(MINOR, finding=MINOR.finding.model_copy(update={"severity": severity}))


@each_row(
    ("case", "known", "given"),
    [
        ("shown by code that is not there", KNOWN, {"answered": answer(severity="CRITICAL", quote="return totals")}),
        ("shown by nothing", KNOWN, {"answered": answer(severity="CRITICAL", quote="")}),
        ("called addressed, without evidence", KNOWN, {"answered": answer(answer="ADDRESSED", severity="CRITICAL")}),
        ("its code was not changed", KNOWN, {"was_asked": False, "reported": a_finding(severity="CRITICAL")}),
        (
            "a preference",
            a_known(a_finding(kind="preference", severity="MINOR")),
            {"answered": answer(severity="MEDIUM"), "reported": a_finding(kind="preference", severity="MEDIUM")},
        ),
    ],
)
def test_nothing_is_raised_without_cause(case: str, known: KnownFinding, given: dict[str, Any]) -> None:
    """Code has to bear it out."""
    followed = after(known, **given)

    assert (followed.transition, followed.answer, followed.known) == ("stays", None, known), case


@each_row("status", sorted(DECIDED_BY_PEOPLE))
@each_row("given", [{}, {"answered": answer(**GUARDED)}, {"reported": a_finding(severity="CRITICAL")}])
@each_row(("by", "who"), [("ann", "ann"), ("", "somebody")])
def test_a_finding_that_a_person_dismissed_is_closed_whatever_the_model_says(
    status: FindingStatus, given: dict[str, Any], by: str, who: str
) -> None:
    """The person is remembered, if the account still exists; nothing is posted in the thread."""
    followed = after(stance=Stance(settles=status, by=by, heard="r7"), **given)

    assert (followed.transition, followed.why, followed.answer) == ("dismissed", f"{who} decided so", None)
    assert changes(followed) == {"status": status, "settled_by": by, "heard": "r7"}


CONCEDED = {"status": "conceded", "settled_by": "ann", "heard": "r2"}
FIXED = {"status": "fixed", "evidence": EVIDENCE, "heard": "r2"}


@each_row(
    ("case", "seen", "turn", "said", "changed"),
    [
        ("right", {"answered": answer(concedes=True, why="It is checked.")}, "resolved", "It is checked.", CONCEDED),
        ("wrong", {"answered": answer(why="It is not.")}, "stays", "It is not.", {"argued": True, "heard": "r2"}),
        ("next to a fix", RESOLVED, "resolved", None, FIXED),
    ],
)
def test_an_argument_is_conceded_or_answered_once_with_code(
    case: str, seen: dict[str, Any], turn: FindingTransition, said: str | None, changed: dict[str, Any]
) -> None:
    """It leaves the open list under the name of who argued, or stays; code counts more than words."""
    followed = after(stance=ARGUED, **seen)

    assert (followed.transition, followed.answer, changes(followed)) == (turn, said, changed), case


@each_row(
    ("case", "stance", "given"),
    [
        ("refuted by code that is not there", ARGUED, answer(quote="return totals")),
        ("refuted without a word", ARGUED, answer(why=" ")),
        ("right, but not of one who may end it", replace(ARGUED, may_win=False), answer(concedes=True)),
        ("called addressed, without evidence", ARGUED, answer(answer="ADDRESSED", quote="return total")),
        ("nobody can tell", ARGUED, answer(answer="CANNOT_TELL", why="The callers are not shown.")),
        ("refuted without code", ARGUED, answer(quote="", why="It is so.")),
        ("nothing was said of it", ARGUED, None),
        ("conceded though nobody argues", QUIET, answer(concedes=True)),
        ("conceded though somebody only claims that it is done", Stance(by="ann", claim="done"), answer(concedes=True)),
    ],
)
def test_an_argument_without_an_outcome_is_not_answered(case: str, stance: Stance, given: EarlierAnswer | None) -> None:
    """The finding stays open, and nothing is said."""
    followed = after(stance=stance, answered=given)

    assert (followed.transition, followed.answer, followed.is_open, followed.known.argued) == (
        "stays",
        None,
        True,
        False,
    ), case


CLAIM = Stance(by="ann", claim="done", heard="r2")


@each_row(
    ("stance", "seen", "heard"),
    [
        (Stance(heard="r2"), {"was_asked": False}, "r2"),
        (QUIET, {"was_asked": False}, "r1"),
        (CLAIM, {"was_asked": False}, "r1"),  # a claim counts only once the model was asked about it
        (CLAIM, {"answered": answer()}, "r2"),
        (ARGUED, {}, "r1"),  # an argument without an answer is asked about again
        (ARGUED, {"answered": answer(quote="")}, "r2"),
    ],
)
def test_the_last_reply_that_was_read_is_remembered(stance: Stance, seen: dict[str, Any], heard: str) -> None:
    """It is the id of the last reply."""
    assert after(stance=stance, **seen).known.heard == heard


@each_row(("answered", "turn"), [(None, "stays"), (answer(), "stays"), (answer(severity="CRITICAL"), "raised")])
def test_an_open_finding_notes_that_the_author_disagrees(answered: EarlierAnswer | None, turn: str) -> None:
    """That holds for every other outcome."""
    followed = after(stance=Stance(author_disagrees=True), answered=answered)

    assert (followed.transition, followed.author_disagrees) == (turn, True)


@each_row(
    ("case", "status", "ours", "seen", "turn"),
    [
        ("fixed", "fixed", True, {}, "stays"),
        ("fixed, and the model says otherwise", "fixed", True, {"answered": answer(severity="CRITICAL")}, "stays"),
        ("fixed, and the code is as it was", "fixed", True, {"is_back": True}, "reopened"),
        ("fixed, in a thread that we could not resolve", "fixed", False, {"is_unresolved": True}, "stays"),
        ("fixed, and a person opened its thread again", "fixed", True, {"is_unresolved": True}, "reopened"),
        ("conceded", "conceded", True, {"is_back": True}, "stays"),
        ("conceded, and a person opened its thread again", "conceded", True, {"is_unresolved": True}, "reopened"),
        ("dismissed", "dismissed", False, {"is_back": True}, "stays"),
        ("dismissed, and opened again", "dismissed", False, {"is_unresolved": True}, "reopened"),
        ("wont_fix, in an open thread", "wont_fix", False, {"is_unresolved": True, "is_back": True}, "stays"),
        ("acknowledged, in an open thread", "acknowledged", False, {"is_unresolved": True, "is_back": True}, "stays"),
    ],
)
def test_a_closed_finding_is_reopened_by_its_code_or_by_a_person(
    case: str, status: FindingStatus, ours: bool, seen: dict[str, Any], turn: FindingTransition
) -> None:
    """Only people reopen a resolved thread; their decisions outlive the code."""
    closed = a_known(
        status=status, settled_by="ann", evidence=Evidence("src/app.py", "gone()"), resolved_thread=ours, heard="r1"
    )

    followed = after(closed, **seen)

    again = {"status": "open", "settled_by": None, "evidence": None} | ({"resolved_thread": False} if ours else {})
    assert (followed.transition, changes(followed, closed)) == (turn, again if turn == "reopened" else {}), case
    assert followed.answer is None


def test_a_closed_finding_stays_closed_with_a_decision_or_while_its_fix_is_there() -> None:
    """A thread may be opened to say that it will not be fixed; a fix may be in another file. Else it says why."""
    dismissed, fixed = a_known(status="dismissed", settled_by="ann"), a_known(status="fixed", resolved_thread=True)

    decided = after(dismissed, Stance(settles="wont_fix", by="ann", heard="r9"), is_unresolved=True)

    assert (decided.transition, changes(decided, dismissed)) == ("stays", {"heard": "r9"})
    assert after(a_known(status="fixed", evidence=EVIDENCE), is_back=True).transition == "stays"
    assert after(fixed, is_unresolved=True, is_back=True).why == "its thread was opened again"
    assert after(fixed, is_back=True).why == "the code is as it was"


def test_every_severity_can_only_go_up() -> None:
    """This holds from each to each, by an answer and by a report in other words; nothing is said where it stays."""
    for at, was in enumerate(SEVERITIES):
        for to, said in enumerate(SEVERITIES):
            known = a_known(a_finding(severity=was))
            expected = SEVERITIES[min(at, to)]

            for given in ({"answered": answer(severity=said)}, {"reported": a_finding(severity=said, title="Other")}):
                followed = after(known, **given)

                assert followed.known == replace(known, finding=a_finding(severity=expected))
                assert followed.transition == ("raised" if to < at else "stays")
                assert (followed.answer is not None) is (to < at)


LEFT = {"answer": "PARTIAL", "title": "An empty list fails", "problem": "It raises.", "why": "None is guarded."}


@each_row(
    ("case", "given", "seen", "turn", "said"),
    [
        ("in part, where it changed", answer(**LEFT), {"is_changed": True}, "partly", "None is guarded."),
        ("in part, where nothing changed", answer(**LEFT), {}, "stays", None),
        ("in part, without code", answer(**{**LEFT, "quote": ""}), {"is_changed": True}, "stays", None),
        ("not, though it was tried", answer(why="No."), {"is_tried": True}, "stays", "No."),
        ("not, though it was claimed", answer(why="No."), {"stance": CLAIM}, "stays", "No."),
        ("not, and that was said", answer(why="No."), {"stance": CLAIM, "is_answered": True}, "stays", None),
        (
            "not, though it was tried since",
            answer(why="No."),
            {"stance": CLAIM, "is_answered": True, "is_tried": True},
            "stays",
            "No.",
        ),
        ("not, and nobody tried", answer(why="No."), {"is_changed": True}, "stays", None),
        ("not, since it is wrong", answer(concedes=True), {"is_tried": True}, "stays", None),
    ],
)
def test_a_try_that_does_not_fix_all_is_answered(
    case: str, given: EarlierAnswer, seen: dict[str, Any], turn: FindingTransition, said: str | None
) -> None:
    """A finding that is fixed in part is about what is left from then on; any other stays what it is."""
    followed = after(answered=given, **seen)

    assert (followed.transition, followed.answer, followed.is_open) == (turn, said, True), case
    is_new = (followed.finding.title, followed.finding.problem) == (LEFT["title"], LEFT["problem"])
    assert is_new is (turn == "partly"), case
