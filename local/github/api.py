"""The API's gate: who asks, may they, is it well-formed, what is answered, and does that fit the description."""

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl

from local.github.answers import Answer, Refused, malformed, not_for_integrations, not_found, refuse
from local.github.app import Credentials
from local.github.call import Actor, Call
from local.github.contents import stream_archive
from local.github.description import OLD_VERSION, VERSIONS, RequestFacts, describe
from local.github.graphql import answer_graphql, query_of, root_fields
from local.github.limits import Limits
from local.github.routes import Route, Routes
from local.github.trouble import Plan, Trouble
from local.github.world import World

_CONTENT = ("POST", "PATCH", "PUT", "DELETE")
_GRAPHQL = "POST /graphql"
SITE_FILES = "/-/"
"""Where a site keeps what belongs to no repository: styles, scripts, who is looking."""
_ARCHIVE = "GET /{owner}/{repo}/legacy.tar.gz/{ref}"


@dataclass(frozen=True)
class Asked:
    """A request as it came in. `raw_path` is still percent-encoded; header names are in lower case."""

    method: str
    raw_path: bytes
    raw_query: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def path(self) -> str:
        """The path as it was sent."""
        return self.raw_path.decode("ascii", "replace")


@dataclass
class Seen:
    """One line of the request log. `route` is "GET /repos/{owner}/{repo}/…", or the path where nothing matched.

    `fields` are what a GraphQL request asks for at its root, such as ("resolveReviewThread", "updateCheckRun").
    """

    method: str
    route: str
    path: str
    actor: str
    status: int = 0
    milliseconds: float = 0.0
    fields: tuple[str, ...] = ()


@dataclass
class Exchange:
    """What the server needs to send: the answer, or the trouble that comes instead."""

    answer: Answer
    seen: Seen
    trouble: Trouble = field(default_factory=Trouble)


class Api:
    """Answers one request after another; safe to call from several threads.

    While `trusting`, requests and answers are not held against GitHub's description, which takes most of the time.
    """

    def __init__(self, world: World, credentials: Credentials, limits: Limits, routes: Routes) -> None:
        self.world = world
        self.credentials = credentials
        self.limits = limits
        self.routes = routes
        self.plan = Plan()
        self.requests: list[Seen] = []
        self.violations: list[str] = []
        self.trusting = False

    def is_for_people(self, path: str) -> bool:
        """Whether that is the address of a page: the front page, the site's own files, or the repository's pages."""
        own = f"/{self.world.full_name}"
        if path == "/" or path.startswith(SITE_FILES):
            return True
        return path == own or (path.startswith(f"{own}/") and not path.startswith(f"{own}/legacy.tar.gz/"))

    def answer(self, asked: Asked) -> Exchange:
        """Do what is asked, and write it into the log."""
        begun = time.monotonic()
        with self.world.lock if asked.method == "GET" else self.world.acting():
            exchange = self._answer(asked)
        exchange.seen.status = 0 if exchange.trouble.cuts else exchange.answer.status
        exchange.seen.milliseconds = (time.monotonic() - begun) * 1000
        self.requests.append(exchange.seen)
        return exchange

    def _answer(self, asked: Asked) -> Exchange:
        seen = Seen(asked.method, asked.path, asked.path, "nobody")
        try:
            visit = self._identify(asked, seen)
        except Refused as refused:
            return Exchange(refused.answer, seen)
        trouble = self.plan.take(visit.operation, visit.query) or Trouble()
        if trouble.takes_effect or trouble == Trouble():
            answer = self._guarded(replace(visit, forbids=trouble.forbids))
            return Exchange(answer if trouble.answer is None else trouble.answer, seen, trouble)
        return Exchange(trouble.answer or Answer(500), seen, trouble)

    def _identify(self, asked: Asked, seen: Seen) -> "Visit":
        found = self._find(asked)
        if found is None:
            self.violations.append(f"{asked.method} {asked.path} is not served")
            raise not_found()
        operation, route, params = found
        seen.route = operation
        query = query_of(asked.body) if operation == _GRAPHQL else ""
        seen.fields = root_fields(query)
        if operation == _ARCHIVE:
            return Visit(asked, operation, None, params, Actor("nobody"))
        actor = self.credentials.identify(asked.headers.get("authorization"))
        seen.actor = actor.login or actor.kind
        return Visit(asked, operation, route, params, actor, query)

    def _find(self, asked: Asked) -> tuple[str, Route | None, dict[str, bytes]] | None:
        if asked.method == "POST" and asked.path == "/graphql":
            return _GRAPHQL, None, {}
        parts = asked.path.split("/")
        if asked.method == "GET" and parts[3:4] == ["legacy.tar.gz"]:
            return _ARCHIVE, None, {}
        found = self.routes.find(asked.method, asked.raw_path)
        return (found[0].operation, found[0], found[1]) if found else None

    def _guarded(self, visit: "Visit") -> Answer:
        """The answer or the refusal; a fault of our own is a violation and a 500."""
        try:
            return self._respond(visit)
        except Refused as refused:
            return replace(refused.answer, headers=self._limit_headers(visit) | dict(refused.answer.headers))
        except Exception as error:  # the door of a server: whatever breaks must be answered and seen
            self.violations.append(f"{visit.operation}: {error!r}")
            return Answer(500, {"message": f"the stand-in failed: {error!r}"})

    def _respond(self, visit: "Visit") -> Answer:
        if visit.operation == _ARCHIVE:
            return stream_archive(self.world, dict(parse_qsl(visit.asked.raw_query)).get("token"))
        if visit.operation != "GET /rate_limit":
            self.limits.spend(visit.who, visit.resource)
        call = self._call(visit)
        if visit.route is None:
            return self._finish(visit, answer_graphql(call, self.violations.append, visit.forbids))
        self._permit(visit.route, call)
        if visit.asked.method in _CONTENT and "access_tokens" not in visit.operation:
            self.limits.write(visit.who)
        version = visit.asked.headers.get("x-github-api-version", OLD_VERSION)
        if version not in VERSIONS:
            raise refuse(400, f"{version} is not a supported version of the GitHub API.")
        facts = self._check_request(visit, version)
        answer = visit.route.handler(call)
        answer = replace(answer, body=describe(version).without_dropped(answer.body))
        self._check_answer(facts, version, answer)
        return self._finish(visit, answer)

    def _call(self, visit: "Visit") -> Call:
        return Call(
            world=self.world,
            actor=visit.actor,
            path=visit.asked.path,
            params={name: value.decode("utf-8", "surrogateescape") for name, value in visit.params.items()},
            query=dict(parse_qsl(visit.asked.raw_query, keep_blank_values=True)),
            body=_read_body(visit.asked),
            accept=visit.asked.headers.get("accept", ""),
            rates=lambda resource: self.limits.facts(visit.who, resource),
        )

    def _permit(self, route: Route, call: Call) -> None:
        """Only the App by JWT at its own doors; elsewhere the repository must be visible, and permitted."""
        kind = call.actor.kind
        if "app:jwt" in route.needs:
            if kind != "app":
                raise refuse(401, "A JSON web token could not be decoded")
        elif kind == "app":
            raise refuse(401, "Bad credentials")
        if route.in_repository:
            named = f"{call.params['owner']}/{call.params['repo']}"
            if named.lower() != self.world.full_name.lower() or not (kind == "app" or call.may_read):
                raise not_found()
        self._permit_kind(route, call)

    def _permit_kind(self, route: Route, call: Call) -> None:
        kind = call.actor.kind
        if kind == "nobody" and (route.method != "GET" or "user" in route.needs):
            raise refuse(401, "Requires authentication")
        if kind == "installation" and route.needs and not any(":" in n and call.actor.holds(n) for n in route.needs):
            raise not_for_integrations()
        if kind == "user" and "checks:write" in route.needs:
            raise refuse(403, "You must authenticate via a GitHub App.")

    def _check_request(self, visit: "Visit", version: str) -> RequestFacts:
        facts = RequestFacts(
            operation=visit.operation,
            params={name: value.decode("utf-8", "replace") for name, value in visit.params.items()},
            query=tuple(parse_qsl(visit.asked.raw_query, keep_blank_values=True)),
            headers=visit.asked.headers,
            body=visit.asked.body or None,
        )
        violation = None if self.trusting else describe(version).check_request(facts)
        if violation and violation.limit:
            raise malformed(violation.limit)
        if violation:
            self.violations.append(violation.sentence)
            raise refuse(500, f"the request strays from GitHub's description: {violation.sentence}")
        return facts

    def _check_answer(self, facts: RequestFacts, version: str, answer: Answer) -> None:
        if answer.raw is not None and answer.status == 200:  # noqa: PLR2004 - bytes that were asked for
            return
        body = b"" if answer.raw is not None else json.dumps(answer.body).encode()
        violation = (
            None if self.trusting else describe(version).check_answer(facts, answer.status, answer.headers, body)
        )
        if violation:
            self.violations.append(violation.sentence)
            raise refuse(500, f"the stand-in strays from GitHub's description: {violation.sentence}")

    def _finish(self, visit: "Visit", answer: Answer) -> Answer:
        """Add what every answer carries; a client that has this version already gets 304, which costs nothing."""
        headers = dict(answer.headers)
        if visit.asked.method == "GET" and answer.status == 200 and answer.raw is None:  # noqa: PLR2004
            tag = f'W/"{hashlib.sha256(json.dumps(answer.body).encode()).hexdigest()}"'
            headers |= {"ETag": tag, "Cache-Control": "private, max-age=60, s-maxage=60"}
            if visit.asked.headers.get("if-none-match") == tag:
                self.limits.give_back(visit.who, visit.resource)
                answer = Answer(304, raw=b"")
        return replace(answer, headers=headers | self._limit_headers(visit))

    def _limit_headers(self, visit: "Visit") -> dict[str, str]:
        return self.limits.headers(visit.who, visit.resource)


@dataclass(frozen=True)
class Visit:
    """A request with its route and its asker; for GraphQL with its query, and the fields that are to fail."""

    asked: Asked
    operation: str
    route: Route | None
    params: Mapping[str, bytes]
    actor: Actor
    query: str = ""
    forbids: frozenset[str] = frozenset()

    @property
    def who(self) -> str:
        """For whom the limits count."""
        return self.actor.login or self.actor.kind

    @property
    def resource(self) -> str:
        """Which of GitHub's limits counts."""
        return "graphql" if self.operation == _GRAPHQL else "core"


def _read_body(asked: Asked) -> dict[str, Any]:
    if not asked.body:
        return {}
    try:
        told = json.loads(asked.body)
    except (ValueError, RecursionError) as error:
        raise refuse(400, "Problems parsing JSON") from error
    if not isinstance(told, dict):
        raise refuse(400, "Body should be a JSON object")
    return told
