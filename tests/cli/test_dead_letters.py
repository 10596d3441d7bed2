"""`kodiai dead-letters` as an operator runs it, over the local SQS with the template's queues."""

import asyncio
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
from starlette.types import Receive, Scope, Send

from cli.dead_letter_queue import DeadLetter
from cli.dead_letters import lines, pick, shortest
from cli.errors import CommandError
from kodiai.core.events.job import Job
from local.aws import Clock
from local.aws.protocol import AwsError, json_error, json_response
from local.aws.sqs import Sqs
from local.server import Server, hang_up
from tests import builders
from tests.cli.dead_letter_queues import GROUP, KILLED, NO_REASON, Queues, a_job
from tests.cli.running import KODIAI, Done, environment, run_command
from tests.edges.deployed_aws import client_at
from tests.programs import started

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)
GIVEN_UP = {"reason": "GitHub says 502.", "outcome": "retry", "attempts": "5"}


def a_letter(reason: str = "GitHub says 502.", job: Job | None = None, **more: Any) -> DeadLetter:
    known: dict[str, Any] = {
        "id": "9f1c2d3e-0000-4000-8000-000000000001",
        "queue": "kodiai-dev-reviews.fifo",
        "group": GROUP,
        "sent": NOW - timedelta(hours=3),
        "received": 1,
        "outcome": "retry",
        "attempts": 5,
        "body": "hello",
    }
    return DeadLetter(**{**known, **more}, reason=reason, job=job)


@dataclass
class Deployment:
    """The SQS of a stage "dev"; `before` is called with the name of each operation, and may keep it waiting.

    It waits for no message: nobody sends any meanwhile.
    """

    clock: Clock = field(default_factory=Clock)
    before: Callable[[str], object] = lambda _: None

    def __post_init__(self) -> None:
        self._sqs = Sqs(None, self.clock)
        self._server = Server(self._answer)
        self._server.start()
        self.url = self._server.url
        self.client: Any = client_at("sqs", self.url)
        self.reviews, self.mentions = (
            Queues.create(self.client, self.clock, "dev", name) for name in ("reviews", "mentions")
        )

    def stop(self) -> None:
        self.client.close()
        self._server.stop()
        self._sqs.close()

    def run(self, *arguments: str) -> Done:
        """Run `kodiai dead-letters` in this process."""
        return run_command("dead-letters", *arguments, "--endpoint-url", self.url)

    def facts(self, start: str) -> dict[str, str]:
        """The lines of `kodiai dead-letters show`, by their names."""
        done = self.run("show", start, "--queue", "reviews")
        assert (done.status, done.err) == (0, "")
        rows = done.out.partition("\n\n")[0].splitlines()
        return dict(re.split(r"\s{2,}", row, maxsplit=1) for row in rows)

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
        try:
            answer = await self._sqs.ask(operation, body, request.headers["host"], asyncio.Future())
            response = json_response(answer)
        except AwsError as error:
            response = json_error(error)
        await response(scope, receive, send)


@pytest.fixture
def deployment() -> Iterator[Deployment]:
    running = Deployment()
    yield running
    running.stop()


def test_dead_letters_are_listed_with_their_reasons(deployment: Deployment) -> None:
    """One that the function gave up, one over which it was killed, one that is no job; no body is printed."""
    empty = deployment.run("list")
    known = deployment.reviews.bury(a_job().to_message(), **GIVEN_UP)
    deployment.reviews.put(a_job(8))
    deployment.reviews.bury_by_sqs()
    odd = deployment.reviews.bury('{"secret":\n1}', "odd", reason="It is not a job.", outcome="broken", attempts="1")
    deployment.mentions.bury(a_job(9).to_message(), "octo/hello#9")

    done = deployment.run("list")

    assert empty == Done(0, "No dead letters.\n", "")
    assert (done.status, done.err) == (0, "")
    rows = [re.split(r"\s{2,}", line) for line in done.out.splitlines()]
    assert [rows[0], rows[5]] == [["3 from kodiai-dev-reviews.fifo"], ["1 from kodiai-dev-mentions.fifo"]]
    assert rows[1] == ["id", "age", "pull request", "trigger", "attempts", "reason"]
    assert [row[2:] for row in rows[2:5]] == [
        [GROUP, "review_requested", "5", "GitHub says 502."],
        ["octo/hello#8", "review_requested", "5", KILLED],
        ["odd", "(not a job)", "1", "It is not a job."],
    ]
    assert (rows[2][0], rows[4][0]) == (known[:8], odd[:8])
    assert "secret" not in done.out
    assert deployment.reviews.dead.counts() == (3, 0, 0)


def test_a_listing_as_json_has_every_field(deployment: Deployment) -> None:
    """One object for each letter, of one queue only on request."""
    job = a_job()
    known = deployment.reviews.bury(job.to_message(), **GIVEN_UP)
    deployment.mentions.bury("hello")

    [letter] = json.loads(deployment.run("list", "--json", "--queue", "reviews").out)

    assert datetime.fromisoformat(letter.pop("sent")).tzinfo is not None
    assert letter == {
        "id": known,
        "queue": "kodiai-dev-reviews.fifo",
        "group": GROUP,
        "received": 1,
        "outcome": "retry",
        "reason": "GitHub says 502.",
        "attempts": 5,
        "body": job.to_message(),
        "job": job.model_dump(mode="json"),
    }


def test_letters_that_somebody_else_reads_are_counted(deployment: Deployment) -> None:
    """A list next to another one does not say that there are none."""
    deployment.reviews.bury("hello")
    deployment.reviews.dead.take()

    assert deployment.run("list", "--queue", "reviews").out.startswith("1 more cannot be read now: ")


def test_a_job_is_shown_with_all_that_is_known_of_it(deployment: Deployment) -> None:
    """The reason stands whole, the body need not: it is the job."""
    reason = "GitHub says 502. " * 50
    known = deployment.reviews.bury(a_job().to_message(), **{**GIVEN_UP, "reason": reason})

    facts = deployment.facts(known[:6])

    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, \d+ (s|min) ago", facts.pop("failed at"))
    assert facts == {
        "id": known,
        "queue": "kodiai-dev-reviews.fifo",
        "pull request": GROUP,
        "trigger": "review_requested, by octocat",
        "delivery": "guid-7",
        "installation": "none (a token is used)",
        "group": GROUP,
        "received": "1 times, including reads",
        "outcome": "retry",
        "attempts": "5",
        "reason": reason,
    }


def test_a_comment_is_shown_on_a_line(deployment: Deployment) -> None:
    """The line has the beginning of the comment; escape sequences are shown, not obeyed."""
    text = "@kodiai why\x1b[31m is that?\n" + "Because. " * 50
    mention = builders.a_mention(builders.a_comment_payload(text, surface="thread", reply_to=4))

    facts = deployment.facts(deployment.reviews.bury(mention.to_message()))

    assert facts["trigger"] == "thread, by ann"
    assert facts["comment"].startswith("@kodiai why␛[31m is that?␊Because.")
    assert len(facts["comment"]) == 200


def test_a_body_that_is_no_job_is_shown_as_it_is_but_cannot_act(deployment: Deployment) -> None:
    """Its lines stay; what would color a terminal is shown."""
    known = deployment.reviews.bury("one\n\ttwo\u2028", "odd")

    done = deployment.run("show", known, "--queue", "reviews")

    assert done.out.endswith("\nThe body, which is not a job:\none\n\ttwo⟨U+2028⟩\n")
    assert f"reason        {NO_REASON}\n" in done.out


def test_named_dead_letters_go_back_in_their_order(deployment: Deployment) -> None:
    """The order of the arguments does not matter; the others stay."""
    ids = [deployment.reviews.bury(f"{number}") for number in range(4)]

    done = deployment.run("redrive", ids[2], ids[0][:8], ids[2][:8])

    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines() == [
        f"{ids[0][:8]}  {GROUP}  (not a job)  moved to kodiai-dev-reviews.fifo",
        f"{ids[2][:8]}  {GROUP}  (not a job)  moved to kodiai-dev-reviews.fifo",
        "2 redriven, 2 left",
    ]
    assert deployment.reviews.live.bodies() == ["0", "2"]
    assert deployment.reviews.dead.bodies() == ["1", "3"]


def test_all_go_back_to_the_queue_that_they_came_from(deployment: Deployment) -> None:
    """A pull request may have more of them than one read returns."""
    for number in range(12):
        deployment.reviews.bury(f"{number}")
    deployment.mentions.bury("hello")

    done = deployment.run("redrive", "--all")

    assert (done.status, done.out.splitlines()[-1]) == (0, "13 redriven, 0 left")
    assert deployment.reviews.live.counts() == (12, 0, 0)
    assert deployment.mentions.live.bodies() == ["hello"]


def test_an_id_that_is_not_there_puts_nothing_back(deployment: Deployment) -> None:
    """Every id is looked up first."""
    known = deployment.reviews.bury("hello")

    done = deployment.run("redrive", known, "0000-nope", "--queue", "reviews")

    assert done == Done(1, "", "kodiai: No dead letter has an ID that starts with 0000-nope.\n")
    assert deployment.reviews.dead.counts() == (1, 0, 0)


@pytest.mark.parametrize("ended_by", [signal.SIGTERM, signal.SIGHUP])
def test_a_listing_that_is_ended_gives_back_what_it_holds(deployment: Deployment, ended_by: signal.Signals) -> None:
    """A process of its own gives it back at once, as by Ctrl-C, and not when its time is over."""
    deployment.reviews.bury("hello")
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
    with started(command, env=environment(), stderr=subprocess.PIPE) as running:
        assert reading.wait(60)
        receives.clear()
        running.send_signal(ended_by)
        _, errors = running.communicate(timeout=60)
        ended.set()

    assert (running.returncode, errors) == (130, "kodiai: interrupted\n")
    assert deployment.reviews.dead.counts() == (1, 0, 0)


def test_a_table_has_the_reason_on_the_same_line_or_below() -> None:
    """A letter is one line in a wide terminal, two in 80 columns; the oldest comes first."""
    long = "GitHub says 502. " * 20
    far = builders.a_job(repository="some-organisation/some-repository", trigger="review_requested")
    odd = a_letter("It\x1b[31m is\nred", id="9f1c2d3f-0000", sent=NOW - timedelta(days=2), group="odd")
    letters = [a_letter(long, far, attempts=None), odd]

    wide = list(lines(letters, 8, NOW, 1_000))
    narrow = list(lines(letters, 8, NOW, 80))

    assert wide == [
        "id        age  pull request                         trigger           attempts  reason",
        "9f1c2d3f  2 d  odd                                  (not a job)       5         It␛[31m is␊red",
        f"9f1c2d3e  3 h  some-organisation/some-repository#7  review_requested  ?         {long[:159]}…",
    ]
    assert narrow == [
        "id        age  pull request                         trigger           attempts",
        "9f1c2d3f  2 d  odd                                  (not a job)       5",
        "          It␛[31m is␊red",
        "9f1c2d3e  3 h  some-organisation/some-repository#7  review_requested  ?",
        f"          {long[:69]}…",
    ]
    assert max(map(len, narrow)) <= 80


@pytest.mark.parametrize(
    ("seconds", "age"),
    [(-5, "0 s"), (59, "59 s"), (60, "1 min"), (3_599, "59 min"), (3_600, "1 h"), (86_400, "1 d")],
)
def test_an_age_is_shown_in_its_largest_unit(seconds: int, age: str) -> None:
    """A clock that is behind AWS's makes nothing younger than now."""
    letter = a_letter(sent=NOW - timedelta(seconds=seconds))

    assert f"  {age}  " in list(lines([letter], 8, NOW, 1_000))[1]


def test_ids_are_shortened_as_far_as_they_differ() -> None:
    """Eight characters mostly; as many as it takes otherwise."""
    near = [a_letter(id="9f1c2d3e-0000-4000"), a_letter(id="9f1c2d3e-0000-5000")]

    assert shortest([near[0], a_letter(id="01234567-0000-4000")]) == 8
    assert shortest(near) == len("9f1c2d3e-0000-4")


def test_a_letter_is_picked_by_the_start_of_its_id() -> None:
    """Letter case does not matter; a start that is too short or fits several picks nothing."""
    letters = [a_letter(id="9f1c2d3e-0000"), a_letter(id="9f1c2d3e-1111"), a_letter(id="01234567-0000")]

    assert pick(letters, "0123", 3) == letters[2]
    assert pick(letters, "9F1C2D3E-1", 3) == letters[1]
    for start, message in (
        ("", "'' is too short: give at least the first 4 characters of an ID."),
        ("9f1c2d3e", "2 dead letters have IDs that start with 9f1c2d3e: give more of it."),
        ("beef", "No dead letter has an ID that starts with beef. 2 more cannot be read now: "),
    ):
        with pytest.raises(CommandError, match=re.escape(message)):
            pick(letters, start, 5)
