"""Pushes in quick succession: a review begins once no newer push has come for a minute."""

import time
from collections.abc import Iterator

import pytest

from tests.queued import job_of, put_into_queue
from tests.specs.conftest import QUIET, Opened, Stage, as_described
from tests.specs.moods import DISCOUNT, until
from tests.specs.scripts import a_finding, a_report, says


@pytest.fixture
def opened(quiet: Stage) -> Iterator[Opened]:
    """A pull request that is reviewed, and about whose pushes the model has nothing to say."""
    for stage in as_described(quiet):
        stage.model.answers = says(a_report(a_finding()))
        yield stage.open(DISCOUNT)


def push(opened: Opened, name: str) -> str:
    """Push a commit of one more file, and wait until its webhook was answered."""
    stage = opened.stage
    head = stage.commit({f"src/{name}.py": f"{name} = 1\n"}, opened.head)
    stage.github.push(opened.number, head)
    assert stage.github.settle()
    return head


def push_long_ago(opened: Opened, waits: int) -> str:
    """Push a commit without a webhook, and send the job of an older push that gave way that number of times."""
    stage = opened.stage
    with stage.sent_to(None):
        head = push(opened, f"after_{waits}")
    job = job_of(stage.github, opened.number, delivery=f"{head}.{waits}", trigger="synchronize", head="0" * 40)
    put_into_queue(stage.machine, job.to_message(), job.group_id, job.deduplication_id)
    stage.settle()
    return head


def told(opened: Opened, since: int) -> list[tuple[str, str, str, int]]:
    """Trigger, outcome, reason and attempt of what came of each message."""
    return [(each["trigger"], each["outcome"], each["reason"], each["attempt"]) for each in opened.outcomes[since:]]


WAITED = ("synchronize", "waiting", "its waiting time is not over", 0)


def test_pushes_within_the_quiet_time_are_one_review_of_the_last_head(opened: Opened) -> None:
    """Each waits for itself, and each but the last gives way; nothing is asked and no check is opened for those.

    The opening is reviewed at once: nothing is waited for but pushes. What a person asks for waits behind and is
    answered: it is not lost with a push that gives way, and has no wait of its own. One of the pushes looks again
    later, in case the webhook of the last one was lost.
    """
    assert [each["outcome"] for each in opened.outcomes] == ["completed"]
    assert opened.stage.waits.over == []
    since = len(opened.outcomes)
    heads = [push(opened, name) for name in ("one", "two", "three")]

    opened.ask_for_review()

    last = heads[-1]
    over = ("synchronize", "superseded", f"a newer push came: {last[:7]}", 1)
    *gave_way, done, asked, looked_again = [each for each in told(opened, since) if each != WAITED]
    assert gave_way == [over] * 2
    assert (done[1], done[3]) == ("completed", 1)
    assert asked[:2] == ("review_requested", "skipped")
    assert looked_again == ("synchronize", "skipped", f"reviewed at {last[:7]} already", 1)
    assert told(opened, since)[0] == WAITED
    assert [len(opened.checks(head)) for head in heads] == [0, 0, 1]
    assert opened.ledger.claim("us", time.time() + 1).completed_head == last


def test_a_push_during_the_wait_of_another_begins_the_wait_anew(opened: Opened) -> None:
    """A review that began when the first wait was over would be of a change that is still being made."""
    stage, since, clock = opened.stage, len(opened.outcomes), opened.stage.machine.aws.clock
    push(opened, "one")
    until(lambda: told(opened, since) == [WAITED])
    clock.advance(QUIET / 2)
    second, sent = push(opened, "two"), clock.now()
    clock.advance(QUIET / 2)
    until(lambda: len(opened.outcomes) >= since + 3)

    gave_way, waits = opened.outcomes[since + 1 : since + 3]
    assert (gave_way["outcome"], gave_way["head"]) == ("superseded", second)
    assert waits["outcome"] == "waiting"
    assert QUIET / 2 - 10 < waits["after_seconds"] <= QUIET / 2
    stage.settle()
    done = opened.outcomes[since + 3]
    assert (done["outcome"], done["head"]) == ("completed", second)
    assert clock.now() >= sent + QUIET


def test_a_push_whose_webhook_is_lost_is_reviewed_with_the_one_before_it(opened: Opened) -> None:
    """The push that gives way names the newer head, and looks again after another quiet time."""
    stage, since = opened.stage, len(opened.outcomes)
    push(opened, "one")
    with stage.sent_to(None):
        last = push(opened, "two")

    stage.settle()

    ends = [(outcome, each["head"]) for each in opened.outcomes[since:] if (outcome := each["outcome"]) != "waiting"]
    assert ends == [("superseded", last), ("completed", last)]
    assert stage.waits.over == [QUIET, QUIET]


def test_a_pull_request_that_is_pushed_to_all_the_time_is_reviewed_after_ten_waits(opened: Opened) -> None:
    """A job that gave way nine times does so once more; the tenth reviews what is there, whoever has pushed since."""
    for waits, outcome in ((10, "completed"), (9, "superseded")):
        since = len(opened.outcomes)

        head = push_long_ago(opened, waits)

        begun = [each for each in opened.outcomes[since:] if each["outcome"] != "waiting"]
        assert (begun[0]["outcome"], begun[0]["head"]) == (outcome, head)
        assert begun[-1]["outcome"] == "completed"
