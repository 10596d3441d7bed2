"""The routes of the HTTP API, which powertools validates and describes: one for each act, and those for reading."""

import json
import re
from collections.abc import Callable
from http import HTTPStatus
from inspect import Parameter, Signature
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from aws_lambda_powertools.event_handler.openapi.params import Body, Header, Path, Query
from pydantic import BaseModel

import api_models as models
from api_exchange import Exchange
from api_problems import (
    CONTENT_TYPE,
    NO_ROUTE,
    NOT_JSON,
    ApiError,
    ProblemDetails,
    Throttled,
    UnreadableJson,
    error_of,
    invalid,
    read_json,
)
from kodiai.core.events.job import ProposalId
from kodiai.core.github.names import Number, RepositoryName
from kodiai.core.proposals.proposal import Key, Status
from kodiai.flows.proposals.findings import open_findings
from kodiai.flows.proposals.look import list_proposals, look
from kodiai.flows.proposals.ports import ProposalPorts
from verbs import ACTS, Act

DIFF_TYPE = "text/x-diff; charset=utf-8"

Id = Annotated[ProposalId, Path(description="The id of the proposal.")]


def write_json(content: Any) -> str:
    """JSON as the API sends it."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def _read_object(text: str) -> Any:
    """Read a body. Powertools would take null for no body, and a list for its first entry."""
    body = read_json(text)
    if not isinstance(body, dict):
        raise RequestValidationError([{"type": "model_type", "loc": ("body",), "msg": ""}])
    return body


app = APIGatewayHttpResolver(enable_validation=True, serializer=write_json, json_body_deserializer=_read_object)


def _problem(status: int, description: str) -> dict[int, Any]:
    return {status: {"description": description, "content": {CONTENT_TYPE: {"model": ProblemDetails}}}}


def _answer(model: type[BaseModel], description: str, status: int = 200) -> dict[int, Any]:
    return {status: {"description": description, "content": {"application/json": {"model": model}}}}


_ALWAYS = {
    **_problem(401, "The token is missing, or GitHub does not take it."),
    **_problem(422, "A member is not as it should be (`errors`), or the repository does not allow it."),
    **_answer(Throttled, "More than 20 requests a second, from API Gateway.", 429),
    **_problem(500, "Our fault: the log has the cause."),
    **_problem(503, "GitHub or AWS is busy: try again after `Retry-After` seconds."),
}
_READS = {
    **_ALWAYS,
    **_problem(403, "This deployment does not serve the repository."),
    **_problem(404, "There is no such thing, or you may not read its repository."),
}
_WRITES = {
    **_READS,
    **_problem(400, "The body is not JSON."),
    **_problem(403, "This requires write access, or this deployment does not serve the repository."),
    **_problem(413, "The body or the diff is too long."),
    **_problem(415, "The body is not application/json."),
}
_ACTS = {**_WRITES, **_problem(409, "The protocol does not allow it now: `name` says why.")}


_ID = re.compile(r"P-[0-9a-f]{20}")
_AN_ID = f"P-{0:020}"
_METHODS = {"/openapi.json": {"GET"}}
"""The methods of each path, with _AN_ID for ids; the description is answered before there is a token."""


def _route(path: str, method: str = "GET", **described: Any) -> Callable[[Callable[..., Any]], Any]:
    """Add a route with its description."""
    _METHODS.setdefault(path.replace("<proposal_id>", _AN_ID), set()).add(method)
    route: Callable[[Callable[..., Any]], Any] = app.route(path, method, **described)
    return route


def _add(act: Act) -> None:
    """Add the route of an act: its arguments are the members of its body, and those of the path and the header."""

    def route(body: BaseModel, **outside: Any) -> Response[models.ShownProposal]:
        given = act.arguments.model_construct(None, **dict(body), **outside)
        shown = act.run(given, _exchange().ports.proposals)
        _exchange().noted.proposal = shown.id
        headers = {"location": f"/proposals/{shown.id}"} if act.status == HTTPStatus.CREATED else {}
        return Response(act.status, "application/json", shown, headers=headers)

    is_optional = not any(each.is_required() for each in act.body.model_fields.values())
    takes: list[tuple[str, Any, Any]] = [
        ("body", Annotated[act.body, Body()], act.body() if is_optional else Parameter.empty)
    ]
    if act.path:
        takes.insert(0, ("proposal_id", Id, Parameter.empty))
    if act.key is not None:
        key = Annotated[Key | None, Header(alias="Idempotency-Key", description=act.key)]
        takes.append(("idempotency_key", key, None))
    parameters = [
        Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, default=default) for name, kind, default in takes
    ]
    vars(route)["__signature__"] = Signature(parameters, return_annotation=Response[models.ShownProposal])
    _route(
        f"/proposals{act.path}",
        act.method,
        summary=act.title,
        description=act.description,
        operation_id=act.operation,
        responses={**_answer(models.ShownProposal, act.answer, act.status), **(_ACTS if act.path else _WRITES)},
        status_code=act.status,
    )(route)


for each in ACTS:
    _add(each)


@_route(
    "/proposals",
    summary="List proposals",
    description="Read the proposals of a repository, newest first, at most 500. It requires read access.",
    operation_id="list",
    responses={**_answer(models.ProposalList, "The proposals."), **_READS},
)
def list_all(
    repository: Annotated[RepositoryName, Query(description="The repository, owner/name.")],
    status: Annotated[Status | None, Query(description="Only those of this status.")] = None,
    pull_request: Annotated[Number | None, Query(description="Only those for this pull request.")] = None,
) -> models.ProposalList:
    """Read the proposals of a repository."""
    return models.listed(list_proposals(repository, status, pull_request, _proposals()), _proposals().clock.now())


@_route(
    "/proposals/<proposal_id>",
    summary="Read a proposal",
    description="Read a proposal with its history. It requires read access.",
    operation_id="get",
    responses={**_answer(models.ProposalWithEvents, "The proposal."), **_READS},
)
def get_proposal(proposal_id: Id) -> models.ProposalWithEvents:
    """Read a proposal with its history."""
    proposal, _, events = look(proposal_id, _proposals())
    return models.with_events(proposal, events, _proposals().clock.now())


@_route(
    "/proposals/<proposal_id>/diff",
    summary="Read the diff of a proposal",
    description="Read the diff as it was submitted, for `git apply`. It requires read access.",
    operation_id="getDiff",
    responses={200: {"description": "The diff.", "content": {DIFF_TYPE: {"schema": {"type": "string"}}}}, **_READS},
)
def get_diff(proposal_id: Id) -> Response[str]:
    """Read the diff of a proposal."""
    _, content, _ = look(proposal_id, _proposals())
    return Response(200, DIFF_TYPE, content.diff)


@_route(
    "/findings",
    summary="List open findings",
    description=(
        "Read what the reviews of a pull request found and nobody has settled, with the evidence, most severe first, "
        "and which head was reviewed. It requires read access."
    ),
    operation_id="listOpenFindings",
    responses={**_answer(models.FindingList, "The findings."), **_READS},
)
def list_findings(
    repository: Annotated[RepositoryName, Query(description="The repository, owner/name.")],
    pull_request: Annotated[Number, Query(description="The number of the pull request.")],
) -> models.FindingList:
    """Read the open findings of a pull request."""
    return models.FindingList.of(open_findings(repository, pull_request, _exchange().ports))


def as_response(error: ApiError) -> Response[str]:
    """An error answer as it is sent."""
    return Response(error.problem.status, CONTENT_TYPE, error.body, headers=dict(error.headers))


@app.exception_handler(Exception)  # type: ignore[untyped-decorator]  # as powertools leaves it
def _failed(error: Exception) -> Response[str]:
    _exchange().noted.error = error
    return as_response(error_of(error))


@app.exception_handler(RequestValidationError)  # type: ignore[untyped-decorator]  # as powertools leaves it
def _invalid(error: RequestValidationError) -> Response[str]:
    return as_response(invalid(error.errors()))


@app.exception_handler(UnreadableJson)  # type: ignore[untyped-decorator]  # as powertools leaves it
def _unreadable(_: UnreadableJson) -> Response[str]:
    return as_response(ApiError(400, NOT_JSON))


@app.not_found
def _not_found(_: NotFoundError) -> Response[str]:
    allowed = sorted(_METHODS.get(_ID.sub(_AN_ID, app.current_event.path), ()))
    if not allowed:
        return as_response(ApiError(404, NO_ROUTE))
    sentence = f"This takes {' and '.join(allowed)}: /openapi.json describes the API."
    return as_response(ApiError(405, sentence, headers={"allow": ", ".join(allowed)}))


def _exchange() -> Exchange:
    exchange: Exchange = app.context["exchange"]
    return exchange


def _proposals() -> ProposalPorts:
    return _exchange().ports.proposals
