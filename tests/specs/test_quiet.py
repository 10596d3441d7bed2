"""Pushes in quick succession: a review begins once no newer push has come for a minute."""

import time
from collections.abc import Callable, Iterator

import pytest

from kodiai.core.events.job import Job
from tests.specs.conftest import Opened, Stage, a_stage
from tests.specs.moods import DISCOUNT
from tests.specs.scripts import a_finding, a_report, says

QUIET = 60


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A system that waits as a deployment does by default; the queues' clock is turned, nobody sits it out."""
    parameters = {"limits/quiet-seconds": f"{QUIET}"}
    with a_stage(tmp_path_factory.mktemp("repository"), parameters=parameters) as stage:
        yield stage


@pytest.fixture
def opened(quiet: Stage) -> Iterator[Opened]:
    """A pull request that is reviewed, and about whose pushes the model has nothing to say."""
    quiet.waits.forget()
    quiet.model.answers = says(a_report(a_finding()))
    yield quiet.open(DISCOUNT)
    assert quiet.github.violations == []


def push(opened: Opened, name: str) -> str:
    """Push a commit of one more file, and wait until its webhook was answered."""
    stage = opened.stage
    head = stage.commit({f"src/{name}.py": f"{name} = 1\n"}, opened.head)
    stage.github.push(opened.number, head)
    assert stage.github.settle()
    return head


def until(holds: Callable[[], bool]) -> None:
    """Wait for something that is about to happen."""
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def told(opened: Opened, since: int) -> list[tuple[str, str, str, int]]:
    """Trigger, outcome, reason and attempt of what came of each message."""
    return [(each["trigger"], each["outcome"], each["reason"], each["attempt"]) for each in opened.outcomes[since:]]


WAITED = ("synchronize", "waiting", "a newer push may come", 0)


def test_five_pushes_within_the_quiet_time_are_one_review_of_the_last_head(opened: Opened) -> None:
    """Each waits for itself, and each but the last gives way; nothing is asked and no check is opened for those.

    One of them looks again later, in case the webhook of the last push was lost.
    """
    stage, since = opened.stage, len(opened.outcomes)
    heads = [push(opened, name) for name in ("one", "two", "three", "four", "five")]

    stage.settle()

    last = heads[-1]
    over = ("synchronize", "superseded", f"a newer push came: {last[:7]}", 1)
    *gave_way, done, looked_again = [each for each in told(opened, since) if each != WAITED]
    assert gave_way == [over] * 4
    assert (done[1], done[3]) == ("completed", 1)
    assert looked_again == ("synchronize", "skipped", f"reviewed at {last[:7]} already", 1)
    assert told(opened, since)[0] == WAITED
    assert [len(opened.checks(head)) for head in heads] == [0, 0, 0, 0, 1]
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


def test_what_a_person_asks_for_waits_behind_and_is_answered(opened: Opened) -> None:
    """It is not lost with the push that gives way, and has no wait of its own."""
    since = len(opened.outcomes)
    push(opened, "one")
    last = push(opened, "two")

    opened.ask_for_review()

    ends = [(trigger, outcome) for trigger, outcome, _, _ in told(opened, since) if outcome != "waiting"]
    assert ends == [
        ("synchronize", "superseded"),
        ("synchronize", "completed"),
        ("review_requested", "skipped"),
        ("synchronize", "skipped"),
    ]
    assert opened.ledger.claim("us", time.time() + 1).completed_head == last


def test_a_push_whose_webhook_is_lost_is_reviewed_with_the_one_before_it(opened: Opened) -> None:
    """The push that gives way names the newer head, and looks again after another quiet time."""
    stage, since = opened.stage, len(opened.outcomes)
    push(opened, "one")
    stage.github.webhook_url, heard = None, stage.github.webhook_url
    last = push(opened, "two")
    stage.github.webhook_url = heard

    stage.settle()

    ends = [(outcome, each["head"]) for each in opened.outcomes[since:] if (outcome := each["outcome"]) != "waiting"]
    assert ends == [("superseded", last), ("completed", last)]
    assert stage.waits.over == [QUIET, QUIET]


@pytest.mark.parametrize(("waits", "outcome"), [(9, "superseded"), (10, "completed")])
def test_a_pull_request_that_is_pushed_to_all_the_time_is_reviewed_after_ten_waits(
    opened: Opened, waits: int, outcome: str
) -> None:
    """A job that gave way so often reviews what is there, whoever has pushed since."""
    stage, since = opened.stage, len(opened.outcomes)
    stage.github.webhook_url, heard = None, stage.github.webhook_url
    head = push(opened, "one")
    stage.github.webhook_url = heard
    job = Job(
        delivery=f"a-push-of-long-ago-{opened.number}.{waits}",
        repository=stage.github.full_name,
        number=opened.number,
        installation=stage.github.installation_id,
        trigger="synchronize",
        sender="octocat",
        head="0" * 40,
    )
    stage.machine.aws.client("sqs").send_message(
        QueueUrl=stage.machine.system.environment["KODIAI_REVIEWS_QUEUE_URL"],
        MessageBody=job.to_message(),
        MessageGroupId=job.group_id,
        MessageDeduplicationId=job.deduplication_id,
    )

    stage.settle()

    begun = [each for each in opened.outcomes[since:] if each["outcome"] != "waiting"]
    assert (begun[0]["outcome"], begun[0]["head"]) == (outcome, head)
    assert begun[-1]["outcome"] == "completed"


def test_a_pull_request_that_is_opened_is_reviewed_at_once(quiet: Stage) -> None:
    """Nothing is waited for but pushes."""
    quiet.waits.forget()
    quiet.model.answers = says(a_report(a_finding()))

    opened = quiet.open(DISCOUNT)

    assert [each["outcome"] for each in opened.outcomes] == ["completed"]
    assert quiet.waits.over == []
