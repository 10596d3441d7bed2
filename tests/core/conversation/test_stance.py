"""What people have made of a finding: who may decide what, what they claim, and what was heard of it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.conversation.mention import handles
from kodiai.core.conversation.stance import Stance, asked_of, may_settle, people, stance
from kodiai.core.conversation.thread import Reply, Thread
from kodiai.core.findings.finding import SEVERITIES
from kodiai.core.findings.known import KnownFinding
from tests.builders import a_finding, a_known, a_reply, a_thread

US, AUTHOR = "kodiai[bot]", "otto"
HANDLES = handles(US, ())
WRITERS = {"ann", "mia"}
MAJOR = a_known()
MINOR = a_known(a_finding(severity="MINOR"))


def read(*replies: Reply, known: KnownFinding = MAJOR, **of_thread: Any) -> Stance:
    thread = a_thread(*replies, **of_thread)
    return stance(known, thread, us=US, handles=HANDLES, author=AUTHOR, may_write=WRITERS.__contains__)


def test_an_argument_that_calls_us_is_left_to_whoever_answers_it() -> None:
    """No review answers it a second time; one that calls nobody, and a decision, count as ever."""
    called = a_reply("@kodiai I disagree: it is never empty.", AUTHOR, "NONE")
    plain = a_reply("I disagree: it is never empty.", AUTHOR, "NONE")

    assert (read(called).claim, read(called).author_disagrees) == (None, True)
    assert read(plain).claim == "disagrees"
    assert read(plain, called).claim == "disagrees"
    assert read(a_reply("@kodiai done in 1234567.", AUTHOR, "NONE")).claim == "done"
    assert read(a_reply("@kodiai won't fix", "ann", "MEMBER")).settles == "wont_fix"


def asked(*replies: Reply, known: KnownFinding = MAJOR, **of_thread: Any) -> set[str]:
    return asked_of(known, a_thread(*replies, **of_thread), us=US, handles=HANDLES, author=AUTHOR)


@pytest.mark.parametrize(
    ("by", "association", "on_grave", "on_minor", "is_asked"),
    [
        ("ann", "OWNER", True, True, False),
        ("eve", "OWNER", True, True, False),
        ("ann", "MEMBER", True, True, True),
        ("ann", "COLLABORATOR", True, True, True),
        ("eve", "MEMBER", False, False, True),
        ("eve", "COLLABORATOR", False, False, True),
        ("ann", "CONTRIBUTOR", False, False, False),
        ("eve", "NONE", False, False, False),
        ("eve", "FIRST_TIME_CONTRIBUTOR", False, False, False),
        (AUTHOR, "NONE", False, True, False),
        (AUTHOR, "CONTRIBUTOR", False, True, False),
        (AUTHOR, "MEMBER", False, True, True),
    ],
)
def test_who_may_write_decides_and_the_author_what_is_not_grave(
    by: str, association: str, on_grave: bool, on_minor: bool, is_asked: bool
) -> None:
    """GitHub is asked only of members and collaborators: what others may do follows from who they are."""
    reply = a_reply("won't fix", by, association)

    for severity in SEVERITIES:
        known = a_known(a_finding(severity=severity))
        is_grave = severity in {"CRITICAL", "MAJOR"}
        decides = on_grave if is_grave else on_minor

        assert may_settle(reply, known.finding, author=AUTHOR, may_write=WRITERS.__contains__) is decides
        assert (read(reply, known=known).settles == "wont_fix") is decides
        assert asked(reply, known=known) == ({by} if is_asked and (is_grave or by != AUTHOR) else set())


def test_an_author_who_may_write_decides_everything() -> None:
    """A maintainer's own pull request."""
    reply = a_reply("won't fix", "ann")

    found = stance(MAJOR, a_thread(reply), us=US, handles=HANDLES, author="ann", may_write=WRITERS.__contains__)

    assert found == Stance(settles="wont_fix", by="ann", heard=reply.id)


@pytest.mark.parametrize(
    ("said", "status"),
    [("won't fix", "wont_fix"), ("This is by design.", "wont_fix"), ("acknowledged", "acknowledged"), ("Hm.", None)],
)
def test_a_decision_is_a_status(said: str, status: str | None) -> None:
    """What is by design will not be fixed; what settles nothing is read, and no more."""
    reply = a_reply(said)

    expected = Stance(settles=status, by="ann", heard=reply.id) if status else Stance(heard=reply.id)  # type: ignore[arg-type]
    assert read(reply) == expected


@pytest.mark.parametrize(
    ("case", "replies", "settles", "by"),
    [
        ("two decisions", [a_reply("won't fix"), a_reply("acknowledged", "mia")], "acknowledged", "mia"),
        ("the later by one who may not", [a_reply("won't fix"), a_reply("acknowledged", "eve")], "wont_fix", "ann"),
        ("something else was said since", [a_reply("won't fix"), a_reply("And the tests?", "eve")], "wont_fix", "ann"),
        ("somebody disagrees with it", [a_reply("won't fix"), a_reply("I disagree", "eve", "NONE")], "wont_fix", "ann"),
        (
            "it was claimed to be done first",
            [a_reply("Fixed.", AUTHOR, "NONE"), a_reply("won't fix")],
            "wont_fix",
            "ann",
        ),
        ("only by who may not", [a_reply("won't fix", "eve"), a_reply("acknowledged", "joe", "NONE")], None, None),
    ],
)
def test_the_last_decision_counts_by_whoever_may_decide(
    case: str, replies: list[Reply], settles: str | None, by: str | None
) -> None:
    """Whatever stands around it; all that was said is heard."""
    found = read(*replies)

    assert (found.settles, found.by, found.heard) == (settles, by, replies[-1].id), case
    assert not found.author_disagrees


@pytest.mark.parametrize(
    ("said", "status"),
    [("@kodiai won't fix", "wont_fix"), ("@kodiai track it: known issue", "acknowledged"), ("@kodiai resolve", None)],
)
def test_who_decides_may_call_us_by_name(said: str, status: str | None) -> None:
    """A command decides nothing about the finding."""
    assert read(a_reply(said)).settles == status
    assert read(a_reply("@kodiai propose a deliberate choice of locks")).settles is None
    assert asked(a_reply(said)) == ({"ann"} if status else set())


def test_an_author_who_decides_what_only_others_can_disagrees() -> None:
    """Until somebody who may write agrees; of what is not grave it is decided."""
    wont = a_reply("won't fix", AUTHOR, "CONTRIBUTOR")

    assert read(wont) == Stance(author_disagrees=True, heard=wont.id)
    assert read(wont, a_reply("Agreed, won't fix")).settles == "wont_fix"
    assert read(wont, known=MINOR) == Stance(settles="wont_fix", by=AUTHOR, heard=wont.id)
    assert not read(a_reply("won't fix", "eve", "NONE")).author_disagrees


@pytest.mark.parametrize(
    ("resolved_by", "settles"),
    [("ann", "dismissed"), ("eve", "dismissed"), ("", "dismissed"), (US, None), (None, None)],
)
def test_a_thread_that_a_person_resolved_is_dismissed(resolved_by: str | None, settles: str | None) -> None:
    """GitHub lets nobody else resolve it; an account that is gone was a person's, and we dismiss nothing."""
    found = read(a_reply("Hm."), resolved_by=resolved_by)

    assert (found.settles, found.by) == (settles, resolved_by if settles else None)


def test_a_decision_says_more_than_a_resolved_thread() -> None:
    """Who resolves it after "won't fix" says nothing else; who resolves what is claimed to be done, dismisses it."""
    assert read(a_reply("won't fix"), resolved_by="mia").by == "ann"
    assert read(a_reply("won't fix", "eve"), resolved_by="mia").settles == "dismissed"
    assert read(a_reply("Fixed.", AUTHOR, "NONE"), resolved_by=AUTHOR).settles == "dismissed"


DONE, DISAGREE, QUESTION = (
    a_reply("Fixed.", id="1"),
    a_reply("I disagree, it cannot be empty", id="2"),
    a_reply("Why?", id="3"),
)


@pytest.mark.parametrize(
    ("case", "replies", "known", "claim"),
    [
        ("done", [DONE], {}, "done"),
        ("an argument", [DISAGREE], {}, "disagrees"),
        ("the last one", [DONE, DISAGREE], {}, "disagrees"),
        ("the last one, the other way round", [DISAGREE, DONE], {}, "done"),
        ("something else was said since", [DONE, QUESTION], {}, "done"),
        ("nothing", [QUESTION], {}, None),
        ("heard before", [DONE], {"heard": "1"}, None),
        ("heard before, and something else since", [DONE, QUESTION], {"heard": "1"}, None),
        ("heard with what was said after it", [DONE, QUESTION], {"heard": "3"}, None),
        ("new after what was heard", [DONE, DISAGREE], {"heard": "1"}, "disagrees"),
        ("what was heard last is not there any more", [DONE], {"heard": "0"}, "done"),
        ("an argument, and one was answered before", [DISAGREE], {"argued": True}, None),
        ("an argument after a claim, and one was answered before", [DONE, DISAGREE], {"argued": True}, None),
        ("done, and an argument was answered before", [DISAGREE, DONE], {"argued": True, "heard": "2"}, "done"),
    ],
)
def test_a_claim_counts_until_it_is_heard_and_one_argument_is_answered(
    case: str, replies: list[Reply], known: dict[str, Any], claim: str | None
) -> None:
    """Anybody may claim something: it is held against the code."""
    found = read(*replies, known=a_known(**known))

    assert (found.claim, found.by) == (claim, "ann" if claim else None), case
    assert (found.settles, found.heard) == (None, replies[-1].id)


@pytest.mark.parametrize(
    ("by", "association", "known", "may_win"),
    [
        ("ann", "MEMBER", MAJOR, True),
        ("eve", "MEMBER", MAJOR, False),
        ("eve", "OWNER", MAJOR, True),
        ("eve", "NONE", MINOR, False),
        (AUTHOR, "NONE", MINOR, True),
        (AUTHOR, "NONE", MAJOR, False),
    ],
)
def test_an_argument_may_end_what_its_author_may_decide(
    by: str, association: str, known: KnownFinding, may_win: bool
) -> None:
    """Who may not is answered all the same; that something is done nobody needs a right to."""
    argument, claim = a_reply("I disagree: it is checked", by, association), a_reply("Fixed.", by, association)

    assert (read(argument, known=known).claim, read(argument, known=known).may_win) == ("disagrees", may_win)
    assert (read(claim, known=known).claim, read(claim, known=known).may_win) == ("done", False)


OURS = a_reply("won't fix", US, "OWNER", is_ours=True)
BOT = a_reply("won't fix", "renovate[bot]", "MEMBER", is_bot=True)


@pytest.mark.parametrize("replies", [[OURS], [BOT], [OURS, BOT]])
def test_neither_we_nor_other_bots_have_an_opinion(replies: list[Reply]) -> None:
    """Nothing is settled, claimed or heard, and nobody is asked for."""
    assert read(*replies) == Stance()
    assert asked(*replies) == set()
    assert people([*replies, DONE]) == [DONE]
    assert read(*replies, DONE, *replies).heard == DONE.id


def test_without_a_thread_nobody_has_said_anything() -> None:
    """The finding stands in a review's body, or its comment was deleted."""
    assert stance(MAJOR, None, us=US, handles=HANDLES, author=AUTHOR, may_write=WRITERS.__contains__) == Stance()
    assert asked_of(MAJOR, None, us=US, handles=HANDLES, author=AUTHOR) == set()


@pytest.mark.parametrize(
    ("case", "replies", "known", "logins"),
    [
        ("everybody who decided", [a_reply("won't fix"), a_reply("acknowledged", "eve")], MAJOR, {"ann", "eve"}),
        ("nobody who only talks", [a_reply("won't fix"), a_reply("Why?", "eve")], MAJOR, {"ann"}),
        ("nobody for a claim", [DONE], MAJOR, set()),
        ("who argues", [DISAGREE], MAJOR, {"ann"}),
        ("who argues, unless it was heard", [DISAGREE], a_known(heard="2"), set()),
        (
            "nobody before an owner who decided later",
            [a_reply("won't fix"), a_reply("ack", "own", "OWNER")],
            MAJOR,
            set(),
        ),
        ("nobody before the author of what is not grave", [a_reply("won't fix"), a_reply("ack", AUTHOR)], MINOR, set()),
    ],
)
def test_github_is_asked_only_where_it_matters(
    case: str, replies: list[Reply], known: KnownFinding, logins: set[str]
) -> None:
    """Each question is a request."""
    assert asked(*replies, known=known) == logins, case


_REPLIES = st.lists(
    st.builds(
        a_reply,
        st.sampled_from(["won't fix", "acknowledged", "Fixed.", "I disagree", "Why?"]),
        st.sampled_from(["ann", "eve", AUTHOR, US]),
        st.sampled_from(["OWNER", "MEMBER", "COLLABORATOR", "NONE"]),
        is_bot=st.booleans(),
    ),
    max_size=4,
)
_THREADS = st.builds(
    lambda replies, resolved_by: a_thread(*replies, resolved_by=resolved_by),
    _REPLIES,
    st.sampled_from([None, "", "eve", US]),
)


@given(
    thread=_THREADS,
    severity=st.sampled_from(SEVERITIES),
    heard=st.sampled_from([None, "ann: Fixed.", "gone"]),
    argued=st.booleans(),
    writers=st.sets(st.sampled_from(["ann", "eve", AUTHOR])),
)
def test_whoever_was_not_asked_for_makes_no_difference(
    thread: Thread, severity: str, heard: str | None, argued: bool, writers: set[str]
) -> None:
    """The answers of those who are asked for are all that a thread's reading needs of GitHub."""
    known = a_known(a_finding(severity=severity), heard=heard, argued=argued)
    wanted = asked_of(known, thread, us=US, handles=HANDLES, author=AUTHOR)

    def may_write(login: str) -> bool:
        return login in writers & wanted

    whole = stance(known, thread, us=US, handles=HANDLES, author=AUTHOR, may_write=writers.__contains__)

    assert stance(known, thread, us=US, handles=HANDLES, author=AUTHOR, may_write=may_write) == whole
    assert whole.settles is None or whole.claim is None
