"""The webhooks' payloads."""

from collections.abc import Callable, Mapping
from typing import Any

from local.github.git_data import view_commit
from local.github.hosted_repository import HostedRepository, timestamp
from local.github.pull_views import view_issue, view_pull, view_pull_simple
from local.github.review_views import view_check, view_comment, view_issue_comment, view_review, view_suite
from local.github.state import CommitStatus, MergeGroup, PullRequest
from local.github.views import (
    Json,
    node_id,
    view_hook,
    view_installation,
    view_label,
    view_login,
    view_repository,
)

Facts = Mapping[str, Any]
_BEYOND_THE_API = {"has_downloads": True}
UNSUBSCRIBED_EVENTS = frozenset({"installation", "installation_repositories", "ping"})
"""Every App gets these, without subscribing to them and without a repository."""
OWN_ACTIONS = {"check_run": ("rerequested", "requested_action"), "check_suite": ("rerequested",)}
"""Acts of people on an App's own checks, of which it hears without a subscription if it may write checks.

Source: https://docs.github.com/webhooks/webhook-events-and-payloads#check_run
"""


def payload(repository: HostedRepository, event: str, action: str, facts: Facts) -> Json:
    """The payload of an event; `facts` holds the things that it is about, and the sender's login.

    An edit's `changes`, the head `before` a push, and the `reason` for leaving a queue are passed on as they are.
    """
    installation = repository.installation.id
    where: Json = {
        "repository": view_repository(repository) | _BEYOND_THE_API,
        "installation": {"id": installation, "node_id": node_id("I", installation)},
    }
    return {
        **({"action": action} if action else {}),
        **({} if event in UNSUBSCRIBED_EVENTS else where),
        **_BODIES[event](repository, action, facts),
        **{name: facts[name] for name in ("before", "changes", "reason") if name in facts},
        **({} if event == "ping" else {"sender": view_login(repository, facts["sender"])}),
    }


def _installation(repository: HostedRepository, _: str, __: Facts) -> Json:
    return {"installation": view_installation(repository), "repositories": [_brief(repository)]}


def _installation_repositories(repository: HostedRepository, action: str, _: Facts) -> Json:
    named = [_brief(repository)]
    return {
        "installation": view_installation(repository),
        "repository_selection": "selected",
        "repositories_added": named if action == "added" else [],
        "repositories_removed": named if action == "removed" else [],
        "requester": None,
    }


def _ping(repository: HostedRepository, _: str, __: Facts) -> Json:
    app, times = repository.app, dict.fromkeys(("created_at", "updated_at"), timestamp(repository.now()))
    hook: Json = {
        "type": "App",
        "id": app.hook,
        "name": "web",
        "active": True,
        "app_id": app.id,
        "events": app.events,
        "config": view_hook(app),
        **times,
    }
    return {"zen": "Design for failure.", "hook_id": app.hook, "hook": hook}


def _brief(repository: HostedRepository) -> Json:
    whole = view_repository(repository)
    return {name: whole[name] for name in ("id", "node_id", "name", "full_name", "private")}


def _pull_request(repository: HostedRepository, action: str, facts: Facts) -> Json:
    pull: PullRequest = facts["pull"]
    body: Json = {"number": pull.number, "pull_request": _with_more(view_pull(repository, pull))}
    if action == "synchronize":
        body["after"] = pull.head_sha
    if action == "review_requested":
        body["requested_reviewer"] = view_login(repository, facts["reviewer"])
    if "label" in facts:
        body["label"] = view_label(repository, facts["label"])
    return body


def _with_more(view: Json) -> Json:
    """A pull request with what webhooks carry of it and of its repository beyond the API."""
    settings = dict.fromkeys(
        ("allow_auto_merge", "allow_update_branch", "delete_branch_on_merge", "use_squash_pr_title_as_default"), False
    ) | dict.fromkeys(("allow_merge_commit", "allow_rebase_merge", "allow_squash_merge"), True)
    words = {
        "merge_commit_message": "PR_TITLE",
        "merge_commit_title": "MERGE_MESSAGE",
        "squash_merge_commit_message": "COMMIT_MESSAGES",
        "squash_merge_commit_title": "COMMIT_OR_PR_TITLE",
    }
    for side in ("head", "base"):
        view[side]["repo"] |= settings | words | _BEYOND_THE_API
    return view | {"assignee": None, "merge_commit_sha": None}


def _issue_comment(repository: HostedRepository, _: str, facts: Facts) -> Json:
    return {
        "issue": view_issue(repository, facts["pull"]),
        "comment": view_issue_comment(repository, facts["comment"]),
    }


def _review(repository: HostedRepository, _: str, facts: Facts) -> Json:
    view = view_review(repository, facts["review"])
    return {
        "review": view | {"state": view["state"].lower(), "body": view["body"] or None},
        "pull_request": _with_more(view_pull_simple(repository, facts["pull"])),
    }


def _review_comment(repository: HostedRepository, _: str, facts: Facts) -> Json:
    return {
        "comment": view_comment(repository, facts["comment"]),
        "pull_request": _with_more(view_pull_simple(repository, facts["pull"])),
    }


def _check_run(repository: HostedRepository, action: str, facts: Facts) -> Json:
    view = view_check(repository, facts["check"]) | {"check_suite": view_suite(repository, facts["check"])}
    body: Json = {"check_run": view}
    if action == "requested_action":
        body["requested_action"] = {"identifier": facts["identifier"]}
    return body


def _check_suite(repository: HostedRepository, _: str, facts: Facts) -> Json:
    view = view_suite(repository, facts["check"])
    more = {
        "check_runs_url": f"{view['url']}/check-runs",
        "latest_check_runs_count": len(repository.state.latest_checks_of(view["head_sha"])),
        "rerequestable": True,
        "runs_rerequestable": True,
        "head_commit": _brief_commit(repository, view["head_sha"]),
    }
    return {"check_suite": view | more}


def _brief_commit(repository: HostedRepository, sha: str) -> Json:
    """A commit as suites and merge groups carry it."""
    commit = view_commit(repository, sha)["commit"]
    people = {who: {part: commit[who][part] for part in ("name", "email")} for who in ("author", "committer")}
    facts = {"id": sha, "tree_id": commit["tree"]["sha"], "message": commit["message"]}
    return facts | {"timestamp": commit["committer"]["date"], **people}


def _merge_group(repository: HostedRepository, _: str, facts: Facts) -> Json:
    group: MergeGroup = facts["group"]
    view = {
        "head_sha": group.head,
        "head_ref": f"refs/heads/{group.ref}",
        "base_sha": group.base,
        "base_ref": f"refs/heads/{group.branch}",
        "head_commit": _brief_commit(repository, group.head),
    }
    return {"merge_group": view}


def _status(repository: HostedRepository, _: str, facts: Facts) -> Json:
    status: CommitStatus = facts["status"]
    pulls = [each for each in repository.state.pulls.values() if each.head_sha == status.head and not each.from_fork]
    commit = {"sha": status.head, "url": f"{repository.api}/commits/{status.head}"}
    return {
        "id": status.id,
        "sha": status.head,
        "name": repository.full_name,
        "target_url": None,
        "avatar_url": None,
        "context": status.context,
        "description": status.description or None,
        "state": status.state,
        "commit": view_commit(repository, status.head),
        "branches": [{"name": name, "commit": commit, "protected": False} for name in {p.head_ref: 0 for p in pulls}],
        **dict.fromkeys(("created_at", "updated_at"), timestamp(status.at)),
    }


_BODIES: dict[str, Callable[[HostedRepository, str, Facts], Json]] = {
    "check_run": _check_run,
    "check_suite": _check_suite,
    "installation": _installation,
    "merge_group": _merge_group,
    "ping": _ping,
    "installation_repositories": _installation_repositories,
    "issue_comment": _issue_comment,
    "pull_request": _pull_request,
    "pull_request_review": _review,
    "pull_request_review_comment": _review_comment,
    "status": _status,
}
