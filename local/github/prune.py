"""Cuts GitHub's own descriptions down to what is served here, without their prose; scripts/world.py writes it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

from graphql import DocumentNode, Node, parse, print_ast
from graphql.language import REMOVE, Visitor, visit

from local.github.routes import OPERATIONS

PROSE = frozenset({"description", "summary", "example", "examples", "externalDocs", "tags", "title"})
HOLDS_NAMES = frozenset({"properties", "schemas", "parameters", "responses", "headers", "content"})
_LONGEST, _SHORTENED = 120, 100
DROPPED = {
    "full-repository": {"has_downloads", "use_squash_pr_title_as_default"},
    "nullable-repository": {"has_downloads", "master_branch", "use_squash_pr_title_as_default"},
    "pull-request": {"assignee", "merge_commit_sha"},
    "pull-request-simple": {"assignee", "merge_commit_sha"},
    "repository": {"has_downloads", "master_branch", "use_squash_pr_title_as_default"},
}
"""The properties that REST version 2026-03-10 has dropped, by schema: all answers are in that version."""


def prune_openapi(whole: dict[str, Any], webhooks: list[str]) -> dict[str, Any]:
    """Keep the operations and webhooks that are served, and the components that they reach."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        if operation.is_described:
            method, path = operation.name.split(" ")
            paths.setdefault(path, {})[method.lower()] = _strip(whole["paths"][path][method.lower()])
    payloads = {name: _strip(_payload(whole["x-webhooks"][name])) for name in webhooks}
    components: dict[str, dict[str, Any]] = {}
    _collect([paths, payloads], whole, components)
    for name, gone in DROPPED.items():
        schema = components["schemas"].get(name, {"properties": {}, "required": []})
        schema["properties"] = {key: value for key, value in schema["properties"].items() if key not in gone}
        schema["required"] = [key for key in schema["required"] if key not in gone]
    return {
        "openapi": whole["openapi"],
        "info": {"title": "GitHub REST API, in part", "version": whole["info"]["version"]},
        "paths": paths,
        "x-webhooks": payloads,
        "components": {kind: dict(sorted(found.items())) for kind, found in sorted(components.items())},
    }


def _payload(webhook: dict[str, Any]) -> Any:
    return webhook["post"]["requestBody"]["content"]["application/json"]["schema"]


def _strip(node: Any, names: bool = False) -> Any:
    """Drop prose; the keys of `properties` and their like are names, not keywords, and stay."""
    if isinstance(node, list):
        return [_strip(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _strip(value, key in HOLDS_NAMES and not names)
        for key, value in node.items()
        if names or not (key in PROSE or key.startswith("x-"))
    }


def _collect(node: Any, whole: dict[str, Any], found: dict[str, dict[str, Any]]) -> None:
    for reference in _references(node):
        _, kind, name = reference.removeprefix("#/").split("/")
        if name not in found.setdefault(kind, {}):
            found[kind][name] = _strip(whole["components"][kind][name])
            _collect(found[kind][name], whole, found)


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for item in node:
            yield from _references(item)
    elif isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from _references(value)


def written(document: dict[str, Any]) -> str:
    """JSON with one line for each path and component, so that a new version's differences can be read."""

    def write(node: Any, depth: int) -> str:
        if depth == 0 or not isinstance(node, dict):
            return json.dumps(node, separators=(",", ":"), sort_keys=True)
        return "{\n" + ",\n".join(f"{json.dumps(k)}:{write(v, depth - 1)}" for k, v in node.items()) + "\n}"

    parts = {key: write(value, 2 if key == "components" else 1) for key, value in document.items()}
    return "{\n" + ",\n".join(f"{json.dumps(key)}:{text}" for key, text in parts.items()) + "\n}\n"


def prune_graphql(whole: str, served: str) -> str:
    """Keep the types that are served, and of objects and interfaces the fields that are; other types stay whole."""
    kept = {_name(node): node for node in _definitions(served)}
    found = [_narrow(node, kept[_name(node)]) for node in _definitions(whole) if _name(node) in kept]
    return print_ast(DocumentNode(definitions=tuple(sorted(found, key=_name)))) + "\n"


def _definitions(sdl: str) -> list[Any]:
    document = visit(parse(sdl, no_location=True), _WithoutProse())
    return [node for node in document.definitions if hasattr(node, "name")]


class _WithoutProse(Visitor):
    """Removes descriptions and directives."""

    def enter(self, node: Node, *_: Any) -> Any:
        if node.kind in ("directive", "directive_definition"):
            return REMOVE
        if getattr(node, "description", None) is None:
            return None
        return replace(cast(Any, node), description=None)


def _narrow(node: Any, served: Any) -> Any:
    """Cut an object, interface or union to what is served of it."""
    if node.kind.startswith("input"):
        return node
    parts = [part for part in ("fields", "interfaces", "types") if hasattr(node, part)]
    names = {part: {_name(each) for each in getattr(served, part) or ()} for part in parts}
    return replace(node, **{p: tuple(e for e in getattr(node, p) or () if _name(e) in names[p]) for p in parts})


def _name(node: Any) -> str:
    return str(node.name.value)


def without_long_texts(payload: Any) -> Any:
    """Cut the long texts of a payload that are no addresses."""
    match payload:
        case dict():
            return {name: without_long_texts(each) for name, each in payload.items()}
        case list():
            return [without_long_texts(each) for each in payload]
        case str() if len(payload) > _LONGEST and not payload.startswith("http"):
            return payload[:_SHORTENED]
    return payload
