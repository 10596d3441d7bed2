"""The same things as in REST, in the shapes of GitHub's GraphQL schema; fields are worked out when asked for."""

import base64
from collections.abc import Callable, Sequence
from typing import TypeVar

from graphql import GraphQLError

from local.github.call import Call
from local.github.place import current_place
from local.github.reviews import comments_in
from local.github.state import IssueComment, PullRequest, Review, ReviewComment
from local.github.views import Json, association, node_id, read_node_id
from local.github.world import World, timestamp

T = TypeVar("T")
_MOST_ITEMS = 100


def node_not_found(message: str) -> GraphQLError:
    """The error for what is not there, or may not be seen."""
    return GraphQLError(message, extensions={"type": "NOT_FOUND"})


def forbidden(message: str = "Resource not accessible by integration") -> GraphQLError:
    """The error for what the token may not do."""
    return GraphQLError(message, extensions={"type": "FORBIDDEN", "extensions": {"saml_failure": False}})


def find_node(call: Call, text: str) -> Json:
    """Anything with a global id. Raises GraphQLError with type NOT_FOUND."""
    kind, number = read_node_id(text) or ("", 0)
    finder = _FINDERS.get(kind)
    found = finder(call, number) if finder is not None and call.may_read else None
    if found is None:
        raise node_not_found(f"Could not resolve to a node with the global id of '{text}'.")
    return found


def _find_pull_node(call: Call, number: int) -> Json | None:
    return next((view_pull_node(call, p) for p in call.world.state.pulls.values() if p.id == number), None)


def _find_thread(call: Call, number: int) -> Json | None:
    comment = find_said(call, "PRRC", number)
    return view_thread(call, number) if isinstance(comment, ReviewComment) and comment.thread == number else None


def _find_said(kind: str) -> Callable[[Call, int], Json | None]:
    def find(call: Call, number: int) -> Json | None:
        found = find_said(call, kind, number)
        if isinstance(found, Review):
            return view_review_node(call, found)
        if isinstance(found, ReviewComment):
            return view_comment_node(call, found)
        return view_issue_comment_node(call, found) if found is not None else None

    return find


def find_said(call: Call, kind: str, number: int) -> Review | ReviewComment | IssueComment | None:
    """What somebody said, by its id, as far as the viewer may see it."""
    state = call.world.state
    if kind == "IC":
        return state.issue_comments.get(number)
    found = (state.reviews if kind == "PRR" else state.comments).get(number)
    review = state.reviews.get(found.review) if isinstance(found, ReviewComment) else found
    hidden = review is None or (review.state == "PENDING" and review.author != call.viewer)
    return None if hidden else found


def _find_actor(call: Call, number: int) -> Json | None:
    return next((view_actor(call.world, u.login) for u in call.world.state.users.values() if u.id == number), None)


_FINDERS: dict[str, Callable[[Call, int], Json | None]] = {
    "PR": _find_pull_node,
    "PRRT": _find_thread,
    "PRRC": _find_said("PRRC"),
    "PRR": _find_said("PRR"),
    "IC": _find_said("IC"),
    "U": _find_actor,
    "BOT": _find_actor,
    "R": lambda call, _: view_repository_node(call),
}


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


def view_repository_node(call: Call) -> Json:
    """The repository."""
    world = call.world
    return {
        "__typename": "Repository",
        "id": node_id("R", 1_000_000_001),
        "databaseId": 1_000_000_001,
        "isPrivate": world.private,
        "name": world.name,
        "nameWithOwner": world.full_name,
        "owner": view_actor(world, world.owner),
        "pullRequest": lambda _, number: _find_pull(call, number),
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
        "createdAt": timestamp(pull.created_at),
        "updatedAt": timestamp(pull.updated_at),
        "url": f"{world.html}/pull/{pull.number}",
        "comments": lambda _, **asked: connect(
            "comments", state.issue_comments_of(pull.number), lambda c: view_issue_comment_node(call, c), asked
        ),
        "reviews": lambda _, **asked: connect(
            "reviews", _reviews(call, pull, asked), lambda review: view_review_node(call, review), asked
        ),
        "reviewThreads": lambda _, **asked: connect(
            "reviewThreads", threads_of(call, pull), lambda thread: view_thread(call, thread), asked
        ),
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
        "resolvedBy": view_actor(world, resolution.by) if resolution else None,
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
    }


def connect(field: str, items: Sequence[T], view: Callable[[T], Json], asked: Json) -> Json:
    """A page of a connection, by `first`/`after` or `last`/`before`. Raises GraphQLError without either."""
    first, last = asked.get("first"), asked.get("last")
    size = first if first is not None else last
    if size is None:
        message = f"You must provide a `first` or `last` value to properly paginate the `{field}` connection."
        raise GraphQLError(message, extensions={"type": "MISSING_PAGINATION_BOUNDARIES"})
    if not 0 <= size <= _MOST_ITEMS:
        message = (
            f"Requesting {size} records on the `{field}` connection exceeds the `first` limit of {_MOST_ITEMS} records."
        )
        raise GraphQLError(message, extensions={"type": "EXCESSIVE_PAGINATION"})
    start = _read_cursor(asked.get("after"), 0)
    end = _read_cursor(asked.get("before"), len(items) + 1) - 1
    start, end = (start, min(end, start + size)) if first is not None else (max(start, end - size), end)
    return {
        "totalCount": len(items),
        "nodes": [view(item) for item in items[start:end]],
        "pageInfo": {
            "startCursor": _cursor(start + 1) if end > start else None,
            "endCursor": _cursor(end) if end > start else None,
            "hasNextPage": end < len(items),
            "hasPreviousPage": start > 0,
        },
    }


def _cursor(position: int) -> str:
    return base64.b64encode(f"cursor:{position}".encode()).decode()


def _read_cursor(text: str | None, default: int) -> int:
    if text is None:
        return default
    try:
        return int(base64.b64decode(text).decode().removeprefix("cursor:"))
    except ValueError as error:
        message = f"`{text}` does not appear to be a valid cursor."
        raise GraphQLError(message, extensions={"type": "INVALID_CURSOR_ARGUMENTS"}) from error
