"""Comments in review threads: alone, as answers, changed and deleted."""

from typing import Any

from local.github.answers import ApiResponse, invalid, locked, not_found
from local.github.call import Call, page, since
from local.github.comment_places import CommentAnchor, InvalidPosition, place_comment
from local.github.hosted_repository import HostedRepository
from local.github.issue_comments import REVIEW_COMMENT, check_body, kind_of, report_comment
from local.github.pulls import may_talk
from local.github.review_views import view_comment
from local.github.reviews import add_comment, submit
from local.github.state import IssueComment, PullRequest, Resolution, Review, ReviewComment

_THREAD = "pull_request_review_thread"


def comment_without_review(
    repository: HostedRepository, pull: PullRequest, author: str, given: dict[str, Any]
) -> ReviewComment:
    """Comment on a line of the head without a review; GitHub creates a review for it. Raises ApiError."""
    check_body(given["body"], REVIEW_COMMENT)
    try:
        placed = place_comment(repository, pull, pull.head_sha, given)
    except InvalidPosition as error:
        field = f"{_THREAD}.{error.field}"
        raise invalid(REVIEW_COMMENT.resource, field, f"{field} must be part of the diff") from error
    return _wrap(repository, pull, author, placed, given["body"], None)


def reply(repository: HostedRepository, parent: ReviewComment, author: str, body: str) -> ReviewComment:
    """An answer in a thread; its place is the thread's own. Raises ApiError."""
    check_body(body, REVIEW_COMMENT)
    if parent.in_reply_to is not None:
        raise invalid(REVIEW_COMMENT.resource, "in_reply_to", "in_reply_to must be the id of a top-level comment")
    pull = repository.state.pulls[parent.number]
    placed = CommentAnchor(parent.place, parent.commit, parent.hunk)
    return _wrap(repository, pull, author, placed, body, parent.id)


def _wrap(
    repository: HostedRepository,
    pull: PullRequest,
    author: str,
    placed: CommentAnchor,
    body: str,
    in_reply_to: int | None,
) -> ReviewComment:
    if not may_talk(repository, pull, author):
        raise locked()
    review = Review(repository.state.new_id(), pull.number, author, "PENDING", "", pull.head_sha, repository.now())
    repository.state.reviews[review.id] = review
    comment = add_comment(repository, review, placed, body, in_reply_to)
    submit(repository, pull, review, "COMMENT")
    return comment


def set_resolved(repository: HostedRepository, thread: int, login: str, resolved: bool) -> None:
    """Resolve a thread, or open it again."""
    if resolved:
        repository.state.resolutions.setdefault(thread, Resolution(login, repository.now()))
    else:
        repository.state.resolutions.pop(thread, None)
    number = repository.state.comments[thread].number
    repository.note(number, login, "resolved a thread" if resolved else "unresolved a thread", thread)


def edit_comment(repository: HostedRepository, comment: IssueComment | ReviewComment, login: str, body: str) -> None:
    """Change the text of a comment of either kind. Raises ApiError."""
    check_body(body, kind_of(comment))
    before, comment.body, comment.edited_at = comment.body, body, repository.now()
    repository.note(comment.number, login, f"edited a {kind_of(comment).name}", comment.id)
    report_comment(repository, "edited", comment, login, changes={"body": {"from": before}})


def delete_comment(repository: HostedRepository, comment: IssueComment | ReviewComment, login: str) -> None:
    """Delete a comment of either kind; the answers to it stay, and the oldest of them leads the thread."""
    state = repository.state
    if isinstance(comment, IssueComment):
        del state.issue_comments[comment.id]
    else:
        del state.comments[comment.id]
        rest = [other for other in state.comments.values() if other.in_reply_to == comment.id]
        for other in rest:
            other.in_reply_to = None if other is rest[0] else rest[0].id
        resolution = state.resolutions.pop(comment.id, None)
        if resolution and rest:
            state.resolutions[rest[0].id] = resolution
    repository.note(comment.number, login, f"deleted a {kind_of(comment).name}", comment.id)
    report_comment(repository, "deleted", comment, login)


def list_comments(call: Call) -> ApiResponse:
    """All review comments of a pull request, oldest first; with `sort` and `direction` newest first."""
    found = since(call, call.repository.state.comments_of(call.pull.number, call.login))
    if (call.query.get("sort"), call.query.get("direction")) == ("created", "desc"):
        found.reverse()
    return page(call, found, view_comment)


def create_reply(call: Call) -> ApiResponse:
    """Answer in a thread, by the id of its first comment."""
    parent = find_comment(call.repository, call.number("comment_id"), call.login, call.pull.number)
    return ApiResponse(
        201, view_comment(call.repository, reply(call.repository, parent, call.login, call.body["body"]))
    )


def get_comment(call: Call) -> ApiResponse:
    """One review comment."""
    return ApiResponse(
        body=view_comment(call.repository, find_comment(call.repository, call.number("comment_id"), call.login))
    )


def find_comment(
    repository: HostedRepository, comment: int, viewer: str | None, number: int | None = None
) -> ReviewComment:
    """A comment that the viewer may see; an ApiError with 404 where there is none, or in another pull request."""
    found = repository.state.comments.get(comment)
    if found is None or number not in (None, found.number):
        raise not_found()
    if found not in repository.state.comments_of(found.number, viewer):
        raise not_found()
    return found
