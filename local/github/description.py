"""Checks every request, answer and webhook against GitHub's own description of them."""

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema.exceptions import ValidationError, best_match  # type: ignore[import-untyped]  # ships no types
from openapi_core import Config, OpenAPI
from openapi_core.exceptions import OpenAPIError
from openapi_core.testing import MockRequest, MockResponse
from openapi_schema_validator import OAS30Validator
from referencing import Registry
from referencing.jsonschema import DRAFT4

from local.github.answers import ApiResponse

FOLDER = Path(__file__).parent / "descriptions"
_HOST = "http://127.0.0.1"
_WEBHOOKS = "urn:github:webhooks"
_LIMITS = {
    "maxItems": "No more than {} items are allowed; {} were supplied.",
    "maxLength": "Only {} characters are allowed; {} were supplied.",
}
_REALLY_NULLABLE = {"pull-request-review-comment": ("position", "line", "original_line")}
"""Null for outdated comments and for those on whole files, as the webhooks' description of the same thing has it."""


@dataclass(frozen=True)
class Violation:
    """A way in which something strays from the description.

    `limit` is what GitHub says where nothing but a count or a length is over its limit, which is no malformed request.
    """

    sentence: str
    limit: str | None = None


class OpenRequest(MockRequest):
    """A request as openapi-core wants to see it; `operation` is "GET /repos/{owner}/{repo}/…"."""

    def __init__(self, operation: str, params: Mapping[str, str], query: Mapping[str, str], body: bytes | None) -> None:
        method, pattern = operation.split(" ")
        path = pattern.replace("{", "").replace("}", "")
        super().__init__(_HOST, method, path, pattern, dict(query), dict(params))
        self.operation = operation
        self.body = body or None  # type: ignore[assignment]  # openapi-core knows a request without a body as this


class Description:
    """GitHub's description of its REST API and of the payloads of its webhooks."""

    def __init__(self) -> None:
        self._document = load()
        self._openapi = OpenAPI.from_dict(self._document, Config(spec_validator_cls=None))
        resource = DRAFT4.create_resource(self._document)
        self._registry: Registry[Any] = Registry().with_resource(_WEBHOOKS, resource)

    @property
    def permissions(self) -> frozenset[str]:
        """The names of the permissions that an App can have."""
        return frozenset(self._document["components"]["schemas"]["app-permissions"]["properties"])

    def check_request(self, request: OpenRequest) -> Violation | None:
        """The ways in which a request strays: unknown or missing fields, wrong types, unknown values."""
        try:
            self._openapi.validate_request(request)
        except OpenAPIError as error:
            causes = list(_causes(error))
            limits = [_LIMITS[c.validator].format(c.validator_value, len(c.instance)) for c in causes if _is_limit(c)]
            limit = limits[0] if limits and len(limits) == len(causes) else None
            return Violation(f"request {request.operation}: {_sentence(error, causes)}", limit)
        return None

    def check_answer(self, request: OpenRequest, answer: ApiResponse) -> Violation | None:
        """The ways in which an answer strays. An unlisted error must still look like GitHub's errors."""
        if answer.raw is not None:
            return None
        data = json.dumps(answer.body).encode()
        try:
            self._openapi.validate_response(request, MockResponse(data, answer.status, dict(answer.headers)))
        except OpenAPIError as error:
            return Violation(f"answer {answer.status} of {request.operation}: {_sentence(error, list(_causes(error)))}")
        return None

    def check_webhook(self, event: str, action: str, payload: Mapping[str, Any]) -> Violation | None:
        """The ways in which a webhook's payload strays."""
        name = "-".join(filter(None, (event, action))).replace("_", "-")
        validator = OAS30Validator({"$ref": f"{_WEBHOOKS}#/x-webhooks/{name}"}, registry=self._registry)
        match = best_match(validator.iter_errors(json.loads(json.dumps(payload))))
        if match is None:
            return None
        return Violation(f"webhook {name}: {match.json_path} {match.message[:400]}")


@cache
def describe() -> Description:
    """The description; reading it takes some tenths of a second."""
    return Description()


def load() -> dict[str, Any]:
    """The description's document, with request bodies closed."""
    document: dict[str, Any] = _as_meant(json.loads((FOLDER / "rest-and-webhooks.json").read_text()))
    for name, properties in _REALLY_NULLABLE.items():
        for each in properties:
            document["components"]["schemas"][name]["properties"][each]["nullable"] = True
    installations = document["paths"]["/app/installations"]["get"]["responses"]["200"]["content"]["application/json"]
    # Its own copy of the component wants an account to be a user and an enterprise at once.
    installations["schema"]["items"] = {"$ref": "#/components/schemas/installation"}
    for methods in document["paths"].values():
        for operation in methods.values():
            for media in operation.get("requestBody", {}).get("content", {}).values():
                media["schema"] = _closed(media["schema"], document)
    return document


def _as_meant(node: Any) -> Any:
    """The description as GitHub means it, where OpenAPI 3.0 to the letter would refuse what GitHub really sends.

    `nullable` next to an enum or alternatives allows null, and a discriminator does not apply to arrays.
    """
    if isinstance(node, list):
        return [_as_meant(item) for item in node]
    if not isinstance(node, dict):
        return node
    meant = {key: _as_meant(value) for key, value in node.items() if not _is_discriminator(key, value)}
    if meant.get("nullable") is True:
        if "enum" in meant and None not in meant["enum"]:
            meant["enum"] = [*meant["enum"], None]
        for alternatives in {"oneOf", "anyOf"} & meant.keys():
            meant[alternatives] = [*meant[alternatives], {"type": "object", "nullable": True, "enum": [None]}]
    return meant


def _is_discriminator(key: str, value: Any) -> bool:
    return key == "discriminator" and isinstance(value, dict) and "propertyName" in value


def _closed(schema: Any, document: dict[str, Any]) -> Any:
    """The schema with no property left that it does not name: a misspelt field must not pass."""
    if isinstance(schema, list):
        return [_closed(part, document) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return _closed(copy.deepcopy(document["components"]["schemas"][name]), document)
    closed = {key: _closed(value, document) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and "type" in schema:
        closed.setdefault("additionalProperties", False)
    return closed


def _causes(error: BaseException | None) -> Iterator[ValidationError]:
    while error is not None:
        yield from getattr(error, "schema_errors", ())
        error = error.__cause__


def _is_limit(cause: ValidationError) -> bool:
    return cause.validator in _LIMITS


def _sentence(error: BaseException, causes: list[ValidationError]) -> str:
    match = best_match(causes)
    if match is None:
        return f"{error}{f' ({error.__cause__})' if error.__cause__ else ''}"
    return f"{match.json_path} {match.message[:400]}"
