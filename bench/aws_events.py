"""Counts what each kind of event uses of AWS, in a run of the whole local system."""

import json
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

import httpx

from bench.aws_calls import AwsWire, totals
from bench.cases import Work, shop
from bench.processes import cpu
from bench.reader import Reader
from bench.system import System, a_system
from local.aws.dynamodb.values import item_bytes
from local.github import LocalGitHub
from local.machine import MachineOptions

EventName = Literal["full review", "re-review", "answer", "look", "close", "ignored", "proposal"]
EVENTS: tuple[EventName, ...] = get_args(EventName)
FUNCTIONS = {f"{name.capitalize()}Function": name for name in ("ingest", "review", "mention", "proposals")}
_DEFECT = "def {name}(prices):\n    try:\n        return sum(prices)\n    except:\n        return '{name}'\n"
_FILES, _CHANGED = 24, 6
_IGNORED = 50
_QUIET = {"limits/quiet-seconds": "1"}
_SECONDS = 120.0


@dataclass(frozen=True)
class Counted:
    """The usage of one event, with the webhooks that our own posts cause.

    `webhooks` counts all requests to the HTTP API. `cpu` is in seconds by function, `requests` come from
    bench.aws_calls. `model_bytes` were sent to the model, `log_bytes` were logged by the functions, `stored_bytes` is
    the growth of the table.
    """

    webhooks: int
    invocations: Mapping[str, int]
    cpu: Mapping[str, float]
    requests: Mapping[str, float]
    questions: int
    model_bytes: int
    github_calls: int
    log_lines: int
    log_bytes: int
    stored_bytes: int


@dataclass(frozen=True)
class Usage:
    """Each kind of event in processes that are warm, and the first one of each kind."""

    first: Mapping[EventName, Counted]
    warm: Mapping[EventName, Counted]

    def cold_cpu(self, function: str) -> float:
        """CPU seconds that the start of a function takes: the most that any event took more in the first life."""
        return max(
            self.first[event].cpu.get(function, 0) - self.warm[event].cpu.get(function, 0) for event in self.first
        )


def count(kinds: Collection[EventName] = EVENTS) -> Usage:
    """Let two pull requests of six files live from their opening to their end, one after the other."""
    wire = AwsWire()
    with tempfile.TemporaryDirectory() as folder, wire.running():
        repository = Path(folder) / "repository"
        base, heads = _repository(repository)

        def through(service: str, address: str) -> str:
            return wire.before(address) if service == "aws" else address

        with a_system(repository, Reader(), _QUIET, MachineOptions(through=through)) as system:
            wire.aws = system.machine.aws
            system.github.trusting = True
            first, warm = (_life(system, wire, base, each, kinds) for each in heads)
            return Usage(first, _with_exact_ingest(warm))


def _repository(folder: Path) -> tuple[str, list[tuple[str, str]]]:
    """A repository with two changes, each with a push after it; its base, and the two heads of each."""
    work = Work(folder)
    base = work.commit("A shop", {f"shop/part_{at}.py": shop() for at in range(_FILES)})
    heads = []
    for change in range(2):
        work.git("checkout", "--quiet", "--detach", base)
        paths = [f"shop/part_{change * _CHANGED + at}.py" for at in range(_CHANGED)]
        first = work.commit("Try sums", {path: shop(sum_2=_DEFECT) for path in paths})
        second = work.commit("Try more", {path: shop(sum_2=_DEFECT, sum_7=_DEFECT) for path in paths[:2]})
        heads.append((first, second))
    return base, heads


def _life(
    system: System, wire: AwsWire, base: str, heads: tuple[str, str], kinds: Collection[EventName]
) -> dict[EventName, Counted]:
    """Let one pull request live."""
    github = system.github
    number = 0

    def opened() -> None:
        nonlocal number
        number = github.open_pull_request(heads[0], base, title="Sums")

    handle = f"@{github.bot_login.removesuffix('[bot]')}"
    events: dict[EventName, Callable[[], object]] = {
        "full review": opened,
        "re-review": lambda: github.push(number, heads[1]),
        "answer": lambda: github.comment(number, f"{handle} why do you think that sum_2 is wrong?"),
        "look": lambda: github.label(number, "later"),
        "close": lambda: github.close(number),
        "ignored": lambda: _describe(github, number),
        "proposal": lambda: _propose(system, heads[1]),
    }
    found: dict[EventName, Counted] = {}
    for name in kinds:
        with _counting(system, wire) as counted:
            events[name]()
        found[name] = counted[0]
    return found | ({"ignored": _one_of(found["ignored"], _IGNORED)} if "ignored" in found else {})


def _with_exact_ingest(warm: Mapping[EventName, Counted]) -> Mapping[EventName, Counted]:
    """Give each event the CPU of ingest by the many ignored ones: a webhook takes less than a tick of 10 ms."""
    if "ignored" not in warm:
        return warm
    each = warm["ignored"].cpu["ingest"]
    return {name: replace(of, cpu={**of.cpu, "ingest": each * of.webhooks}) for name, of in warm.items()}


def _describe(github: LocalGitHub, number: int) -> None:
    for at in range(_IGNORED):
        github.describe(number, f"It tries {at} sums.")


def _propose(system: System, base: str) -> None:
    """Submit a change that people are to review."""
    body = {
        "repository": system.github.full_name,
        "base": base,
        "description": "Add a file",
        "changes": [{"what": "more.py is new", "why": "It is needed"}],
        "diff": "--- /dev/null\n+++ b/more.py\n@@ -0,0 +1 @@\n+more = 3\n",
        "reviewed_by": "anyone",
    }
    headers = {"Authorization": f"Bearer {system.github.token_for('ann')}"}
    address = f"{system.machine.system.api_url}/proposals"
    httpx.post(address, json=body, headers=headers, timeout=60, trust_env=False).raise_for_status()


def _one_of(counted: Counted, events: int) -> Counted:
    """One of many equal events that are ignored."""
    return replace(
        counted,
        webhooks=counted.webhooks // events,
        invocations={name: times // events for name, times in counted.invocations.items()},
        cpu={name: seconds / events for name, seconds in counted.cpu.items()},
        log_lines=counted.log_lines // events,
        log_bytes=counted.log_bytes // events,
    )


@contextmanager
def _counting(system: System, wire: AwsWire) -> Iterator[list[Counted]]:
    """Count what is used within, until everything is quiet again."""
    github, machine = system.github, system.machine
    counted: list[Counted] = []
    wire.take()
    marks = [len(github.deliveries), len(system.asked), len(github.requests), len(machine.system.log_lines)]
    before, stored = cpu(), _stored(system)
    yield counted
    _settle(github, system)
    after = cpu()
    lines = machine.system.log_lines[marks[3] :]
    outcomes = [line["function"] for line in lines if line.get("message") == "outcome"]
    asked = system.asked[marks[1] :]
    counted.append(
        Counted(
            webhooks=len(github.deliveries) - marks[0] + outcomes.count("ProposalsFunction"),
            invocations={name: outcomes.count(function) for function, name in FUNCTIONS.items()},
            cpu={name: after.get(name, 0.0) - before.get(name, 0.0) for name in FUNCTIONS.values()},
            requests=totals(wire.take()),
            questions=len(asked),
            model_bytes=sum(len(json.dumps(each.body)) for each in asked),
            github_calls=len(github.requests) - marks[2],
            log_lines=len(lines),
            log_bytes=sum(len(json.dumps(line)) for line in lines),
            stored_bytes=_stored(system) - stored,
        )
    )


def _settle(github: LocalGitHub, system: System) -> None:
    """Wait until everything has an end, also what ends with webhooks of our own posts."""
    while True:
        known = len(github.deliveries)
        if not github.settle(_SECONDS):
            raise TimeoutError("a webhook was not answered")
        system.machine.system.wait_until_quiet(_SECONDS)
        if known == len(github.deliveries):
            return


def _stored(system: System) -> int:
    """The bytes of all items of the table."""
    dynamodb, name = system.machine.aws.client("dynamodb"), system.machine.system.environment["KODIAI_TABLE"]
    pages = dynamodb.get_paginator("scan").paginate(TableName=name)
    return sum(item_bytes(item) for page in pages for item in page["Items"])
