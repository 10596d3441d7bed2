"""The GraphQL endpoint: GitHub's own schema in part, answered from the same state as REST."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from graphql import (
    GraphQLError,
    GraphQLObjectType,
    GraphQLScalarType,
    GraphQLSchema,
    build_schema,
    parse,
    validate,
)
from graphql.execution import execute_sync

from local.github.answers import Answer, malformed
from local.github.call import Call
from local.github.description import FOLDER
from local.github.graphql_changes import mutations
from local.github.graphql_views import find_node, node_not_found, view_actor, view_repository_node
from local.github.world import timestamp

_DEEPEST_QUERY_CHARACTERS = 100_000


@cache
def schema() -> GraphQLSchema:
    """The pruned schema. GitHub's ids have outgrown 32 bits, and `databaseId` gives them all the same."""
    built = build_schema((FOLDER / "schema.graphql").read_text(), assume_valid_sdl=True)
    large = GraphQLScalarType("WideInt", serialize=int)
    for kind in built.type_map.values():
        if isinstance(kind, GraphQLObjectType) and "databaseId" in kind.fields:
            kind.fields["databaseId"].type = large
    return built


def answer_graphql(call: Call, complain: Callable[[str], None]) -> Answer:
    """Run a query. What the schema does not know is answered as GitHub does, and told to `complain`."""
    query, variables = call.body.get("query"), call.body.get("variables") or {}
    if not isinstance(query, str) or not isinstance(variables, Mapping) or len(query) > _DEEPEST_QUERY_CHARACTERS:
        raise malformed("A query attribute must be specified and must be a string.")
    try:
        document = parse(query)
    except GraphQLError as error:
        complain(f"query: {error.message}")
        return Answer(body={"errors": [_view_error(error)]})
    strays = validate(schema(), document)
    if strays:
        complain(f"query: {'; '.join(error.message for error in strays)}")
        return Answer(body={"errors": [_view_error(error) for error in strays]})
    result = execute_sync(schema(), document, _root(call), call, dict(variables), call.body.get("operationName"))
    errors = result.errors or []
    for cause in (failure.original_error for failure in errors):
        if cause is not None and not isinstance(cause, GraphQLError):
            complain(f"query: {cause!r}")
    body: dict[str, Any] = {"data": result.data} if result.data is not None or not errors else {}
    return Answer(body=body | ({"errors": [_view_error(error) for error in errors]} if errors else {}))


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
        "viewer": lambda _: view_actor(call.world, call.login),
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
