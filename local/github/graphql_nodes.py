"""Whatever a global id names."""

from collections.abc import Callable

from local.github.call import Call
from local.github.graphql_checks import find_check_node
from local.github.graphql_errors import unknown_id
from local.github.graphql_git import GIT_KINDS, find_git_node
from local.github.graphql_views import (
    insist_on_issues,
    view_actor,
    view_comment_node,
    view_issue_comment_node,
    view_issue_node,
    view_pull_node,
    view_repository_node,
    view_review_node,
    view_thread,
)
from local.github.state import IssueComment, Review, ReviewComment
from local.github.views import Json, read_node_id
from local.github.world import REPOSITORY_ID


def find_node(call: Call, text: str) -> Json:
    """Anything with a global id. Raises GraphQLError with type NOT_FOUND."""
    found = _find(call, text) if call.may_read else None
    if found is None:
        raise unknown_id(text)
    return found


def _find(call: Call, text: str) -> Json | None:
    kind, _, rest = text.partition("_")
    if kind in GIT_KINDS:
        return find_git_node(call, kind, rest)
    _, number = read_node_id(text) or ("", 0)
    finder = _FINDERS.get(kind)
    return finder(call, number) if finder is not None else None


def _find_repository(call: Call, number: int) -> Json | None:
    return view_repository_node(call) if number == REPOSITORY_ID else None


def _find_pull_node(call: Call, number: int) -> Json | None:
    return next((view_pull_node(call, p) for p in call.world.state.pulls.values() if p.id == number), None)


def _find_issue(call: Call, number: int) -> Json | None:
    insist_on_issues(call)
    return next((view_issue_node(call, each) for each in call.world.state.issues.values() if each.id == number), None)


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
    "I": _find_issue,
    "PRRT": _find_thread,
    "PRRC": _find_said("PRRC"),
    "PRR": _find_said("PRR"),
    "IC": _find_said("IC"),
    "CR": find_check_node,
    "U": _find_actor,
    "BOT": _find_actor,
    "R": _find_repository,
}
