"""Dead letters, over real HTTP to the local SQS, buried as SQS buries them and as the function does."""

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC
from typing import Any

import pytest

from cli.dead_letter_queue import HELD_SECONDS, DeadLetter, DeadLetters
from kodiai.core.errors import Broken
from kodiai.core.events.job import Job
from kodiai.edges.queue import SqsMessages
from local.aws import LocalAws
from tests import builders
from tests.edges.deployed_aws import aws_that_says, sqs_at
from tests.local.aws.fifo import Fifo

SENT_BY_HAND = "It was sent here without a reason."
NEVER_SAID = "It was received 5 times and the function never said why: killed, out of memory or out of time."


def a_job(number: int = 7, delivery: str = "guid-1") -> Job:
    return builders.a_job(delivery=delivery, repository="octo/hello", number=number)


@dataclass(frozen=True)
class Deployment:
    """A queue, and the one where its dead letters lie."""

    live: Fifo
    dead: Fifo

    def letters(self, client: Any = None) -> DeadLetters:
        return DeadLetters(client or self.dead.sqs, self.dead.url, self.live.url, wait_seconds=0)

    def put(self, job: Job) -> None:
        self.live.send(job.to_message(), job.group_id, MessageDeduplicationId=job.delivery)

    def buried_by_the_function(self, outcome: str = "retry", reason: str = "GitHub says 502.") -> str:
        """Take the next message, and end it as the function ends one; the body."""
        message = self.live.take()
        record = {
            "messageId": message["MessageId"],
            "body": message["Body"],
            "attributes": {**message["Attributes"], "ApproximateReceiveCount": "5"},
        }
        SqsMessages(self.live.sqs, self.live.url, self.dead.url, 5).send_to_dlq(record, outcome, reason)
        self.live.delete(message)
        return str(message["Body"])

    def buried_by_sqs(self) -> None:
        """Kill the function five times over the next message."""
        for _ in range(5):
            self.live.hide(self.live.take(), 0)
        assert self.live.receive() == []

    def sent_by_hand(self, body: str, group: str = "octo/hello#7") -> None:
        self.dead.send(body, group)


@pytest.fixture(scope="module")
def aws() -> Iterator[LocalAws]:
    """One of our own: its clock is turned."""
    with LocalAws() as running:
        yield running


@pytest.fixture(scope="module")
def stage() -> Callable[[], str]:
    count = itertools.count(1)
    return lambda: f"try{next(count)}"


@pytest.fixture
def deployment(aws: LocalAws, stage: Callable[[], str]) -> Deployment:
    return deploy(aws, stage())


def deploy(aws: LocalAws, stage: str) -> Deployment:
    """Make the queues of the reviews as the template does."""
    sqs = aws.client("sqs")
    fifo = {"FifoQueue": "true", "DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId"}
    dead = Fifo(sqs, aws.clock, _made(sqs, f"kodiai-{stage}-reviews-dead.fifo", fifo))
    policy = json.dumps({"deadLetterTargetArn": dead.arn, "maxReceiveCount": 5})
    live = _made(sqs, f"kodiai-{stage}-reviews.fifo", {**fifo, "RedrivePolicy": policy})
    return Deployment(Fifo(sqs, aws.clock, live), dead)


def _made(sqs: Any, name: str, attributes: dict[str, str]) -> str:
    return str(sqs.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"])


def redrive_all(letters: DeadLetters) -> list[bool]:
    with letters.ten_at_a_time() as found:
        return [letters.redrive(letter) for letter in found]


def a_client(aws: LocalAws, before: str, act: Callable[[], None]) -> Any:
    """A client that acts before each call of an operation."""
    client = sqs_at(aws.address, aws_access_key_id=aws.access_key())
    client.meta.events.register(f"before-call.sqs.{before}", lambda **_: act())
    return client


def be_killed() -> None:
    raise KeyboardInterrupt


def test_a_message_that_the_function_buried_tells_what_went_wrong(deployment: Deployment) -> None:
    """Its reason, its outcome and its attempts are the function's own words; its job is read."""
    deployment.put(a_job())
    before = int(deployment.dead.clock.now() * 1000)
    body = deployment.buried_by_the_function("retry", "The model was overloaded.")
    after = int(deployment.dead.clock.now() * 1000)

    (letter,) = deployment.letters().list()

    assert letter == DeadLetter(
        id=letter.id,
        queue=deployment.live.url.rpartition("/")[2],
        group="octo/hello#7",
        sent=letter.sent,
        received=1,
        outcome="retry",
        reason="The model was overloaded.",
        attempts=5,
        body=body,
        job=a_job(),
    )
    assert before <= round(letter.sent.timestamp() * 1000) <= after
    assert letter.sent.tzinfo is UTC


def test_a_message_that_sqs_moved_says_that_nobody_said_why(deployment: Deployment) -> None:
    """A function that is killed writes nothing; how often it was tried is known from the queue, not from our looks."""
    deployment.put(a_job())
    deployment.buried_by_sqs()
    deployment.letters().list()

    (letter,) = deployment.letters().list()

    assert (letter.reason, letter.outcome, letter.attempts) == (NEVER_SAID, None, 5)
    assert (letter.received, letter.job) == (7, a_job())


def test_a_message_that_is_no_job_is_shown_as_it_is(deployment: Deployment) -> None:
    """It may be anything, and where somebody sent it there nothing is made up about it."""
    deployment.live.send('{"delivery": 7}\n', "odd")
    deployment.buried_by_the_function("broken", "The message is not a job: delivery.")
    deployment.sent_by_hand("hello")

    odd, sent = deployment.letters().list()

    assert (odd.job, odd.body, odd.group) == (None, '{"delivery": 7}\n', "odd")
    assert (odd.outcome, odd.reason) == ("broken", "The message is not a job: delivery.")
    assert (sent.reason, sent.outcome, sent.attempts) == (SENT_BY_HAND, None, None)


def test_what_was_read_can_be_read_at_once_again(deployment: Deployment) -> None:
    """A listing hides nothing from the next one, and counts as no death."""
    for number in range(12):
        deployment.sent_by_hand(f"{number}", f"octo/hello#{number}")

    first = deployment.letters().list()

    assert deployment.dead.counts() == (12, 0, 0)
    assert [letter.body for letter in deployment.letters().list()] == [letter.body for letter in first]


def test_what_was_read_is_given_back_when_the_reading_is_interrupted(aws: LocalAws, deployment: Deployment) -> None:
    """The second receive does not come to an end."""
    calls = itertools.count()
    client = a_client(aws, "ReceiveMessage", lambda: be_killed() if next(calls) else None)
    deployment.sent_by_hand("hello")

    with pytest.raises(KeyboardInterrupt):
        deployment.letters(client).list()

    assert deployment.dead.counts() == (1, 0, 0)


def test_groups_are_read_whole_and_in_order_however_they_are_mixed(deployment: Deployment) -> None:
    """Ten messages at once cut groups of seven in the middle, and what is cut off waits for the rest."""
    for number, group in itertools.product(range(7), ("a", "b", "c")):
        deployment.sent_by_hand(f"{group}{number}", group)

    found = deployment.letters().list()

    assert {group: [letter.body for letter in found if letter.group == group] for group in ("a", "b", "c")} == {
        group: [f"{group}{number}" for number in range(7)] for group in ("a", "b", "c")
    }
    assert len(found) == 21
    assert deployment.dead.counts() == (21, 0, 0)


def test_of_more_than_ten_of_a_group_the_first_are_read_and_all_are_counted(deployment: Deployment) -> None:
    """SQS hands out no more while these are not gone."""
    for number in range(13):
        deployment.sent_by_hand(f"{number}")

    letters = deployment.letters()

    assert [letter.body for letter in letters.list()] == [f"{number}" for number in range(10)]
    assert letters.count() == 13


def test_a_reading_that_outlasts_the_visibility_comes_to_an_end(aws: LocalAws, deployment: Deployment) -> None:
    """The first messages come again before the last ones; each is told once."""
    turns: list[int] = []

    def turn() -> None:
        turns.append(HELD_SECONDS + 1)
        aws.clock.advance(turns[-1])

    for number in range(25):
        deployment.sent_by_hand(f"{number}", f"octo/hello#{number}")

    found = deployment.letters(a_client(aws, "ReceiveMessage", turn)).list()

    assert [letter.body for letter in found][:10] == [f"{number}" for number in range(10)]
    assert len({letter.id for letter in found}) == len(found)
    assert len(turns) <= 25


def test_what_somebody_else_takes_while_it_is_read_is_not_told_as_held(aws: LocalAws, deployment: Deployment) -> None:
    """A group that is given back to be read whole may be gone."""
    receives = itertools.count(1)

    def take_the_first_group() -> None:
        if next(receives) == 3:
            assert {message["Body"][0] for message in deployment.dead.receive(10)} == {"a"}

    for number, group in itertools.product(range(7), ("a", "b")):
        deployment.sent_by_hand(f"{group}{number}", group)

    found = deployment.letters(a_client(aws, "ReceiveMessage", take_the_first_group)).list()

    assert [letter.body for letter in found] == [f"b{number}" for number in range(7)]


def test_redriven_messages_are_received_in_order_within_five_minutes(deployment: Deployment) -> None:
    """The same body and group under a new id: SQS would drop the original's; what was said of it stays behind."""
    jobs = [a_job(7, "guid-1"), a_job(8, "guid-2"), a_job(7, "guid-3"), a_job(7, "guid-4")]
    for job in jobs:
        deployment.put(job)
        deployment.buried_by_the_function()

    done = redrive_all(deployment.letters())

    back = deployment.live.receive(10, MessageAttributeNames=["All"])
    assert done == [True] * 4
    assert [message["Body"] for message in back] == [job.to_message() for job in jobs]
    assert [message["Attributes"]["MessageGroupId"] for message in back] == [job.group_id for job in jobs]
    assert [message.get("MessageAttributes") for message in back] == [None] * 4
    assert deployment.dead.counts() == (0, 0, 0)


def test_a_message_that_sqs_moved_is_redriven_within_five_minutes(deployment: Deployment) -> None:
    """It still has the id of the message it was, under which it is refused."""
    deployment.put(a_job())
    deployment.buried_by_sqs()

    redrive_all(deployment.letters())

    assert deployment.live.bodies() == [a_job().to_message()]


def test_more_than_ten_of_a_group_are_redriven_in_order(deployment: Deployment) -> None:
    """The later ones come as the first ones go."""
    for number in range(23):
        deployment.sent_by_hand(f"{number}", "octo/hello#7")

    done = redrive_all(deployment.letters())

    back = []
    while batch := deployment.live.receive(10):
        back += [message["Body"] for message in batch]
        for message in batch:
            deployment.live.delete(message)
    assert done == [True] * 23
    assert back == [f"{number}" for number in range(23)]


@pytest.mark.parametrize("bury", [Deployment.buried_by_the_function, Deployment.buried_by_sqs])
def test_a_redrive_that_is_interrupted_before_the_deletion_is_done_once(
    aws: LocalAws, deployment: Deployment, bury: Callable[[Deployment], object]
) -> None:
    """The second try sends what SQS drops, and deletes."""
    deployment.put(a_job())
    bury(deployment)
    with pytest.raises(KeyboardInterrupt):
        redrive_all(deployment.letters(a_client(aws, "DeleteMessage", be_killed)))
    left = deployment.dead.counts()

    redrive_all(deployment.letters())

    assert left == (1, 0, 0)
    assert deployment.live.counts() == (1, 0, 0)
    assert deployment.dead.counts() == (0, 0, 0)


def test_a_redrive_that_is_killed_before_the_deletion_is_done_once_its_hold_is_over(
    aws: LocalAws, deployment: Deployment
) -> None:
    """Nothing is given back by a process that is gone; the next one still does no work twice."""
    deployment.put(a_job())
    deployment.buried_by_sqs()
    client = a_client(aws, "DeleteMessage", be_killed)
    client.meta.events.register("before-call.sqs.ChangeMessageVisibilityBatch", lambda **_: be_killed())
    with pytest.raises(KeyboardInterrupt):
        redrive_all(deployment.letters(client))
    held = deployment.dead.counts()
    deployment.dead.clock.advance(HELD_SECONDS + 1)

    done = redrive_all(deployment.letters())

    assert (held, done) == ((0, 1, 0), [True])
    assert deployment.live.counts() == (1, 0, 0)
    assert deployment.dead.counts() == (0, 0, 0)


@pytest.mark.parametrize("bury", [Deployment.buried_by_the_function, Deployment.buried_by_sqs])
def test_a_message_that_dies_again_at_once_is_not_redriven_for_ever(
    deployment: Deployment, bury: Callable[[Deployment], object]
) -> None:
    """It is told by its id, stays, and is there for the next redrive."""
    deployment.put(a_job())
    bury(deployment)
    letters = deployment.letters()
    done = []

    with letters.ten_at_a_time() as found:
        for letter in found:
            done.append(letters.redrive(letter))
            if done == [True]:
                bury(deployment)

    assert done == [True, False]
    assert deployment.dead.counts() == (1, 0, 0)
    assert redrive_all(deployment.letters()) == [True]


def test_what_somebody_else_has_taken_meanwhile_is_not_sent(deployment: Deployment) -> None:
    """Two operators put nothing back twice."""
    deployment.sent_by_hand("hello")
    letters = deployment.letters()

    with letters.held() as (letter,):
        deployment.dead.clock.advance(HELD_SECONDS + 1)
        with pytest.raises(Broken, match=rf"^The dead letter {letter.id} cannot be put back: SQS says "):
            letters.redrive(letter)

    assert deployment.live.counts() == (0, 0, 0)
    assert deployment.dead.counts() == (1, 0, 0)


def test_what_aws_refuses_is_reported_whole() -> None:
    """Unlike the log of a function, an operator may read it."""
    with aws_that_says(403, "AccessDenied") as url:
        letters = DeadLetters(sqs_at(url), f"{url}/1/reviews-dead.fifo", f"{url}/1/reviews.fifo")

        with pytest.raises(Broken) as raised:
            letters.list()

    assert str(raised.value) == (
        "The dead letters of reviews.fifo cannot be read: SQS says AccessDenied: inside information"
    )
