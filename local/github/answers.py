"""The answers that go back over HTTP, and GitHub's refusals in GitHub's own words and shapes."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.responses import Response, StreamingResponse

DOCUMENTATION = "https://docs.github.com/rest"
LONGEST_BODY = 65_536


@dataclass(frozen=True)
class ApiResponse:
    """A status with a JSON value, or else with bytes or a stream of a media type."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | Iterator[bytes] | None = None
    media_type: str = "application/json; charset=utf-8"

    def response(self) -> Response:
        """The same for the HTTP server."""
        if isinstance(self.raw, Iterator):
            return StreamingResponse(self.raw, self.status, self.headers, self.media_type)
        raw = json.dumps(self.body, ensure_ascii=False).encode("utf-8", "replace") if self.raw is None else self.raw
        return Response(raw, self.status, self.headers, self.media_type)


class ApiError(Exception):
    """The request is turned down; `answer` is what the client gets."""

    def __init__(self, answer: ApiResponse) -> None:
        super().__init__(answer.body)
        self.answer = answer


def api_error(
    status: int, message: str, *, errors: list[Any] | None = None, headers: Mapping[str, str] = {}
) -> ApiError:
    """GitHub's error object: message, documentation, status as text, and errors where there are any."""
    body: dict[str, Any] = {"message": message}
    if errors is not None:
        body["errors"] = errors
    return ApiError(ApiResponse(status, body | {"documentation_url": DOCUMENTATION, "status": str(status)}, headers))


def not_found() -> ApiError:
    """The refusal where something is not there, or the token may not see it."""
    return api_error(404, "Not Found")


def bad_credentials() -> ApiError:
    """A token that nobody issued, or that has expired."""
    return api_error(401, "Bad credentials")


def not_for_integrations() -> ApiError:
    """The App lacks the permission."""
    return api_error(403, "Resource not accessible by integration")


def not_for_this_token() -> ApiError:
    """A person's fine-grained token lacks the permission."""
    return api_error(403, "Resource not accessible by personal access token")


def unprocessable(*sentences: str) -> ApiError:
    """The form in which reviews are refused: sentences that do not say which comment is meant."""
    return api_error(422, "Unprocessable Entity", errors=list(dict.fromkeys(sentences)))


def locked(what: str = "comment") -> ApiError:
    """The refusal of a comment or a reaction in a locked conversation.

    Source: https://github.com/renovatebot/renovate/issues/6215
    """
    return api_error(403, f"Unable to create {what} because issue is locked.")


def invalid(resource: str, field_name: str, message: str, code: str = "custom") -> ApiError:
    """The form in which most other things are refused: one object for each field."""
    error = {"resource": resource, "code": code, "field": field_name, "message": message}
    return api_error(422, "Validation Failed", errors=[error])


def malformed(sentence: str) -> ApiError:
    """A request that misses the API's own schema in a way that GitHub answers by itself."""
    return api_error(422, f"Invalid request.\n\n{sentence}")


TOO_LONG = f"Body is too long (maximum is {LONGEST_BODY} characters)"
