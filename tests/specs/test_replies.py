"""A plain reply in the thread of a finding settles it at once, and the next review respects that."""

import pytest

from local.github.state import Role
from tests.specs.conftest import Stage
from tests.specs.pushing import EDITED, FIXED, NOTES, push
from tests.specs.scripts import a_finding, a_report
from tests.specs.talking import (
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
)

# One system that listens is enough.
pytestmark = pytest.mark.xdist_group("talk")


@pytest.mark.parametrize(
    ("said", "understood", "status"),
    [
        ("Won't fix, by design.", "won't fix", "wont_fix"),
        ("@kodiai this is intentional", "by design", "wont_fix"),
        ("Acknowledged, in a follow-up PR.", "acknowledged", "acknowledged"),
    ],
)
def test_what_a_person_decides_holds_at_once_and_after_the_next_push(
    talk: Stage, said: str, understood: str, status: str
) -> None:
    """With who and when; a reaction says that it was heard; the model is not asked, and nothing is raised again."""
    pull = opened(talk)

    comment = reply(pull, said)

    assert outcome(pull) == ("done", understood)
    assert statuses(pull) == [(status, "ann")]
    assert "+1" in reactions(pull, comment, "pulls")
    assert (asked(pull), thread(pull)) == ([], [])
    [finding] = items(pull, "FINDING#")
    assert [(entry["status"], entry["why"]) for entry in finding["history"]][-1] == (status, "ann decided so")

    push(pull, EDITED, a_report(a_finding(title="Orders get dearer by their rebate", severity="CRITICAL")))

    assert statuses(pull) == [(status, "ann")]
    assert len(pull.reviews) == 1
    assert pull.check["conclusion"] == "success"


@pytest.mark.parametrize(
    ("who", "severity", "settles"),
    [
        (("ann", "write"), "CRITICAL", True),
        (("ann", "maintain"), "MAJOR", True),
        (("ann", "triage"), "MINOR", False),
        (("ann", "read"), "MEDIUM", False),
        (("octocat", "read"), "MEDIUM", True),
        (("octocat", "read"), "MAJOR", False),
    ],
)
def test_settling_takes_write_and_the_author_settles_what_is_not_severe(
    talk: Stage, who: tuple[str, Role], severity: str, settles: bool
) -> None:
    """What the author may not decide stays open, is not repeated, and is listed as disputed."""
    pull = opened(talk, a_finding(severity=severity, replacement="    return sum(prices) - discount"))

    comment = reply(pull, "won't fix", *who)
    push(pull, NOTES)
    talk.github.set_role("octocat", "write")

    assert statuses(pull) == [("wont_fix", who[0]) if settles else ("open", None)]
    assert reactions(pull, comment, "pulls") == ["+1" if settles else "eyes"]
    assert thread(pull) == []
    assert len(pull.reviews) == 1
    disputed = "-- the author disagrees" in pull.check["output"]["summary"]
    assert disputed is (who[0] == "octocat" and not settles)


def test_who_asks_to_settle_what_they_may_not_is_told_in_one_line(talk: Stage) -> None:
    """Only where we are called: nobody else asked for an answer."""
    pull = opened(talk)

    comment = reply(pull, "@kodiai won't fix", "mallory", "read")

    assert outcome(pull) == ("read", "won't fix")
    assert thread(pull) == ["Only somebody with write access can settle this: it is MAJOR. It stays open."]
    assert reactions(pull, comment, "pulls") == ["eyes"]


def test_done_counts_where_the_code_is_gone(talk: Stage) -> None:
    """While it stands a word does not end it; once it is gone the thread is resolved too."""
    pull = opened(talk)

    early = reply(pull, "Done, thanks!")
    before = statuses(pull)
    forget(pull, "SAID#")
    talk.github.set_base_file(pull.number, ".kodiai.yml", b"review: {triggers: {onSynchronize: false}}\n")
    pull.push(talk.commit(FIXED, pull.head))
    late = reply(pull, "Done.")

    assert before == [("open", None)]
    assert reactions(pull, early, "pulls") == ["eyes"]
    assert statuses(pull) == [("fixed", "ann")]
    assert reactions(pull, late, "pulls") == ["+1"]
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
    """A question to somebody else costs nothing."""
    pull = opened(talk)

    comment = reply(pull, "@bob can you have a look at this?")

    assert outcome(pull) == ("read", "nothing")
    assert (reactions(pull, comment, "pulls"), thread(pull), conversation(pull), asked(pull)) == ([], [], [], [])


def test_a_delivery_that_comes_again_changes_nothing(talk: Stage) -> None:
    """Not even after somebody has opened the finding again."""
    pull = opened(talk)
    reply(pull, "won't fix")
    delivery = next(each for each in reversed(talk.github.deliveries) if each.event == "pull_request_review_comment")
    [finding] = items(pull, "FINDING#")

    talk.machine.aws.clock.advance(600)
    talk.github.redeliver(delivery.guid)
    talk.settle()

    assert outcome(pull)[0] == "skipped"
    assert items(pull, "FINDING#") == [finding]


def test_the_last_blocker_that_a_person_settles_takes_our_request_for_changes_with_it(talk: Stage) -> None:
    """Nobody has to push to be let through."""
    pull = opened(talk, config="  event: verdict\n")
    before = [review["state"] for review in pull.reviews]

    reply(pull, "By design.")

    assert before == ["CHANGES_REQUESTED"]
    assert [review["state"] for review in pull.reviews] == ["DISMISSED"]
