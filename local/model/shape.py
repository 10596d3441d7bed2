"""Answers in the shape that a request's schema asks for."""

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]


def shaped(value: Any, schema: Schema) -> Any:
    """Leave of a JSON value the fields that the schema has, at every depth and in the schema's order.

    A part of the schema that names no fields takes everything. What the value lacks is not made up.
    """
    return _shaped(value, schema, schema.get("$defs", {}))


def _shaped(value: Any, schema: Schema, definitions: Mapping[str, Schema]) -> Any:
    for part in _parts(schema, definitions):
        if isinstance(value, dict) and "properties" in part:
            fields = part["properties"].items()
            return {name: _shaped(value[name], field, definitions) for name, field in fields if name in value}
        if isinstance(value, list) and "items" in part:
            return [_shaped(each, part["items"], definitions) for each in value]
    return value


def _parts(schema: Schema, definitions: Mapping[str, Schema]) -> list[Schema]:
    """The schema itself, or what it refers to, or its alternatives."""
    if "$ref" in schema:
        return _parts(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    return [part for each in schema["anyOf"] for part in _parts(each, definitions)] if "anyOf" in schema else [schema]
