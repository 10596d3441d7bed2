"""The time from the start of each function's process to its first answer, under Lambda's runtime client.

AWS, GitHub and the model are the stand-ins of the local system, all on this machine.
"""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.cases import Work
from bench.deployed import Deployed
from bench.processes import tree_cpu
from bench.reader import Reader
from kodiai.core.events.decide import Ignored, decide
from kodiai.core.events.payloads import Malformed, read_event
from kodiai.core.events.signature import sign
from local.connected import connected
from local.github import LocalGitHub
from local.lambdas.description import FunctionDescription
from local.lambdas.execution_environment import ExecutionEnvironment
from local.lambdas.fork_server import ForkServer
from local.lambdas.variables import variables_of_imports
from local.machine import LocalMachine

_INIT_SECONDS, _SECONDS = 120, 600
_CODE = "def total(prices):\n    return sum(prices)\n"
_DEFECT = "def total(prices):\n    return eval(input()) + sum(prices)\n"
_FAILURES = ('"level":"ERROR"', '"buried":true', '"outcome":"retry"')


Figures = tuple[float, float, float]
"""Milliseconds of CPU and of the clock, and the process's peak in MB."""


class FirstAnswers:
    """Starts functions in front of a repository of its own, each in a fresh process."""

    def __init__(self, deployed: Deployed, github: LocalGitHub, machine: LocalMachine, base: str, head: str) -> None:
        self._deployed = deployed
        self._github = github
        self._machine = machine
        self._commits = base, head
        queue = machine.aws.client("sqs").create_queue(QueueName="waiting.fifo", Attributes={"FifoQueue": "true"})
        # The messages of the functions stay there, and the system's own functions do nothing.
        self._environment = {
            **machine.system.environment,
            **dict.fromkeys(("KODIAI_REVIEWS_QUEUE_URL", "KODIAI_MENTIONS_QUEUE_URL"), queue["QueueUrl"]),
        }

    def round(self) -> dict[str, Figures]:
        """Open a pull request, have it reviewed, ask about it, close it; each answer is that of a fresh process."""
        base, head = self._commits
        number = self._github.open_pull_request(head, base, title="Total")
        opened = self._answer("ingest", self._webhook())
        reviewed = self._answer("review", self._message())
        self._github.comment(number, "@kodiai what does this do?")
        replied = self._answer("mention", self._message())
        self._github.close(number)
        closed = self._answer("review", self._message())
        return {
            "ingest: a webhook is queued": opened,
            "review: nothing is to be asked": closed,
            "review: a small pull request, with all questions": reviewed,
            "mention: a reply, with its questions": replied,
            "proposals: one that does not exist": self._answer("proposals", self._request()),
        }

    def _webhook(self) -> dict[str, Any]:
        delivery = self._github.deliveries[-1]
        signature = sign(delivery.raw, self._machine.webhook_secret).hex()
        return {
            "version": "2.0",
            "headers": {
                "x-github-event": delivery.event,
                "x-github-delivery": delivery.guid,
                "x-hub-signature-256": f"sha256={signature}",
            },
            "body": delivery.raw.decode(),
            "isBase64Encoded": False,
        }

    def _message(self) -> dict[str, Any]:
        delivery = self._github.deliveries[-1]
        event = read_event(delivery.event, delivery.raw)
        job = None if isinstance(event, Malformed) else decide(event, delivery.guid)
        assert job is not None
        assert not isinstance(job, Ignored), job
        now = str(round(time.time() * 1000))
        times = {"SentTimestamp": now, "ApproximateFirstReceiveTimestamp": now, "ApproximateReceiveCount": "1"}
        attributes = {**times, "MessageGroupId": job.group_id}
        record = {"messageId": delivery.guid, "receiptHandle": "none", "body": job.to_message()}
        return {"Records": [{**record, "attributes": attributes}]}

    def _request(self) -> dict[str, Any]:
        token = self._github.token_for("octocat")
        path = f"/proposals/P-{'0' * 20}"
        return {
            "version": "2.0",
            "rawPath": path,
            "rawQueryString": "",
            "headers": {"authorization": f"Bearer {token}"},
            "requestContext": {"http": {"method": "GET", "path": path}, "stage": "$default"},
            "isBase64Encoded": False,
        }

    def _answer(self, function: str, event: Mapping[str, Any]) -> Figures:
        described = FunctionDescription(
            function,
            f"arn:{function}",
            f"{function}.handler",
            self._deployed.folders(function),
            _SECONDS,
            1024,
            self._environment,
            "JSON",
        )
        lines: list[str] = []
        aws = {"AWS_REGION": "us-east-1", **self._machine.aws.endpoints}
        began = time.perf_counter()
        server: ForkServer | None = None

        def fresh(variables: Mapping[str, str]) -> ForkServer:
            nonlocal server
            server = ForkServer(str(self._deployed.python), (), variables_of_imports(variables, ()))
            return server

        process = ExecutionEnvironment(described, aws, lines.append, _INIT_SECONDS, fresh)
        assert server is not None
        try:
            result = process.invoke(json.dumps(event).encode())
            wall = time.perf_counter() - began
            cpu = tree_cpu(server.pid)
            status = Path(f"/proc/{process.process_id}/status").read_text()
            peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
            used = (cpu * 1000, wall * 1000, int(peak.split()[1]) / 1024)
        finally:
            process.stop()
            server.stop()
        if result.failed or '"outcome"' not in "".join(lines) or any(sign in "".join(lines) for sign in _FAILURES):
            raise SystemExit(f"{function} failed: {result.payload.decode()}\n" + "\n".join(lines))
        return used


@contextmanager
def first_answers(deployed: Deployed, folder: Path) -> Iterator[FirstAnswers]:
    """Start everything that the functions talk to."""
    work = Work(folder / "repository")
    base = work.commit("Base", {"shop.py": _CODE})
    head = work.commit("Change", {"shop.py": _DEFECT})
    with connected(folder / "repository", answers=Reader()) as both:
        both.github.webhook_url = None
        yield FirstAnswers(deployed, both.github, both.machine, base, head)
