"""A reply in the thread of a finding settles it at once, by a table or as a model reads it, and one takes it back."""

import pytest

from local.github.state import Role
from local.model import Script, is_reading, refusal
from tests.specs.conftest import Stage
from tests.specs.pushing import EDITED, FIXED, NOTES, push
from tests.specs.scripts import a_finding, a_report, says
from tests.specs.talking import (
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


@pytest.mark.parametrize(
    ("said", "decision", "understood", "status"),
    [
        ("Won't fix, by design.", None, "by design", "wont_fix"),
        ("@kodiai acknowledged", None, "acknowledged", "acknowledged"),
        ("Wir lassen das so, die Kasse rechnet anders.", "wont_fix", "won't fix", "wont_fix"),
    ],
)
def test_what_a_person_decides_holds_at_once_and_after_the_next_push(
    talk: Stage, said: str, decision: str | None, understood: str, status: str
) -> None:
    """With who and when; one line says what was understood; a model is asked where the table does not know it."""
    pull = opened(talk, readings={said: decision} if decision else None)

    comment = reply(pull, said)

    assert outcome(pull) == ("done", understood)
    assert statuses(pull) == [(status, "ann")]
    assert thread(pull) == [f"Dismissed as {understood} by @\u2060ann. {UNDO}"]
    assert "+1" not in reactions(pull, comment, "pulls")
    assert (asked(pull), times_read(pull, said)) == ([], 1 if decision else 0)
    [finding] = items(pull, "FINDING#")
    assert [(entry["status"], entry["why"]) for entry in finding["history"]][-1] == (status, "ann decided so")

    push(pull, EDITED, a_report(a_finding(title="Orders get dearer by their rebate", severity="CRITICAL")))

    assert statuses(pull) == [(status, "ann")]
    assert (len(pull.reviews), len(thread(pull))) == (1, 1)
    assert pull.check["conclusion"] == "success"


@pytest.mark.parametrize(
    ("who", "severity", "settles"),
    [
        (("ann", "maintain"), "MAJOR", True),
        (("ann", "triage"), "MINOR", False),
        (("octocat", "read"), "MEDIUM", True),
        (("octocat", "read"), "MAJOR", False),
    ],
)
def test_settling_takes_write_and_the_author_settles_what_is_not_severe(
    talk: Stage, who: tuple[str, Role], severity: str, settles: bool
) -> None:
    """Who may not is told why, once; what the author may not decide is listed as disputed."""
    pull = opened(talk, a_finding(severity=severity, replacement="    return sum(prices) - discount"))

    reply(pull, "won't fix", *who)
    reply(pull, "by design", *who)
    push(pull, NOTES)
    talk.github.set_role("octocat", "write")

    assert statuses(pull) == [("wont_fix", who[0]) if settles else ("open", None)]
    because = f"somebody with write access can dismiss this: it is {severity}."
    if severity in ("MEDIUM", "MINOR"):
        because = "somebody with write access or the author of this pull request can dismiss this."
    refused = [f"Only {because} It stays open."]
    assert thread(pull) == ([f"Dismissed as won't fix by @\u2060{who[0]}. {UNDO}"] if settles else refused)
    assert len(pull.reviews) == 1
    disputed = "-- the author disagrees" in pull.check["output"]["summary"]
    assert disputed is (who[0] == "octocat" and not settles)


def test_what_a_stranger_says_is_read_by_no_model(talk: Stage) -> None:
    """Neither by the conversation nor by the next review: nobody pays for strangers."""
    said = "It is fine as it is, believe me."
    pull = opened(talk, readings={said: "wont_fix"})

    comment = reply(pull, said, "mallory", "read")
    push(pull, NOTES)

    assert outcome(pull) == ("read", "words")
    assert (statuses(pull), times_read(pull, said)) == ([("open", None)], 0)
    assert (reactions(pull, comment, "pulls"), thread(pull)) == ([], [])


def test_what_the_author_decides_in_words_of_their_own_is_read_though_they_may_not_decide_it(talk: Stage) -> None:
    """They are told why it stays open, and the next review lists that they disagree, without asking again."""
    said = "On laisse comme ça, c'est voulu par la boutique."
    pull = opened(talk, readings={said: "by_design"})

    reply(pull, said, "octocat", "read")
    push(pull, NOTES)
    talk.github.set_role("octocat", "write")

    assert thread(pull) == ["Only somebody with write access can dismiss this: it is MAJOR. It stays open."]
    assert (statuses(pull), times_read(pull, said)) == ([("open", None)], 1)
    assert "-- the author disagrees" in pull.check["output"]["summary"]


def test_a_reply_whose_webhook_was_lost_is_read_by_the_next_review(talk: Stage) -> None:
    """Once, and it says in the thread what it understood; nothing is read where nothing else is new."""
    said = "Dejémoslo así por ahora, lo arreglamos en otra PR más adelante."
    pull = opened(talk)
    url, talk.github.webhook_url = talk.github.webhook_url, None
    talk.github.set_role("ann", "write")
    talk.github.reply(pull.comments[0]["id"], said, login="ann")
    assert talk.github.settle()
    talk.github.webhook_url = url

    pull.push(talk.repository.commit_again(pull.head))
    unchanged = (statuses(pull), times_read(pull, said))
    talk.model.answers = answering(readings={said: "acknowledged"})
    pull.push(talk.commit(NOTES, pull.head))
    pull.push(talk.commit(EDITED, pull.head))

    assert unchanged == ([("open", None)], 0)
    assert (statuses(pull), times_read(pull, said)) == ([("acknowledged", "ann")], 1)
    assert thread(pull) == [f"Dismissed as acknowledged by @\u2060ann. {UNDO}"]


def test_a_model_that_declines_to_read_decides_nothing(talk: Stage) -> None:
    """The finding stays open, and the next review asks again."""
    said = "Lassen wir so, bitte."
    pull = opened(talk)
    talk.model.answers = Script(otherwise=says(a_report())).when(is_reading, refusal(), always=True)

    reply(pull, said)
    declined = (statuses(pull), thread(pull))
    talk.model.answers = answering(readings={said: "wont_fix"})
    pull.push(talk.commit(NOTES, pull.head))

    assert declined == ([("open", None)], [])
    assert statuses(pull) == [("wont_fix", "ann")]
    assert thread(pull) == [f"Dismissed as won't fix by @\u2060ann. {UNDO}"]


def test_without_a_budget_nothing_is_read(talk: Stage) -> None:
    """What is in the table holds all the same."""
    said = "Wir lassen das so, es kostet zu viel."
    pull = opened(talk, readings={said: "wont_fix"})
    talk.github.set_base_file(pull.number, ".kodiai.yml", b"budget: {perPullRequest: 0.000001}\n")

    reply(pull, said)
    unread = statuses(pull)
    reply(pull, "won't fix")

    assert (unread, times_read(pull, said)) == ([("open", None)], 0)
    assert statuses(pull) == [("wont_fix", "ann")]


@pytest.mark.parametrize("said", ["Reopen.", "@kodiai reopen"])
def test_a_decision_is_taken_back(talk: Stage, said: str) -> None:
    """With the thread that we resolved; the next review counts the finding again, and says nothing more of it."""
    pull = opened(talk)
    reply(pull, "@kodiai resolve")
    root = pull.comments[0]["id"]
    resolved = talk.github.state.resolutions[root].by

    reply(pull, said, "mia")
    opened_again = root not in talk.github.state.resolutions
    push(pull, NOTES)

    assert resolved == talk.github.bot_login
    assert opened_again
    assert statuses(pull) == [("open", None)]
    assert thread(pull) == [
        f"Dismissed by @\u2060ann. {UNDO}",
        "Reopened by @\u2060mia. The next review counts it again.",
    ]
    assert "The discount is added" in pull.check["output"]["summary"]


def test_who_may_not_dismiss_it_may_not_reopen_it(talk: Stage) -> None:
    """They are told so once; what is open already is said to be so."""
    pull = opened(talk)
    reply(pull, "won't fix")

    reply(pull, "reopen", "mallory", "read")
    reply(pull, "@kodiai reopen", "mallory", "read")
    refused = (statuses(pull), thread(pull)[1:])
    forget(pull, "THREAD#")
    reply(pull, "reopen")
    reply(pull, "reopen", "mia")
    say(pull, "@kodiai reopen")

    assert refused == ([("wont_fix", "ann")], ["Only somebody who can dismiss this finding can reopen it."])
    assert statuses(pull) == [("open", None)]
    assert thread(pull)[2:] == [
        "Reopened by @\u2060ann. The next review counts it again.",
        "This finding is already open.",
    ]
    assert conversation(pull) == ["Use `reopen` in the thread of a finding."]


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
    assert (len(asked(pull)), times_read(pull, said)) == (1, 1)


def test_an_argument_of_the_author_who_may_not_decide_waits_for_the_next_review(talk: Stage) -> None:
    """It is put to the reviewer then, and listed."""
    said = "A discount can never be positive in this shop."
    pull = opened(talk, readings={said: "disagrees"})

    reply(pull, said, "octocat", "read")
    push(pull, NOTES)
    talk.github.set_role("octocat", "write")

    assert (asked(pull), thread(pull)) == ([], [])
    assert statuses(pull) == [("open", None)]
    assert "-- the author disagrees" in pull.check["output"]["summary"]


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


def test_a_reply_elsewhere_that_does_not_call_us_is_none_of_our_business(talk: Stage) -> None:
    """In a thread of people, and in the conversation: neither read with care nor reacted to."""
    pull = opened(talk)
    begun = talk.github.comment_on_line(pull.number, "src/orders.py", 1, "Is this name right?", login="bob")
    talk.settle()

    answer = reply(pull, "Won't fix.", to=begun)
    said = say(pull, "Won't fix.")

    assert reactions(pull, answer, "pulls") == []
    assert reactions(pull, said) == []
    assert statuses(pull) == [("open", None)]
    assert [line["outcome"] for line in outcomes(pull)] == ["read"]


def test_a_thought_in_our_thread_that_settles_nothing_is_left_alone(talk: Stage) -> None:
    """A question to somebody else is read, and that is all."""
    pull = opened(talk)

    comment = reply(pull, "@bob can you have a look at this?")

    assert outcome(pull) == ("read", "words")
    assert (reactions(pull, comment, "pulls"), thread(pull), conversation(pull), asked(pull)) == ([], [], [], [])


def test_a_delivery_that_comes_again_changes_nothing(talk: Stage) -> None:
    """Not even after somebody has opened the finding again."""
    pull = opened(talk)
    comment = reply(pull, "won't fix")
    delivery = next(each for each in talk.github.deliveries if each.payload.get("comment", {}).get("id") == comment)
    reply(pull, "reopen")
    [finding] = items(pull, "FINDING#")
    told = thread(pull)

    talk.machine.aws.clock.advance(600)
    talk.github.redeliver(delivery.guid)
    talk.settle()

    assert outcome(pull)[0] == "skipped"
    assert items(pull, "FINDING#") == [finding]
    assert thread(pull) == told


def test_the_last_blocker_that_a_person_settles_takes_our_request_for_changes_with_it(talk: Stage) -> None:
    """Nobody has to push to be let through."""
    pull = opened(talk, config="  event: verdict\n")
    before = [review["state"] for review in pull.reviews]

    reply(pull, "By design.")

    assert before == ["CHANGES_REQUESTED"]
    assert [review["state"] for review in pull.reviews] == ["DISMISSED"]
