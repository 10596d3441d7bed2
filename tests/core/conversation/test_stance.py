"""Stances on a finding: who may decide, what people claim, and which replies were read."""

from collections.abc import Sequence
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
from kodiai.core.github.comment import Reply, of_people
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
"""The readings of replies that the table does not know."""


def readings(*replies: Reply) -> dict[str, Meaning | None]:
    known = [each for each in replies if each.body in MEANINGS]
    return {reading_name(each): MEANINGS[each.body] for each in known}


def read(*replies: Reply, known: KnownFinding = MAJOR, author: str = AUTHOR, **of_thread: Any) -> Stance:
    reader = ThreadReader(US, HANDLES, author, WRITERS.__contains__, readings(*replies))
    return reader.stance(known, a_thread(*replies, **of_thread))


def unread(*replies: Reply, known: KnownFinding = MAJOR) -> Stance:
    """The stance before a model has read anything."""
    return ThreadReader(US, HANDLES, AUTHOR, WRITERS.__contains__).stance(known, a_thread(*replies))


def asked(*replies: Reply, known: KnownFinding = MAJOR, **of_thread: Any) -> set[str]:
    """The people of whom GitHub is asked whether they may write."""
    logins: set[str] = set()

    def may_write(login: str) -> bool:
        logins.add(login)
        return login in WRITERS

    ThreadReader(US, HANDLES, AUTHOR, may_write, readings(*replies)).stance(known, a_thread(*replies, **of_thread))
    return logins


BELOW_MAJOR = ("MEDIUM", "MINOR")


@each_row(
    ("by", "author", "decides"),
    [
        ("ann", AUTHOR, SEVERITIES),
        ("ann", "ann", SEVERITIES),
        ("eve", AUTHOR, ()),
        (AUTHOR, AUTHOR, BELOW_MAJOR),
        ("ghost", AUTHOR, ()),
        ("ghost", "ghost", ()),
        ("robin[bot]", AUTHOR, ()),
        ("robin[bot]", "robin[bot]", ()),
    ],
)
def test_people_who_may_write_decide_and_the_author_up_to_medium(by: str, author: str, decides: Sequence[str]) -> None:
    """In words and with the button of the thread alike; no bot, and no account that is gone.

    GitHub is asked only where the answer counts.
    """
    reply = a_reply("won't fix", by, is_bot=by.endswith("[bot]"))

    for severity in SEVERITIES:
        known = a_known(a_finding(severity=severity))
        button = read(a_reply("Hm."), known=known, author=author, resolved_by=by)
        found = read(reply, known=known, author=author).settles, button.settles, button.by, button.may_not_resolve
        refused = (None, None, None, "somebody" if by == "ghost" else by)

        assert found == (("wont_fix", "dismissed", by, None) if severity in decides else refused)
    assert asked(a_reply("won't fix", by), known=MINOR) == ({by} & {"ann", "eve"})


@pytest.mark.parametrize("resolved_by", [US, None])
def test_a_thread_that_we_resolved_decides_nothing(resolved_by: str | None) -> None:
    """Nor does one that nobody resolved."""
    assert read(a_reply("Hm.", id="1"), resolved_by=resolved_by) == Stance(heard="1")


@each_row(
    ("text", "meaning", "status"),
    [
        ("won't fix", "wont_fix", "wont_fix"),
        ("This is by design.", "by_design", "wont_fix"),
        ("acknowledged", "acknowledged", "acknowledged"),
        ("False positive.", "false_positive", "dismissed"),
        ("Wir lassen das so.", "wont_fix", "wont_fix"),
        ("そのままにします", "wont_fix", "wont_fix"),
        ("@kodiai won't fix", "wont_fix", "wont_fix"),
    ],
)
def test_a_decision_is_a_status(text: str, meaning: Meaning, status: FindingStatus) -> None:
    """By design means that it will not be fixed; by the table, or as a model has read it in any language."""
    reply = a_reply(text)

    assert read(reply) == Stance(settles=status, meaning=meaning, by="ann", reply=reply.id, heard=reply.id)


@each_row("text", ["@kodiai resolve", "@kodiai propose a deliberate choice of locks"])
def test_a_command_decides_nothing_about_the_finding(text: str) -> None:
    """It is carried out when it is given; nobody is asked for its author's rights again."""
    assert read(a_reply(text, id="1")) == Stance(heard="1")
    assert asked(a_reply(text)) == set()


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

    found = unread(before, reply, known=known)

    assert found.unread == ((reply,) if waits else ())
    assert found.heard == (before.id if waits else reply.id)
    assert found.settles is None
    assert read(before, reply, known=known).unread == ()


def test_a_decision_that_was_read_counts_though_an_earlier_reply_was_not() -> None:
    """The later one is by the table."""
    unclear, wont = a_reply("Wir lassen das so."), a_reply("by design", "mia")

    found = unread(unclear, wont)

    assert (found.settles, found.by, found.unread) == ("wont_fix", "mia", (unclear,))


WONT = a_reply("won't fix")


@each_row(
    ("case", "replies", "settles", "by", "reopened_by"),
    [
        ("two decisions", [WONT, a_reply("acknowledged", "mia")], "acknowledged", "mia", None),
        ("the later by somebody who may not", [WONT, a_reply("acknowledged", "eve")], "wont_fix", "ann", None),
        ("another reply since", [WONT, a_reply("And the tests?", "eve")], "wont_fix", "ann", None),
        ("an argument since", [WONT, a_reply(ARGUMENT, "mia")], "wont_fix", "ann", None),
        ("only by people who may not", [a_reply("won't fix", "eve"), a_reply("ack", "joe")], None, None, None),
        ("taken back", [WONT, a_reply("Reopen.", "mia")], None, None, "mia"),
        ("taken back by a command", [WONT, a_reply("@kodiai reopen")], None, None, "ann"),
        ("not taken back by somebody who may not", [WONT, a_reply("reopen", "eve")], "wont_fix", "ann", None),
        ("decided again", [a_reply("reopen"), a_reply("ack", "mia")], "acknowledged", "mia", None),
    ],
)
@each_row("status", ["open", "dismissed"])
def test_the_last_decision_of_somebody_who_may_decide_counts(
    case: str, replies: list[Reply], settles: str | None, by: str | None, reopened_by: str | None, status: FindingStatus
) -> None:
    """Also one that takes another back; every reply is read."""
    found = read(*replies, known=a_known(status=status))

    assert (found.settles, found.by, found.reopened_by) == (settles, by, reopened_by), case
    assert (found.heard, found.author_disagrees) == (replies[-1].id, False)


def test_a_reopened_finding_is_news_once() -> None:
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


def test_an_author_who_decides_what_only_others_can_disagrees() -> None:
    """Until somebody who may write agrees; of what is not severe it is decided."""
    wont = a_reply("won't fix", AUTHOR)

    assert read(wont) == Stance(author_disagrees=True, heard=wont.id)
    assert read(a_reply(ARGUMENT, AUTHOR)).author_disagrees
    assert read(a_reply(f"@kodiai {ARGUMENT}", AUTHOR)).author_disagrees
    assert read(a_reply("Hm.", AUTHOR), resolved_by=AUTHOR).author_disagrees
    assert read(wont, a_reply("Yes, won't fix")).settles == "wont_fix"
    assert read(wont, known=MINOR).settles == "wont_fix"
    assert not read(a_reply("won't fix", "eve")).author_disagrees


def test_a_decision_says_more_than_a_resolved_thread() -> None:
    """The button after "won't fix" says nothing else; after a claim that it is done it dismisses the finding."""
    assert read(a_reply("won't fix"), resolved_by="mia").by == "ann"
    assert read(a_reply("won't fix", "eve"), resolved_by="mia").settles == "dismissed"
    assert read(a_reply("Fixed.", AUTHOR), resolved_by="ann").settles == "dismissed"


DONE, DISAGREE, QUESTION = a_reply("Fixed.", id="1"), a_reply(ARGUMENT, id="2"), a_reply("Why?", id="3")
CALLED = a_reply(f"@kodiai {ARGUMENT}", id="5")


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
        ("an argument that mentions us, which is answered where it stands", [CALLED], {}, None),
        ("an argument, and one that mentions us", [DISAGREE, CALLED], {}, "disagrees"),
        ("done, by a mention", [a_reply("@kodiai done.", id="4")], {}, "done"),
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
    [("ann", MAJOR, True), ("eve", MINOR, False), (AUTHOR, MINOR, True), (AUTHOR, MAJOR, False)],
)
def test_an_argument_may_end_what_its_author_may_decide(by: str, known: KnownFinding, may_win: bool) -> None:
    """Others are answered all the same; a claim that something is done requires no right."""
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


def test_a_finding_without_a_thread_has_no_stance() -> None:
    """The finding is in a review's body, or its comment was deleted."""
    assert ThreadReader(US, HANDLES, AUTHOR, WRITERS.__contains__).stance(MAJOR, None) == Stance()


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
