"""Check runs, which only Apps write, and commit statuses: they belong to a head, not to a pull request."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from local.github.answers import ApiResponse, api_error, malformed
from local.github.call import Call, cut
from local.github.hosted_repository import HostedRepository
from local.github.review_views import view_check
from local.github.state import CheckRun, CommitStatus


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
    _note(repository, check, call.login, "started check")
    _report_suite(repository, check, call.login, given.get("conclusion"))
    return ApiResponse(201, view_check(repository, check))


def change_check(call: Call, check: CheckRun, given: dict[str, Any]) -> None:
    """Change a check run by a body of REST's, and note it."""
    _apply(call.repository, check, given)
    _note(call.repository, check, call.login, "updated check")
    _report_suite(call.repository, check, call.login, given.get("conclusion"))


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


def report_check(
    repository: HostedRepository,
    head: str,
    name: str,
    conclusion: str | None,
    annotations: Sequence[dict[str, Any]],
    app: str,
) -> CheckRun:
    """Another App's check run: one that is in progress goes on, one that is completed is made again."""
    latest = [each for each in repository.state.latest_checks_of(head) if (each.app, each.name) == (app, name)]
    if latest and latest[0].status != "completed":
        [check] = latest
    else:
        check = CheckRun(
            repository.state.new_id(), head, name, "in_progress", None, "", repository.now(), None, app=app
        )
        repository.state.checks[check.id] = check
    output = {"output": {"summary": "", "annotations": list(annotations)}} if annotations else {}
    _apply(repository, check, output | {"conclusion": conclusion})
    _note(repository, check, f"{app}[bot]", name)
    action = "completed" if conclusion else "created"
    repository.send_webhook(f"check_run.{action}", {"check": check, "sender": f"{app}[bot]"})
    _report_suite(repository, check, f"{app}[bot]", conclusion)
    return check


def _report_suite(repository: HostedRepository, check: CheckRun, login: str, conclusion: str | None) -> None:
    """Report the suite of a check run that has a conclusion now, if no other is open in it, also to its own App.

    Source: https://github.com/octo-sts/app/pull/988
    """
    runs = [each for each in repository.state.latest_checks_of(check.head) if each.app == check.app]
    if conclusion and all(run.conclusion for run in runs):
        repository.send_webhook("check_suite.completed", {"check": check, "sender": login})


def report_status(repository: HostedRepository, status: CommitStatus) -> None:
    """Somebody's status of a commit, with its webhook."""
    repository.state.statuses[status.id] = status
    for pull in repository.state.pulls.values():
        if pull.head_sha == status.head:
            repository.note(pull.number, status.creator, f"{status.context}: {status.state}", status.id)
    repository.send_webhook("status", {"status": status, "sender": status.creator})


def _note(repository: HostedRepository, check: CheckRun, login: str, what: str) -> None:
    for pull in repository.state.pulls.values():
        if pull.head_sha == check.head:
            repository.note(pull.number, login, f"{what}: {check.conclusion or check.status}", check.id)


def list_checks_of_commit(call: Call) -> ApiResponse:
    """The check runs of a commit, newest first; of each App's names only the latest unless `filter` is "all"."""
    repository, query = call.repository, call.query
    head = repository.copy.tip(call.params["ref"])
    if head is None:
        raise api_error(422, f"No commit found for SHA: {call.params['ref']}")
    is_all = query.get("filter") == "all"
    found = (repository.state.checks_of if is_all else repository.state.latest_checks_of)(head)[::-1]
    if name := query.get("check_name"):
        found = [check for check in found if check.name == name]
    if app := query.get("app_id"):
        found = [check for check in found if repository.app_named(check.app).id == int(app)]
    part, links = cut(call, found)
    views = [view_check(repository, check) for check in part]
    return ApiResponse(body={"total_count": len(found), "check_runs": views}, headers=links)
