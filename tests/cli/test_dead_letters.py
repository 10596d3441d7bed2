"""`kodiai dead-letters` as an operator runs it, over the local SQS with the template's queues.

It is a process of its own where the environment, a signal or its end is what matters.
"""

import json
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from cli.dead_letter_queue import DeadLetter
from cli.dead_letters import lines, pick, shortest
from cli.errors import CommandError
from kodiai.core.events.job import Job
from local.aws import Clock
from local.aws.sqs import Sqs
from local.server import Server, hang_up
from tests import builders
from tests.cli.running import KODIAI, Done, environment, run_command
from tests.edges.deployed_aws import nobody_there, sqs_at
from tests.local.aws.fifo import Fifo

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
NEVER_SAID = "It was received 5 times and the function never said why: killed, out of memory or out of time."


def a_job(number: int = 7, repository: str = "octo/hello") -> Job:
    return builders.a_job(
        delivery=f"guid-{number}",
        repository=repository,
        number=number,
        installation=None,
        trigger="review_requested",
        sender="octocat",
    )


def a_letter(reason: str = "GitHub says 502.", job: Job | None = None, **more: Any) -> DeadLetter:
    known: dict[str, Any] = {
        "id": "9f1c2d3e-0000-4000-8000-000000000001",
        "queue": "kodiai-dev-reviews.fifo",
        "group": "octo/hello#7",
        "sent": NOW - timedelta(hours=3),
        "received": 1,
        "outcome": "retry",
        "attempts": 5,
        "body": "hello",
    }
    return DeadLetter(**{**known, **more}, reason=reason, job=job)


@dataclass
class Deployment:
    """The SQS of a stage "dev"; `before` is told the name of each operation, and may keep it waiting.

    It waits for no message: nobody sends any meanwhile.
    """

    clock: Clock = field(default_factory=Clock)
    before: Callable[[str], object] = lambda _: None

    def __post_init__(self) -> None:
        self._sqs = Sqs(None, self.clock)
        self._server = Server(self._answer)
        self._server.start()
        self.url = self._server.url
        self.client: Any = sqs_at(self.url)
        self.reviews_dead, self.reviews = self._queues("reviews")
        self.mentions_dead, self.mentions = self._queues("mentions")

    def stop(self) -> None:
        self.client.close()
        self._server.stop()
        self._sqs.close()

    def bury(self, body: str, group: str = "octo/hello#7", **said: str) -> str:
        """Send a review's message to the dead as the function does; its id."""
        attributes = {name: {"DataType": "String", "StringValue": value} for name, value in said.items()}
        return str(self.reviews_dead.send(body, group, MessageAttributes=attributes)["MessageId"])

    def bury_unsaid(self, job: Job) -> str:
        """Kill the function five times over a review; its message's id."""
        sent = self.reviews.send(job.to_message(), job.group_id, MessageDeduplicationId=job.delivery)
        for _ in range(5):
            self.reviews.hide(self.reviews.take(), 0)
        assert self.reviews.receive() == []
        return str(sent["MessageId"])

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        operation = request.headers["x-amz-target"].removeprefix("AmazonSQS.")
        body = await request.json()
        try:
            await run_in_threadpool(self.before, operation)
        except ConnectionError:
            await hang_up(scope, receive)
            return
        if operation == "ReceiveMessage":
            body["WaitTimeSeconds"] = 0

        async def receive_again() -> Message:
            return {"type": "http.request", "body": json.dumps(body).encode()}

        await self._sqs(scope, receive_again, send)

    def _queues(self, name: str) -> tuple[Fifo, Fifo]:
        dead = self._queue(f"kodiai-dev-{name}-dead.fifo")
        policy = json.dumps({"deadLetterTargetArn": dead.arn, "maxReceiveCount": 5})
        return dead, self._queue(f"kodiai-dev-{name}.fifo", RedrivePolicy=policy)

    def _queue(self, name: str, **more: str) -> Fifo:
        attributes = {"FifoQueue": "true", "DeduplicationScope": "messageGroup", **more}
        answer = self.client.create_queue(QueueName=name, Attributes=attributes)
        return Fifo(self.client, self.clock, answer["QueueUrl"])


@pytest.fixture
def deployment() -> Iterator[Deployment]:
    running = Deployment()
    yield running
    running.stop()


def dead(*arguments: str, **env: Any) -> Done:
    """Run `kodiai dead-letters` in this process."""
    return run_command("dead-letters", *arguments, **env)


def test_dead_letters_are_listed_with_their_reasons(deployment: Deployment) -> None:
    """One that the function gave up, one over which it was killed, one that is no job; no body is printed."""
    said = deployment.bury(a_job().to_message(), reason="GitHub says 502.", outcome="retry", attempts="5")
    unsaid = deployment.bury_unsaid(a_job(8))
    odd = deployment.bury('{"secret":\n1}', "odd", reason="The message is not a job.", outcome="broken", attempts="1")
    deployment.mentions_dead.send(a_job(9).to_message(), "octo/hello#9")

    done = dead("list", "--endpoint-url", deployment.url)

    assert (done.status, done.err) == (0, "")
    told = [re.split(r"\s{2,}", line) for line in done.out.splitlines()]
    assert told[0] == ["3 from kodiai-dev-reviews.fifo"]
    assert told[1] == ["id", "age", "pull request", "trigger", "attempts", "reason"]
    assert [[row[0], *row[2:]] for row in told[2:5]] == [
        [said[:8], "octo/hello#7", "review_requested", "5", "GitHub says 502."],
        [unsaid[:8], "octo/hello#8", "review_requested", "5", NEVER_SAID],
        [odd[:8], "odd", "(not a job)", "1", "The message is not a job."],
    ]
    assert told[5] == ["1 from kodiai-dev-mentions.fifo"]
    assert "secret" not in done.out
    assert deployment.reviews_dead.counts() == (3, 0, 0)


def test_a_listing_as_json_has_everything(deployment: Deployment) -> None:
    """One object a letter, of one queue only where that is asked for."""
    job = a_job()
    known = deployment.bury(job.to_message(), reason="GitHub says 502.", outcome="retry", attempts="5")
    deployment.mentions_dead.send("hello", "octo/hello#9")

    done = dead("list", "--json", "--queue", "reviews", "--endpoint-url", deployment.url)

    [letter] = json.loads(done.out)
    assert datetime.fromisoformat(letter.pop("sent")).tzinfo is not None
    assert letter == {
        "id": known,
        "queue": "kodiai-dev-reviews.fifo",
        "group": "octo/hello#7",
        "received": 1,
        "outcome": "retry",
        "reason": "GitHub says 502.",
        "attempts": 5,
        "body": job.to_message(),
        "job": job.model_dump(mode="json"),
    }


def test_an_empty_list_says_so(deployment: Deployment) -> None:
    """Not a table without rows."""
    done = dead("list", "--endpoint-url", deployment.url)

    assert (done.status, done.out, done.err) == (0, "No dead letters.\n", "")


def test_what_somebody_else_reads_is_counted(deployment: Deployment) -> None:
    """A list next to another one does not say that there are none."""
    deployment.bury("hello")
    deployment.reviews_dead.take()

    done = dead("list", "--queue", "reviews", "--endpoint-url", deployment.url)

    assert done.out.startswith("1 more cannot be read now: ")


def test_a_job_is_shown_with_all_that_is_known_of_it(deployment: Deployment) -> None:
    """The reason stands whole, the body need not: it is the job."""
    reason = "GitHub says 502. " * 50
    known = deployment.bury(a_job().to_message(), reason=reason, outcome="retry", attempts="5")

    done = dead("show", known[:6], "--queue", "reviews", "--endpoint-url", deployment.url)

    assert (done.status, done.err) == (0, "")
    told = dict(re.split(r"\s{2,}", line, maxsplit=1) for line in done.out.splitlines())
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, \d+ (s|min) ago", told.pop("failed at"))
    assert told == {
        "id": known,
        "queue": "kodiai-dev-reviews.fifo",
        "pull request": "octo/hello#7",
        "trigger": "review_requested, by octocat",
        "delivery": "guid-7",
        "installation": "none (a token is used)",
        "group": "octo/hello#7",
        "received": "1 times, including reads",
        "outcome": "retry",
        "attempts": "5",
        "reason": reason,
    }


def test_what_somebody_said_is_shown_on_a_line(deployment: Deployment) -> None:
    """As much of it as tells what it was about; what would colour a terminal is shown."""
    text = "@kodiai why\x1b[31m is that?\n" + "Because. " * 50
    mention = builders.a_mention(builders.a_comment_payload(text, surface="thread", reply_to=4), delivery="guid-7")
    known = deployment.bury(mention.to_message(), reason="no", outcome="broken", attempts="1")

    done = dead("show", known, "--queue", "reviews", "--endpoint-url", deployment.url)

    told = dict(re.split(r"\s{2,}", line, maxsplit=1) for line in done.out.splitlines())
    assert told["trigger"] == "thread, by ann"
    assert told["comment"].startswith("@kodiai why␛[31m is that?␊Because.")
    assert len(told["comment"]) == 200


def test_what_is_no_job_is_shown_as_it_is_but_cannot_act(deployment: Deployment) -> None:
    """Its lines stay; what would colour a terminal is shown."""
    known = deployment.bury("one\n\ttwo\u2028", "odd")

    done = dead("show", known, "--queue", "reviews", "--endpoint-url", deployment.url)

    assert done.out.endswith("\nThe body, which is not a job:\none\n\ttwo⟨U+2028⟩\n")
    assert "reason        It was sent here without a reason.\n" in done.out


def test_named_dead_letters_go_back_in_their_order(deployment: Deployment) -> None:
    """Whatever the order they are named in; the others stay."""
    ids = [deployment.bury(f"{number}") for number in range(4)]

    done = dead("redrive", ids[2], ids[0][:8], ids[2][:8], "--endpoint-url", deployment.url)

    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines() == [
        f"{ids[0][:8]}  octo/hello#7  (not a job)  moved to kodiai-dev-reviews.fifo",
        f"{ids[2][:8]}  octo/hello#7  (not a job)  moved to kodiai-dev-reviews.fifo",
        "2 redriven, 2 left",
    ]
    assert deployment.reviews.bodies() == ["0", "2"]
    assert deployment.reviews_dead.bodies() == ["1", "3"]


def test_all_go_back_to_where_they_came_from(deployment: Deployment) -> None:
    """Also those of a pull request that has more than can be read at once."""
    for number in range(12):
        deployment.bury(f"{number}")
    deployment.bury_unsaid(a_job(8))
    deployment.mentions_dead.send("hello", "octo/hello#9")

    done = dead("redrive", "--all", "--endpoint-url", deployment.url)

    assert (done.status, done.out.splitlines()[-1]) == (0, "14 redriven, 0 left")
    assert deployment.reviews.counts() == (13, 0, 0)
    assert deployment.mentions.bodies() == ["hello"]


@pytest.mark.parametrize("ended_by", [signal.SIGTERM, signal.SIGHUP])
def test_a_listing_that_is_ended_gives_back_what_it_holds(deployment: Deployment, ended_by: signal.Signals) -> None:
    """At once, as by Ctrl-C, and not when its time is over."""
    deployment.bury("hello")
    receives: list[str] = []
    reading, ended = threading.Event(), threading.Event()

    def hold(operation: str) -> None:
        if operation == "ReceiveMessage":
            receives.append(operation)
        if operation == "ReceiveMessage" and len(receives) == 2:
            reading.set()
            ended.wait(60)
            raise ConnectionError("the caller is gone")

    deployment.before = hold
    command = [KODIAI, "dead-letters", "list", "--queue", "reviews", "--endpoint-url", deployment.url]
    with subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE, text=True) as running:
        assert reading.wait(60)
        receives.clear()
        running.send_signal(ended_by)
        _, said = running.communicate(timeout=60)
        ended.set()

    assert (running.returncode, said) == (130, "kodiai: interrupted\n")
    assert deployment.reviews_dead.counts() == (1, 0, 0)


def test_an_id_that_is_not_there_puts_nothing_back(deployment: Deployment) -> None:
    """Every id is looked up first."""
    known = deployment.bury("hello")

    done = dead("redrive", known, "0000-nope", "--queue", "reviews", "--endpoint-url", deployment.url)

    assert (done.status, done.out) == (1, "")
    assert done.err == "kodiai: No dead letter has an ID that starts with 0000-nope.\n"
    assert deployment.reviews_dead.counts() == (1, 0, 0)


def test_a_stage_that_is_not_there_is_said_in_one_line(deployment: Deployment) -> None:
    """With the name of the queue that was looked for."""
    done = dead("list", "--stage", "prod", "--endpoint-url", deployment.url)

    assert (done.status, done.out) == (1, "")
    [line] = done.err.splitlines()
    assert line.startswith("kodiai: The queue kodiai-prod-reviews-dead.fifo cannot be found in us-east-1: SQS says ")


def test_an_endpoint_that_cannot_be_reached_is_said_in_one_line() -> None:
    """With its address."""
    url = nobody_there()

    done = dead("list", "--endpoint-url", url)

    assert done.status == 1
    [line] = done.err.splitlines()
    assert line.endswith(f'Could not connect to the endpoint URL: "{url}/"')


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({}, "kodiai: AWS cannot be used: You must specify a region: set AWS_REGION or AWS_PROFILE."),
        ({"AWS_REGION": "eu-west-1"}, "cannot be found in eu-west-1: Unable to locate credentials"),
        (
            {"AWS_PROFILE": "nope"},
            "kodiai: AWS cannot be used: The config profile (nope) could not be found: set AWS_REGION or AWS_PROFILE.",
        ),
    ],
)
def test_what_aws_lacks_is_said_in_one_line(env: dict[str, str], said: str) -> None:
    """Found, or not, as the AWS CLI finds it."""
    done = dead("list", **env)

    assert (done.status, done.out) == (1, "")
    [line] = done.err.splitlines()
    assert line.endswith(said)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["redrive"], "give either the IDs of dead letters or --all"),
        (["redrive", "--all", "9f1c2d3e"], "give either the IDs of dead letters or --all"),
        (["list", "--queue", "jobs"], "invalid choice: 'jobs'"),
        (["list", "--endpoint-url", "127.0.0.1:80"], "'127.0.0.1:80' is not a URL"),
        (["list", "--endpoint-url", "http://127.0.0.1:port"], "is not a URL"),
        (["show"], "the following arguments are required: ID"),
        ([], "name a command: list, show or redrive"),
    ],
)
def test_wrong_arguments_are_refused(arguments: list[str], said: str) -> None:
    """Before AWS is asked anything; the exit status is 2."""
    done = dead(*arguments)

    assert done.status == 2
    assert said in done.err


def test_a_table_has_the_reason_on_the_same_line_or_below() -> None:
    """In a wide place a letter is one line, in 80 columns two; the oldest comes first."""
    letters = [
        a_letter("GitHub says 502. " * 20, a_job(repository="some-organisation/some-repository"), attempts=None),
        a_letter("It\x1b[31m is\nred", id="9f1c2d3f-0000", sent=NOW - timedelta(days=2), group="odd"),
    ]

    wide = list(lines(letters, 8, NOW, 1_000))
    narrow = list(lines(letters, 8, NOW, 80))

    assert wide == [
        "id        age  pull request                         trigger           attempts  reason",
        "9f1c2d3f  2 d  odd                                  (not a job)       5         It␛[31m is␊red",
        "9f1c2d3e  3 h  some-organisation/some-repository#7  review_requested  ?         "
        + ("GitHub says 502. " * 20)[:159]
        + "…",
    ]
    assert narrow == [
        "id        age  pull request                         trigger           attempts",
        "9f1c2d3f  2 d  odd                                  (not a job)       5",
        "          It␛[31m is␊red",
        "9f1c2d3e  3 h  some-organisation/some-repository#7  review_requested  ?",
        "          GitHub says 502. GitHub says 502. GitHub says 502. GitHub says 502. G…",
    ]
    assert max(map(len, narrow)) <= 80


@pytest.mark.parametrize(
    ("ago", "age"),
    [
        (timedelta(seconds=-5), "0 s"),
        (timedelta(seconds=59), "59 s"),
        (timedelta(seconds=60), "1 min"),
        (timedelta(minutes=59), "59 min"),
        (timedelta(hours=1), "1 h"),
        (timedelta(hours=24), "1 d"),
    ],
)
def test_an_age_is_told_in_its_largest_unit(ago: timedelta, age: str) -> None:
    """A clock that is behind AWS's makes nothing younger than now."""
    assert f"  {age}  " in list(lines([a_letter(sent=NOW - ago)], 8, NOW, 1_000))[1]


def test_ids_are_shortened_as_far_as_they_differ() -> None:
    """Eight characters mostly; as many as it takes otherwise."""
    near = [a_letter(id="9f1c2d3e-0000-4000"), a_letter(id="9f1c2d3e-0000-5000")]

    assert shortest([near[0], a_letter(id="01234567-0000-4000")]) == 8
    assert shortest(near) == len("9f1c2d3e-0000-4")


def test_a_letter_is_picked_by_how_its_id_begins_if_that_is_enough() -> None:
    """Letter case does not matter; what is empty or fits several picks nothing."""
    letters = [a_letter(id="9f1c2d3e-0000"), a_letter(id="9f1c2d3e-1111"), a_letter(id="01234567-0000")]

    assert pick(letters, "0123", 3) == letters[2]
    assert pick(letters, "9F1C2D3E-1", 3) == letters[1]
    for start, said in (
        ("", "'' is too short: give at least the first 4 characters of an ID."),
        ("9f1c2d3e", "2 dead letters have IDs that start with 9f1c2d3e: give more of it."),
        ("beef", "No dead letter has an ID that starts with beef. 2 more cannot be read now: "),
    ):
        with pytest.raises(CommandError, match=re.escape(said)):
            pick(letters, start, 5)
