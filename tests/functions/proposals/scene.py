"""A day of the API: requests as API Gateway sends them, and everything outside held in memory."""

# ruff: noqa: ARG002, ARG005 - fakes take what the ports say

import base64
import importlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

from kodiai.core.config.settings import RepositoryLists
from kodiai.core.diffs.tree import FILE, TreeEntry
from kodiai.core.errors import Refused
from kodiai.core.events.job import QueuedJob
from kodiai.core.findings.known import HistoryEntry, KnownFinding
from kodiai.core.github.comment import Permission
from kodiai.core.proposals.proposal import Content, Proposal, ProposalEvent
from kodiai.core.proposals.protocol import Transition
from kodiai.core.proposals.target import Caller, NotAuthenticated, ProposalTarget
from kodiai.flows.proposals.ports import ApiPorts, ProposalPorts
from kodiai.ports import QueueName

ANN, BEN, READER, STRANGER, NOBODY = ("ghp_ann", "ghp_ben", "ghp_reader", "ghp_stranger", "ghp_nobody")
PEOPLE: Mapping[str, tuple[str, Permission]] = {
    ANN: ("ann", "write"),
    BEN: ("ben", "admin"),
    READER: ("rita", "read"),
    STRANGER: ("sam", "none"),
}
REPOSITORY = "octo/widgets"
HEAD = "a" * 40
COMMIT = "c" * 40
NOW = 1_790_000_000.0
FILES: Mapping[str, TreeEntry] = {
    "src/orders.py": TreeEntry(FILE, b"def total(prices):\n    return sum(prices)\n"),
}
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
class Clock:
    """A clock that a test turns."""

    time: float = NOW

    def now(self) -> float:
        return self.time


@dataclass
class Store:
    """Proposals, with their contents and histories."""

    proposals: dict[str, Proposal] = field(default_factory=dict)
    contents: dict[str, Content] = field(default_factory=dict)
    histories: dict[str, list[ProposalEvent]] = field(default_factory=dict)

    def serves(self, repository_id: int) -> bool:
        return repository_id == 1

    def create(self, proposal: Proposal, event: ProposalEvent, content: Content) -> Proposal:
        if proposal.id not in self.proposals:
            self.proposals[proposal.id] = proposal
            self.contents[proposal.content] = content
            self.histories[proposal.id] = [event]
        return self.proposals[proposal.id]

    def get(self, proposal_id: str) -> Proposal | None:
        return self.proposals.get(proposal_id)

    def content(self, proposal: Proposal) -> Content:
        return self.contents[proposal.content]

    def write(self, before: Proposal, changed: Transition, content: Content | None = None) -> bool:
        if self.proposals[before.id].version != before.version:
            return False
        self.proposals[before.id] = changed.proposal
        self.histories[before.id] += changed.events
        if content is not None:
            self.contents[changed.proposal.content] = content
        return True

    def events(self, proposal_id: str) -> tuple[ProposalEvent, ...]:
        return tuple(self.histories.get(proposal_id, ()))

    def of_repository(self, repository_id: int) -> tuple[Proposal, ...]:
        return tuple(each for each in reversed(self.proposals.values()) if each.repository_id == repository_id)


@dataclass
class Repository:
    """The code of one repository, as somebody with a token sees it. `committed` is what was committed."""

    name: str
    token: str
    committed: list[tuple[str, str]]

    def calls(self) -> Mapping[str, int]:
        return {}

    def caller(self, *, writes: bool) -> Caller:
        if self.token not in PEOPLE:
            raise NotAuthenticated("GitHub does not take the token: it is wrong, or it was revoked.")
        login, permission = PEOPLE[self.token]
        known = self.name.lower() == REPOSITORY
        permission = "read" if permission in ("write", "admin") and not writes else permission
        return Caller(
            login, permission if known else "none", REPOSITORY if known else self.name, 1 if known else 0, 100
        )

    def target(self, number: int | None, base: str | None) -> ProposalTarget:
        if number not in (None, 7):
            raise Refused(f"There is no pull request #{number}.")
        return ProposalTarget(HEAD, "main", "feature" if number else None)

    def owner_file(self) -> None:
        """The owner has no settings."""

    def settings_file(self, branch: str) -> bytes | None:
        return None

    def entries(self, commit: str, paths: Iterable[str]) -> Mapping[str, TreeEntry]:
        return {path: FILES[path] for path in paths if path in FILES}

    def commit(self, parent: str, changes: Mapping[str, TreeEntry | None], message: str) -> str:
        self.committed.append((parent, message))
        return COMMIT

    def contains(self, branch: str, commit: str) -> bool:
        return False

    def advance(self, branch: str, commit: str) -> bool:
        return True


@dataclass
class Queue:
    """A queue that keeps what is sent; `raises` is what sending raises."""

    sent: list[tuple[QueueName, QueuedJob]] = field(default_factory=list)
    raises: Exception | None = None

    def send(self, queue: QueueName, job: QueuedJob) -> None:
        if self.raises is not None:
            raise self.raises
        self.sent.append((queue, job))


@dataclass
class Findings:
    """The findings of a pull request."""

    known: Sequence[KnownFinding] = ()
    entries: Sequence[HistoryEntry] = ()

    def findings(self) -> tuple[KnownFinding, ...]:
        return tuple(self.known)

    def history(self, finding_id: str) -> tuple[HistoryEntry, ...]:
        return tuple(self.entries)


@dataclass(frozen=True)
class Answer:
    """What a request was answered."""

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

    clock: Clock = field(default_factory=Clock)
    store: Store = field(default_factory=Store)
    queue: Queue = field(default_factory=Queue)
    findings: Findings = field(default_factory=Findings)
    repositories: RepositoryLists = field(default_factory=RepositoryLists)
    committed: list[tuple[str, str]] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)

    @contextmanager
    def open(self, token: str, on_caller: Callable[[Caller], None]) -> Iterator[ApiPorts]:
        self.tokens.append(token)
        yield ApiPorts(
            proposals=ProposalPorts(
                open_code=lambda name: Repository(name, token, self.committed),
                store=self.store,
                queue=self.queue,
                clock=self.clock,
                repositories=self.repositories,
                on_caller=on_caller,
            ),
            open_findings=lambda repository, number: self.findings,
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
        as_base64: bool = False,
    ) -> Answer:
        """Send a request. A body that is text is sent as it is, anything else as JSON."""
        text = body if isinstance(body, str) or body is None else json.dumps(body)
        sent = {"host": "api.example.com", **({"content-type": "application/json"} if body is not None else {})}
        sent |= {"authorization": f"Bearer {token}"} if token is not None else {}
        return self.pass_on(method, path, text, {**sent, **(headers or {})}, query=query, as_base64=as_base64)

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
        door: Any = importlib.import_module("proposals")
        response = door.answer(event, cast("Any", SimpleNamespace(aws_request_id="the invocation")), self.open)
        answer = response.get("body") or ""
        if response.get("isBase64Encoded"):
            answer = base64.b64decode(answer).decode()
        return Answer(response["statusCode"], {k.lower(): v for k, v in response["headers"].items()}, answer)

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
