"""How many webhooks a second ingest takes, and how long each waits: `python -m bench.webhooks [--seconds N]`.

Signed deliveries of 25 kB go to the local HTTP API, which calls ingest under the Lambda runtime client; half of them
open a pull request and are queued, half are of no interest. Client, API, queue and functions share one machine.
"""

import argparse
import hashlib
import hmac
import itertools
import json
import secrets
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from bench.cases import make_cases
from bench.processes import cpu
from bench.table import Table
from local.github import LocalGitHub
from local.machine import GitHubAccess, LocalMachine
from local.model import OfflineReviewer

PAYLOAD_BYTES = 25_000
CONCURRENCY = (1, 4)
"""One after the other, and as many at a time as the local machine has processes for a function that answers HTTP."""

SECONDS = 10.0
_WARM_UP_SECONDS = 3.0
_ACTIONS = ("opened", "assigned")
_ACCEPTED, _IGNORED = 202, 200
# Queued jobs stay where they are.
_NOBODY_WORKS: Mapping[str, Mapping[str, Any]] = {"ReviewFunction": {"Events": {}}, "MentionFunction": {"Events": {}}}
_NOTES = (
    "p50, p99: until the answer, through the client, the local API and the runtime client. CPU: ingest's own process.",
)


@dataclass(frozen=True)
class Throughput:
    """What came of some seconds of deliveries, so many at a time."""

    concurrency: int
    webhooks: int
    each_second: float
    p50_ms: float
    p99_ms: float
    cpu_ms_each: float


def measure(seconds: float = SECONDS, concurrency: Sequence[int] = CONCURRENCY) -> list[Throughput]:
    """Deliver for so many seconds at each concurrency. Raises RuntimeError if a webhook is refused."""
    secret = secrets.token_hex(16)
    nowhere = GitHubAccess("http://127.0.0.1:9", {"github/token": "none"})
    payload = a_payload(PAYLOAD_BYTES)
    with LocalMachine(nowhere, webhook_secret=secret, answers=OfflineReviewer(), overrides=_NOBODY_WORKS) as machine:
        deliveries = Deliveries(payload, secret)
        url = machine.system.webhook_url
        _deliver(url, deliveries, max(concurrency), min(seconds, _WARM_UP_SECONDS))
        return [_measured(url, deliveries, each, seconds) for each in concurrency]


def a_payload(size: int) -> dict[str, Any]:
    """The payload of an opened pull request, with a description that makes it so many bytes."""
    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder) / "repository"
        [first, *_] = make_cases(repository)
        with LocalGitHub(repository) as github:
            github.open_pull_request(first["after"], first["base_tip"], body="")
            payload: dict[str, Any] = json.loads(github.deliveries[-1].raw)
    missing = size - len(json.dumps(payload))
    payload["pull_request"]["body"] = "What it changes, and why. "[:missing] * (missing // 26)
    return payload


class Deliveries:
    """Signed webhooks without end, each of another pull request; several threads may take them."""

    def __init__(self, payload: dict[str, Any], secret: str) -> None:
        self._payload = payload
        self._secret = secret.encode()
        self._numbers = itertools.count(1)

    def take(self) -> tuple[bytes, dict[str, str]]:
        """The next body with its headers."""
        number = next(self._numbers)
        pull = {**self._payload["pull_request"], "number": number}
        action = _ACTIONS[number % len(_ACTIONS)]
        body = json.dumps({**self._payload, "action": action, "number": number, "pull_request": pull}).encode()
        return body, {
            "content-type": "application/json",
            "x-github-event": "pull_request",
            "x-github-delivery": f"{number:08x}-0000-4000-8000-{secrets.token_hex(6)}",
            "x-hub-signature-256": f"sha256={hmac.new(self._secret, body, hashlib.sha256).hexdigest()}",
        }


def _measured(url: str, deliveries: Deliveries, concurrency: int, seconds: float) -> Throughput:
    before, start = cpu()["ingest"], time.perf_counter()
    waits = sorted(_deliver(url, deliveries, concurrency, seconds))
    took, used = time.perf_counter() - start, cpu()["ingest"] - before
    return Throughput(
        concurrency=concurrency,
        webhooks=len(waits),
        each_second=len(waits) / took,
        p50_ms=percentile(waits, 50) * 1000,
        p99_ms=percentile(waits, 99) * 1000,
        cpu_ms_each=used / len(waits) * 1000,
    )


def percentile(ordered: Sequence[float], percent: int) -> float:
    """The smallest of the ordered numbers that so many percent of them do not exceed."""
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def _deliver(url: str, deliveries: Deliveries, concurrency: int, seconds: float) -> list[float]:
    """Deliver one after the other in each of some threads; how long each delivery took."""
    end = time.perf_counter() + seconds
    with ThreadPoolExecutor(concurrency) as threads:
        clients = [threads.submit(_waits, url, deliveries, end) for _ in range(concurrency)]
        return [wait for each in clients for wait in each.result()]


def _waits(url: str, deliveries: Deliveries, end: float) -> list[float]:
    waits: list[float] = []
    # What a client of httpx loads for TLS takes longer than some webhooks.
    with httpx.Client(trust_env=False, verify=False, timeout=30) as http:
        while not waits or time.perf_counter() < end:
            body, headers = deliveries.take()
            start = time.perf_counter()
            answer = http.post(url, content=body, headers=headers)
            waits.append(time.perf_counter() - start)
            if answer.status_code not in (_ACCEPTED, _IGNORED):
                raise RuntimeError(f"a webhook was answered {answer.status_code}: {answer.text[:200]}")
    return waits


def table(measured: Sequence[Throughput]) -> Table:
    """The figures as a table."""
    return Table.of("Webhooks of 25 kB through ingest, warm", measured, _NOTES)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.webhooks", description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=SECONDS)
    print("\n".join(table(measure(parser.parse_args().seconds)).lines))


if __name__ == "__main__":
    main()
