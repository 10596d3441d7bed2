"""Writes `descriptions/`: the parts of GitHub's own descriptions that the stand-in serves, without their prose.

Run once for each new version of the packages:
`python -m local.github.prune OPENAPI_PACKAGE GRAPHQL_PACKAGE`, each an unpacked npm package's folder.
"""

import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from graphql import (
    DocumentNode,
    FieldDefinitionNode,
    InterfaceTypeDefinitionNode,
    NamedTypeNode,
    Node,
    ObjectTypeDefinitionNode,
    UnionTypeDefinitionNode,
    parse,
    print_ast,
)
from graphql.language import REMOVE, Visitor, visit

from local.github.served import GRAPHQL_FIELDS, OPERATIONS, WEBHOOKS

FOLDER = Path(__file__).parent / "descriptions"
PROSE = frozenset({"description", "summary", "example", "examples", "externalDocs", "tags", "title"})
HOLDS_NAMES = frozenset({"properties", "schemas", "parameters", "responses", "headers", "content"})


def main(openapi: Path, graphql: Path) -> None:
    """Write the pruned files and the licences next to them."""
    FOLDER.mkdir(exist_ok=True)
    whole = json.loads((openapi / "generated" / "api.github.com.json").read_text())
    (FOLDER / "rest-and-webhooks.json").write_text(_lines(prune_openapi(whole)))
    (FOLDER / "schema.graphql").write_text(prune_graphql((graphql / "schema.graphql").read_text()))
    shutil.copyfile(openapi / "LICENSE", FOLDER / "LICENSE-octokit-openapi")
    shutil.copyfile(graphql / "LICENSE.md", FOLDER / "LICENSE-octokit-graphql-schema")


def prune_openapi(whole: dict[str, Any]) -> dict[str, Any]:
    """Keep the operations and webhooks that are served, and the components that they reach."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        method, path = operation.split(" ")
        paths.setdefault(path, {})[method.lower()] = _strip(whole["paths"][path][method.lower()])
    webhooks = {name: _strip(_payload(whole["x-webhooks"][name])) for name in WEBHOOKS}
    components: dict[str, dict[str, Any]] = {}
    _collect([paths, webhooks], whole, components)
    return {
        "openapi": whole["openapi"],
        "info": {"title": "GitHub REST API, in part", "version": whole["info"]["version"]},
        "paths": paths,
        "x-webhooks": webhooks,
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


def _lines(document: dict[str, Any]) -> str:
    """JSON with one line for each path and component, so that a new version's differences can be read."""

    def write(node: Any, depth: int) -> str:
        if depth == 0 or not isinstance(node, dict):
            return json.dumps(node, separators=(",", ":"), sort_keys=True)
        return "{\n" + ",\n".join(f"{json.dumps(k)}:{write(v, depth - 1)}" for k, v in node.items()) + "\n}"

    parts = {key: write(value, 2 if key == "components" else 1) for key, value in document.items()}
    return "{\n" + ",\n".join(f"{json.dumps(key)}:{text}" for key, text in parts.items()) + "\n}\n"


def prune_graphql(sdl: str) -> str:
    """Keep the served fields, and the enums, scalars and inputs that they reach."""
    document = visit(parse(sdl, no_location=True), _WithoutProse())
    definitions = {node.name.value: node for node in document.definitions if hasattr(node, "name")}
    kept: dict[str, Any] = {}
    wanted = list(GRAPHQL_FIELDS)
    while wanted:
        name = wanted.pop()
        if name in kept or name not in definitions:
            continue
        kept[name] = _narrow(definitions[name])
        wanted += [reached for reached in _named_types(kept[name]) if reached not in kept]
    return print_ast(DocumentNode(definitions=tuple(kept[name] for name in sorted(kept)))) + "\n"


class _WithoutProse(Visitor):
    """Removes descriptions and directives."""

    def enter(self, node: Node, *_: Any) -> Any:
        if node.kind in ("directive", "directive_definition"):
            return REMOVE
        if getattr(node, "description", None) is None:
            return None
        return replace(cast(Any, node), description=None)


def _narrow(node: Any) -> Node:
    """Cut an object, interface or union to what is served; leave enums, scalars and inputs whole."""
    if isinstance(node, UnionTypeDefinitionNode):
        return replace(node, types=tuple(t for t in node.types or () if t.name.value in GRAPHQL_FIELDS))
    if isinstance(node, ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode):
        interfaces = tuple(i for i in node.interfaces or () if i.name.value in GRAPHQL_FIELDS)
        fields = set(GRAPHQL_FIELDS[node.name.value])
        for interface in interfaces:
            fields |= set(GRAPHQL_FIELDS[interface.name.value])
        missing = fields - {field.name.value for field in node.fields or ()}
        if missing:
            raise ValueError(f"{node.name.value} has no {', '.join(sorted(missing))}")
        kept = tuple(field for field in node.fields or () if field.name.value in fields)
        return replace(node, interfaces=interfaces, fields=kept)
    return cast(Node, node)


def _named_types(node: Any) -> Iterator[str]:
    """The types that a definition's fields, arguments and members name."""
    parts: list[Any] = [*(getattr(node, "fields", None) or ()), *(getattr(node, "types", None) or ())]
    for part in parts:
        yield _name(part)
        if isinstance(part, FieldDefinitionNode):
            yield from (_name(argument) for argument in part.arguments or ())


def _name(node: Any) -> str:
    while not isinstance(node, NamedTypeNode):
        node = node.type
    return node.name.value


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
