"""The routes of the HTTP API: each validates its request, does one verb of the protocol and shows what came of it."""

import json
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
    UnreadableJson,
    api_error,
    error_of,
    invalid,
    read_json,
)
from kodiai.core.events.job import ProposalId
from kodiai.core.github.names import Number, RepositoryName
from kodiai.core.proposals.proposal import Key, Proposal, Status
from kodiai.flows.proposals.apply import apply_as_caller
from kodiai.flows.proposals.claim import claim
from kodiai.flows.proposals.look import list_proposals, look
from kodiai.flows.proposals.ports import ProposalPorts
from kodiai.flows.proposals.review import close, give_verdict
from kodiai.flows.proposals.submit import revise, submit

DIFF_TYPE = "text/x-diff; charset=utf-8"

Id = Annotated[ProposalId, Path(description="The id of the proposal.")]
SubmissionKey = Annotated[
    Key | None,
    Header(
        alias="Idempotency-Key",
        description="Your own name for this submission: with the same key the same request is done once.",
    ),
]
ClaimKey = Annotated[
    Key | None,
    Header(
        alias="Idempotency-Key",
        description="Your own name for this claim: with the same key it is the same claim again.",
    ),
]


# What a body is that is left out.
_CLAIM, _CLOSING, _APPLICATION = models.NewClaim(), models.Closing(), models.Application()


def write_json(content: Any) -> str:
    """JSON as the API sends it."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


app = APIGatewayHttpResolver(enable_validation=True, serializer=write_json, json_body_deserializer=read_json)


def _problem(status: int, description: str) -> dict[int, Any]:
    return {status: {"description": description, "content": {CONTENT_TYPE: {"model": ProblemDetails}}}}


def _answer(model: type[BaseModel], description: str, status: int = 200) -> dict[int, Any]:
    return {status: {"description": description, "content": {"application/json": {"model": model}}}}


_ALWAYS = {
    **_problem(401, "The token is missing, or GitHub does not take it."),
    **_problem(422, "A member is not as it should be (`errors`), or the repository does not allow it."),
    **_problem(503, "GitHub or AWS is busy: try again after `Retry-After` seconds."),
}
_READS = {**_ALWAYS, **_problem(404, "There is no such thing, or you may not read its repository.")}
_WRITES = {
    **_READS,
    **_problem(400, "The body is not JSON."),
    **_problem(403, "This requires write access."),
    **_problem(413, "The body or the diff is too long."),
    **_problem(415, "The body is not application/json."),
}
_ACTS = {**_WRITES, **_problem(409, "The protocol does not allow it now: `name` says why.")}


@app.post(
    "/proposals",
    summary="Submit a proposal",
    description="Propose a change for review. It requires write access. "
    "The diff is checked against the code when the proposal is claimed.",
    operation_id="submit",
    responses={**_answer(models.ShownProposal, "The proposal; `Location` is its address.", 201), **_WRITES},
    status_code=201,
)
def submit_proposal(
    body: Annotated[models.NewProposal, Body()], idempotency_key: SubmissionKey = None
) -> Response[models.ShownProposal]:
    """Store a proposal, and queue its review."""
    proposal = submit(body.submission(idempotency_key), _proposals())
    return Response(201, "application/json", _shown(proposal), headers={"location": f"/proposals/{proposal.id}"})


@app.get(
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
    found = list_proposals(repository, status, pull_request, _proposals())
    return models.ProposalList(proposals=tuple(models.shown(each, _now()) for each in found))


@app.get(
    "/proposals/<proposal_id>",
    summary="Read a proposal",
    description="Read a proposal with its history. It requires read access.",
    operation_id="get",
    responses={**_answer(models.ProposalWithEvents, "The proposal."), **_READS},
)
def get_proposal(proposal_id: Id) -> models.ProposalWithEvents:
    """Read a proposal with its history."""
    proposal, _, events = look(proposal_id, _proposals())
    return models.with_events(proposal, events, _now())


@app.get(
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


@app.put(
    "/proposals/<proposal_id>",
    summary="Revise a proposal",
    description="Replace the content of your own proposal; the same reviewer goes on. It requires write access.",
    operation_id="revise",
    responses={**_answer(models.ShownProposal, "The proposal."), **_ACTS},
)
def revise_proposal(proposal_id: Id, body: Annotated[models.Revision, Body()]) -> models.ShownProposal:
    """Replace the content of a proposal."""
    return _shown(revise(proposal_id, body.content, body.agent, _proposals()))


@app.post(
    "/proposals/<proposal_id>/claim",
    summary="Claim a proposal",
    description="Take somebody else's proposal for review. It requires write access. "
    "The diff is checked now, as strictly as `git apply --check`: "
    "if it does not apply, the proposal is rejected, and `problems` say why.",
    operation_id="claim",
    responses={**_answer(models.ShownProposal, "The proposal: claimed, or rejected."), **_ACTS},
)
def claim_proposal(
    proposal_id: Id, body: Annotated[models.NewClaim, Body()] = _CLAIM, idempotency_key: ClaimKey = None
) -> models.ShownProposal:
    """Claim a proposal, and check its diff."""
    return _shown(claim(proposal_id, body.seconds, idempotency_key, body.agent, _proposals()))


@app.post(
    "/proposals/<proposal_id>/verdict",
    summary="Give a verdict",
    description="Decide about a proposal that you have claimed. It requires write access.",
    operation_id="giveVerdict",
    responses={**_answer(models.ShownProposal, "The proposal."), **_ACTS},
)
def give_a_verdict(proposal_id: Id, body: Annotated[models.NewVerdict, Body()]) -> models.ShownProposal:
    """Give the verdict of a claim."""
    given = give_verdict(proposal_id, body.decision, body.notes, body.generation, body.agent, _proposals())
    return _shown(given)


@app.post(
    "/proposals/<proposal_id>/close",
    summary="Close a proposal",
    description="Close a proposal for good: your own, or any with write access.",
    operation_id="close",
    responses={**_answer(models.ShownProposal, "The proposal."), **_ACTS},
)
def close_proposal(proposal_id: Id, body: Annotated[models.Closing, Body()] = _CLOSING) -> models.ShownProposal:
    """Close a proposal."""
    return _shown(close(proposal_id, body.note, body.agent, _proposals()))


@app.post(
    "/proposals/<proposal_id>/apply",
    summary="Apply a proposal",
    description="Make one commit of an approved proposal, on the branch of its pull request or on a new one. "
    "It requires write access. The diff is checked again if the branch has moved.",
    operation_id="apply",
    responses={
        **_answer(models.ShownProposal, "The proposal: applied, or rejected if the diff does not apply any more."),
        **_ACTS,
    },
)
def apply_proposal(proposal_id: Id, body: Annotated[models.Application, Body()] = _APPLICATION) -> models.ShownProposal:
    """Make a commit of an approved proposal."""
    return _shown(apply_as_caller(proposal_id, body.agent, _proposals()))


def as_response(error: ApiError) -> Response[str]:
    """An error answer as it is sent."""
    return Response(error.status, CONTENT_TYPE, write_json(error.body), headers=dict(error.headers))


@app.exception_handler(Exception)  # type: ignore[untyped-decorator]  # as powertools leaves it
def _failed(error: Exception) -> Response[str]:
    _exchange().noted.error = error
    return as_response(error_of(error))


@app.exception_handler(RequestValidationError)  # type: ignore[untyped-decorator]  # as powertools leaves it
def _invalid(error: RequestValidationError) -> Response[str]:
    return as_response(invalid(error.errors()))


@app.exception_handler(UnreadableJson)  # type: ignore[untyped-decorator]  # as powertools leaves it
def _unreadable(_: UnreadableJson) -> Response[str]:
    return as_response(api_error(400, NOT_JSON))


@app.not_found
def _not_found(_: NotFoundError) -> Response[str]:
    return as_response(api_error(404, NO_ROUTE))


def _exchange() -> Exchange:
    exchange: Exchange = app.context["exchange"]
    return exchange


def _proposals() -> ProposalPorts:
    return _exchange().ports.proposals


def _now() -> float:
    return _proposals().clock.now()


def _shown(proposal: Proposal) -> models.ShownProposal:
    _exchange().noted.proposal = proposal.id
    return models.shown(proposal, _now())
