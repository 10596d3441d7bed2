"""The API: who asks, may they, is the request well-formed, what is answered, and does that fit the description."""

import json
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from local.github.answers import (
    ApiError,
    ApiResponse,
    api_error,
    bad_credentials,
    malformed,
    not_for_integrations,
    not_for_this_token,
    not_found,
)
from local.github.call import Call
from local.github.credentials import Actor, Credentials
from local.github.description import OpenRequest, describe
from local.github.failures import FailingResponse, FailurePlan, PlannedFailure
from local.github.graphql import query_of, root_fields
from local.github.harmless import harm_in
from local.github.hosted_repository import HostedRepository
from local.github.registration import pages
from local.github.routes import ARCHIVE, GRAPHQL, OPERATIONS, Operation
from local.github.webhooks import WebhookSender
from local.recent import Recent

_MOST_REQUESTS = 20_000  # some hundred bytes each
_VERSIONS, _SERVER_VERSIONS = ("2026-03-10", "2022-11-28"), ("2022-11-28",)  # newest first
SITE_FILES = "/-/"
"""Where a site keeps what belongs to no repository: styles, scripts, who is looking."""


@dataclass(frozen=True)
class LoggedRequest:
    """One line of the request log. `route` is "GET /repos/{owner}/{repo}/…", or the path where nothing matched.

    `fields` are what a GraphQL request asks for at its root, such as ("resolveReviewThread", "updateCheckRun").
    """

    method: str
    route: str
    path: str
    fields: tuple[str, ...] = ()


class Api:
    """An ASGI application: the API, and a `site` for people where there is one.

    While `trusting`, requests and answers are not held against GitHub's description, which takes most of the time.
    A server has its API below /api. One in private mode `is_private`: it requires a token. Sources:
    https://docs.github.com/en/enterprise-server@latest/admin/configuring-settings/hardening-security-for-your-enterprise/enabling-private-mode
    and, for its words, https://github.com/octokit/octokit.js/issues/2709
    """

    def __init__(
        self, repository: HostedRepository, credentials: Credentials, webhooks: WebhookSender, *, is_private: bool
    ) -> None:
        self.failures = FailurePlan()
        self.requests: Recent[LoggedRequest] = Recent(_MOST_REQUESTS)
        self.violations: Recent[str] = Recent()
        self.trusting = False
        self.sent_bytes = 0
        self.site: ASGIApp | None = None
        self._repository = repository
        self._credentials = credentials
        self._webhooks = webhooks
        self._is_private = is_private
        prefixes = {GRAPHQL: "/api", ARCHIVE: ""} if repository.is_server else {}
        usual = "/api/v3" if repository.is_server else ""
        routes = [
            Route(prefixes.get(each.name, usual) + each.path, self._endpoint(each), methods=[each.method])
            for each in OPERATIONS
        ]
        self._router = Router([*routes, *pages(repository), Mount("", app=self._serve_others)])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def count(message: Message) -> None:
            self.sent_bytes += len(message.get("body", b""))
            await send(message)

        await self._router(scope, receive, count)

    async def _serve_others(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the addresses of pages to the site: the front page, the site's own files, the repository's pages."""
        path, own = scope["path"], f"/{self._repository.full_name}"
        if self.site is not None and (path in ("/", own) or path.startswith((SITE_FILES, f"{own}/"))):
            await self.site(scope, receive, send)
            return
        method = scope["method"]
        self.requests.append(LoggedRequest(method, path, path))
        self.violations.append(f"{method} {path} is not served")
        await not_found().answer.response()(scope, receive, send)

    def _endpoint(self, operation: Operation) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        async def serve(request: Request) -> Response:
            return await run_in_threadpool(self._serve, operation, request, await request.body())

        return serve

    def _serve(self, operation: Operation, request: Request, body: bytes) -> Response:
        """Do what is asked, as far as no failure is injected, and write it into the log."""
        query = query_of(body) if operation.name == GRAPHQL else ""
        path = request.url.path
        self.requests.append(LoggedRequest(request.method, operation.name, path, root_fields(query)))
        with self._repository.lock if request.method == "GET" else self._repository.acting():
            try:
                actor = self._identify(operation, request.headers)
            except ApiError as refused:
                return refused.answer.response()
            failure = self.failures.take(operation.name, query)
            if failure is None:
                return self._guarded(operation, request, body, actor, PlannedFailure()).response()
            done = self._guarded(operation, request, body, actor, failure) if failure.takes_effect else ApiResponse(500)
        return FailingResponse(failure.answer or done, failure)

    def _identify(self, operation: Operation, headers: Headers) -> Actor:
        _check_version(headers.get("x-github-api-version"), is_server=self._repository.is_server)
        if self._is_private and operation.name != ARCHIVE:  # its address has a token of its own
            if "authorization" not in headers:
                raise api_error(401, "Must authenticate to access this API.")
            self._credentials.identify(headers["authorization"])
        if "anybody" in operation.who:
            return Actor("anybody")
        actor = self._credentials.identify(headers.get("authorization"))
        present = self._repository.installation
        if actor.kind == "installation" and not (present.exists and actor.installation == present.id):
            raise bad_credentials()  # the tokens of an installation end with it
        return actor

    def _guarded(
        self, operation: Operation, request: Request, body: bytes, actor: Actor, failure: PlannedFailure
    ) -> ApiResponse:
        """The answer or the refusal; a failure of our own is a violation and a 500."""
        try:
            call = Call(
                repository=self._named(request.path_params),
                actor=actor,
                url=request.url,
                params=request.path_params,
                query=request.query_params,
                body=_read_json(body),
                violations=self.violations,
                credentials=self._credentials,
                webhooks=self._webhooks,
                forbidden=failure.forbids,
            )
            return self._respond(operation, call, body)
        except ApiError as refused:
            return refused.answer
        except Exception as error:  # the door of a server: whatever breaks must be answered and seen
            self.violations.append(f"{operation.name}: {error!r}")
            return ApiResponse(500, {"message": f"the local GitHub failed: {error!r}"})

    def _named(self, params: Mapping[str, str]) -> HostedRepository:
        """The repository that a path names, else the one that this GitHub is for."""
        found = self._repository.named(f"{params['owner']}/{params['repo']}") if "repo" in params else None
        return found or self._repository

    def _respond(self, operation: Operation, call: Call, body: bytes) -> ApiResponse:
        _permit(operation, call)
        if call.actor.kind == "installation":
            self.violations.extend(f"{operation.name}: {harm}" for harm in harm_in(call.body))
        if self.trusting or not operation.is_described:
            return operation.handler(call)
        request = OpenRequest(operation.name, call.params, call.query, call.body if body else None)
        violation = describe().check_request(request)
        if violation and violation.limit:
            raise malformed(violation.limit)
        if violation:
            self.violations.append(violation.sentence)
            raise api_error(500, f"the request strays from GitHub's description: {violation.sentence}")
        answer = operation.handler(call)
        violation = describe().check_answer(request, answer)
        if violation:
            self.violations.append(violation.sentence)
            raise api_error(500, f"the local GitHub strays from GitHub's description: {violation.sentence}")
        return answer


def _check_version(asked: str | None, *, is_server: bool) -> None:
    """Raise ApiError for a version that is not known here; each server knows the first one, an older one no other.

    Sources: https://docs.github.com/en/enterprise-server@latest/rest/about-the-rest-api/api-versions and, for the
    words, https://github.com/expipiplus1/update-nix-fetchgit/issues/79
    """
    known = _SERVER_VERSIONS if is_server else _VERSIONS
    if asked is not None and asked not in known:
        newest, *others = (f'"{each}"' for each in known)
        raise api_error(
            400,
            f'Bad Request: The version you specified in the "X-GitHub-API-Version" request header, "{asked}", is not a '
            f"supported version. The following versions are currently supported: "
            f"{', '.join([f'{newest} (most recent)', *others])}.",
        )


def _permit(operation: Operation, call: Call) -> None:
    """Raise ApiError if the caller has the wrong kind of token, cannot see the repository, or lacks the permission."""
    kind = call.actor.kind
    if kind not in operation.who:
        raise _wrong_kind(operation, kind)
    if "{owner}" in operation.name and kind != "anybody":
        named = f"{call.params['owner']}/{call.params['repo']}"
        if named.lower() != call.repository.full_name.lower() or not call.may_read:
            raise not_found()
    if operation.needs and call.lacks(*operation.needs):
        raise not_for_integrations() if kind == "installation" else not_for_this_token()


def _wrong_kind(operation: Operation, kind: str) -> ApiError:
    if "app" in operation.who:
        return api_error(401, "A JSON web token could not be decoded")
    if kind == "app":
        return bad_credentials()
    return api_error(403, "You must authenticate via a GitHub App.") if kind == "user" else not_for_integrations()


def _read_json(body: bytes) -> dict[str, Any]:
    if not body:
        return {}
    try:
        given = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise api_error(400, "Problems parsing JSON") from error
    if not isinstance(given, dict):
        raise api_error(400, "Body should be a JSON object")
    return given
