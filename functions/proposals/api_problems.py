"""Problem details: the body of error answers, and how errors become them.

Source: https://www.rfc-editor.org/rfc/rfc9457
"""

import json
import math
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from kodiai.core.errors import Refused, Retry
from kodiai.core.proposals.proposal import MOST_DIFF_BYTES
from kodiai.core.proposals.protocol import ProposalRefused, RefusalName
from kodiai.core.proposals.target import NoTarget, NotAuthenticated
from kodiai.flows.proposals.access import Forbidden
from kodiai.flows.proposals.not_found import NotFound
from kodiai.flows.proposals.submit import TooLarge

CONTENT_TYPE = "application/problem+json"
MOST_BODY_BYTES = 4 * 1024 * 1024
"""The greatest size of a request's body."""

NO_TOKEN = "Send a GitHub token: `Authorization: Bearer <token>`."  # noqa: S105 - a sentence
NO_ROUTE = "There is nothing here for this method: /openapi.json describes the API."
NOT_JSON = "The body is not valid JSON."
NOT_BASE64 = "The body is not valid base64."
WRONG_TYPE = "The body has to be application/json."
TOO_LONG = f"The body is over {MOST_BODY_BYTES:,} bytes; a diff may have {MOST_DIFF_BYTES:,}."
INVALID = "The request has members that are not as they should be: see `errors`."
BROKEN = "Something is wrong on our side and is in our log."
_RETRY_SECONDS = 5
_SENTENCES = {
    "missing": "It is missing.",
    "extra_forbidden": "There is no such member.",
    "string_too_short": "It is blank.",
    "string_type": "Give a text.",
    "tuple_type": "Give a list.",
    "int_type": "Give a whole number.",
    "int_parsing": "Give a whole number.",
    "model_type": "Give an object.",
    "model_attributes_type": "Give an object.",
    "dict_type": "Give an object.",
}
"""Sentences for people and programs who do not know pydantic, by its types of errors."""
_FORMS = {
    "repository": 'Give the repository as "owner/name".',
    "proposal_id": 'Give the id of a proposal: "P-" and 20 hexadecimal digits.',
    "base": "Give the full id of a commit.",
}
_STATUS = {Forbidden: 403, NotFound: 404, NoTarget: 404, TooLarge: 413}


class UnreadableJson(Exception):
    """A body that is no JSON."""


def read_json(text: str) -> Any:
    """Read a body. Raises UnreadableJson, also for one that is nested too deeply."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableJson from error


class InvalidMember(BaseModel):
    """A member of the request that is not as it should be."""

    detail: str
    pointer: str | None = Field(
        default=None, description='Where it is in the body, a JSON pointer: "#/changes/0/what".'
    )
    parameter: str | None = Field(
        default=None, description="The name of the header, or of the parameter of the path or the query."
    )


class ProblemDetails(BaseModel):
    """An error answer (RFC 9457)."""

    title: str = Field(description="The status in words.")
    status: int
    detail: str = Field(description="What is wrong, and what to do about it.")
    name: RefusalName | None = Field(
        default=None, description="The name of the rule of the protocol that refuses it, with 409."
    )
    errors: tuple[InvalidMember, ...] | None = Field(
        default=None, description="The members that are not as they should be, with 422."
    )


class Throttled(BaseModel):
    """API Gateway's own answer to too many requests."""

    message: str


class ApiError(Exception):
    """An error answer: a status of HTTP with a sentence, and headers of its own."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        headers: Mapping[str, str] | None = None,
        name: RefusalName | None = None,
        errors: tuple[InvalidMember, ...] | None = None,
    ) -> None:
        super().__init__(detail)
        title = HTTPStatus(status).phrase
        self.problem = ProblemDetails(title=title, status=status, detail=detail, name=name, errors=errors)
        self.headers = headers or {}

    @property
    def body(self) -> str:
        """The problem as JSON."""
        return self.problem.model_dump_json(exclude_none=True)


def unauthorized(detail: str) -> ApiError:
    """The answer to somebody whom GitHub does not know."""
    return ApiError(401, detail, headers={"www-authenticate": 'Bearer realm="kodiai"'})


def error_of(error: Exception) -> ApiError:
    """The answer to what was raised; nothing of the inside is in it."""
    match error:
        case ApiError():
            return error
        case NotAuthenticated():
            return unauthorized(str(error))
        case ProposalRefused():
            return ApiError(409, str(error), name=error.name)
        case Refused():
            status = next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 422)
            return ApiError(status, str(error))
        case Retry():
            seconds = math.ceil(error.after_seconds or _RETRY_SECONDS)
            sentence = f"Something is busy, or has changed meanwhile. Try again in {seconds} seconds."
            return ApiError(503, sentence, headers={"retry-after": str(seconds)})
    return ApiError(500, BROKEN)


def invalid(errors: Sequence[Mapping[str, Any]]) -> ApiError:
    """The answer to a request with invalid members, by pydantic's errors; their place begins with the part."""
    places = [tuple(each["loc"]) for each in errors]
    # Pydantic also reports the number of valid entries of a list with invalid ones.
    members = (
        _member(place, _sentence(each, place))
        for each, place in zip(errors, places, strict=True)
        if not any(len(other) > len(place) and other[: len(place)] == place for other in places)
    )
    return ApiError(422, INVALID, errors=tuple(members))


def invalid_body(error: ValidationError) -> ApiError:
    """The answer to a body with invalid members."""
    listed = error.errors(include_url=False, include_context=False, include_input=False)
    return invalid([{**each, "loc": ("body", *each["loc"])} for each in listed])


def _sentence(error: Mapping[str, Any], place: Sequence[str | int]) -> str:
    if error.get("type") == "string_pattern_mismatch" and place[-1] in _FORMS:
        return _FORMS[str(place[-1])]
    return _SENTENCES.get(str(error.get("type")), str(error["msg"]))


def _member(place: Sequence[str | int], sentence: str) -> InvalidMember:
    part, *path = place
    detail = sentence.removeprefix("Value error, ").replace("Tuple should have", "The list should have")
    if part == "body":
        steps = (str(step).replace("~", "~0").replace("/", "~1") for step in path)
        return InvalidMember(detail=detail, pointer="/".join(("#", *steps)))
    return InvalidMember(detail=detail, parameter=str(path[-1]) if path else None)
