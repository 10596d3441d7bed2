"""GitHub's GraphQL errors, with their types."""

from graphql import GraphQLError

from local.github.answers import Refused


def node_not_found(message: str) -> GraphQLError:
    """The error for what is not there, or may not be seen."""
    return GraphQLError(message, extensions={"type": "NOT_FOUND"})


def unknown_id(text: str) -> GraphQLError:
    """The error for a global id that names nothing, or nothing of the kind that is wanted."""
    return node_not_found(f"Could not resolve to a node with the global id of '{text}'.")


def forbidden(message: str = "Resource not accessible by integration") -> GraphQLError:
    """The error for what the token may not do."""
    return GraphQLError(message, extensions={"type": "FORBIDDEN", "extensions": {"saml_failure": False}})


def unprocessable(message: str) -> GraphQLError:
    """The error for what GitHub understands and does not take."""
    return GraphQLError(message, extensions={"type": "UNPROCESSABLE"})


def as_error(refused: Refused) -> GraphQLError:
    """REST's 422 for the same thing, with the first of its sentences."""
    first = refused.answer.body["errors"][0]
    return unprocessable(first if isinstance(first, str) else first["message"])
