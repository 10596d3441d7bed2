"""Check runs and commit statuses in the shapes of GitHub's GraphQL schema."""

from typing import Any

from local.github.call import Call
from local.github.graphql_results import connect, forbidden, node_not_found
from local.github.rules import is_required
from local.github.state import CheckRun, CommitStatus
from local.github.views import Json, node_id


def view_rollup(call: Call, commit: str) -> Json | None:
    """A commit's newest check runs and statuses, None where there are none.

    An App needs `checks: read` for any of it, and `statuses: read` for each status in it.
    Source: https://github.com/philips-software/pull-request-report-action/issues/724 (and 557)
    """
    if call.lacks("checks:read"):
        raise forbidden()
    hides_statuses = call.lacks("statuses:read")
    state = call.repository.state
    contexts: list[CheckRun | CommitStatus] = [*state.latest_checks_of(commit), *state.statuses_of(commit)]
    if not contexts:
        return None

    def view(each: CheckRun | CommitStatus) -> Any:
        if isinstance(each, CheckRun):
            return view_check(call, each)
        return forbidden() if hides_statuses else _view_status(call, each)

    return {"contexts": connect(lambda: contexts, view)}


def view_check(call: Call, check: CheckRun) -> Json:
    """A check run."""
    app = call.repository.app_named(check.app)
    return {
        "__typename": "CheckRun",
        "id": node_id("CR", check.id),
        "databaseId": check.id,
        "name": check.name,
        "status": check.status.upper(),
        "conclusion": check.conclusion and check.conclusion.upper(),
        "externalId": check.external_id or None,
        "title": check.title,
        "isRequired": lambda _, **pull: _is_required(call, check.name, app.id, **pull),
        "annotations": connect(lambda: check.annotations, _view_annotation),
    }


def _view_annotation(given: dict[str, Any]) -> Json:
    return {
        "path": given["path"],
        "message": given["message"],
        "title": given.get("title"),
        "location": {end: {"line": given[f"{end}_line"]} for end in ("start", "end")},
    }


def _view_status(call: Call, status: CommitStatus) -> Json:
    return {
        "__typename": "StatusContext",
        "id": node_id("SC", status.id),
        "context": status.context,
        "state": status.state.upper(),
        "isRequired": lambda _, **pull: _is_required(call, status.context, None, **pull),
    }


def _is_required(
    call: Call,
    name: str,
    app: int | None,
    *,
    pullRequestNumber: int | None = None,  # noqa: N803 - GitHub's names of the arguments
    pullRequestId: str | None = None,  # noqa: N803
) -> bool:
    pulls = call.repository.state.pulls.values()
    found = [each for each in pulls if pullRequestNumber == each.number or pullRequestId == node_id("PR", each.id)]
    if not found:
        raise node_not_found(f"Could not resolve to a PullRequest with the number of {pullRequestNumber}.")
    return is_required(call.repository, found[0].base_ref, name, app)
