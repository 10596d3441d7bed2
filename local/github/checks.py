"""Check runs: only an App writes them, and they belong to a head, not to a pull request."""

from datetime import datetime
from typing import Any

from local.github.answers import ApiResponse, api_error, malformed
from local.github.call import Call, cut
from local.github.hosted_repository import HostedRepository
from local.github.review_views import view_check
from local.github.state import CheckRun


def create_check(call: Call) -> ApiResponse:
    """Open a check run on a commit."""
    repository, given = call.repository, call.body
    head = repository.copy.tip(given["head_sha"])
    if head is None:
        raise api_error(422, f"No commit found for SHA: {given['head_sha']}")
    if given.get("status") == "completed" and not given.get("conclusion"):
        raise malformed('"conclusion" wasn\'t supplied.')
    check = CheckRun(
        id=repository.state.new_id(),
        head=head,
        name=given["name"],
        status="queued",
        conclusion=None,
        external_id="",
        started_at=repository.now(),
        completed_at=None,
    )
    _apply(repository, check, given)
    repository.state.checks[check.id] = check
    _note(call, check, "started check")
    return ApiResponse(201, view_check(repository, check))


def change_check(call: Call, check: CheckRun, given: dict[str, Any]) -> None:
    """Change a check run by a body of REST's, and note it."""
    _apply(call.repository, check, given)
    _note(call, check, "updated check")


def _apply(repository: HostedRepository, check: CheckRun, given: dict[str, Any]) -> None:
    check.name = given.get("name", check.name)
    check.external_id = given.get("external_id", check.external_id)
    check.actions = given.get("actions", check.actions)
    check.status = given.get("status", check.status)
    check.started_at = _time(given.get("started_at")) or check.started_at
    if given.get("conclusion"):
        check.status, check.conclusion = "completed", given["conclusion"]
        check.completed_at = _time(given.get("completed_at")) or repository.now()
    elif "status" in given:
        check.conclusion = check.completed_at = None
    if output := given.get("output"):
        check.title, check.summary = output.get("title", check.title), output["summary"]
        check.text = output.get("text", check.text)
        check.annotations += output.get("annotations", [])


def _time(text: str | None) -> float | None:
    return datetime.fromisoformat(text).timestamp() if text else None


def _note(call: Call, check: CheckRun, what: str) -> None:
    for pull in call.repository.state.pulls.values():
        if pull.head_sha == check.head:
            call.repository.note(pull.number, call.login, f"{what}: {check.conclusion or check.status}", check.id)


def list_checks_of_commit(call: Call) -> ApiResponse:
    """The check runs of a commit, newest first; of each name only the latest unless `filter` is "all"."""
    repository, query = call.repository, call.query
    head = repository.copy.tip(call.params["ref"])
    if head is None:
        raise api_error(422, f"No commit found for SHA: {call.params['ref']}")
    found = repository.state.checks_of(head)[::-1]
    if name := query.get("check_name"):
        found = [check for check in found if check.name == name]
    if query.get("filter", "latest") == "latest":
        latest = {check.name: check for check in reversed(found)}
        found = [check for check in found if latest[check.name] is check]
    part, links = cut(call, found)
    views = [view_check(repository, check) for check in part]
    return ApiResponse(body={"total_count": len(found), "check_runs": views}, headers=links)
