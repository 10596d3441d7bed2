"""Check runs in the shapes of GitHub's GraphQL schema, and the mutation that updates one."""

import json
import re
from typing import Any

from local.github.call import Call
from local.github.checks import change_check
from local.github.description import OLD_VERSION, RequestFacts, describe
from local.github.graphql_errors import forbidden, unknown_id, unprocessable
from local.github.graphql_pages import connect
from local.github.graphql_views import view_repository_node
from local.github.said_views import view_annotation, view_check
from local.github.state import CheckRun
from local.github.views import Json, node_id, read_node_id
from local.github.world import REPOSITORY_ID

_UPDATE = "PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}"
_NOT_IN_REST = {"checkRunId", "repositoryId", "clientMutationId"}
_CAPITAL = re.compile(r"[A-Z]")


def find_check_node(call: Call, number: int) -> Json | None:
    """A check run by its number. Raises GraphQLError with FORBIDDEN where the token may not read checks."""
    if call.actor.kind == "installation" and not call.actor.holds("checks:read"):
        raise forbidden()
    check = call.world.state.checks.get(number)
    return None if check is None else view_check_node(call, check)


def view_check_node(call: Call, check: CheckRun) -> Json:
    """A check run."""
    rest = view_check(call.world, check)
    return {
        "__typename": "CheckRun",
        "id": rest["node_id"],
        "databaseId": check.id,
        "name": check.name,
        "status": check.status.upper(),
        "conclusion": check.conclusion.upper() if check.conclusion else None,
        "title": check.title,
        "summary": check.summary,
        "text": check.text,
        "externalId": check.external_id,
        "detailsUrl": rest["details_url"],
        "url": rest["html_url"],
        "permalink": rest["html_url"],
        "startedAt": rest["started_at"],
        "completedAt": rest["completed_at"],
        "repository": lambda _: view_repository_node(call),
        "annotations": lambda _, **asked: connect(
            "annotations", check.annotations, lambda annotation: _view_annotation(call, check, annotation), asked
        ),
    }


def _view_annotation(call: Call, check: CheckRun, annotation: Json) -> Json:
    rest = view_annotation(call.world, check, annotation)
    return {
        "annotationLevel": rest["annotation_level"].upper(),
        "blobUrl": rest["blob_href"],
        "location": {
            side: {"line": rest[f"{side}_line"], "column": rest[f"{side}_column"]} for side in ("start", "end")
        },
        "message": rest["message"],
        "path": rest["path"],
        "rawDetails": rest["raw_details"],
        "title": rest["title"],
    }


def update_check_run(call: Call, told: Json) -> Json:
    """Say more of a check run, as far as REST would take it. Raises GraphQLError."""
    check = _find(call, told)
    if call.actor.kind != "installation" or not call.actor.holds("checks:write"):
        raise forbidden()
    change = _as_in_rest(told)
    _insist_on_limits(call, check, change)
    change_check(call, check, change)
    return {"checkRun": view_check_node(call, check), "clientMutationId": told.get("clientMutationId")}


def _find(call: Call, told: Json) -> CheckRun:
    """The check run that is meant, in the repository that is named beside it."""
    if not call.may_read or told["repositoryId"] != node_id("R", REPOSITORY_ID):
        raise unknown_id(told["repositoryId"])
    kind, number = read_node_id(told["checkRunId"]) or ("", 0)
    check = call.world.state.checks.get(number)
    if kind != "CR" or check is None:
        raise unknown_id(told["checkRunId"])
    return check


def _as_in_rest(told: Json) -> Json:
    """The mutation's input as the body that REST has for the same change; what is null is not said."""
    change: Json = _renamed({name: value for name, value in told.items() if name not in _NOT_IN_REST})
    for word in {"status", "conclusion"} & change.keys():
        change[word] = change[word].lower()
    for annotation in change.get("output", {}).get("annotations", ()):
        annotation.update(annotation.pop("location"), annotation_level=annotation["annotation_level"].lower())
    return change


def _renamed(node: Any) -> Any:
    """The same with names such as "raw_details" for "rawDetails"."""
    if isinstance(node, list):
        return [_renamed(item) for item in node]
    if not isinstance(node, dict):
        return node
    told = {name: value for name, value in node.items() if value is not None}
    return {_CAPITAL.sub(lambda m: f"_{m[0].lower()}", name): _renamed(value) for name, value in told.items()}


def _insist_on_limits(call: Call, check: CheckRun, change: Json) -> None:
    """Refuse what is over REST's limits, in REST's words. Raises GraphQLError."""
    if change.get("status") == "completed" and "conclusion" not in change:
        raise unprocessable('Invalid request.\n\n"conclusion" wasn\'t supplied.')
    params = {"owner": call.world.owner, "repo": call.world.name, "check_run_id": str(check.id)}
    sized = {name: value for name, value in change.items() if name != "status"}
    request = RequestFacts(_UPDATE, params, body=json.dumps(sized).encode())
    violation = describe(OLD_VERSION).check_request(request)
    if violation and violation.limit:
        raise unprocessable(f"Invalid request.\n\n{violation.limit}")
