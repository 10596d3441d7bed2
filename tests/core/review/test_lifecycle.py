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


def answer(**given: Any) -> EarlierAnswer:
    """Not addressed, shown by the code that was complained of."""
    return EarlierAnswer(
        **{
            "finding": KNOWN.id,
            "answer": "NOT_ADDRESSED",
            "path": "src/app.py",
            "quote": "return total",
            "why": "The code says so.",
            "severity": None,
            "concedes": False,
            **given,
        }
    )


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
        (
            "addressed, and reported again",
            {"answered": answer(**GUARDED), "resolved": EVIDENCE, "reported": a_finding()},
        ),
        ("in part", {"answered": answer(**{**GUARDED, "answer": "PARTIAL"})}),
        ("not addressed", {"answered": answer()}),
        ("who knows", {"answered": answer(answer="CANNOT_TELL", quote="")}),
    ],
)
def test_the_word_addressed_alone_resolves_nothing(case: str, given: dict[str, Any]) -> None:
    """Only what code and judge agree on does: it is still open, and nothing else is remembered."""
    followed = after(**given)

    assert (followed.transition, followed.is_open, changes(followed)) == ("stays", True, {}), case


def test_a_worse_finding_is_raised_and_one_reply_says_why() -> None:
    """The answer with current code counts, else a report that is more severe."""
    by_answer = after(answered=answer(severity="CRITICAL", why="It now runs on every request."))
    by_report = after(reported=a_finding(severity="CRITICAL", title="Other words", explanation="Every request fails."))

    assert (by_answer.transition, by_answer.answer) == ("raised", "It now runs on every request.")
    assert (by_report.transition, by_report.answer) == ("raised", "Every request fails.")
    assert by_answer.known == by_report.known == replace(KNOWN, finding=a_finding(severity="CRITICAL"))
    assert by_answer.is_open


def test_an_answer_about_the_severity_counts_more_than_a_report() -> None:
    """If both are more severe, the answer's reason is posted; otherwise the severity stays."""
    reported = a_finding(severity="MAJOR", explanation="By the report.")
    known = a_known(a_finding(severity="MINOR"))

    both = after(known, answered=answer(severity="MEDIUM", why="By the answer."), reported=reported)
    without = after(known, answered=answer(severity="MEDIUM", quote="not there"), reported=reported)

    assert (both.finding.severity, both.answer) == ("MEDIUM", "By the answer.")
    assert (without.finding.severity, without.answer) == ("MAJOR", "By the report.")


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
        ("CRITICAL already", a_known(a_finding(severity="CRITICAL")), {"answered": answer(severity="CRITICAL")}),
    ],
)
def test_nothing_is_raised_without_cause(case: str, known: KnownFinding, given: dict[str, Any]) -> None:
    """Code has to bear it out."""
    followed = after(known, **given)

    assert (followed.transition, followed.answer, followed.known) == ("stays", None, known), case


@each_row("status", sorted(DECIDED_BY_PEOPLE))
@each_row("given", [{}, {"answered": answer(**GUARDED)}, {"reported": a_finding(severity="CRITICAL")}])
def test_a_finding_that_a_person_dismissed_is_closed_whatever_the_model_says(
    status: FindingStatus, given: dict[str, Any]
) -> None:
    """The person is remembered; nothing is posted in the thread."""
    followed = after(stance=Stance(settles=status, by="ann", heard="r7"), **given)

    assert (followed.transition, followed.why, followed.answer) == ("dismissed", "ann decided so", None)
    assert changes(followed) == {"status": status, "settled_by": "ann", "heard": "r7"}


def test_a_thread_resolved_by_a_deleted_account_is_dismissed_too() -> None:
    """Nobody can be named then."""
    assert after(stance=Stance(settles="dismissed", by="")).why == "somebody decided so"


def test_a_right_argument_is_conceded_with_a_reply() -> None:
    """It leaves the open list under the name of who argued."""
    followed = after(stance=ARGUED, answered=answer(concedes=True, why="The caller checks it."))

    assert (followed.transition, followed.answer) == ("resolved", "The caller checks it.")
    assert changes(followed) == {"status": "conceded", "settled_by": "ann", "heard": "r2"}


def test_a_wrong_argument_is_answered_once_with_code() -> None:
    """The finding stays open, and that it was answered is remembered."""
    followed = after(stance=ARGUED, answered=answer(why="Nobody checks it here."))

    assert (followed.transition, followed.answer, followed.is_open) == ("stays", "Nobody checks it here.", True)
    assert changes(followed) == {"argued": True, "heard": "r2"}


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


def test_an_argument_next_to_a_fix_ends_with_the_fix() -> None:
    """Code counts more than words."""
    followed = after(stance=ARGUED, answered=answer(**GUARDED), resolved=EVIDENCE)

    assert (followed.transition, followed.known.status, followed.answer) == ("resolved", "fixed", None)


def test_the_last_reply_that_was_read_is_remembered() -> None:
    """It is the id of the last reply; a claim counts only once the model was asked about it."""
    claim = Stance(by="ann", claim="done", heard="r2")

    assert after(stance=Stance(heard="r2"), was_asked=False).known.heard == "r2"
    assert after(was_asked=False).known.heard == "r1"
    assert after(stance=claim, was_asked=False).known == KNOWN
    assert after(stance=claim, answered=answer()).known.heard == "r2"


def test_an_open_finding_notes_that_the_author_disagrees() -> None:
    """That holds for every other outcome."""
    stance = Stance(author_disagrees=True)

    followed = [after(stance=stance, answered=each) for each in (None, answer(), answer(severity="CRITICAL"))]

    assert [(each.transition, each.author_disagrees) for each in followed] == [
        ("stays", True),
        ("stays", True),
        ("raised", True),
    ]


@each_row(
    ("case", "status", "ours", "seen", "turn"),
    [
        ("fixed", "fixed", True, {}, "stays"),
        (
            "fixed, and the model says something of it",
            "fixed",
            True,
            {"answered": answer(severity="CRITICAL")},
            "stays",
        ),
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


def test_a_thread_that_is_reopened_with_a_decision_stays_closed() -> None:
    """Somebody opened the thread to say that it will not be fixed."""
    dismissed = a_known(status="dismissed", settled_by="ann")

    followed = after(dismissed, Stance(settles="wont_fix", by="ann", heard="r9"), is_unresolved=True)

    assert (followed.transition, changes(followed, dismissed)) == ("stays", {"heard": "r9"})


def test_why_it_came_back_is_kept_for_its_history() -> None:
    """A person opened it, or the code did."""
    closed = a_known(status="fixed", resolved_thread=True)

    assert after(closed, is_unresolved=True, is_back=True).why == "its thread was opened again"
    assert after(closed, is_back=True).why == "the code is as it was"


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


def test_a_fix_in_another_file_counts_while_it_is_there() -> None:
    """Its own hunk may be as it was when it was reported: the fix is in another file."""
    fixed = a_known(status="fixed", evidence=Evidence("src/guard.py", "if not values:"))

    assert after(fixed, is_back=True).transition == "stays"


def test_an_argument_without_an_answer_is_asked_about_again() -> None:
    """The model was asked and did not answer."""
    arguing = Stance(claim="disagrees", by="ann", may_win=True, heard="r2")

    assert after(stance=arguing, was_asked=True).known.heard == KNOWN.heard
    assert after(stance=arguing, was_asked=True, answered=answer(quote="")).known.heard == "r2"
