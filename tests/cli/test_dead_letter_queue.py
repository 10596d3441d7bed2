"""Dead letters, over real HTTP to the local SQS, buried as SQS buries them and as the function does."""

import itertools
from collections.abc import Callable, Iterator
from datetime import UTC
from typing import Any

import pytest

from cli.dead_letter_queue import HELD_SECONDS, DeadLetters
from kodiai.core.errors import Broken
from local.aws import LocalAws
from tests.cli.dead_letter_queues import GROUP, KILLED, NO_REASON, Queues, a_job
from tests.edges.deployed_aws import aws_that_says, client_at

BY_FUNCTION, BY_SQS = Queues.bury_by_function, Queues.bury_by_sqs
STAGES = itertools.count(1)


@pytest.fixture(scope="module")
def aws() -> Iterator[LocalAws]:
    """One of our own: its clock is turned."""
    with LocalAws() as running:
        yield running


@pytest.fixture
def queues(aws: LocalAws) -> Queues:
    return Queues.create(aws.client("sqs"), aws.clock, f"try{next(STAGES)}")


def letters_of(queues: Queues, client: Any = None) -> DeadLetters:
    return DeadLetters(client or queues.dead.sqs, queues.dead.url, queues.live.url, wait_seconds=0)


def redrive_all(letters: DeadLetters) -> list[bool]:
    with letters.ten_at_a_time() as found:
        return [letters.redrive(letter) for letter in found]


def a_client(aws: LocalAws, act: Callable[[], None], *before: str) -> Any:
    """A client that acts before each call of these operations."""
    client = client_at("sqs", aws.address, aws_access_key_id=aws.access_key())
    for operation in before:
        client.meta.events.register(f"before-call.sqs.{operation}", lambda **_: act())
    return client


def be_killed() -> None:
    raise KeyboardInterrupt


def test_a_dead_letter_has_its_reason_as_far_as_one_was_given(queues: Queues) -> None:
    """The function's own words, or that it was killed: the attempts are known from the queue, not from our reads."""
    before = queues.dead.clock.now()
    queues.put(a_job())
    queues.bury_by_function("retry", "The model was overloaded.")
    queues.put(a_job(8))
    queues.bury_by_sqs()
    queues.live.send('{"delivery": 7}\n', "odd")
    queues.bury_by_function("broken", "The message is not a job: delivery.")
    by_hand = queues.bury("hello")
    letters_of(queues).list()

    found = letters_of(queues).list()

    assert [(each.group, each.outcome, each.reason, each.attempts, each.job) for each in found] == [
        (GROUP, "retry", "The model was overloaded.", 5, a_job()),
        ("octo/hello#8", None, KILLED, 5, a_job(8)),
        ("odd", "broken", "The message is not a job: delivery.", 5, None),
        (GROUP, None, NO_REASON, None, None),
    ]
    assert [each.received for each in found] == [2, 7, 2, 2]
    assert [each.body for each in found] == [*(a_job(at).to_message() for at in (7, 8)), '{"delivery": 7}\n', "hello"]
    assert {each.queue for each in found} == {queues.live.url.rpartition("/")[2]}
    assert found[3].id == by_hand
    assert all(before - 1 <= each.sent.timestamp() <= queues.dead.clock.now() for each in found)
    assert {each.sent.tzinfo for each in found} == {UTC}


def test_a_listing_hides_nothing_from_the_next_one(queues: Queues) -> None:
    """A listing does not count as a failed attempt."""
    for number in range(12):
        queues.bury(f"{number}", f"octo/hello#{number}")

    first = letters_of(queues).list()

    assert queues.dead.counts() == (12, 0, 0)
    assert [letter.body for letter in letters_of(queues).list()] == [letter.body for letter in first]


def test_an_interrupted_listing_gives_back_what_it_holds(aws: LocalAws, queues: Queues) -> None:
    """The second receive does not come to an end."""
    calls = itertools.count()
    client = a_client(aws, lambda: be_killed() if next(calls) else None, "ReceiveMessage")
    queues.bury("hello")

    with pytest.raises(KeyboardInterrupt):
        letters_of(queues, client).list()

    assert queues.dead.counts() == (1, 0, 0)


def test_groups_are_read_whole_and_in_order_however_they_are_mixed(queues: Queues) -> None:
    """Ten messages at once cut groups of seven in the middle, and the rest waits for the first part."""
    groups = {name: [f"{name}{number}" for number in range(7)] for name in ("a", "b", "c")}
    for number, name in itertools.product(range(7), groups):
        queues.bury(groups[name][number], name)

    found = letters_of(queues).list()

    assert {name: [letter.body for letter in found if letter.group == name] for name in groups} == groups
    assert len(found) == 21
    assert queues.dead.counts() == (21, 0, 0)


def test_the_first_ten_of_a_group_are_read_and_all_are_counted(queues: Queues) -> None:
    """SQS hands out no more while these are not gone."""
    for number in range(13):
        queues.bury(f"{number}")

    letters = letters_of(queues)

    assert [letter.body for letter in letters.list()] == [f"{number}" for number in range(10)]
    assert letters.count() == 13


def test_a_reading_that_outlasts_the_visibility_comes_to_an_end(aws: LocalAws, queues: Queues) -> None:
    """The first messages come again before the last ones; each is listed once."""
    turns: list[int] = []

    def turn() -> None:
        turns.append(HELD_SECONDS + 1)
        aws.clock.advance(turns[-1])

    for number in range(25):
        queues.bury(f"{number}", f"octo/hello#{number}")

    found = letters_of(queues, a_client(aws, turn, "ReceiveMessage")).list()

    assert [letter.body for letter in found][:10] == [f"{number}" for number in range(10)]
    assert len({letter.id for letter in found}) == len(found)
    assert len(turns) <= 25


def test_a_group_that_another_reader_takes_meanwhile_is_not_listed(aws: LocalAws, queues: Queues) -> None:
    """A group that is given back to be read whole may be gone."""
    receives = itertools.count(1)

    def take_the_first_group() -> None:
        if next(receives) == 3:
            assert {message["Body"][0] for message in queues.dead.receive(10)} == {"a"}

    for number, group in itertools.product(range(7), ("a", "b")):
        queues.bury(f"{group}{number}", group)

    found = letters_of(queues, a_client(aws, take_the_first_group, "ReceiveMessage")).list()

    assert [letter.body for letter in found] == [f"b{number}" for number in range(7)]


@pytest.mark.parametrize("bury", [BY_FUNCTION, BY_SQS])
def test_redriven_messages_are_received_in_order_within_five_minutes(
    queues: Queues, bury: Callable[[Queues], None]
) -> None:
    """The same body and group under a new id: SQS would drop the original's; the function's words stay behind."""
    jobs = [a_job(number, f"guid-{at}") for at, number in enumerate((7, 8, 7, 7))]
    for job in jobs:
        queues.put(job)
        bury(queues)

    done = redrive_all(letters_of(queues))

    back = queues.live.receive(10, MessageAttributeNames=["All"])
    assert done == [True] * 4
    assert [message["Body"] for message in back] == [job.to_message() for job in jobs]
    assert [message["Attributes"]["MessageGroupId"] for message in back] == [job.group_id for job in jobs]
    assert [message.get("MessageAttributes") for message in back] == [None] * 4
    assert queues.dead.counts() == (0, 0, 0)


def test_more_than_ten_of_a_group_are_redriven_in_order(queues: Queues) -> None:
    """The later ones come as the first ones go."""
    for number in range(23):
        queues.bury(f"{number}")

    done = redrive_all(letters_of(queues))

    back = []
    while batch := queues.live.receive(10):
        back += [message["Body"] for message in batch]
        for message in batch:
            queues.live.delete(message)
    assert done == [True] * 23
    assert back == [f"{number}" for number in range(23)]


@pytest.mark.parametrize(
    ("bury", "lost", "held"),
    [
        (BY_FUNCTION, ("DeleteMessage",), False),
        (BY_SQS, ("DeleteMessage",), False),
        (BY_SQS, ("DeleteMessage", "ChangeMessageVisibilityBatch"), True),
    ],
)
def test_a_redrive_that_is_killed_before_the_deletion_is_done_once(
    aws: LocalAws, queues: Queues, bury: Callable[[Queues], None], lost: tuple[str, ...], held: bool
) -> None:
    """The second try sends what SQS drops, and deletes; what a process did not give back comes after its hold."""
    queues.put(a_job())
    bury(queues)
    with pytest.raises(KeyboardInterrupt):
        redrive_all(letters_of(queues, a_client(aws, be_killed, *lost)))
    left = queues.dead.counts()
    aws.clock.advance(HELD_SECONDS + 1 if held else 0)

    done = redrive_all(letters_of(queues))

    assert (left, done) == ((0, 1, 0) if held else (1, 0, 0), [True])
    assert queues.live.counts() == (1, 0, 0)
    assert queues.dead.counts() == (0, 0, 0)


@pytest.mark.parametrize("bury", [BY_FUNCTION, BY_SQS])
def test_a_message_that_dies_again_at_once_is_not_redriven_for_ever(
    queues: Queues, bury: Callable[[Queues], None]
) -> None:
    """It is known by its id, stays, and is there for the next redrive."""
    queues.put(a_job())
    bury(queues)
    letters = letters_of(queues)
    done = []

    with letters.ten_at_a_time() as found:
        for letter in found:
            done.append(letters.redrive(letter))
            if done == [True]:
                bury(queues)

    assert done == [True, False]
    assert queues.dead.counts() == (1, 0, 0)
    assert redrive_all(letters_of(queues)) == [True]


def test_a_letter_that_another_reader_has_taken_meanwhile_is_not_sent(queues: Queues) -> None:
    """Two operators put nothing back twice."""
    queues.bury("hello")
    letters = letters_of(queues)

    with letters.held() as (letter,):
        queues.dead.clock.advance(HELD_SECONDS + 1)
        with pytest.raises(Broken, match=rf"^The dead letter {letter.id} cannot be put back: SQS says "):
            letters.redrive(letter)

    assert queues.live.counts() == (0, 0, 0)
    assert queues.dead.counts() == (1, 0, 0)


def test_a_refusal_of_aws_is_reported_whole() -> None:
    """Unlike the log of a function, an operator may read it."""
    with aws_that_says(403, "AccessDenied") as url:
        letters = DeadLetters(client_at("sqs", url), f"{url}/1/reviews-dead.fifo", f"{url}/1/reviews.fifo")

        with pytest.raises(Broken) as raised:
            letters.list()

    assert str(raised.value) == (
        "The dead letters of reviews.fifo cannot be read: SQS says AccessDenied: inside information"
    )
