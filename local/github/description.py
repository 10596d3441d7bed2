"""Checks every request, answer and webhook against GitHub's own description of them."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012, Draft202012Validator, Registry, ValidationError
from jsonschema_rs import ValidationErrorKind as Kind

from local.github.answers import ApiResponse
from local.misfit import gist, reason

FOLDER = Path(__file__).parent / "descriptions"
_HOME = "urn:github"
_LONGEST = 400
_INT64 = {"minimum": -(2**63), "maximum": 2**63 - 1}
_NUMBER = re.compile(r"[+-]?\d{1,30}")
_REALLY_NULLABLE = {"pull-request-review-comment": ("position", "line", "original_line")}
"""Null for outdated comments and for those on whole files, as the webhooks' description of the same thing has it."""


@dataclass(frozen=True)
class Violation:
    """A way in which something strays from the description.

    `limit` is what GitHub says where nothing but a count or a length is over its limit, which is no malformed request.
    """

    sentence: str
    limit: str | None = None


@dataclass(frozen=True)
class OpenRequest:
    """A request of an operation, "GET /repos/{owner}/{repo}/…".

    `params` are of its path, and `body` is what its JSON says, None where there is no body.
    """

    operation: str
    params: Mapping[str, str]
    query: Mapping[str, str]
    body: Any


class Description:
    """GitHub's description of its REST API and of the payloads of its webhooks.

    A schema is compiled when something is held against it for the first time.
    """

    def __init__(self) -> None:
        document = load()
        schemas = document["components"]["schemas"]
        self._registry = Registry([(_HOME, {"components": {"schemas": schemas}})], draft=Draft202012)
        self._operations = {
            f"{method.upper()} {path}": operation
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        }
        self._webhooks = document["x-webhooks"]
        self._compiled: dict[str, Draft202012Validator] = {}
        self.permissions = frozenset(schemas["app-permissions"]["properties"])
        """The names of the permissions that an App can have."""

    def check_request(self, request: OpenRequest) -> Violation | None:
        """The ways in which a request strays: unknown or missing fields, wrong types, unknown values."""
        schema = self._operations[request.operation]["request"]
        kinds = schema["properties"]["parameters"]["properties"]
        texts = {**request.query, **request.params}
        given: dict[str, Any] = {"parameters": {name: _typed(text, kinds.get(name)) for name, text in texts.items()}}
        if request.body is not None:
            given["body"] = request.body
        name = f"request {request.operation}"
        errors = self._errors(name, schema, given)
        if not errors:
            return None
        limits = [limit for error in errors if (limit := _limit(error))]
        return Violation(_sentence(name, errors), limits[0] if len(limits) == len(errors) else None)

    def check_answer(self, request: OpenRequest, answer: ApiResponse) -> Violation | None:
        """The ways in which an answer strays: a status or fields that are not described."""
        if answer.raw is not None:
            return None
        name = f"answer {answer.status} of {request.operation}"
        described = self._operations[request.operation]["responses"].get(str(answer.status))
        if described is None:
            return Violation(f"{name}: no such status is described")
        if "content" not in described:
            return None
        errors = self._errors(name, described["content"]["application/json"]["schema"], answer.body)
        return Violation(_sentence(name, errors)) if errors else None

    def check_webhook(self, event: str, action: str, payload: Mapping[str, Any]) -> Violation | None:
        """The ways in which a webhook's payload strays."""
        what = "-".join(filter(None, (event, action))).replace("_", "-")
        name = f"webhook {what}"
        errors = self._errors(name, self._webhooks[what], payload)
        return Violation(_sentence(name, errors)) if errors else None

    def _errors(self, name: str, schema: Any, value: Any) -> list[ValidationError]:
        validator = self._compiled.get(name)
        if validator is None:
            validator = Draft202012Validator(schema, registry=self._registry, validate_formats=True)
            self._compiled[name] = validator
        return [] if validator.is_valid(value) else list(validator.iter_errors(value))


@cache
def describe() -> Description:
    """The description; reading it takes some hundredths of a second."""
    return Description()


def load() -> dict[str, Any]:
    """The description's document, with request bodies closed, and each operation's request as one schema."""
    document: dict[str, Any] = _as_meant(json.loads((FOLDER / "rest-and-webhooks.json").read_text()))
    components = document["components"]
    for name, properties in _REALLY_NULLABLE.items():
        for each in properties:
            components["schemas"][name]["properties"][each]["type"] = ["integer", "null"]
    completed, requested = (
        components["schemas"][f"webhook-check-suite-{action}"]["properties"]["check_suite"]["properties"]
        for action in ("completed", "rerequested")
    )
    # One of the two does not know that a suite may be skipped, nor that an App may subscribe to merge groups.
    requested |= {name: completed[name] for name in ("app", "conclusion")}
    installations = document["paths"]["/app/installations"]["get"]["responses"]["200"]["content"]["application/json"]
    # Its own copy of the component wants an account to be a user and an enterprise at once.
    installations["schema"]["items"] = {"$ref": f"{_HOME}#/components/schemas/installation"}
    for methods in document["paths"].values():
        for operation in methods.values():
            operation["request"] = _request(operation, components)
            operation["responses"] = {
                status: _resolved(response, components) for status, response in operation["responses"].items()
            }
    return document


def _request(operation: Mapping[str, Any], components: Mapping[str, Any]) -> dict[str, Any]:
    parameters = [_resolved(each, components) for each in operation.get("parameters", [])]
    needed = [each["name"] for each in parameters if each.get("required")]
    kinds = {each["name"]: each["schema"] for each in parameters}
    request: dict[str, Any] = {"properties": {"parameters": {"properties": kinds, "required": needed}}}
    if body := operation.get("requestBody"):
        request["properties"]["body"] = _closed(body["content"]["application/json"]["schema"], components)
        request["required"] = ["body"] if body.get("required") else []
    return request


def _resolved(node: dict[str, Any], components: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" not in node:
        return node
    kind, name = node["$ref"].split("/")[-2:]
    return dict(components[kind][name])


def _as_meant(node: Any) -> Any:
    """The description as JSON schemas know it, and as GitHub means it where it would refuse what GitHub really sends.

    `nullable` next to an enum or alternatives allows null, and a discriminator does not apply to arrays. A bot's email
    has brackets ("1+kodiai[bot]@users.noreply.github.com"), which the format of emails does not allow.
    """
    if isinstance(node, list):
        return [_as_meant(item) for item in node]
    if not isinstance(node, dict):
        return node
    meant = {key: _as_meant(value) for key, value in node.items() if not _is_discriminator(key, value)}
    if isinstance(meant.get("$ref"), str):
        meant["$ref"] = _HOME + meant["$ref"]
    if meant.get("format") == "int64":
        meant.update(_INT64)
    if meant.get("format") == "email":
        del meant["format"]
    if meant.get("nullable") is True:
        if "type" in meant:
            meant["type"] = [meant["type"], "null"]
        if "enum" in meant and None not in meant["enum"]:
            meant["enum"] = [*meant["enum"], None]
        for alternatives in {"oneOf", "anyOf"} & meant.keys():
            meant[alternatives] = [*meant[alternatives], {"type": "null"}]
    return meant


def _is_discriminator(key: str, value: Any) -> bool:
    return key == "discriminator" and isinstance(value, dict) and "propertyName" in value


def _closed(schema: Any, components: Mapping[str, Any]) -> Any:
    """The schema with no property left that it does not name: a misspelt field must not pass."""
    if isinstance(schema, list):
        return [_closed(part, components) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _closed(_resolved(schema, components), components)
    closed = {key: _closed(value, components) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and "type" in schema:
        closed.setdefault("additionalProperties", False)
    return closed


def _typed(text: str, schema: Any) -> int | str:
    """The value of a parameter, which is a number where one is described and it is one."""
    is_number = schema is not None and schema["type"] == "integer" and _NUMBER.fullmatch(text)
    return int(text) if is_number else text


def _limit(error: ValidationError) -> str | None:
    match error.kind, error.instance:
        case Kind.MaxItems(limit), list(items):
            return f"No more than {limit} items are allowed; {len(items)} were supplied."
        case Kind.MaxLength(limit), str(text):
            return f"Only {limit} characters are allowed; {len(text)} were supplied."
        case _:
            return None


def _sentence(name: str, errors: list[ValidationError]) -> str:
    error = gist(errors)
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.instance_path)
    return f"{name}: ${place} {reason(error)[:_LONGEST]}"
