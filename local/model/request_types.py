"""Whether a request fits the types that Anthropic's own SDK states for it."""

import functools
from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator, ValidationError  # type: ignore[import-untyped]
from jsonschema.exceptions import best_match  # type: ignore[import-untyped]
from pydantic import TypeAdapter

_TAGS = ("type", "role")
_LONGEST = 200


def type_error(request: Mapping[str, Any]) -> str | None:
    """Say what does not fit, in the form `messages.0.content: why`, or None."""
    found = best_match(_validator().iter_errors(request))
    if found is None:
        return None
    error = _within(found)
    place = ".".join(str(step) for step in error.absolute_path)
    said = error.message[:_LONGEST]
    return f"{place}: {said}" if place else said


@functools.cache
def _validator() -> Any:
    """The SDK's type of a request that is not streamed, as a JSON schema in which every object is closed."""
    from anthropic.types import message_create_params  # noqa: PLC0415 - it takes a second to import

    schema = TypeAdapter(message_create_params.MessageCreateParamsNonStreaming).json_schema()
    _close(schema)
    return Draft202012Validator(schema)


def _close(node: object) -> None:
    if isinstance(node, dict):
        if node.get("type") == "object" and "properties" in node and node.get("title") != "InputSchemaTyped":
            node["additionalProperties"] = False
        for child in node.values():
            _close(child)
    elif isinstance(node, list):
        for child in node:
            _close(child)


def _within(error: ValidationError) -> ValidationError:
    """The error of the branch of a union whose `type` or `role` fits, instead of that no branch fits."""
    others = {each.schema_path[0] for each in error.context if each.path and each.path[-1] in _TAGS}
    meant = [each for each in error.context if each.schema_path[0] not in others and each.validator != "type"]
    return _within(meant[0]) if meant else error
