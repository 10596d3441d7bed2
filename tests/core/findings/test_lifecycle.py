"""What becomes of a finding from one review to the next: the table of transitions, row by row."""

from dataclasses import replace
from typing import Any

import pytest

from kodiai.core.conversation.stance import Stance
from kodiai.core.findings.finding import SEVERITIES
from kodiai.core.findings.known import DECIDED_BY_PEOPLE, Evidence, KnownFinding, Status
from kodiai.core.findings.lifecycle import FindingUpdate, Observation, Transition, follow
from kodiai.core.findings.report import EarlierAnswer
from tests.builders import a_finding, a_known

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
    """What becomes of it where it was asked about, unless told otherwise."""
    return follow(known, Observation(**{"stance": stance, "was_asked": True, **seen}), HEAD.get)


def changes(followed: FindingUpdate, known: KnownFinding = KNOWN) -> dict[str, Any]:
    """What else is remembered of it than before."""
    now, before = vars(followed.known), vars(known)
    return {name: value for name, value in now.items() if value != before[name]}


def test_fixed_it_leaves_the_open_list_with_its_evidence() -> None:
    """The evidence is what code and judge agree on, in another file too; the reason is kept for its history."""
    followed = after(answered=answer(**GUARDED), resolved=EVIDENCE)

    assert (followed.transition, followed.why, followed.answer, followed.is_open) == (
        "resolved",
        "It is guarded.",
        None,
        False,
    )
    assert changes(followed) == {"status": "fixed", "evidence": EVIDENCE}


@pytest.mark.parametrize(
    ("case", "given"),
    [
        ("nobody said anything of it", {}),
        ("it was not asked about", {"was_asked": False}),
        ("addressed, without a quote", {"answered": answer(**{**GUARDED, "quote": ""})}),
        ("addressed, by code that is not there", {"answered": answer(**{**GUARDED, "quote": "if not value:"})}),
        ("addressed, by code of another file", {"answered": answer(**{**GUARDED, "path": "src/app.py"})}),
        ("addressed, by the code that was complained of", {"answered": answer(answer="ADDRESSED")}),
        ("addressed, by code that stands, and nobody agrees", {"answered": answer(**GUARDED)}),
        (
            "addressed, and reported again",
            {"answered": answer(**GUARDED), "resolved": EVIDENCE, "reported": a_finding()},
        ),
        ("in part", {"answered": answer(**{**GUARDED, "answer": "PARTIAL"})}),
        ("not addressed", {"answered": answer()}),
        ("who knows", {"answered": answer(answer="CANNOT_TELL", quote="")}),
    ],
)
def test_that_it_is_called_addressed_resolves_nothing(case: str, given: dict[str, Any]) -> None:
    """Only what code and judge agree on does: it is still open, and nothing else is remembered."""
    followed = after(**given)

    assert (followed.transition, followed.is_open, changes(followed)) == ("stays", True, {}), case


def test_worse_its_severity_is_raised_and_one_reply_says_why() -> None:
    """By the answer with current code, else by a report that is graver."""
    by_answer = after(answered=answer(severity="CRITICAL", why="It now runs on every request."))
    by_report = after(reported=a_finding(severity="CRITICAL", title="Other words", explanation="Every request fails."))

    assert (by_answer.transition, by_answer.answer) == ("raised", "It now runs on every request.")
    assert (by_report.transition, by_report.answer) == ("raised", "Every request fails.")
    assert by_answer.known == by_report.known == replace(KNOWN, finding=a_finding(severity="CRITICAL"))
    assert by_answer.is_open


def test_the_answer_says_more_of_how_grave_it_is_than_a_report() -> None:
    """Where both are graver the answer's reason is told; one that is not graver leaves it as it is."""
    reported = a_finding(severity="MAJOR", explanation="By the report.")
    known = a_known(a_finding(severity="MINOR"))

    both = after(known, answered=answer(severity="MEDIUM", why="By the answer."), reported=reported)
    without = after(known, answered=answer(severity="MEDIUM", quote="not there"), reported=reported)

    assert (both.finding.severity, both.answer) == ("MEDIUM", "By the answer.")
    assert (without.finding.severity, without.answer) == ("MAJOR", "By the report.")


@pytest.mark.parametrize(
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
        ("the gravest already", a_known(a_finding(severity="CRITICAL")), {"answered": answer(severity="CRITICAL")}),
    ],
)
def test_nothing_is_raised_without_cause(case: str, known: KnownFinding, given: dict[str, Any]) -> None:
    """Code has to bear it out."""
    followed = after(known, **given)

    assert (followed.transition, followed.answer, followed.known) == ("stays", None, known), case


@pytest.mark.parametrize("status", sorted(DECIDED_BY_PEOPLE))
@pytest.mark.parametrize("given", [{}, {"answered": answer(**GUARDED)}, {"reported": a_finding(severity="CRITICAL")}])
def test_settled_by_a_person_it_leaves_the_open_list_whatever_the_model_says(
    status: Status, given: dict[str, Any]
) -> None:
    """With who decided it; nothing is answered in the thread."""
    followed = after(stance=Stance(settles=status, by="ann", heard="r7"), **given)

    assert (followed.transition, followed.why, followed.answer) == ("dismissed", "ann decided so", None)
    assert changes(followed) == {"status": status, "settled_by": "ann", "heard": "r7"}


def test_a_thread_that_was_resolved_by_an_account_that_is_gone_is_settled_too() -> None:
    """Nobody can be named then."""
    assert after(stance=Stance(settles="dismissed", by="")).why == "somebody decided so"


def test_an_argument_that_is_right_is_conceded_and_that_is_said() -> None:
    """It leaves the open list under the name of who argued."""
    followed = after(stance=ARGUED, answered=answer(concedes=True, why="The caller checks it."))

    assert (followed.transition, followed.answer) == ("resolved", "The caller checks it.")
    assert changes(followed) == {"status": "conceded", "settled_by": "ann", "heard": "r2"}


def test_an_argument_that_is_wrong_is_answered_once_with_code() -> None:
    """The finding stays open, and that it was answered is remembered."""
    followed = after(stance=ARGUED, answered=answer(why="Nobody checks it here."))

    assert (followed.transition, followed.answer, followed.is_open) == ("stays", "Nobody checks it here.", True)
    assert changes(followed) == {"argued": True, "heard": "r2"}


@pytest.mark.parametrize(
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


def test_an_argument_beside_a_fix_ends_with_the_fix() -> None:
    """Code speaks first."""
    followed = after(stance=ARGUED, answered=answer(**GUARDED), resolved=EVIDENCE)

    assert (followed.transition, followed.known.status, followed.answer) == ("resolved", "fixed", None)


def test_what_was_heard_is_remembered() -> None:
    """The id of the last reply; without replies that of before, and a claim only once the model was asked about it."""
    claim = Stance(by="ann", claim="done", heard="r2")

    assert after(stance=Stance(heard="r2"), was_asked=False).known.heard == "r2"
    assert after(was_asked=False).known.heard == "r1"
    assert after(stance=claim, was_asked=False).known == KNOWN
    assert after(stance=claim, answered=answer()).known.heard == "r2"


def test_that_the_author_disagrees_is_noted_of_what_is_open() -> None:
    """Whatever else becomes of it."""
    stance = Stance(author_disagrees=True)

    followed = [after(stance=stance, answered=each) for each in (None, answer(), answer(severity="CRITICAL"))]

    assert [(each.transition, each.author_disagrees) for each in followed] == [
        ("stays", True),
        ("stays", True),
        ("raised", True),
    ]


@pytest.mark.parametrize(
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
def test_what_is_closed_comes_back_with_its_code_or_where_a_person_asks(
    case: str, status: Status, ours: bool, seen: dict[str, Any], turn: Transition
) -> None:
    """A thread that we resolved, or a person, is opened by people only; what people decided outlives the code."""
    closed = a_known(
        status=status, settled_by="ann", evidence=Evidence("src/app.py", "gone()"), resolved_thread=ours, heard="r1"
    )

    followed = after(closed, **seen)

    again = {"status": "open", "settled_by": None, "evidence": None} | ({"resolved_thread": False} if ours else {})
    assert (followed.transition, changes(followed, closed)) == (turn, again if turn == "reopened" else {}), case
    assert followed.answer is None


def test_what_is_opened_again_and_decided_again_stays_closed() -> None:
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


def test_what_was_mended_elsewhere_stays_mended_while_that_stands() -> None:
    """Its own hunk may be as it was when it was told: the code that mended it is in another file."""
    mended = a_known(status="fixed", evidence=Evidence("src/guard.py", "if not values:"))

    assert after(mended, is_back=True).transition == "stays"


def test_an_argument_that_nobody_weighed_is_weighed_the_next_time() -> None:
    """The model was asked and said nothing: nobody has heard it."""
    arguing = Stance(claim="disagrees", by="ann", may_win=True, heard="r2")

    assert after(stance=arguing, was_asked=True).known.heard == KNOWN.heard
    assert after(stance=arguing, was_asked=True, answered=answer(quote="")).known.heard == "r2"
