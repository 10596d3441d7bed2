"""Checks every request, answer and webhook against GitHub's own description of them."""

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema.exceptions import ValidationError, best_match  # type: ignore[import-untyped]  # ships no types
from openapi_core import Config, OpenAPI
from openapi_core.datatypes import RequestParameters
from openapi_core.exceptions import OpenAPIError
from openapi_schema_validator import OAS30Validator
from referencing import Registry
from referencing.jsonschema import DRAFT4
from werkzeug.datastructures import Headers, ImmutableMultiDict

FOLDER = Path(__file__).parent / "descriptions"
OLD_VERSION, NEW_VERSION = "2022-11-28", "2026-03-10"
VERSIONS = (OLD_VERSION, NEW_VERSION)
_HOST = "http://127.0.0.1"
_GONE = {
    "full-repository": {"has_downloads", "use_squash_pr_title_as_default"},
    "nullable-repository": {"has_downloads", "master_branch", "use_squash_pr_title_as_default"},
    "pull-request": {"assignee", "merge_commit_sha"},
    "pull-request-simple": {"assignee", "merge_commit_sha"},
    "rate-limit-overview": {"rate"},
    "repository": {"has_downloads", "master_branch", "use_squash_pr_title_as_default"},
}
"""The properties that REST version 2026-03-10 dropped, by schema."""
_WEBHOOKS = "urn:github:webhooks"
_LIMITS = {
    "maxItems": "No more than {} items are allowed; {} were supplied.",
    "maxLength": "Only {} characters are allowed; {} were supplied.",
}
_REALLY_NULLABLE = {"pull-request-review-comment": ("position", "line", "original_line")}
"""Null for outdated comments and for those on whole files, as the webhooks' description of the same thing has it."""


@dataclass(frozen=True)
class Violation:
    """How something strays from the description.

    `limit` is what GitHub says where nothing but a count or a length is over its limit, which is no malformed request.
    """

    sentence: str
    limit: str | None = None


@dataclass
class RequestFacts:
    """A request in the form in which openapi-core wants to be shown one."""

    operation: str
    params: Mapping[str, str]
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    host_url: str = _HOST
    content_type: str = "application/json"
    parameters: RequestParameters = field(init=False)

    def __post_init__(self) -> None:
        """Gather query, headers and path parameters where openapi-core looks for them."""
        self.parameters = RequestParameters(
            query=ImmutableMultiDict(self.query), header=Headers(dict(self.headers)), path=dict(self.params)
        )

    @property
    def method(self) -> str:
        """The method in lower case."""
        return self.operation.split(" ")[0].lower()

    @property
    def path(self) -> str:
        """The template with a stand-in for each parameter: the values are shown in `parameters`."""
        return self.path_pattern.replace("{", "").replace("}", "")

    @property
    def path_pattern(self) -> str:
        """GitHub's template of the path."""
        return self.operation.split(" ")[1]


@dataclass(frozen=True)
class _AnswerFacts:
    status_code: int
    headers: Headers
    data: bytes
    content_type: str = "application/json"


class Description:
    """GitHub's description in one REST version."""

    def __init__(self, version: str) -> None:
        self._document = load(version)
        self._openapi = OpenAPI.from_dict(self._document, Config(spec_validator_cls=None))
        self._gone = set().union(*_GONE.values()) if version == NEW_VERSION else set()

    def check_request(self, request: RequestFacts) -> Violation | None:
        """How a request strays: unknown or missing fields, wrong types, unknown values."""
        try:
            self._openapi.validate_request(request)
        except OpenAPIError as error:
            causes = list(_causes(error))
            limits = [_LIMITS[c.validator].format(c.validator_value, len(c.instance)) for c in causes if _is_limit(c)]
            limit = limits[0] if limits and len(limits) == len(causes) else None
            return Violation(f"request {request.operation}: {_sentence(error, causes)}", limit)
        return None

    def check_answer(
        self, request: RequestFacts, status: int, headers: Mapping[str, str], body: bytes
    ) -> Violation | None:
        """How an answer strays. An error that the operation does not list must still look like GitHub's errors."""
        listed = self._document["paths"][request.path_pattern][request.method]["responses"]
        if str(status) not in listed and status >= 400:  # noqa: PLR2004 - HTTP's own border
            return _check_error(request, status, body)
        try:
            self._openapi.validate_response(request, _AnswerFacts(status, Headers(dict(headers)), body))
        except OpenAPIError as error:
            return Violation(f"answer {status} of {request.operation}: {_sentence(error, list(_causes(error)))}")
        return None

    def without_dropped(self, view: Any) -> Any:
        """A view without the properties that this REST version no longer has."""
        if not self._gone:
            return view
        return _drop(view)


@cache
def describe(version: str) -> Description:
    """The description of a REST version; reading one takes some tenths of a second."""
    return Description(version)


def load(version: str) -> dict[str, Any]:
    """The description's document: request bodies closed, and for the newer version without what it dropped."""
    document = _read()
    for name, properties in _REALLY_NULLABLE.items():
        for each in properties:
            document["components"]["schemas"][name]["properties"][each]["nullable"] = True
    if version == NEW_VERSION:
        for name, gone in _GONE.items():
            schema = document["components"]["schemas"][name]
            schema["properties"] = {key: value for key, value in schema["properties"].items() if key not in gone}
            schema["required"] = [key for key in schema["required"] if key not in gone]
    for methods in document["paths"].values():
        for operation in methods.values():
            for media in operation.get("requestBody", {}).get("content", {}).values():
                media["schema"] = _closed(media["schema"], document)
    return document


def _read() -> dict[str, Any]:
    document: dict[str, Any] = _as_meant(json.loads((FOLDER / "rest-and-webhooks.json").read_text()))
    return document


def _as_meant(node: Any) -> Any:
    """The description as GitHub means it, where OpenAPI 3.0 to the letter would refuse what GitHub really sends.

    `nullable` beside an enum or alternatives allows null, and a discriminator does not speak of arrays.
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


def _drop(view: Any) -> Any:
    if isinstance(view, list):
        return [_drop(item) for item in view]
    if not isinstance(view, dict):
        return view
    gone: set[str] = set()
    if "default_branch" in view:
        gone = _GONE["repository"]
    elif "review_comment_url" in view:
        gone = _GONE["pull-request"]
    elif "resources" in view:
        gone = _GONE["rate-limit-overview"]
    return {key: _drop(value) for key, value in view.items() if key not in gone}


def _check_error(request: RequestFacts, status: int, body: bytes) -> Violation | None:
    error = json.loads(body)
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        return None
    return Violation(f"answer {status} of {request.operation}: not an error as GitHub writes them")


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


class WebhookDescription:
    """GitHub's description of the webhooks' payloads."""

    def __init__(self) -> None:
        resource = DRAFT4.create_resource(_read())
        self._registry: Registry[Any] = Registry().with_resource(_WEBHOOKS, resource)

    def check(self, event: str, action: str, payload: Mapping[str, Any]) -> Violation | None:
        """How a payload strays."""
        name = f"{event}-{action}".replace("_", "-")
        validator = OAS30Validator({"$ref": f"{_WEBHOOKS}#/x-webhooks/{name}"}, registry=self._registry)
        match = best_match(validator.iter_errors(json.loads(json.dumps(payload))))
        if match is None:
            return None
        return Violation(f"webhook {name}: {match.json_path} {match.message[:400]}")


@cache
def describe_webhooks() -> WebhookDescription:
    """The description of the webhooks' payloads."""
    return WebhookDescription()
