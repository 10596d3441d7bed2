"""Whether a request fits the types that Anthropic's own SDK states for it."""

import functools
import json
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator, ValidationError, validators  # type: ignore[import-untyped]
from jsonschema.exceptions import best_match  # type: ignore[import-untyped]
from pydantic import TypeAdapter

_TAGS = ("type", "role")
_JSON_TYPES = {"object": dict, "array": list, "string": str, "null": type(None)}


class RequestTypes:
    """The SDK's type of one request, as a JSON schema in which every object is closed.

    A branch of a union is chosen by its `type` or `role`, so that a complaint names the field that is wrong
    instead of every branch that did not match.
    """

    def __init__(self, request_type: Any) -> None:
        schema = TypeAdapter(request_type).json_schema()
        self._definitions: dict[str, Any] = schema.get("$defs", {})
        _close(schema)
        keywords = {"anyOf": self._any_of}
        self._validator = validators.extend(Draft202012Validator, keywords)(schema)

    def complaint(self, request: object) -> str | None:
        """Say what does not fit, in the form `messages.0.content: why`, or None."""
        error = best_match(self._validator.iter_errors(request))
        if error is None:
            return None
        place = ".".join(str(step) for step in error.absolute_path)
        return f"{place}: {_reason(error)}" if place else _reason(error)

    def _any_of(
        self, validator: Any, branches: list[dict[str, Any]], value: object, schema: dict[str, Any]
    ) -> Iterator[ValidationError]:
        meant = [branch for branch in branches if self._is_meant(branch, value)]
        if any(validator.evolve(schema=branch).is_valid(value) for branch in meant):
            return
        if meant:
            yield from validator.descend(value, meant[0])
        else:
            yield from Draft202012Validator.VALIDATORS["anyOf"](validator, branches, value, schema)

    def _is_meant(self, branch: dict[str, Any], value: object) -> bool:
        """Whether the branch is of the value's JSON type and of its tag; a branch without tag takes any."""
        target = self._definitions.get(branch.get("$ref", "").removeprefix("#/$defs/"), branch)
        if not isinstance(value, dict):
            return _JSON_TYPES.get(target.get("type")) in (None, type(value))
        properties = target.get("properties", {})
        if target.get("type", "object") != "object":
            return False
        for tag in _TAGS:
            if tag in properties and (tag in value or tag in target.get("required", ())):
                allowed = _allowed(properties[tag])
                return not allowed or value.get(tag) in allowed
        return True


@functools.cache
def message_request(*, streaming: bool) -> RequestTypes:
    """`POST /v1/messages`."""
    from anthropic.types import message_create_params as params  # noqa: PLC0415  # it takes a second to import

    return RequestTypes(params.MessageCreateParamsStreaming if streaming else params.MessageCreateParamsNonStreaming)


@functools.cache
def count_request() -> RequestTypes:
    """`POST /v1/messages/count_tokens`."""
    from anthropic.types import message_count_tokens_params as params  # noqa: PLC0415  # as above

    return RequestTypes(params.MessageCountTokensParams)


def _close(node: object) -> None:
    if isinstance(node, dict):
        if node.get("type") == "object" and "properties" in node and node.get("title") != "InputSchemaTyped":
            node["additionalProperties"] = False
        for child in node.values():
            _close(child)
    elif isinstance(node, list):
        for child in node:
            _close(child)


def _allowed(tag: dict[str, Any]) -> list[object]:
    found = [tag["const"]] if "const" in tag else list(tag.get("enum", ()))
    for branch in tag.get("anyOf", ()):
        found += _allowed(branch)
    return found


def _reason(error: ValidationError) -> str:
    """Say what is wrong without repeating the value: it may be a whole file."""
    wanted = error.validator_value
    match error.validator:
        case "additionalProperties":
            known = error.schema.get("properties", {})
            return f"{', '.join(repr(name) for name in error.instance if name not in known)}: no such field here"
        case "required":
            return f"{', '.join(repr(name) for name in wanted if name not in error.instance)}: missing"
        case "type":
            return f"should be of type {wanted}"
        case "const" | "enum":
            return f"should be {json.dumps(wanted)}"
        case _:
            return "fits none of the forms that are allowed here"
