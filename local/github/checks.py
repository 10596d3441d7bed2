"""Check runs: only an App writes them, and they belong to a head, not to a pull request."""

from datetime import datetime
from typing import Any

from local.github.answers import Answer, malformed, refuse
from local.github.call import Call, cut
from local.github.review_views import view_check
from local.github.state import CheckRun
from local.github.world import World


def create_check(call: Call) -> Answer:
    """Open a check run on a commit."""
    world, given = call.world, call.body
    head = world.shadow.tip(given["head_sha"])
    if head is None:
        raise refuse(422, f"No commit found for SHA: {given['head_sha']}")
    if given.get("status") == "completed" and not given.get("conclusion"):
        raise malformed('"conclusion" wasn\'t supplied.')
    check = CheckRun(
        id=world.state.new_id(),
        head=head,
        name=given["name"],
        status="queued",
        conclusion=None,
        external_id="",
        started_at=world.now(),
        completed_at=None,
    )
    _apply(world, check, given)
    world.state.checks[check.id] = check
    _note(call, check, "started check")
    return Answer(201, view_check(world, check))


def change_check(call: Call, check: CheckRun, given: dict[str, Any]) -> None:
    """Change a check run by a body of REST's, and note it."""
    _apply(call.world, check, given)
    _note(call, check, "updated check")


def _apply(world: World, check: CheckRun, given: dict[str, Any]) -> None:
    check.name = given.get("name", check.name)
    check.external_id = given.get("external_id", check.external_id)
    check.actions = given.get("actions", check.actions)
    check.status = given.get("status", check.status)
    check.started_at = _time(given.get("started_at")) or check.started_at
    if given.get("conclusion"):
        check.status, check.conclusion = "completed", given["conclusion"]
        check.completed_at = _time(given.get("completed_at")) or world.now()
    elif "status" in given:
        check.conclusion = check.completed_at = None
    if output := given.get("output"):
        check.title, check.summary = output.get("title", check.title), output["summary"]
        check.text = output.get("text", check.text)
        check.annotations += output.get("annotations", [])


def _time(text: str | None) -> float | None:
    return datetime.fromisoformat(text).timestamp() if text else None


def _note(call: Call, check: CheckRun, what: str) -> None:
    for pull in call.world.state.pulls.values():
        if pull.head_sha == check.head:
            call.world.note(pull.number, call.login, f"{what}: {check.conclusion or check.status}", check.id)


def list_checks_of_commit(call: Call) -> Answer:
    """The check runs of a commit, newest first; of each name only the latest unless `filter` is "all"."""
    world, query = call.world, call.query
    head = world.shadow.tip(call.params["ref"])
    if head is None:
        raise refuse(422, f"No commit found for SHA: {call.params['ref']}")
    found = world.state.checks_of(head)[::-1]
    if name := query.get("check_name"):
        found = [check for check in found if check.name == name]
    if query.get("filter", "latest") == "latest":
        latest = {check.name: check for check in reversed(found)}
        found = [check for check in found if latest[check.name] is check]
    part, links = cut(call, found)
    views = [view_check(world, check) for check in part]
    return Answer(body={"total_count": len(found), "check_runs": views}, headers=links)
