"""A burst of webhooks on a system in trouble: `python -m bench.burst [--deliveries N] [--pull-requests N]`.

People open pull requests, push and describe; GitHub delivers that out of order, some of it twice, while one in
a hundred deliveries does not arrive and one in a hundred calls to GitHub, to the model and to AWS fails. Sweeps come
again and again, as the schedule would have it, and once the trouble is over an operator redrives the dead letters.
At the end every pull request has to be reviewed at its last head, and no head twice.
"""

import argparse
import json
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from random import Random

from botocore.exceptions import ClientError

from bench.reader import Reader
from bench.system import System, a_system
from bench.table import Table
from local.aws.failures import server_error as aws_error
from local.aws.failures import throttled
from local.fast_import import NewCommit, run_git, write_commits
from local.follower import LogLine
from local.github.failures import dropped_connection, secondary_limit, server_error
from local.machine import MachineOptions
from local.model import Request, Script, failure

DELIVERIES, PULL_REQUESTS = 10_000, 1_000
_TWICE, FAILING = 0.1, 0.01
_ROUNDS = 4
_ACTS = {"push": 3, "describe": 6}
_SWEEP_SECONDS, _TROUBLE_SECONDS, _LOOK_SECONDS = 15.0, 0.1, 0.2
_WAIT_SECONDS = 60
# A sweep that dies, or cannot give its lease back, keeps the next one waiting for so long.
_OVERRIDES = {"SweepFunction": {"Timeout": 180}}
_LONGEST_SECONDS = 3_600.0
_OVERLOADED = 529
_AUTHOR = "Ann <ann@example.org>"
# The failing calls of the functions.
_AWS = (
    "SQS SendMessage",
    "SSM GetParametersByPath",
    *(f"DynamoDB {each}" for each in ("GetItem", "BatchGetItem", "Query", "UpdateItem", "TransactWriteItems")),
)


@dataclass(frozen=True)
class Burst:
    """The result of a burst. `lost` counts deliveries that did not arrive, `failed` the injected failures by call.

    `heads` counts the reviewed heads, `missed` the pull requests without a review of the last head, `twice` the heads
    with two reviews, `redriven` the redriven dead letters, `dead_letters` the remaining ones.
    """

    pull_requests: int
    deliveries: int
    repeated: int
    lost: int
    failed: Mapping[str, int]
    sweeps: int
    redelivered: int
    queued: int
    heads: int
    missed: int
    twice: int
    redriven: int
    dead_letters: int
    minutes: float


def measure(
    deliveries: int = DELIVERIES, pull_requests: int = PULL_REQUESTS, seed: int = 1, failing: float = FAILING
) -> Burst:
    """Let a burst happen, and look at what it left; `failing` is the part of all calls that fail."""
    began, order = time.monotonic(), Random(seed)
    acts = _acts(round(deliveries * (1 - _TWICE)), pull_requests, order)
    failed = Counter(webhooks=0, github=0, aws=0, model=0)

    def overloaded(_: Request) -> bool:
        is_due = order.random() < failing
        failed["model"] += is_due
        return is_due

    model = Script(otherwise=Reader()).when(overloaded, failure(_OVERLOADED), always=True)
    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder) / "repository"
        base, heads = _repository(repository, Counter(number for _, what, number in acts if what != "describe"))
        options = MachineOptions(overrides=_OVERRIDES)
        with a_system(repository, model, {"embeddings/model": "off"}, options) as system:
            system.github.trusting = True
            people, sweeps = _People(system, base, heads, order), _Sweeps(system)
            with _trouble(system, order, failing, failed):
                for each in range(_ROUNDS):
                    with system.github.shuffled(order):
                        people.act([(what, number) for turn, what, number in acts if turn == each])
                    sweeps.until(lambda: _is_half_done(system, pull_requests))
                sweeps.until(lambda: _is_quiet(system))
            dead = _redrive(system)
            sweeps.until(lambda: _is_quiet(system))
            while sweeps.sweep():
                _pass_time(system)
                sweeps.until(lambda: _is_quiet(system))
            return _result(system, people, sweeps, failed, dead, time.monotonic() - began)


def _acts(events: int, pull_requests: int, order: Random) -> list[tuple[int, str, int]]:
    """Return `events` acts as (turn, act, pull request); the first act on a pull request opens it."""
    first = [each % (_ROUNDS // 2) for each in range(pull_requests)]
    acts = [(turn, "open", number) for number, turn in enumerate(first)]
    for what in order.choices(list(_ACTS), list(_ACTS.values()), k=max(0, events - pull_requests)):
        number = order.randrange(pull_requests)
        acts.append((order.randrange(first[number], _ROUNDS), what, number))
    return acts


def _repository(folder: Path, changes: Mapping[int, int]) -> tuple[str, dict[int, list[str]]]:
    """A repository in which each change has a row of commits, each with one more defect; its base, and the rows."""
    now = int(time.time())
    commits = [NewCommit("A shop", _AUTHOR, now, {"README.md": b"# Shop\n"})]
    for number, length in changes.items():
        for at in range(length):
            defects = "\n\n".join(f"def is_{part}(each):\n    return each is '{part}'\n" for part in range(at + 1))
            files = {f"shop/part_{number}.py": defects.encode()}
            commits.append(NewCommit("Change", _AUTHOR, now, files, len(commits) - 1 if at else 0))
    base, *heads = write_commits(folder, commits, bare=True)
    run_git(folder, "update-ref", "refs/heads/main", base)
    left = iter(heads)
    return base, {number: list(islice(left, length)) for number, length in changes.items()}


@dataclass
class _People:
    """The people on GitHub; some webhooks are delivered twice. `numbers` maps our numbers to GitHub's."""

    system: System
    base: str
    heads: dict[int, list[str]]
    order: Random
    numbers: dict[int, int] = field(default_factory=dict)
    repeated: int = 0

    def act(self, acts: Sequence[tuple[str, int]]) -> None:
        """Do these things, one after the other, and have a part of the deliveries repeated."""
        since = len(self.system.github.deliveries)
        for what, number in sorted(acts, key=lambda act: act[0] != "open"):
            self._do(what, number)
        sent = self.system.github.deliveries[since:]
        for delivery in self.order.sample(sent, round(len(sent) * _TWICE / (1 - _TWICE))):
            self.system.github.redeliver(delivery.guid)
            self.repeated += 1

    def _do(self, what: str, number: int) -> None:
        github = self.system.github
        if what == "open":
            self.numbers[number] = github.open_pull_request(self.heads[number].pop(0), self.base, title="Shop")
        elif what == "push":
            github.push(self.numbers[number], self.heads[number].pop(0))
        else:
            github.describe(self.numbers[number], f"It has {len(github.deliveries)} parts.")


@contextmanager
def _trouble(system: System, order: Random, failing: float, failed: Counter[str]) -> Iterator[None]:
    """Let calls fail within, and count them: for each that was made, one of its kind that comes, with that chance."""
    github, aws, ended, seen = system.github, system.machine.aws, threading.Event(), Counter[str]()

    def due(service: str, kind: str, calls: int) -> int:
        """The number of calls that are to fail for those since the last look."""
        fail = sum(order.random() < failing for _ in range(calls - seen[kind]))
        seen[kind] = calls
        failed[service] += fail
        return fail

    def make() -> None:
        while not ended.wait(_TROUBLE_SECONDS):
            requests = github.requests[seen["github"] :]
            for request in order.sample(requests, due("github", "github", seen["github"] + len(requests))):
                failures = (server_error(), dropped_connection(), dropped_connection(takes_effect=False))
                github.fail_next(request.route, order.choice([*failures, secondary_limit(retry_after=1)]))
            for name in _AWS:
                for _ in range(due("aws", name, aws.calls[name])):
                    # The SDK tries once more by itself, so one failure alone would show nothing.
                    aws.fail_next(name, order.choice([throttled(), aws_error()]), times=2)
            for _ in range(due("webhooks", "webhooks", len(github.deliveries))):
                github.lose_webhooks()

    thread = threading.Thread(target=make)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@dataclass
class _Sweeps:
    """The sweeps, and what they did."""

    system: System
    fired: int = 0
    redelivered: int = 0
    queued: int = 0
    _last: float = field(default_factory=time.monotonic)

    def until(self, is_done: Callable[[], bool]) -> None:
        """Sweep every now and then until it is done. Raises TimeoutError."""
        end = time.monotonic() + _LONGEST_SECONDS
        while not is_done():
            if time.monotonic() > end:
                raise TimeoutError("the burst does not come to an end")
            if time.monotonic() - self._last > _SWEEP_SECONDS:
                self.sweep()
            time.sleep(_LOOK_SECONDS)

    def sweep(self) -> bool:
        """Sweep once, and say whether there was something to do."""
        [result] = self.system.machine.system.fire_schedules()
        self._last = time.monotonic()
        lines = [each for each in self.system.machine.system.log_lines if each["function"] == "SweepFunction"]
        line: LogLine = next((each for each in reversed(lines) if each.get("message") == "outcome"), {})
        print(f"{time.strftime('%X')} {result.payload.decode()[:300] if result.failed else line}", file=sys.stderr)
        if result.failed or line["outcome"] != "completed":
            return True
        self.fired += 1
        deliveries, pull_requests = line["deliveries"], line["pull_requests"]
        self.redelivered += deliveries["redelivered"]
        self.queued += pull_requests["queued"]
        is_whole = "problems" not in deliveries and "problems" not in pull_requests
        return bool(deliveries["redelivered"] or deliveries["left"] or pull_requests["queued"] or not is_whole)


def _is_half_done(system: System, pull_requests: int) -> bool:
    """Whether everything is delivered, and fewer jobs wait than half of the pull requests: the next push overtakes."""
    if not system.github.settle(_LOOK_SECONDS):
        return False
    url = system.machine.system.environment["KODIAI_REVIEWS_QUEUE_URL"]
    if system.messages(url) <= pull_requests // 2:
        return True
    _pass_time(system)
    return False


def _is_quiet(system: System) -> bool:
    """Whether nothing is left to do."""
    if not system.github.settle(_LOOK_SECONDS):
        return False
    try:
        system.machine.system.wait_until_quiet(_LOOK_SECONDS)
    except TimeoutError:
        _pass_time(system)
        return False
    return True


def _pass_time(system: System) -> None:
    """Let a minute pass if nothing happens, for the queues and for the leases that invocations have left behind.

    While a process is started for a message, its visibility timeout must not pass.
    """
    if not system.machine.system.is_working:
        time.sleep(_LOOK_SECONDS)
    if system.machine.system.is_working:
        return
    system.machine.aws.clock.advance(_WAIT_SECONDS)
    for item in system.items():
        if "lease_until" in item:
            with suppress(ClientError):  # it was given back meanwhile, or this call is one of those that fail
                system.table.update_item(
                    Key={"pk": item["pk"], "sk": item["sk"]},
                    UpdateExpression="SET lease_until = lease_until - :seconds",
                    ExpressionAttributeValues={":seconds": _WAIT_SECONDS},
                )


def _redrive(system: System) -> int:
    """Put dead letters back into the queue, as an operator does; how many there were."""
    sqs, found = system.machine.aws.client("sqs"), 0
    dead_url = system.machine.system.outputs["ReviewsDeadQueueUrl"]
    url = system.machine.system.environment["KODIAI_REVIEWS_QUEUE_URL"]
    asked = {"QueueUrl": dead_url, "MaxNumberOfMessages": 10, "AttributeNames": ["All"]}
    while letters := sqs.receive_message(**asked).get("Messages"):
        for letter in letters:
            sqs.send_message(
                QueueUrl=url,
                MessageBody=letter["Body"],
                MessageGroupId=letter["Attributes"]["MessageGroupId"],
                MessageDeduplicationId=letter["MessageId"],
            )
            sqs.delete_message(QueueUrl=dead_url, ReceiptHandle=letter["ReceiptHandle"])
            found += 1
    return found


def _result(
    system: System, people: _People, sweeps: _Sweeps, failed: Mapping[str, int], dead: int, seconds: float
) -> Burst:
    """Look at GitHub and at the table."""
    github, reviews = system.github, system.reviews()
    completed = {item["pk"]: item.get("completed_head") for item in system.items() if item["sk"] == "STATE"}
    pulls = [github.state.pulls[number] for number in people.numbers.values()]
    return Burst(
        pull_requests=len(pulls),
        deliveries=len(github.deliveries) - sweeps.redelivered,
        repeated=people.repeated,
        lost=sum(not 200 <= (each.status or 0) < 300 for each in github.deliveries),
        failed=failed,
        sweeps=sweeps.fired,
        redelivered=sweeps.redelivered,
        queued=sweeps.queued,
        heads=len(reviews.runs),
        missed=sum(completed.get(f"PR#{github.repository.id}#{each.number}") != each.head_sha for each in pulls),
        twice=reviews.twice,
        redriven=dead,
        dead_letters=system.messages(system.machine.system.outputs["ReviewsDeadQueueUrl"]),
        minutes=round(seconds / 60, 1),
    )


def table(burst: Burst) -> Table:
    """The figures as a table."""
    notes = (
        "Lost: deliveries that got no answer, or not 2xx. Redelivered, queued: what the sweeps did.",
        "Missed: pull requests whose last head was not reviewed. Twice: heads with two reviews.",
    )
    return Table.of("A burst of webhooks on a system in trouble", [burst], notes)


def main() -> int:
    """Measure and print; 1 if anything was missed or reviewed twice."""
    parser = argparse.ArgumentParser(prog="python -m bench.burst", description=__doc__.partition("\n")[0])
    parser.add_argument("--deliveries", type=int, default=DELIVERIES)
    parser.add_argument("--pull-requests", type=int)
    parser.add_argument("--json", type=Path, help="where the figures are written")
    options = parser.parse_args()
    pull_requests = options.pull_requests or max(1, options.deliveries * PULL_REQUESTS // DELIVERIES)
    burst = measure(options.deliveries, pull_requests)
    print("\n".join(table(burst).lines))
    if options.json:
        options.json.write_text(json.dumps(asdict(burst), indent=1) + "\n", "utf-8")
    return 1 if burst.missed or burst.twice or burst.dead_letters else 0


if __name__ == "__main__":
    sys.exit(main())
