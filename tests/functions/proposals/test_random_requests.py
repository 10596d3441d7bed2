"""Random requests, good and bad, over real HTTP: the API answers all of them as docs/openapi.json says.

Schemathesis makes them. It checks of each answer that its status, its type and its body are described, that a wrong
request is refused and a good one is not, and that other methods, no token and a wrong token are refused.
"""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from kodiai.core.config.settings import RepositoryLists
from kodiai.core.review.run import ReviewState
from local.lambdas.description import Route
from local.lambdas.http_api import event_of, response_of
from local.lambdas.runtime_api import Result
from local.server import Server
from scripts.openapi import FILE
from tests.builders import a_finding, a_known
from tests.functions.proposals.scene import ANN, BEN, DIFF, HEAD, NOW, READER, STALE, SUBMISSION, Api
from tests.tables import each_row

pytestmark = pytest.mark.slow  # more than a thousand requests

ROOT = Path(__file__).parents[3]
ENVIRONMENT = ".venvs/schemathesis"
SETTINGS = Path(__file__).with_name("random_requests.toml")
DESCRIBED = json.loads(FILE.read_text(encoding="utf-8"))["paths"]
OPERATIONS = {(method.upper(), path) for path, methods in DESCRIBED.items() for method in methods}
SOME_ID, EVERY_ID = "P-" + "0" * 20, "P-[0-9a-f]{20}"

# Which proposal an act succeeds for; the first one is for everything else.
SUITED = {"claim": 1, "release": 1, "verdict": 1, "apply": 2}


class Door:
    """The API behind its gateway: each request finds everything as it was, and a proposal for which it may succeed."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.statuses: dict[tuple[str, str], set[int]] = {}
        held: list[Any] = [api.store.proposals, api.store.contents, api.store.histories, api.code.branches]
        self._beginning = [(each, dict(each)) for each in held]
        self._proposals = tuple(api.store.proposals)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        event = event_of(request, await request.body(), Route("", "ANY", "/"))
        answer = await run_in_threadpool(self._answer, json.dumps(event))
        await response_of(Result(json.dumps(answer).encode()))(scope, receive, send)

    def _answer(self, event: str) -> dict[str, Any]:
        for held, kept in self._beginning:
            held.update(kept)
        act = json.loads(event)["rawPath"].rpartition("/")[2]
        asked = json.loads(event.replace(SOME_ID, self._proposals[SUITED.get(act, 0)]))
        answer = self.api.answer(asked)
        route = asked["requestContext"]["http"]["method"], re.sub(EVERY_ID, "{proposal_id}", asked["rawPath"])
        self.statuses.setdefault(route, set()).add(answer["statusCode"])
        return answer


@pytest.fixture(scope="module")
def program() -> Path:
    """Schemathesis, at its pinned version."""
    subprocess.run(["make", "--silent", "--old-file=.venv/.ready", f"{ENVIRONMENT}/.ready"], cwd=ROOT, check=True)
    return ROOT / ENVIRONMENT / "bin" / "schemathesis"


@pytest.fixture
def door(api: Api) -> Door:
    """Findings, and a proposal that was rejected, one that is claimed, and one that is approved."""
    api.findings.known = (a_known(a_finding(fix="Check it.")), a_known(a_finding(title="A name"), comment_id=None))
    api.findings.state = ReviewState("0123", NOW, "not-fully-reviewed", ("a.lock",), running=HEAD, since=NOW)
    for author, reviewer, diff, verdict in (
        (ANN, BEN, STALE, None),
        (BEN, ANN, DIFF, None),
        (BEN, ANN, DIFF, {"decision": "approve", "generation": 1}),
    ):
        body = {**SUBMISSION, "diff": diff, "reviewed_by": "anyone", "agent": {"role": "implementer"}}
        path = api.ask("POST", "/proposals", body, token=author).headers["location"]
        assert api.ask("POST", f"{path}/claim", token=reviewer).status == 200
        assert verdict is None or api.ask("POST", f"{path}/verdict", verdict, token=reviewer).status == 200
    return Door(api)


@pytest.fixture
def address(door: Door) -> Iterator[str]:
    server = Server(door)
    server.start()
    yield server.url
    server.stop()


def check(program: Path, address: str, folder: Path, token: str | None, *arguments: str) -> None:
    """Send the requests of a caller; it fails with all that is wrong."""
    caller = () if token is None else ("--header", f"Authorization: Bearer {token}")
    command = [program, "--config-file", SETTINGS, "run", "--url", address, *caller, *arguments, FILE]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_answer_is_as_described(program: Path, door: Door, address: str, tmp_path: Path) -> None:
    """Each operation succeeds for some of the requests."""
    check(program, address, tmp_path, ANN, "--max-examples=25")

    assert [each for each in OPERATIONS if not door.statuses[each] & {200, 201}] == []


@each_row(("token", "status"), [(READER, 403), (None, 401)])
def test_a_refusal_is_as_described(
    program: Path, door: Door, address: str, tmp_path: Path, token: str | None, status: int
) -> None:
    """The repository is not served, or the caller has no token."""
    door.api.repositories = RepositoryLists.from_parameters({"repositories/deny": "octo/*"}, "/kodiai/prod")

    check(program, address, tmp_path, token, "--max-examples=3", "--phases=fuzzing", "--mode=positive")

    assert [each for each in OPERATIONS if status not in door.statuses[each]] == []
