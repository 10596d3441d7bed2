"""A day of the API: requests as API Gateway sends them, and everything outside held in memory."""

import base64
import importlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from kodiai.core.config.settings import RepositoryLists
from kodiai.core.findings.known import HistoryEntry, KnownFinding
from kodiai.core.proposals.target import Caller
from kodiai.core.review.run import ReviewState
from kodiai.flows.proposals.ports import ApiPorts, ProposalPorts
from tests.proposal_fakes import Clock, MemoryCode, Queue, Repository, Store

ANN, BEN, READER, STRANGER, NOBODY = ("ghp_ann", "ghp_ben", "ghp_reader", "ghp_stranger", "ghp_nobody")
LOGINS: Mapping[str, str] = {ANN: "ann", BEN: "ben", READER: "rita", STRANGER: "sam"}
REPOSITORY = "octo/widgets"
HEAD = "a" * 40
NOW = 1_790_000_000.0
FILES = {"src/orders.py": b"def total(prices):\n    return sum(prices)\n"}
DIFF = """\
--- a/src/orders.py
+++ b/src/orders.py
@@ -1,2 +1,2 @@
 def total(prices):
-    return sum(prices)
+    return round(sum(prices), 2)
"""
STALE = DIFF.replace("    return sum(prices)", "    return add(prices)", 1)


@dataclass
class Findings:
    """The findings of a pull request."""

    known: Sequence[KnownFinding] = ()
    entries: Sequence[HistoryEntry] = ()
    state: ReviewState = field(default_factory=lambda: ReviewState(HEAD, NOW, "address-before-merging"))

    def findings(self) -> tuple[KnownFinding, ...]:
        return tuple(self.known)

    def history(self, _: str) -> tuple[HistoryEntry, ...]:
        return tuple(self.entries)

    def review_state(self) -> ReviewState:
        return self.state


@dataclass(frozen=True)
class Answer:
    """The answer to a request."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def kind(self) -> str:
        return self.headers["content-type"]


@dataclass
class Api:
    """The API with everything outside in memory."""

    clock: Clock = field(default_factory=lambda: Clock(NOW))
    store: Store = field(default_factory=Store)
    queue: Queue = field(default_factory=Queue)
    findings: Findings = field(default_factory=Findings)
    repositories: RepositoryLists = field(default_factory=RepositoryLists)
    code: Repository = field(
        default_factory=lambda: Repository(
            REPOSITORY,
            {"ann": "write", "ben": "admin", "rita": "read"},
            topic="feature",
            commits={HEAD: (None, FILES, "")},
            branches={"feature": HEAD},
        )
    )
    tokens: list[str] = field(default_factory=list)

    @contextmanager
    def open(self, token: str, on_caller: Callable[[Caller], None]) -> Iterator[ApiPorts]:
        self.tokens.append(token)
        yield ApiPorts(
            proposals=ProposalPorts(
                open_code=lambda name: MemoryCode(self.code, LOGINS.get(token), name),
                store=self.store,
                queue=self.queue,
                clock=self.clock,
                repositories=self.repositories,
                on_caller=on_caller,
            ),
            open_findings=lambda *_: self.findings,
            web_address="https://github.com",
            calls=lambda: {"POST /graphql query Caller": 2, "GET /repos/{owner}/{repo}": 1},
        )

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = ANN,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send a request. A body that is text is sent as it is, anything else as JSON."""
        text = body if isinstance(body, str) or body is None else json.dumps(body)
        sent = {"host": "api.example.com", **({"content-type": "application/json"} if body is not None else {})}
        sent |= {"authorization": f"Bearer {token}"} if token is not None else {}
        return self.pass_on(method, path, text, {**sent, **(headers or {})}, query=query)

    def pass_on(
        self,
        method: str,
        path: str,
        body: str | None,
        headers: Mapping[str, str],
        *,
        query: Mapping[str, str] | None = None,
        as_base64: bool = False,
    ) -> Answer:
        """Have the function answer a request as API Gateway passes it on."""
        event = {
            "version": "2.0",
            "routeKey": "ANY /proposals/{proxy+}",
            "rawPath": path,
            "rawQueryString": "",
            "headers": dict(headers),
            **({"queryStringParameters": dict(query)} if query else {}),
            "requestContext": {"http": {"method": method, "path": path}, "stage": "$default"},
            **({} if body is None else {"body": base64.b64encode(body.encode()).decode() if as_base64 else body}),
            "isBase64Encoded": as_base64,
        }
        response = self.answer(event)
        answer = response.get("body") or ""
        if response.get("isBase64Encoded"):
            answer = base64.b64decode(answer).decode()
        return Answer(response["statusCode"], {k.lower(): v for k, v in response["headers"].items()}, answer)

    def answer(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Have the function answer an event."""
        door: Any = importlib.import_module("proposals")
        answer: dict[str, Any] = door.answer(event, SimpleNamespace(aws_request_id="the invocation"), self.open)
        return answer

    async def serve(self, request: Request) -> Response:
        """Answer a real client."""
        method, path, headers = request.method, request.url.path, dict(request.headers)
        body, query = (await request.body()).decode() or None, dict(request.query_params)
        answer = await run_in_threadpool(self.pass_on, method, path, body, headers, query=query)
        kept = {name: value for name, value in answer.headers.items() if name != "content-length"}
        return Response(answer.text.encode(), answer.status, kept)

    def submit(self, **changes: Any) -> str:
        """Submit ann's proposal for anybody to review; its id."""
        answer = self.ask("POST", "/proposals", {**SUBMISSION, "reviewed_by": "anyone", **changes})
        assert answer.status == 201, answer.text
        proposal_id: str = answer.json["id"]
        return proposal_id


SUBMISSION: Mapping[str, Any] = {
    "repository": REPOSITORY,
    "pull_request": 7,
    "description": "Round the total of an order to cents",
    "changes": [{"what": "total() rounds its result", "why": "0.1 + 0.2 is shown with 17 digits"}],
    "diff": DIFF,
}
REVISION: Mapping[str, Any] = {name: SUBMISSION[name] for name in ("description", "changes", "diff")}
