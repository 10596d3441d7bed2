"""The form in which the Messages API takes a JSON schema.

It knows types, properties, items, enums and alternatives. Every other rule is told to the model in the description.
Source: https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
"""

from collections.abc import Collection, Mapping
from typing import Any

_FORMATS = frozenset("date date-time duration email hostname ipv4 ipv6 time uri uuid".split())
_ALTERNATIVES = {"anyOf": "anyOf", "oneOf": "anyOf", "allOf": "allOf"}
_TEXTS = ("description", "title")


def strict_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON schema as the API takes it, every object closed. Raises ValueError where it allows anything."""
    rest = dict(schema)
    strict: dict[str, Any] = {}
    if "$defs" in rest:
        strict["$defs"] = _each(rest.pop("$defs"))
    if "$ref" in rest:
        return {**strict, "$ref": rest["$ref"]}
    kind = rest.pop("type", None)
    alternatives = {name: found for name in _ALTERNATIVES if (found := rest.pop(name, None)) is not None}
    values = {name: rest.pop(name) for name in ("enum", "const") if _is_listed(name, rest)}
    strict |= values
    if alternatives:
        name, found = next(iter(alternatives.items()))
        strict[_ALTERNATIVES[name]] = [strict_schema(each) for each in found]
    elif not values and kind is None:
        raise ValueError("a schema without a type, values or alternatives allows anything")
    elif not values:
        strict["type"] = kind
    strict |= {name: rest.pop(name) for name in _TEXTS if name in rest}
    if not values:
        strict |= _inside(kind, rest)
    if rest:
        strict["description"] = "\n\n".join(
            [*([strict["description"]] if "description" in strict else []), _told(rest)]
        )
    return strict


def _each(schemas: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {name: strict_schema(each) for name, each in schemas.items()}


def _is_listed(name: str, rest: Mapping[str, Any]) -> bool:
    """Whether there are values of this kind, and each is one that the API can compare."""
    if name not in rest:
        return False
    values = rest[name] if name == "enum" else [rest[name]]
    return bool(values) and all(value is None or isinstance(value, str | int | float) for value in values)


def _inside(kind: str | None, rest: dict[str, Any]) -> dict[str, Any]:
    """What is taken of a type's own rules; it is removed from the rest."""
    match kind:
        case "object":
            rest.pop("additionalProperties", None)
            closed = {"properties": _each(rest.pop("properties", {})), "additionalProperties": False}
            return {**closed, "required": list(rest.pop("required"))} if "required" in rest else closed
        case "string":
            return _kept("format", rest, _FORMATS)
        case "array":
            items = {"items": strict_schema(rest.pop("items"))} if "items" in rest else {}
            return items | _kept("minItems", rest, (0, 1))
    return {}


def _kept(name: str, rest: dict[str, Any], known: Collection[object]) -> dict[str, Any]:
    """The rule of this name if its value is known; else it is told behind all others."""
    if name not in rest:
        return {}
    value = rest.pop(name)
    if value in known:
        return {name: value}
    rest[name] = value
    return {}


def _told(rest: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{name}: {value}" for name, value in rest.items()) + "}"
