"""The same things as in REST, in the shapes of GitHub's GraphQL schema; fields are worked out when asked for."""

from local.github.call import Call
from local.github.closing import issues_closed_by
from local.github.graphql_errors import forbidden, node_not_found
from local.github.graphql_git import find_object, find_ref, view_pull_commit, view_templates
from local.github.graphql_pages import connect
from local.github.graphql_reactions import reactions_to
from local.github.place import current_place
from local.github.pull_views import read_commits
from local.github.reviews import comments_in
from local.github.state import Issue, IssueComment, Label, PullRequest, Review, ReviewComment
from local.github.views import Json, association, node_id
from local.github.world import REPOSITORY_ID, World, timestamp


def view_actor(world: World, login: str) -> Json:
    """A user or a bot; GraphQL gives a bot's login without "[bot]"."""
    user = world.user(login)
    return {
        "__typename": user.type,
        "id": node_id("BOT" if user.type == "Bot" else "U", user.id),
        "databaseId": user.id,
        "login": login.removesuffix("[bot]"),
        "url": f"{world.url}/{login}",
    }


def view_as_user(world: World, login: str) -> Json:
    """Somebody where the schema knows only users: there a bot keeps its "[bot]"."""
    return view_actor(world, login) | {"__typename": "User", "login": login}


def view_repository_node(call: Call) -> Json:
    """The repository."""
    world = call.world
    return {
        "__typename": "Repository",
        "id": node_id("R", REPOSITORY_ID),
        "databaseId": REPOSITORY_ID,
        "isPrivate": world.private,
        "name": world.name,
        "nameWithOwner": world.full_name,
        "owner": view_actor(world, world.owner),
        "pullRequest": lambda _, number: _find_pull(call, number),
        "pullRequestTemplates": lambda _: view_templates(call),
        "object": lambda _, expression=None, oid=None: find_object(call, oid or expression or ""),
    }


def _find_pull(call: Call, number: int) -> Json:
    if call.actor.kind == "installation" and not call.actor.holds("pull_requests:read"):
        raise forbidden()
    if number not in call.world.state.pulls:
        raise node_not_found(f"Could not resolve to a PullRequest with the number of {number}.")
    return view_pull_node(call, call.world.state.pulls[number])


def view_pull_node(call: Call, pull: PullRequest) -> Json:
    """A pull request."""
    world, state = call.world, call.world.state
    return {
        "__typename": "PullRequest",
        "id": node_id("PR", pull.id),
        "databaseId": pull.id,
        "fullDatabaseId": str(pull.id),
        "number": pull.number,
        "title": pull.title,
        "body": pull.body or "",
        "author": view_actor(world, pull.author),
        "state": "MERGED" if pull.merged_at else pull.state.upper(),
        "closed": pull.state == "closed",
        "merged": pull.merged_at is not None,
        "isDraft": pull.draft,
        "headRefName": pull.head_ref,
        "headRefOid": pull.head_sha,
        "baseRefName": pull.base_ref,
        "baseRefOid": pull.base_sha,
        "baseRef": lambda _: find_ref(call, pull.base_ref),
        "changedFiles": lambda _: len(world.files(pull)),
        "createdAt": timestamp(pull.created_at),
        "lastEditedAt": timestamp(pull.body_edited_at),
        "updatedAt": timestamp(pull.updated_at),
        "url": f"{world.html}/pull/{pull.number}",
        "closingIssuesReferences": lambda _, **asked: _connect_closing(call, pull, asked),
        "commits": lambda _, **asked: connect(
            "commits",
            read_commits(world, f"{pull.base_sha}..{pull.head_sha}"),
            lambda commit: view_pull_commit(call, commit),
            asked,
        ),
        "labels": lambda _, **asked: connect("labels", state.labels_of(pull), view_label_node, asked),
        "comments": lambda _, **asked: connect(
            "comments", state.issue_comments_of(pull.number), lambda c: view_issue_comment_node(call, c), asked
        ),
        "reviews": lambda _, **asked: connect(
            "reviews", _reviews(call, pull, asked), lambda review: view_review_node(call, review), asked
        ),
        "reviewThreads": lambda _, **asked: connect(
            "reviewThreads", threads_of(call, pull), lambda thread: view_thread(call, thread), asked
        ),
        "reactions": reactions_to(call, pull),
    }


def view_label_node(label: Label) -> Json:
    """A label."""
    return {"__typename": "Label", "id": node_id("LA", label.id), "name": label.name, "color": "ededed"}


def _connect_closing(call: Call, pull: PullRequest, asked: Json) -> Json:
    insist_on_issues(call)
    found = issues_closed_by(call.world, pull)
    return connect("closingIssuesReferences", found, lambda issue: view_issue_node(call, issue), asked)


def insist_on_issues(call: Call) -> None:
    """Raise GraphQLError with FORBIDDEN where the App may not read issues, which a pull request is not."""
    if call.actor.kind == "installation" and not call.actor.holds("issues:read"):
        raise forbidden()


def view_issue_node(call: Call, issue: Issue) -> Json:
    """An issue."""
    return {
        "__typename": "Issue",
        "id": node_id("I", issue.id),
        "databaseId": issue.id,
        "number": issue.number,
        "title": issue.title,
        "body": issue.body,
        "author": view_actor(call.world, issue.author),
        "state": issue.state.upper(),
        "closed": issue.state == "closed",
        "createdAt": timestamp(issue.created_at),
        "url": f"{call.world.html}/issues/{issue.number}",
        "repository": lambda _: view_repository_node(call),
        "reactions": reactions_to(call, issue),
    }


def _reviews(call: Call, pull: PullRequest, asked: Json) -> list[Review]:
    states, author = asked.get("states"), asked.get("author")
    found = call.world.state.reviews_of(pull.number, call.viewer)
    return [
        review
        for review in found
        if (not states or review.state in states) and (author is None or review.author.removesuffix("[bot]") == author)
    ]


def threads_of(call: Call, pull: PullRequest) -> list[int]:
    """The threads of a pull request, each by its first comment's id, in order."""
    return list(dict.fromkeys(c.thread for c in call.world.state.comments_of(pull.number, call.viewer)))


def view_thread(call: Call, thread: int) -> Json:
    """A review thread."""
    world = call.world
    first = world.state.comments[thread]
    now = current_place(world, first)
    resolution = world.state.resolutions.get(thread)
    may = may_resolve(call, thread)
    comments = [c for c in world.state.comments_of(first.number, call.viewer) if c.thread == thread]
    return {
        "__typename": "PullRequestReviewThread",
        "id": node_id("PRRT", thread),
        "isResolved": resolution is not None,
        "isCollapsed": resolution is not None or now is None,
        "isOutdated": now is None,
        "resolvedBy": view_as_user(world, resolution.by) if resolution else None,
        "viewerCanResolve": may and resolution is None,
        "viewerCanUnresolve": may and resolution is not None,
        "viewerCanReply": call.may_write("pull_requests", "read"),
        "path": now.path if now else first.place.path,
        "line": now.line if now else None,
        "startLine": now.start_line if now else None,
        "originalLine": first.place.line,
        "originalStartLine": first.place.start_line,
        "diffSide": first.place.side or "RIGHT",
        "startDiffSide": first.place.start_side,
        "subjectType": "LINE" if first.place.line else "FILE",
        "pullRequest": lambda _: view_pull_node(call, world.state.pulls[first.number]),
        "comments": lambda _, **asked: connect("comments", comments, lambda c: view_comment_node(call, c), asked),
    }


def may_resolve(call: Call, thread: int) -> bool:
    """Whether the viewer may resolve: an App wants contents: write, a person to write or to be the author.

    No page of GitHub's says so of Apps; several reports do.
    """
    if call.actor.kind == "installation":
        return call.actor.holds("contents:write") and call.actor.holds("pull_requests:write")
    comment = call.world.state.comments[thread]
    return call.user.may("write") or call.login == call.world.state.pulls[comment.number].author


def view_review_node(call: Call, review: Review) -> Json:
    """A review."""
    world = call.world
    return _said(call, review) | {
        "__typename": "PullRequestReview",
        "id": node_id("PRR", review.id),
        "state": review.state,
        "submittedAt": timestamp(review.submitted_at),
        "publishedAt": timestamp(review.submitted_at),
        "url": f"{world.html}/pull/{review.number}#pullrequestreview-{review.id}",
        "comments": lambda _, **asked: connect(
            "comments", comments_in(world, review), lambda c: view_comment_node(call, c), asked
        ),
    }


def view_comment_node(call: Call, comment: ReviewComment) -> Json:
    """A review comment."""
    world, state = call.world, call.world.state
    now = current_place(world, comment)
    parent = state.comments.get(comment.in_reply_to or 0)
    return _said(call, comment) | {
        "__typename": "PullRequestReviewComment",
        "id": node_id("PRRC", comment.id),
        "diffHunk": comment.hunk,
        "path": now.path if now else comment.place.path,
        "line": now.line if now else None,
        "startLine": now.start_line if now else None,
        "originalLine": comment.place.line,
        "outdated": now is None,
        "state": "PENDING" if state.reviews[comment.review].state == "PENDING" else "SUBMITTED",
        "url": f"{world.html}/pull/{comment.number}#discussion_r{comment.id}",
        "replyTo": (lambda _: view_comment_node(call, parent)) if parent else None,
        "pullRequestReview": lambda _: view_review_node(call, state.reviews[comment.review]),
    }


def view_issue_comment_node(call: Call, comment: IssueComment) -> Json:
    """A comment of the conversation."""
    return _said(call, comment) | {
        "__typename": "IssueComment",
        "id": node_id("IC", comment.id),
        "url": f"{call.world.html}/pull/{comment.number}#issuecomment-{comment.id}",
    }


def _said(call: Call, thing: Review | ReviewComment | IssueComment) -> Json:
    """What everything that somebody said has in common."""
    world = call.world
    return {
        "author": view_actor(world, thing.author),
        "authorAssociation": association(world, thing.author),
        "body": thing.body,
        "createdAt": timestamp(thing.created_at),
        "updatedAt": timestamp(thing.edited_at or thing.created_at),
        "publishedAt": timestamp(thing.created_at),
        "lastEditedAt": timestamp(thing.edited_at),
        "editor": view_actor(world, thing.author) if thing.edited_at else None,
        "includesCreatedEdit": thing.edited_at is not None,
        "createdViaEmail": False,
        "databaseId": thing.id,
        "fullDatabaseId": str(thing.id),
        "isMinimized": thing.minimized is not None,
        "minimizedReason": thing.minimized,
        "viewerDidAuthor": thing.author == call.viewer,
        "reactions": reactions_to(call, thing),
    }
