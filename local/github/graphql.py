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

from local.github.answers import Answer, malformed
from local.github.call import Call
from local.github.description import FOLDER
from local.github.graphql_changes import mutations
from local.github.graphql_errors import forbidden, node_not_found
from local.github.graphql_nodes import find_node
from local.github.graphql_views import view_as_user, view_repository_node
from local.github.world import timestamp

_LONGEST_QUERY_CHARACTERS = 100_000


@cache
def schema() -> GraphQLSchema:
    """The pruned schema. GitHub's ids have outgrown 32 bits, and `databaseId` gives them all the same."""
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
    """The fields that a query asks of Query or Mutation, each as often and in the order in which it stands there."""
    try:
        document = _read(query)
    except (GraphQLError, RecursionError):
        return ()
    operations = [each for each in document.definitions if isinstance(each, OperationDefinitionNode)]
    asked = [field for operation in operations for field in operation.selection_set.selections]
    return tuple(field.name.value for field in asked if isinstance(field, FieldNode))


@lru_cache(maxsize=64)
def _read(query: str) -> DocumentNode:
    return parse(query)


@lru_cache(maxsize=64)
def _strays(query: str) -> list[GraphQLError]:
    """What the schema does not know. Clients send few texts, often, and to check one takes some milliseconds."""
    return validate(schema(), _read(query))


def answer_graphql(call: Call, complain: Callable[[str], None], forbids: Collection[str] = ()) -> Answer:
    """Run a query. What the schema does not know is answered as GitHub does, and told to `complain`.

    Fields whose names are in `forbids` fail as if the token might not see or do them.
    """
    query, variables = call.body.get("query"), call.body.get("variables") or {}
    if not isinstance(query, str) or not isinstance(variables, Mapping) or len(query) > _LONGEST_QUERY_CHARACTERS:
        raise malformed("A query attribute must be specified and must be a string.")
    try:
        strays = _strays(query)
    except GraphQLError as error:
        strays = [error]
    if strays:
        complain(f"query: {'; '.join(error.message for error in strays)}")
        return Answer(body={"errors": [_view_error(error) for error in strays]})
    operation = call.body.get("operationName")
    gates = [_gate(forbids)] if forbids else None
    told = dict(variables)
    result = execute_sync(schema(), _read(query), _root(call), call, told, operation, middleware=gates)
    errors = result.errors or []
    for cause in (failure.original_error for failure in errors):
        if cause is not None and not isinstance(cause, GraphQLError):
            complain(f"query: {cause!r}")
    body: dict[str, Any] = {"data": result.data} if result.data is not None or not errors else {}
    return Answer(body=body | ({"errors": [_view_error(error) for error in errors]} if errors else {}))


def _gate(names: Collection[str]) -> Callable[..., Any]:
    def resolve(following: Callable[..., Any], source: Any, info: GraphQLResolveInfo[Any], **arguments: Any) -> Any:
        if info.field_name in names:
            raise forbidden()
        return following(source, info, **arguments)

    return resolve


def _view_error(error: GraphQLError) -> dict[str, Any]:
    """GitHub puts an error's type beside its message, not into extensions."""
    view: dict[str, Any] = dict(error.extensions or {})
    if error.path:
        view["path"] = list(error.path)
    if error.locations:
        view["locations"] = [{"line": place.line, "column": place.column} for place in error.locations]
    return view | {"message": error.message}


def _root(call: Call) -> dict[str, Any]:
    return {
        "node": lambda _, id: find_node(call, id),  # noqa: A006 - GitHub's name of the argument
        "repository": lambda _, owner, name, **__: _repository(call, owner, name),
        "viewer": lambda _: view_as_user(call.world, call.login),
        "rateLimit": lambda _, **__: _rate_limit(call),
        **mutations(call),
    }


def _repository(call: Call, owner: str, name: str) -> dict[str, Any]:
    world = call.world
    if f"{owner}/{name}".lower() != world.full_name.lower() or not call.may_read:
        raise node_not_found(f"Could not resolve to a Repository with the name '{owner}/{name}'.")
    return view_repository_node(call)


def _rate_limit(call: Call) -> dict[str, Any]:
    rates = call.rates("graphql")
    return {"cost": 1, "nodeCount": 0, "resetAt": timestamp(rates["reset"]), **rates}
