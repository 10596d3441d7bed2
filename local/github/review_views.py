"""Reviews, comments and check runs in the shapes of GitHub's REST API."""

from collections.abc import Callable

from local.github.comment_places import current_place
from local.github.hosted_repository import HostedRepository, timestamp
from local.github.pull_views import view_pull_minimal
from local.github.state import CheckRun, IssueComment, Review, ReviewComment
from local.github.views import Json, association, node_id, view_app, view_login, view_rollup

_LINES = frozenset(("line", "original_line", "start_line", "original_start_line", "side", "start_side", "subject_type"))
_WORST_FIRST = (
    *("failure", "timed_out", "startup_failure", "cancelled", "action_required", "stale"),
    *("success", "neutral", "skipped"),
)


def view_review(repository: HostedRepository, review: Review) -> Json:
    """A review; a pending one has no time of submission."""
    html = f"{repository.html}/pull/{review.number}#pullrequestreview-{review.id}"
    pull = f"{repository.api}/pulls/{review.number}"
    view: Json = {
        "id": review.id,
        "node_id": node_id("PRR", review.id),
        "user": view_login(repository, review.author),
        "body": review.body,
        "state": review.state,
        "html_url": html,
        "pull_request_url": pull,
        "author_association": association(repository, review.author),
        "_links": {"html": {"href": html}, "pull_request": {"href": pull}},
        "commit_id": review.commit,
    }
    return view | ({"submitted_at": timestamp(review.submitted_at)} if review.submitted_at is not None else {})


def view_comment(repository: HostedRepository, comment: ReviewComment) -> Json:
    """A review comment: `line` and its like are null once it is outdated, the `original_` ones stay."""
    pull = repository.state.pulls[comment.number]
    now = current_place(repository, comment)
    then = comment.place
    api = f"{repository.api}/pulls/comments/{comment.id}"
    html = f"{repository.html}/pull/{comment.number}#discussion_r{comment.id}"
    view: Json = {
        "url": api,
        "pull_request_review_id": comment.review,
        "id": comment.id,
        "node_id": node_id("PRRC", comment.id),
        "diff_hunk": comment.hunk,
        "path": now.path if now else then.path,
        "commit_id": pull.head_sha if now else comment.commit,
        "original_commit_id": comment.commit,
        "user": view_login(repository, comment.author),
        "body": comment.body,
        "created_at": timestamp(comment.created_at),
        "updated_at": timestamp(comment.edited_at or comment.created_at),
        "html_url": html,
        "pull_request_url": f"{repository.api}/pulls/{comment.number}",
        "author_association": association(repository, comment.author),
        "_links": {
            "self": {"href": api},
            "html": {"href": html},
            "pull_request": {"href": f"{repository.api}/pulls/{comment.number}"},
        },
        "reactions": view_rollup(api, repository.reactions("review comment", comment.id)),
        "start_line": now.start_line if now else None,
        "original_start_line": then.start_line,
        "start_side": then.start_side,
        "line": now.line if now else None,
        "original_line": then.line,
        "side": then.side,
        "subject_type": "line",
        "position": now.position if now else None,
        "original_position": then.position,
    }
    return view | ({"in_reply_to_id": comment.in_reply_to} if comment.in_reply_to else {})


def view_comment_of_review(repository: HostedRepository, comment: ReviewComment) -> Json:
    """A review comment in the list of its review's comments, where GitHub gives positions and no lines."""
    return {key: value for key, value in view_comment(repository, comment).items() if key not in _LINES}


def view_issue_comment(repository: HostedRepository, comment: IssueComment) -> Json:
    """A comment of the conversation."""
    api = f"{repository.api}/issues/comments/{comment.id}"
    return {
        "url": api,
        "html_url": f"{repository.html}/pull/{comment.number}#issuecomment-{comment.id}",
        "issue_url": f"{repository.api}/issues/{comment.number}",
        "id": comment.id,
        "node_id": node_id("IC", comment.id),
        "user": view_login(repository, comment.author),
        "created_at": timestamp(comment.created_at),
        "updated_at": timestamp(comment.edited_at or comment.created_at),
        "body": comment.body,
        "author_association": association(repository, comment.author),
        "reactions": view_rollup(api, repository.reactions("issue comment", comment.id)),
        "performed_via_github_app": view_app(repository) if comment.by_app else None,
    }


def view_check(repository: HostedRepository, check: CheckRun) -> Json:
    """A check run, with the open pull requests of its head or of its branch; those from forks are not named."""
    api = f"{repository.api}/check-runs/{check.id}"
    html = f"{repository.html}/runs/{check.id}"
    return {
        "id": check.id,
        "name": check.name,
        "node_id": node_id("CR", check.id),
        "head_sha": check.head,
        "external_id": check.external_id,
        "url": api,
        "html_url": html,
        "details_url": html,
        "status": check.status,
        "conclusion": check.conclusion,
        "started_at": timestamp(check.started_at),
        "completed_at": timestamp(check.completed_at),
        "output": {
            "title": check.title,
            "summary": check.summary,
            "text": check.text,
            "annotations_count": len(check.annotations),
            "annotations_url": f"{api}/annotations",
        },
        "check_suite": {"id": suite_of(repository, check)},
        "app": view_app(repository, check.app),
        "pull_requests": _view_pulls(repository, check.head, any),
    }


def _view_pulls(repository: HostedRepository, head: str, match: Callable[[tuple[bool, bool]], bool]) -> list[Json]:
    """The open pull requests of the repository's own branches that match a commit by its head, its branch, or both.

    Source: the published description of `pull_requests` in check runs and in the webhooks of check suites
    """
    branch = repository.branch_of(head)
    own = [pull for pull in repository.state.pulls.values() if pull.state == "open" and not pull.from_fork]
    found = [pull for pull in own if match((pull.head_sha == head, pull.head_ref == branch))]
    return [view_pull_minimal(repository, pull) for pull in found]


def view_suite(repository: HostedRepository, check: CheckRun) -> Json:
    """The suite that a check run is in, of all its App's on its head, with the pull requests of its head and branch.

    GitHub documents no order of conclusions.
    """
    runs = [each for each in repository.state.latest_checks_of(check.head) if each.app == check.app]
    conclusions = [run.conclusion for run in runs if run.conclusion is not None]
    is_complete = len(conclusions) == len(runs)
    number = suite_of(repository, check)
    return {
        "id": number,
        "node_id": node_id("CS", number),
        "head_branch": repository.branch_of(check.head),
        "head_sha": check.head,
        "status": "completed" if is_complete else "in_progress",
        "conclusion": min(conclusions, key=_WORST_FIRST.index) if is_complete else None,
        "url": f"{repository.api}/check-suites/{number}",
        "before": None,
        "after": check.head,
        "pull_requests": _view_pulls(repository, check.head, all),
        "app": view_app(repository, check.app),
        "created_at": timestamp(min(run.started_at or 0 for run in runs)),
        "updated_at": timestamp(max(run.completed_at or run.started_at or 0 for run in runs)),
    }


def suite_of(repository: HostedRepository, check: CheckRun) -> int:
    """The check suite of a head: each App has one."""
    app = 0 if check.app is None else repository.app_named(check.app).id
    return (app << 33) + 3_000_000_000 + int(check.head[:8], 16)
