"""The repository and what is in it in the shapes of GitHub's GraphQL schema; fields are worked out when asked for."""

import os
import re
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any

from graphql import GraphQLResolveInfo

from local.github.call import Call
from local.github.comment_places import current_place
from local.github.contents import find_entry
from local.github.graphql_checks import view_check, view_rollup
from local.github.graphql_results import connect, forbidden, node_not_found, unknown_id
from local.github.hosted_repository import timestamp
from local.github.linked_issues import issues_closed_by
from local.github.merge_queue import live_groups
from local.github.pull_views import read_commits
from local.github.pulls import has_commit
from local.github.reactions import CONTENTS
from local.github.repository import Entry, UnusableRepository
from local.github.rules import rules_of
from local.github.state import CheckRun, Issue, IssueComment, MergeGroup, PullRequest, Review, ReviewComment
from local.github.templates import pull_request_templates
from local.github.views import Json, association, node_id, read_node_id

LONGEST_TEXT = 512_000
"""Bytes of a file's text; GitHub documents no figure, and people who lost the rest of a file measured this one."""

_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_OBJECTS = {"tree": "Tree", "blob": "Blob"}
_READY = "ready_for_review"


def find_repository(call: Call, owner: str, name: str) -> Json:
    """The repository of that name. Raises GraphQLError with NOT_FOUND."""
    found = call.repository.named(f"{owner}/{name}")
    there = None if found is None else replace(call, repository=found)
    if there is None or not there.may_read:
        raise node_not_found(f"Could not resolve to a Repository with the name '{owner}/{name}'.")
    return view_repository(there)


def find_node(call: Call, text: str) -> Json | None:
    """A repository or a pull request by its global id, None where there is none, or it may not be seen."""
    kind, number = read_node_id(text) or ("", 0)
    if not call.may_read:
        return None
    if kind == "R" and number == call.repository.id:
        return view_repository(call)
    pull = next((each for each in call.repository.state.pulls.values() if (kind, number) == ("PR", each.id)), None)
    return None if pull is None else _view_pull(call, pull)


def find_check(call: Call, text: str) -> Json:
    """A check run by its global id. Raises GraphQLError with NOT_FOUND or FORBIDDEN."""
    kind, number = read_node_id(text) or ("", 0)
    check = call.repository.state.checks.get(number) if kind == "CR" and call.may_read else None
    if check is None:
        raise unknown_id(text)
    _insist(call, "checks:read")
    return view_check_run(call, check)


def _insist(call: Call, permission: str) -> None:
    """Raise GraphQLError with FORBIDDEN where the App lacks a permission."""
    if call.lacks(permission):
        raise forbidden()


def view_repository(call: Call) -> Json:
    """The repository."""
    return {
        "__typename": "Repository",
        "id": node_id("R", call.repository.id),
        "databaseId": call.repository.id,
        "owner": {"__typename": "Organization", "databaseId": call.repository.ref.owner_id},
        "isPrivate": call.repository.is_private,
        "nameWithOwner": call.repository.full_name,
        "viewerPermission": call.user.role.upper() if call.actor.kind == "user" else None,
        "defaultBranchRef": lambda _: _find_ref(call, call.repository.default_branch),
        "object": lambda _, oid=None, expression=None: _find_object(call, oid or expression),
        "mergeQueue": lambda _, branch=None: _find_queue(call, branch or call.repository.default_branch),
        "pullRequest": lambda _, number: _find_pull(call, number),
        "pullRequests": lambda info, **how: _pull_requests(call, info, **how),
        "pullRequestTemplates": lambda _: _view_templates(call),
    }


def view_check_run(call: Call, check: CheckRun) -> Json:
    """A check run, with the repository that it is in."""
    return view_check(call, check) | {"repository": lambda _: view_repository(call)}


def _view_templates(call: Call) -> list[Json]:
    _insist(call, "contents:read")
    return [{"body": text} for _, text in pull_request_templates(call.repository)]


def _find_pull(call: Call, number: int) -> Json:
    _insist(call, "pull_requests:read")
    if number not in call.repository.state.pulls:
        raise node_not_found(f"Could not resolve to a PullRequest with the number of {number}.")
    return _view_pull(call, call.repository.state.pulls[number])


def _view_pull(call: Call, pull: PullRequest) -> Json:
    repository, state = call.repository, call.repository.state
    return {
        "__typename": "PullRequest",
        "id": node_id("PR", pull.id),
        "number": pull.number,
        "createdAt": timestamp(pull.created_at),
        "updatedAt": timestamp(pull.updated_at),
        "authorAssociation": association(repository, pull.author),
        "title": pull.title,
        "body": pull.body or "",
        "author": _view_actor(call, pull.author),
        "state": "MERGED" if pull.merged_at else pull.state.upper(),
        "isDraft": pull.draft,
        "locked": pull.locked,
        "headRefOid": pull.head_sha,
        "baseRefName": pull.base_ref,
        "baseRefOid": pull.base_sha,
        "baseRef": lambda _: _find_ref(call, pull.base_ref),
        "lastEditedAt": timestamp(pull.body_edited_at),
        "url": f"{repository.html}/pull/{pull.number}",
        "closingIssuesReferences": connect(lambda: _closed_issues(call, pull), lambda issue: _view_issue(call, issue)),
        "commits": connect(
            lambda: read_commits(repository, f"{pull.base_sha}..{pull.head_sha}"),
            lambda commit: {
                "commit": _view_commit(call, commit.sha)
                | {"message": commit.message, "committedDate": timestamp(commit.committer[2])}
            },
        ),
        "timelineItems": lambda info, **how: _timeline(call, pull, info, **how),
        "labels": connect(lambda: state.labels_of(pull), lambda label: {"name": label.name}),
        "comments": connect(lambda: state.issue_comments_of(pull.number), lambda comment: _view_written(call, comment)),
        "reviews": connect(lambda: state.reviews_of(pull.number, call.login), lambda review: view_review(call, review)),
        "reviewThreads": connect(lambda: _threads_of(call, pull), lambda thread: view_thread(call, thread)),
    }


def _pull_requests(
    call: Call,
    info: GraphQLResolveInfo[Any],
    *,
    states: list[str] | None = None,
    orderBy: Json | None = None,  # noqa: N803 - GitHub's name of the argument
    **how: Any,
) -> Json:
    """The pull requests of the repository in these states, the first opened first unless another order is given."""
    _insist(call, "pull_requests:read")
    found = [
        each
        for each in call.repository.state.pulls.values()
        if states is None or ("MERGED" if each.merged_at else each.state.upper()) in states
    ]
    order = orderBy or {"field": "CREATED_AT", "direction": "ASC"}
    by = attrgetter(order["field"].lower())
    found.sort(key=by, reverse=order["direction"] == "DESC")
    return connect(lambda: found, lambda pull: _view_pull(call, pull))(info, **how)


def _find_queue(call: Call, branch: str) -> Json | None:
    """The merge queue of a branch, None where it has none."""
    _insist(call, "merge_queues:read")
    rules = rules_of(call.repository, branch)
    if rules is None or not rules.has_queue:
        return None
    groups = live_groups(call.repository, branch)
    return {
        "configuration": {"mergingStrategy": rules.strategy},
        "entries": connect(lambda: groups, lambda group: _view_entry_of_queue(call, group)),
    }


def _view_entry_of_queue(call: Call, group: MergeGroup) -> Json:
    return {
        "baseCommit": lambda _: _view_commit(call, group.base),
        "headCommit": lambda _: _view_commit(call, group.head),
        "pullRequest": lambda _: _view_pull(call, call.repository.state.pulls[group.number]),
    }


def _timeline(
    call: Call,
    pull: PullRequest,
    info: GraphQLResolveInfo[Any],
    *,
    itemTypes: list[str] | None = None,  # noqa: N803 - GitHub's name of the argument
    **how: Any,
) -> Json:
    """When the pull request was taken out of draft: no other items are served."""
    assert itemTypes == ["READY_FOR_REVIEW_EVENT"]  # noqa: S101 - what is not served is a violation
    times = [each.at for each in call.repository.state.timeline if (each.number, each.what) == (pull.number, _READY)]
    view = lambda at: {"__typename": "ReadyForReviewEvent", "createdAt": timestamp(at)}  # noqa: E731
    return connect(lambda: times, view)(info, **how)


def _view_actor(call: Call, login: str) -> Json:
    """A user or a bot; GraphQL gives a bot's login without "[bot]"."""
    return {"__typename": call.repository.user(login).type, "login": login.removesuffix("[bot]")}


def _closed_issues(call: Call, pull: PullRequest) -> list[Issue]:
    _insist(call, "issues:read")
    return issues_closed_by(call.repository, pull)


def _threads_of(call: Call, pull: PullRequest) -> list[int]:
    """The threads of a pull request, each by its first comment's id, in order."""
    return list(dict.fromkeys(each.thread for each in call.repository.state.comments_of(pull.number, call.login)))


def _view_issue(call: Call, issue: Issue) -> Json:
    return {
        "number": issue.number,
        "title": issue.title,
        "body": issue.body,
        "repository": lambda _: view_repository(call),
    }


def view_thread(call: Call, thread: int) -> Json:
    """A review thread, by the id of its first comment."""
    state = call.repository.state
    first, resolution = state.comments[thread], state.resolutions.get(thread)
    now = current_place(call.repository, first)
    return {
        "id": node_id("PRRT", thread),
        "isResolved": resolution is not None,
        # The schema knows only users here: a bot keeps its "[bot]".
        "resolvedBy": {"login": resolution.by} if resolution else None,
        "viewerCanResolve": may_resolve(call, thread) and resolution is None,
        "path": now.path if now else first.place.path,
        "line": now.line if now else None,
        "startLine": now.start_line if now else None,
        "originalLine": first.place.line,
        "originalStartLine": first.place.start_line,
        "comments": connect(
            lambda: [each for each in state.comments_of(first.number, call.login) if each.thread == thread],
            lambda comment: view_comment(call, comment),
        ),
    }


def may_resolve(call: Call, thread: int) -> bool:
    """Whether the viewer may resolve: an App needs contents: write, a person a role that writes or to be the author.

    GitHub documents this for people only; several reports say so of Apps.
    """
    if call.actor.kind == "installation":
        return call.actor.holds("contents:write") and call.actor.holds("pull_requests:write")
    comment = call.repository.state.comments[thread]
    return call.user.may("write") or call.login == call.repository.state.pulls[comment.number].author


def view_review(call: Call, review: Review) -> Json:
    """A review."""
    more = {
        "__typename": "PullRequestReview",
        "id": node_id("PRR", review.id),
        "state": review.state,
        "submittedAt": timestamp(review.submitted_at),
        "isMinimized": review.minimized is not None,
    }
    return _view_written(call, review) | more


def view_comment(call: Call, comment: ReviewComment) -> Json:
    """A review comment."""
    more = {
        "id": node_id("PRRC", comment.id),
        "diffHunk": comment.hunk,
        "reactionGroups": lambda _: _view_reactions(call, comment),
    }
    return _view_written(call, comment) | more


def _view_reactions(call: Call, comment: ReviewComment) -> list[Json]:
    """A group for each reaction, also for those that nobody used; the first to react comes first."""
    found = call.repository.reactions("review comment", comment.id)

    def reactors(word: str) -> list[str]:
        return [each.author for each in found if each.content == word]

    return [
        {"content": content, "reactors": connect(partial(reactors, word), partial(_view_actor, call))}
        for content, word in CONTENTS.items()
    ]


def _view_written(call: Call, text: Review | ReviewComment | IssueComment) -> Json:
    """The fields that reviews and comments have in common."""
    return {
        "author": _view_actor(call, text.author),
        "authorAssociation": association(call.repository, text.author),
        "body": text.body,
        "createdAt": timestamp(text.created_at),
        "lastEditedAt": timestamp(text.edited_at),
        "databaseId": text.id,
    }


def _find_ref(call: Call, name: str) -> Json | None:
    """A branch, None where it is gone."""
    _insist(call, "contents:read")
    tip = call.repository.copy.tip(f"refs/heads/{name}")
    return None if tip is None else {"name": name, "target": _view_commit(call, tip)}


def _find_object(call: Call, name: str) -> Json | None:
    """A commit or a blob by its id, or what a commit has at a path ("commit:path"); None for what is not there.

    Other names of git are not served.
    """
    _insist(call, "contents:read")
    commit, is_path, path = name.partition(":")
    assert _ID.fullmatch(commit)  # noqa: S101 - what is not served is a violation
    copy = call.repository.copy
    if is_path:
        entry = find_entry(call.repository, commit, os.fsencode(path)) if copy.tip(commit) else None
        return None if entry is None else _view_entry(call, entry)["object"]
    if copy.tip(commit) is not None:
        return _view_commit(call, commit)
    try:
        size = len(copy.git("cat-file", "blob", commit))
    except UnusableRepository:
        return None
    return {"__typename": "Blob", "oid": commit} | _view_content(call, Entry("100644", "blob", commit, size, b""))


def _view_commit(call: Call, commit: str) -> Json:
    return {
        "__typename": "Commit",
        "oid": commit,
        "file": lambda _, path: _find_file(call, commit, path),
        "tree": lambda _: {"entries": lambda _: _view_entries(call, commit)},
        "statusCheckRollup": lambda _: view_rollup(call, commit),
        "associatedPullRequests": connect(lambda: _pulls_with(call, commit), lambda pull: _view_pull(call, pull)),
    }


def _pulls_with(call: Call, commit: str) -> list[PullRequest]:
    """The merged pull requests with that commit, and the open ones where the default branch does not have it yet.

    Commits of forks are not found in this repository. Sources: the schema's own description, and for forks
    https://github.com/learningequality/kolibri/pull/14719 and https://github.com/TooTallNate/nx.js/pull/410
    """
    _insist(call, "pull_requests:read")
    repository = call.repository
    tip = repository.copy.tip(repository.default_branch)
    is_merged = tip is not None and repository.copy.contains(commit, tip)
    shown = [
        pull
        for pull in repository.state.pulls.values()
        if pull.merged_at is not None or (pull.state == "open" and not pull.from_fork and not is_merged)
    ]
    heads = repository.copy.descendants(commit, {pull.head_sha for pull in shown})  # asked of git once for all
    return [pull for pull in shown if pull.head_sha in heads and has_commit(repository, pull, commit)]


def _find_file(call: Call, commit: str, path: str) -> Json | None:
    _insist(call, "contents:read")
    entry = find_entry(call.repository, commit, os.fsencode(path).strip(b"/"))
    return None if entry is None else _view_entry(call, entry)


def _view_entry(call: Call, entry: Entry) -> Json:
    """An entry of a tree; `mode` is git's octal number as a number, and a submodule has an id and no object here."""
    kind = _OBJECTS.get(entry.type)
    content = _view_content(call, entry) if kind == "Blob" else {"entries": lambda _: _view_entries(call, entry.sha)}
    found = {"__typename": kind, "oid": entry.sha} | content if kind else None
    facts = {"mode": int(entry.mode, 8), "oid": entry.sha, "size": entry.size or 0, "type": entry.type}
    return facts | {"name": entry.name.rpartition("/")[2], "object": found}


def _view_entries(call: Call, tree: str) -> list[Json]:
    _insist(call, "contents:read")
    return [_view_entry(call, entry) for entry in call.repository.copy.read_tree(tree, "-l")]


def _view_content(call: Call, entry: Entry) -> Json:
    """A blob's text up to its limit; like git, what has a zero byte near the beginning is binary."""

    def text(_: object) -> str | None:
        content = call.repository.copy.git("cat-file", "blob", entry.sha)
        binary = b"\0" in content[:8000]
        return None if binary else content[:LONGEST_TEXT].decode("utf-8", "replace")

    size = entry.size or 0
    return {"byteSize": size, "isTruncated": size > LONGEST_TEXT, "text": text}
