"""The GraphQL endpoint: GitHub's own schema in part, answered from the same state as REST."""

import json
from collections.abc import Callable, Collection, Mapping
from functools import cache, lru_cache
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    GraphQLError,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLResolveInfo,
    GraphQLScalarType,
    GraphQLSchema,
    OperationDefinitionNode,
    build_schema,
    parse,
    validate,
)
from graphql.execution import execute_sync

from local.github.answers import ApiResponse, malformed
from local.github.call import Call
from local.github.description import FOLDER
from local.github.graphql_mutations import mutations
from local.github.graphql_objects import find_check, find_node, find_repository
from local.github.graphql_results import forbidden

_LONGEST_QUERY_CHARACTERS = 100_000


@cache
def schema() -> GraphQLSchema:
    """The pruned schema. GitHub's ids no longer fit into 32 bits, and `databaseId` gives them all the same."""
    built = build_schema((FOLDER / "schema.graphql").read_text(), assume_valid_sdl=True)
    large = GraphQLScalarType("WideInt", serialize=int)
    for kind in built.type_map.values():
        if isinstance(kind, GraphQLObjectType | GraphQLInterfaceType) and "databaseId" in kind.fields:
            kind.fields["databaseId"].type = large
    return built


def query_of(body: bytes) -> str:
    """The query text of a request as it came in; empty where there is none."""
    try:
        query = json.loads(body)["query"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return ""
    return query if isinstance(query, str) and len(query) <= _LONGEST_QUERY_CHARACTERS else ""


def root_fields(query: str) -> tuple[str, ...]:
    """The fields that a query asks of Query or Mutation, in their order there."""
    try:
        document = _read(query)
    except (GraphQLError, RecursionError):
        return ()
    operations = [each for each in document.definitions if isinstance(each, OperationDefinitionNode)]
    fields = [field for operation in operations for field in operation.selection_set.selections]
    return tuple(field.name.value for field in fields if isinstance(field, FieldNode))


@lru_cache(maxsize=64)
def _read(query: str) -> DocumentNode:
    return parse(query)


@lru_cache(maxsize=64)
def _unknown(query: str) -> list[GraphQLError]:
    """The errors of a text by the schema. Clients send few texts, often, and to check one takes some milliseconds."""
    try:
        return validate(schema(), _read(query))
    except GraphQLError as error:
        return [error]


def answer_graphql(call: Call) -> ApiResponse:
    """Run a query. What the schema does not know is answered as GitHub does, and is a violation."""
    query, variables = call.body.get("query"), call.body.get("variables") or {}
    if not isinstance(query, str) or not isinstance(variables, Mapping) or len(query) > _LONGEST_QUERY_CHARACTERS:
        raise malformed("A query attribute must be specified and must be a string.")
    if unknown := _unknown(query):
        call.violations.append(f"query: {'; '.join(error.message for error in unknown)}")
        return ApiResponse(body={"errors": [_view_error(error) for error in unknown]})
    gates = [_gate(call.forbidden)] if call.forbidden else None
    root = {
        "node": lambda _, id: find_check(call, id),  # noqa: A006 - GitHub's name of the argument
        "nodes": lambda _, ids: [find_node(call, each) for each in ids],
        "repository": lambda _, owner, name, **__: find_repository(call, owner, name),
        "viewer": {"login": call.login} if call.actor.login is not None else None,
        **mutations(call),
    }
    result = execute_sync(schema(), _read(query), root, call, dict(variables), middleware=gates)
    errors = result.errors or []
    for cause in (failure.original_error for failure in errors):
        if cause is not None and not isinstance(cause, GraphQLError):
            call.violations.append(f"query: {cause!r}")
    body: dict[str, Any] = {"data": result.data} if result.data is not None or not errors else {}
    return ApiResponse(body=body | ({"errors": [_view_error(error) for error in errors]} if errors else {}))


def _gate(names: Collection[str]) -> Callable[..., Any]:
    def resolve(following: Callable[..., Any], source: Any, info: GraphQLResolveInfo[Any], **arguments: Any) -> Any:
        if info.field_name in names:
            raise forbidden()
        return following(source, info, **arguments)

    return resolve


def _view_error(error: GraphQLError) -> dict[str, Any]:
    """GitHub puts an error's type next to its message, not into extensions."""
    view: dict[str, Any] = dict(error.extensions or {})
    if error.path:
        view["path"] = list(error.path)
    if error.locations:
        view["locations"] = [{"line": at.line, "column": at.column} for at in error.locations]
    return view | {"message": error.message}
