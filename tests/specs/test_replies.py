"""A reply in the thread of a finding settles it at once, by a table or as a model reads it, and one takes it back."""

import pytest

from kodiai.core.words.conversation import too_many_readings
from local.model import Script, is_reading, refusal
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT, FORBIDDEN, UPDATES, until
from tests.specs.pushing import EDITED, FIXED, NOTES, push
from tests.specs.scripts import a_finding, a_report, says
from tests.specs.talking import (
    ADDRESS,
    answering,
    asked,
    conversation,
    forget,
    items,
    opened,
    outcome,
    outcomes,
    reactions,
    reply,
    say,
    statuses,
    thread,
    times_read,
)

UNDO = "Reply `reopen` to undo."
PRICES = "def total(prices, discount):"


@pytest.mark.parametrize(
    ("said", "decision", "understood", "status"),
    [
        ("Won't fix, by design.", None, "by design", "wont_fix"),
        ("@kodiai absichtlich", "acknowledged", "acknowledged", "acknowledged"),
    ],
)
def test_a_decision_holds_at_once_and_after_the_next_push(
    talk: Stage, said: str, decision: str | None, understood: str, status: str
) -> None:
    """With who and when; one line says what was understood; a model is asked where the table does not know it.

    Where it was the last blocker our request for changes goes with it: nobody has to push to be let through.
    """
    pull = opened(talk, config="  event: verdict\n", readings={said: decision} if decision else None)
    before = [review["state"] for review in pull.reviews]

    comment = reply(pull, said)

    assert outcome(pull) == ("done", understood)
    assert statuses(pull) == [(status, "ann")]
    assert thread(pull) == [f"Dismissed as {understood} by @\u2060ann. {UNDO}"]
    assert "+1" not in reactions(pull, comment, "pulls")
    assert (asked(pull), times_read(pull, said)) == ([], 1 if decision else 0)
    [finding] = items(pull, "FINDING#")
    assert [(entry["status"], entry["why"]) for entry in finding["history"]][-1] == (status, "ann decided so")
    assert (before, [review["state"] for review in pull.reviews]) == (["CHANGES_REQUESTED"], ["DISMISSED"])

    push(pull, EDITED, a_report(a_finding(title="Orders get dearer by their rebate", severity="CRITICAL")))

    assert statuses(pull) == [(status, "ann")]
    assert (len(pull.reviews), len(thread(pull))) == (1, 1)
    assert pull.check["conclusion"] == "success"


def test_an_author_who_may_not_decide_is_read_refused_once_and_listed(talk: Stage) -> None:
    """Strangers are read by no model: nobody pays for them. An argument of the author waits for the next review."""
    stranger, own_words = "It is fine as it is, believe me.", "On laisse comme ça, c'est voulu par la boutique."
    argument = "A discount can never be positive in this shop."
    readings = {stranger: "wont_fix", argument: "disagrees", own_words: "by_design"}
    pull = opened(talk, readings=readings)

    comment = reply(pull, stranger, "mallory", "read")

    assert outcome(pull) == ("read", "words")
    assert (reactions(pull, comment, "pulls"), thread(pull)) == ([], [])

    reply(pull, argument, "octocat", "read")

    assert times_read(pull, argument) == 1
    assert (asked(pull), thread(pull), statuses(pull)) == ([], [], [("open", None)])

    reply(pull, own_words, "octocat", "read")
    reply(pull, "won't fix", "octocat", "read")
    push(pull, NOTES, readings=readings)
    talk.github.set_role("octocat", "write")

    assert thread(pull) == ["Only somebody with write access can dismiss this: it is MAJOR. It stays open."]
    assert statuses(pull) == [("open", None)]
    assert (times_read(pull, stranger), times_read(pull, own_words)) == (0, 1)
    assert len(pull.reviews) == 1
    assert "-- the author disagrees" in pull.check["output"]["summary"]


def test_replies_of_an_author_without_write_access_are_read_up_to_a_limit(talk: Stage) -> None:
    """Two a minute in a thread, a limit for the pull request, and as many by the next review, the latest ones.

    They leave the answers to others alone. Replies of the table always count, and a decision of who may write too.
    """
    minor = a_finding(severity="MEDIUM", title="The prices are not checked", quote=PRICES, start_line=1, end_line=1)
    said = [f"Das bleibt so, Grund {number}." for number in range(9)]
    readings = dict.fromkeys(said, "disagrees")
    limit = "mention: {conversation: {maxTurnsPerPr: 3}}\n"
    pull = opened(talk, a_finding(), minor, config=limit, readings=readings)
    root = {each["line"]: each["id"] for each in pull.comments}

    for each in said[:3]:
        reply(pull, each, "octocat", "read", to=root[2])
    hurried = [times_read(pull, each) for each in said[:3]]
    for each in said[3:]:
        forget(pull, "THREAD#")
        reply(pull, each, "octocat", "read", to=root[2])

    assert hurried == [1, 1, 0]
    assert [times_read(pull, each) for each in said] == [1, 1, 0, 1, 0, 0, 0, 0, 0]
    assert thread(pull) == [too_many_readings(3)]
    say(pull, "@kodiai why?")
    assert conversation(pull) == [ADDRESS]

    reply(pull, "won't fix", "octocat", "read", to=root[1])
    push(pull, NOTES, readings=readings)

    assert sorted(statuses(pull)) == [("open", None), ("wont_fix", "octocat")]
    assert [times_read(pull, each) for each in said] == [1, 1, 0, 1, 0, 0, 1, 1, 1]

    mine = "Wir lassen das so."
    talk.model.answers = answering(readings={mine: "wont_fix"})
    reply(pull, mine, to=root[2])
    push(pull, EDITED, readings=readings)

    assert [status for status, _ in statuses(pull)] == ["wont_fix"] * 2
    assert sum(times_read(pull, each) for each in said) == 6


def test_a_reply_that_the_model_declined_to_read_is_read_by_the_next_review(talk: Stage) -> None:
    """Until then the finding is open; it says once what it understood, and reads nothing where nothing else is new."""
    said = "Dejémoslo así por ahora, lo arreglamos en otra PR más adelante."
    pull = opened(talk)
    talk.model.answers = Script(otherwise=says(a_report())).when(is_reading, refusal(), always=True)

    reply(pull, said)
    declined = times_read(pull, said)
    pull.push(talk.repository.commit_again(pull.head))

    assert (statuses(pull), thread(pull)) == ([("open", None)], [])
    assert times_read(pull, said) == declined

    talk.model.answers = answering(readings={said: "acknowledged"})
    pull.push(talk.commit(NOTES, pull.head))
    pull.push(talk.commit(EDITED, pull.head))

    assert (statuses(pull), times_read(pull, said)) == ([("acknowledged", "ann")], declined + 1)
    assert thread(pull) == [f"Dismissed as acknowledged by @\u2060ann. {UNDO}"]


def test_a_decision_is_taken_back_by_who_might_have_made_it(talk: Stage) -> None:
    """With the thread that we resolved; others are refused, once, and what is open already is said to be so.

    The next review counts the finding again and says nothing more of it; a delivery that comes again changes nothing.
    """
    pull = opened(talk)
    root = pull.comments[0]["id"]
    comment = reply(pull, "@kodiai resolve")

    reply(pull, "reopen", "mallory", "read")
    reply(pull, "@kodiai reopen", "mallory", "read")

    assert talk.github.state.resolutions[root].by == talk.github.bot_login
    assert statuses(pull) == [("dismissed", "ann")]
    assert thread(pull) == [
        f"Dismissed by @\u2060ann. {UNDO}",
        "Only somebody who can dismiss this finding can reopen it.",
    ]

    reply(pull, "Reopen.", "mia")
    again = next(each for each in talk.github.deliveries if each.payload.get("comment", {}).get("id") == comment)
    talk.machine.aws.clock.advance(600)
    talk.github.redeliver(again.guid)
    talk.settle()

    assert outcome(pull)[0] == "skipped"
    assert root not in talk.github.state.resolutions
    assert statuses(pull) == [("open", None)]

    reply(pull, "@kodiai reopen", "mia")
    say(pull, "@kodiai reopen")
    push(pull, NOTES)

    assert statuses(pull) == [("open", None)]
    assert thread(pull)[2:] == [
        "Reopened by @\u2060mia. The next review counts it again.",
        "This finding is already open.",
    ]
    assert conversation(pull) == ["Use `reopen` in the thread of a finding."]
    assert "The discount is added" in pull.check["output"]["summary"]


def test_an_argument_of_somebody_who_may_decide_is_answered_right_away(talk: Stage) -> None:
    """Nobody has to call us for it; where it is right the finding is settled, and the next review adds nothing."""
    said = "Discounts are negative here, see the caller."
    pull = opened(talk)
    talk.model.answers = answering("Right: callers pass negative discounts.\n\nCONCEDED", readings={said: "disagrees"})

    reply(pull, said)
    push(pull, NOTES)

    assert thread(pull) == [
        f"Right: callers pass negative discounts.\n\nDismissed after the argument of @\u2060ann. {UNDO}"
    ]
    assert statuses(pull) == [("conceded", "ann")]
    assert pull.check["conclusion"] == "success"
    assert (len(asked(pull)), times_read(pull, said)) == (1, 1)


def test_done_counts_where_the_code_is_gone(talk: Stage) -> None:
    """While it stands a word does not end it; once it is gone the thread is resolved too."""
    pull = opened(talk)

    early = reply(pull, "Done, thanks!")
    before = statuses(pull)
    forget(pull, "SAID#")
    talk.github.set_base_file(pull.number, ".kodiai.yml", b"review: {triggers: {onSynchronize: false}}\n")
    pull.push(talk.commit(FIXED, pull.head))
    reply(pull, "Done.")

    assert before == [("open", None)]
    assert reactions(pull, early, "pulls") == ["eyes"]
    assert statuses(pull) == [("fixed", "ann")]
    assert thread(pull) == [f"Marked as done by @\u2060ann: the code of this finding is gone. {UNDO}"]
    [finding] = pull.ledger.findings()
    assert finding.resolved_thread


def test_a_comment_that_decides_nothing_or_is_not_for_us_is_left_alone(talk: Stage) -> None:
    """In a thread of people and in the conversation it is none of our business; in our own thread it is read."""
    pull = opened(talk)
    begun = talk.github.comment_on_line(pull.number, "src/orders.py", 1, "Is this name right?", login="bob")

    answer = reply(pull, "Won't fix.", to=begun)
    said = say(pull, "Won't fix.")

    assert (reactions(pull, answer, "pulls"), reactions(pull, said)) == ([], [])
    assert [line["outcome"] for line in outcomes(pull)] == ["read"]

    comment = reply(pull, "@bob can you have a look at this?")

    assert outcome(pull) == ("read", "words")
    assert (reactions(pull, comment, "pulls"), thread(pull), conversation(pull), asked(pull)) == ([], [], [], [])
    assert statuses(pull) == [("open", None)]


def test_a_reply_that_comes_before_the_review_is_remembered_waits_for_it(talk: Stage) -> None:
    """The first try posted the review and died before it was stored what the threads are about."""
    talk.model.answers = answering(findings=(a_finding(),))
    talk.github.fail_next(UPDATES, FORBIDDEN)
    pull = Opened(talk, talk.github.open_pull_request(talk.commit(DISCOUNT)))
    until(lambda: [line["outcome"] for line in pull.outcomes] == ["retry"])

    reply(pull, "Won't fix, by design.")

    *waited, done = [line["outcome"] for line in outcomes(pull)]
    assert (set(waited), done) == ({"retry"}, "done")
    assert statuses(pull) == [("wont_fix", "ann")]
    assert thread(pull) == [f"Dismissed as by design by @\u2060ann. {UNDO}"]
