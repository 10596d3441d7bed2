"""What of_people have made of a finding: who may decide what, what they claim, and what was heard of it."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.conversation.mention import handles
from kodiai.core.conversation.reading import reading_name
from kodiai.core.conversation.replies import Meaning
from kodiai.core.conversation.stance import Stance, ThreadReader
from kodiai.core.findings.finding import SEVERITIES
from kodiai.core.findings.known import FindingStatus, KnownFinding
from kodiai.core.github.comment import Reply, Thread, of_people
from tests.builders import a_finding, a_known, a_reply, a_thread
from tests.tables import each_row

US, AUTHOR = "kodiai[bot]", "otto"
HANDLES = handles(US, ())
WRITERS = {"ann", "mia", "robin[bot]"}
MAJOR = a_known()
MINOR = a_known(a_finding(severity="MINOR"))


ARGUMENT = "It is never empty here."
MEANINGS: dict[str, Meaning | None] = {
    ARGUMENT: "disagrees",
    f"@kodiai {ARGUMENT}": "disagrees",
    "Wir lassen das so.": "wont_fix",
    "そのままにします": "wont_fix",
    "Hm.": None,
    "Why?": None,
    "And the tests?": None,
}
"""What a model reads in the replies of these tests that the table does not know."""


def readings(*replies: Reply) -> dict[str, Meaning | None]:
    known = [each for each in replies if each.body in MEANINGS]
    return {reading_name(each): MEANINGS[each.body] for each in known}


def read(*replies: Reply, known: KnownFinding = MAJOR, author: str = AUTHOR, **of_thread: Any) -> Stance:
    return heard(known, a_thread(*replies, **of_thread), author=author)


def heard(known: KnownFinding, thread: Thread | None, *, author: str = AUTHOR, is_read: bool = True) -> Stance:
    reader = ThreadReader(US, HANDLES, author, WRITERS.__contains__)
    if thread is not None and is_read:
        reader = ThreadReader(US, HANDLES, author, WRITERS.__contains__, readings(*thread.replies))
    return reader.stance(known, thread)


def test_an_argument_that_calls_us_is_left_to_whoever_answers_it() -> None:
    """No review answers it a second time; one that calls nobody, and a decision, count as ever."""
    called = a_reply(f"@kodiai {ARGUMENT}", AUTHOR)
    plain = a_reply(ARGUMENT, AUTHOR)

    assert (read(called).claim, read(called).author_disagrees) == (None, True)
    assert read(plain).claim == "disagrees"
    assert read(plain, called).claim == "disagrees"
    assert read(a_reply("@kodiai done.", AUTHOR)).claim == "done"
    assert read(a_reply("@kodiai won't fix", "ann")).settles == "wont_fix"


def asked(*replies: Reply, known: KnownFinding = MAJOR, **of_thread: Any) -> set[str]:
    """Of whom GitHub is asked whether they may write."""
    logins: set[str] = set()

    def may_write(login: str) -> bool:
        logins.add(login)
        return login in WRITERS

    ThreadReader(US, HANDLES, AUTHOR, may_write, readings(*replies)).stance(known, a_thread(*replies, **of_thread))
    return logins


@each_row(
    ("by", "author", "on_severe", "on_minor"),
    [
        ("ann", AUTHOR, True, True),
        ("ann", "ann", True, True),
        ("eve", AUTHOR, False, False),
        (AUTHOR, AUTHOR, False, True),
        ("ghost", AUTHOR, False, False),
        ("ghost", "ghost", False, False),
        ("robin[bot]", AUTHOR, False, False),
        ("robin[bot]", "robin[bot]", False, False),
    ],
)
def test_who_may_write_decides_and_the_author_what_is_not_severe(
    by: str, author: str, on_severe: bool, on_minor: bool
) -> None:
    """In words and with the button of the thread alike; no bot, and no account that is gone.

    GitHub is asked only where the answer counts.
    """
    reply = a_reply("won't fix", by, is_bot=by.endswith("[bot]"))

    for severity in SEVERITIES:
        known = a_known(a_finding(severity=severity))
        is_severe = severity in {"CRITICAL", "MAJOR"}
        decides = on_severe if is_severe else on_minor

        assert (read(reply, known=known, author=author).settles == "wont_fix") is decides
        assert (read(known=known, author=author, resolved_by=by).settles == "dismissed") is decides
    assert asked(a_reply("won't fix", by), known=MINOR) == ({by} & {"ann", "eve"})


def test_an_author_who_may_write_decides_everything() -> None:
    """A maintainer's own pull request."""
    reply = a_reply("won't fix", "ann")

    found = read(reply, author="ann")

    assert found == Stance(settles="wont_fix", meaning="wont_fix", by="ann", reply=reply.id, heard=reply.id)


@each_row(
    ("said", "meaning", "status"),
    [
        ("won't fix", "wont_fix", "wont_fix"),
        ("This is by design.", "by_design", "wont_fix"),
        ("acknowledged", "acknowledged", "acknowledged"),
        ("False positive.", "false_positive", "dismissed"),
        ("Wir lassen das so.", "wont_fix", "wont_fix"),
        ("そのままにします", "wont_fix", "wont_fix"),
    ],
)
def test_a_decision_is_a_status(said: str, meaning: Meaning, status: FindingStatus) -> None:
    """What is by design will not be fixed; by the table, or as a model has read it in any language."""
    reply = a_reply(said)

    assert read(reply) == Stance(settles=status, meaning=meaning, by="ann", reply=reply.id, heard=reply.id)


@each_row(
    ("by", "known", "waits"),
    [
        ("ann", MAJOR, True),
        ("eve", MAJOR, False),
        ("joe", MINOR, False),
        (AUTHOR, MAJOR, True),
        (AUTHOR, MINOR, True),
        ("ann", a_known(status="fixed"), False),
    ],
)
def test_a_reply_that_only_a_model_understands_waits_for_one(by: str, known: KnownFinding, waits: bool) -> None:
    """If its finding is open, and whoever says it could decide or is the author; until then it is not heard."""
    before, reply = a_reply("Fixed.", "joe"), a_reply("Wir lassen das so.", by)

    found = heard(known, a_thread(before, reply), is_read=False)

    assert found.unread == ((reply,) if waits else ())
    assert found.heard == (before.id if waits else reply.id)
    assert found.settles is None
    assert heard(known, a_thread(before, reply)).unread == ()


def test_a_decision_that_was_read_counts_though_an_earlier_reply_was_not() -> None:
    """The later one is by the table."""
    unclear, wont = a_reply("Wir lassen das so."), a_reply("by design", "mia")

    found = heard(MAJOR, a_thread(unclear, wont), is_read=False)

    assert (found.settles, found.by, found.unread) == ("wont_fix", "mia", (unclear,))


@each_row(
    ("case", "replies", "settles", "reopened_by"),
    [
        ("somebody takes it back", [a_reply("won't fix"), a_reply("Reopen.", "mia")], None, "mia"),
        ("by a command", [a_reply("won't fix"), a_reply("@kodiai reopen")], None, "ann"),
        ("who may not", [a_reply("won't fix"), a_reply("reopen", "eve")], "wont_fix", None),
        ("and it is decided again", [a_reply("reopen"), a_reply("ack", "mia")], "acknowledged", None),
        ("somebody argues after a decision", [a_reply("won't fix"), a_reply(ARGUMENT, "mia")], "wont_fix", None),
    ],
)
@each_row("status", ["open", "dismissed"])
def test_a_decision_is_taken_back_by_who_might_have_made_it(
    case: str, replies: list[Reply], settles: str | None, reopened_by: str | None, status: FindingStatus
) -> None:
    """In so many words; an argument takes nothing back."""
    found = read(*replies, known=a_known(status=status))

    assert (found.settles, found.reopened_by, found.heard) == (settles, reopened_by, replies[-1].id), case


def test_that_a_finding_was_reopened_is_news_once() -> None:
    """After that it is open, and may be resolved by its code; a closed one that nobody reopens is not looked at."""
    wont, reopen = a_reply("won't fix"), a_reply("reopen", "mia")
    closed = a_known(status="wont_fix", heard=wont.id)

    assert read(wont, known=closed) == Stance(heard=wont.id)
    assert asked(wont, a_reply("won't fix", "eve"), known=closed) == set()
    assert read(wont, reopen, known=closed) == Stance(reopened_by="mia", reply=reopen.id, is_news=True, heard=reopen.id)
    assert read(wont, reopen, known=a_known(heard=reopen.id)) == Stance(
        reopened_by="mia", reply=reopen.id, heard=reopen.id
    )
    assert read(reopen, resolved_by="ann", known=a_known(heard=reopen.id)).settles is None


@each_row(
    ("case", "replies", "settles", "by"),
    [
        ("two decisions", [a_reply("won't fix"), a_reply("acknowledged", "mia")], "acknowledged", "mia"),
        ("the later by one who may not", [a_reply("won't fix"), a_reply("acknowledged", "eve")], "wont_fix", "ann"),
        ("something else was said since", [a_reply("won't fix"), a_reply("And the tests?", "eve")], "wont_fix", "ann"),
        ("somebody disagrees with it", [a_reply("won't fix"), a_reply(ARGUMENT, "eve")], "wont_fix", "ann"),
        ("only by who may not", [a_reply("won't fix", "eve"), a_reply("acknowledged", "joe")], None, None),
    ],
)
def test_the_last_decision_counts_by_whoever_may_decide(
    case: str, replies: list[Reply], settles: str | None, by: str | None
) -> None:
    """Whatever is around it; every sentence is heard."""
    found = read(*replies)

    assert (found.settles, found.by, found.heard) == (settles, by, replies[-1].id), case
    assert not found.author_disagrees


@pytest.mark.parametrize(
    ("said", "status"),
    [("@kodiai won't fix", "wont_fix"), ("@kodiai known issue", "acknowledged"), ("@kodiai resolve", None)],
)
def test_who_decides_may_call_us_by_name(said: str, status: str | None) -> None:
    """A command decides nothing about the finding."""
    assert read(a_reply(said)).settles == status
    assert read(a_reply("@kodiai propose a deliberate choice of locks")).settles is None
    assert asked(a_reply(said)) == ({"ann"} if status else set())


def test_an_author_who_decides_what_only_others_can_disagrees() -> None:
    """Until somebody who may write agrees; of what is not severe it is decided."""
    wont = a_reply("won't fix", AUTHOR)

    assert read(wont) == Stance(author_disagrees=True, heard=wont.id)
    assert read(a_reply(ARGUMENT, AUTHOR)).author_disagrees
    assert read(a_reply("Hm.", AUTHOR), resolved_by=AUTHOR).author_disagrees
    assert read(wont, a_reply("Yes, won't fix")).settles == "wont_fix"
    assert read(wont, known=MINOR).settles == "wont_fix"
    assert not read(a_reply("won't fix", "eve")).author_disagrees


@each_row(
    ("resolved_by", "known", "settles", "may_not"),
    [
        ("ann", MAJOR, "dismissed", None),
        ("eve", MAJOR, None, "eve"),
        (AUTHOR, MAJOR, None, AUTHOR),
        (AUTHOR, MINOR, "dismissed", None),
        ("ghost", MAJOR, None, "somebody"),
        (US, MAJOR, None, None),
        (None, MAJOR, None, None),
    ],
)
def test_who_resolves_a_thread_dismisses_its_finding_if_they_may_settle_it(
    resolved_by: str | None, known: KnownFinding, settles: str | None, may_not: str | None
) -> None:
    """The button takes the right that saying so takes; what we resolve ourselves says nothing."""
    found = read(a_reply("Hm."), resolved_by=resolved_by, known=known)

    assert (found.settles, found.by) == (settles, resolved_by if settles else None)
    assert found.may_not_resolve == may_not


def test_a_decision_says_more_than_a_resolved_thread() -> None:
    """Who resolves it after "won't fix" says nothing else; who resolves what is claimed to be done, dismisses it."""
    assert read(a_reply("won't fix"), resolved_by="mia").by == "ann"
    assert read(a_reply("won't fix", "eve"), resolved_by="mia").settles == "dismissed"
    assert read(a_reply("Fixed.", AUTHOR), resolved_by="ann").settles == "dismissed"


DONE, DISAGREE, QUESTION = (
    a_reply("Fixed.", id="1"),
    a_reply(ARGUMENT, id="2"),
    a_reply("Why?", id="3"),
)


@each_row(
    ("case", "replies", "known", "claim"),
    [
        ("done", [DONE], {}, "done"),
        ("an argument", [DISAGREE], {}, "disagrees"),
        ("the last one", [DONE, DISAGREE], {}, "disagrees"),
        ("the last one, the other way round", [DISAGREE, DONE], {}, "done"),
        ("nothing", [QUESTION], {}, None),
        ("heard before", [DONE], {"heard": "1"}, None),
        ("new after what was heard", [DONE, DISAGREE], {"heard": "1"}, "disagrees"),
        ("what was heard last is not there any more", [DONE], {"heard": "0"}, "done"),
        ("an argument, and one was answered before", [DISAGREE], {"argued": True}, None),
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


@each_row(
    ("by", "known", "may_win"),
    [
        ("ann", MAJOR, True),
        ("eve", MAJOR, False),
        ("eve", MINOR, False),
        (AUTHOR, MINOR, True),
        (AUTHOR, MAJOR, False),
    ],
)
def test_an_argument_may_end_what_its_author_may_decide(by: str, known: KnownFinding, may_win: bool) -> None:
    """Who may not is answered all the same; that something is done nobody needs a right to."""
    argument, claim = a_reply(ARGUMENT, by), a_reply("Fixed.", by)

    assert (read(argument, known=known).claim, read(argument, known=known).may_win) == ("disagrees", may_win)
    assert (read(claim, known=known).claim, read(claim, known=known).may_win) == ("done", False)


OURS = a_reply("won't fix", US, is_ours=True)
BOT = a_reply("won't fix", "renovate[bot]", is_bot=True)


@pytest.mark.parametrize("replies", [[OURS], [BOT], [OURS, BOT]])
def test_neither_we_nor_other_bots_have_an_opinion(replies: list[Reply]) -> None:
    """Nothing is settled, claimed or heard, and nobody is asked for."""
    assert read(*replies) == Stance()
    assert asked(*replies) == set()
    assert of_people([*replies, DONE]) == [DONE]
    assert read(*replies, DONE, *replies).heard == DONE.id


def test_a_reply_is_parsed_once_however_often_its_thread_is_read() -> None:
    """A review takes a stance again once a model has read what the table does not know."""
    replies = [a_reply(ARGUMENT), a_reply("won't fix", "mia")]
    first = ThreadReader(US, HANDLES, AUTHOR, WRITERS.__contains__)
    first.stance(MAJOR, a_thread(*replies))
    parsed = dict(first.parsed)

    second = replace(first, readings=readings(*replies))
    second.stance(MAJOR, a_thread(*replies))

    assert list(parsed) == [reply.body for reply in replies]
    assert all(second.parsed[text] is found for text, found in parsed.items())


def test_without_a_thread_nobody_has_said_anything() -> None:
    """The finding is in a review's body, or its comment was deleted."""
    assert heard(MAJOR, None) == Stance()


@each_row(
    ("case", "replies", "known", "logins"),
    [
        ("nobody before who decided last", [a_reply("won't fix"), a_reply("ack", "mia")], MAJOR, {"mia"}),
        ("everybody after it", [a_reply("won't fix"), a_reply("acknowledged", "eve")], MAJOR, {"ann", "eve"}),
        ("nobody who only talks", [a_reply("won't fix"), a_reply("Why?", "eve")], MAJOR, {"ann"}),
        ("nobody for a claim", [DONE], MAJOR, set()),
        ("who argues", [DISAGREE], MAJOR, {"ann"}),
        ("who argues, unless it was heard", [DISAGREE], a_known(heard="2"), set()),
    ],
)
def test_github_is_asked_only_where_it_matters(
    case: str, replies: list[Reply], known: KnownFinding, logins: set[str]
) -> None:
    """Each question is a request."""
    assert asked(*replies, known=known) == logins, case


@given(
    replies=st.lists(
        st.builds(
            a_reply,
            st.sampled_from(["won't fix", "acknowledged", "Fixed.", "reopen", *MEANINGS]),
            st.sampled_from(["ann", "eve", AUTHOR, US]),
            is_bot=st.booleans(),
        ),
        max_size=4,
    ),
    resolved_by=st.sampled_from([None, "ghost", "eve", "ann", US]),
    severity=st.sampled_from(SEVERITIES),
    last=st.sampled_from([None, "ann: Fixed.", "gone"]),
    argued=st.booleans(),
)
def test_a_finding_is_decided_reopened_or_claimed_and_never_two_of_them(
    replies: list[Reply], resolved_by: str | None, severity: str, last: str | None, argued: bool
) -> None:
    """Whatever a thread says; and nothing is decided by somebody who may not."""
    known = a_known(a_finding(severity=severity), heard=last, argued=argued)

    found = read(*replies, known=known, resolved_by=resolved_by)

    assert found.settles is None or (found.claim, found.reopened_by) == (None, None)
    deciders = {*WRITERS, *([AUTHOR] if severity in ("MEDIUM", "MINOR") else [])}
    assert found.settles is None or found.by in deciders
