"""The published description of the HTTP API."""

import json
from functools import cache
from typing import Any

from api_routes import app

_TEXT = """\
Proposals are changes that are reviewed before they are made. A proposal is submitted, claimed by a reviewer, approved
or sent back with notes, revised in place, and applied as one commit.

Send a GitHub token as `Authorization: Bearer <token>`. GitHub is asked who you are and what you may do in the
repository: reading requires read access, everything else write access. Commits are made with your own token, which is
never stored.

Errors are problem details (RFC 9457). The same tools are at `POST /mcp` for the Model Context Protocol."""


@cache
def description() -> str:
    """The description of the API in OpenAPI 3.1, as JSON."""
    from aws_lambda_powertools.event_handler.openapi.models import HTTPBearer  # noqa: PLC0415 - only needed here

    schema = app.get_openapi_json_schema(
        title="Kodiai: proposals and findings",
        version="1",
        description=_TEXT.replace("\n\n", "\0").replace("\n", " ").replace("\0", "\n\n"),
        security_schemes={"github": HTTPBearer(scheme="bearer", description="A GitHub token.")},
        security=[{"github": []}],
    )
    return json.dumps(_plain(json.loads(schema)), indent=2, ensure_ascii=False) + "\n"


def _plain(document: dict[str, Any]) -> dict[str, Any]:
    """Leave out what the generator makes up, and put the routes in order."""
    schemas = document["components"]["schemas"]
    for name in ("HTTPValidationError", "ResponseValidationError", "ValidationError"):
        schemas.pop(name, None)
    document["paths"] = dict(sorted(document["paths"].items()))
    for operation in (each for path in document["paths"].values() for each in path.values()):
        for parameter in operation.get("parameters", ()):
            kinds = parameter["schema"].pop("anyOf", [{}])  # "or null" in Python: a parameter is left out instead
            parameter["schema"] |= kinds[0]
    plain: dict[str, Any] = without_titles(document)
    return plain


def without_titles(node: Any) -> Any:
    """Leave out titles that repeat the names, and write whole numbers as such."""
    if isinstance(node, list):
        return [without_titles(each) for each in node]
    if isinstance(node, float) and node.is_integer():
        return int(node)
    if not isinstance(node, dict):
        return node
    made_up = {"type", "anyOf", "$ref", "enum"} & set(node) and isinstance(node.get("title"), str)
    return {name: without_titles(each) for name, each in node.items() if not (made_up and name == "title")}
