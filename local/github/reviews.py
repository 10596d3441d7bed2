"""Reviews: all or nothing, one pending per person, and what GitHub refuses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from local.github.answers import LONGEST_BODY, TOO_LONG, ApiResponse, api_error, not_found, unprocessable
from local.github.call import Call, page
from local.github.comment_places import CommentAnchor, InvalidPosition, place_comment
from local.github.hosted_repository import HostedRepository
from local.github.pulls import has_commit, may_talk
from local.github.review_views import view_comment_of_review, view_review
from local.github.state import PullRequest, Review, ReviewComment, ReviewState

Verb = Literal["APPROVE", "REQUEST_CHANGES", "COMMENT"]
_STATES: dict[str, ReviewState] = {
    "APPROVE": "APPROVED",
    "REQUEST_CHANGES": "CHANGES_REQUESTED",
    "COMMENT": "COMMENTED",
}


@dataclass(frozen=True)
class NewReview:
    """A review to be written; without an event it stays pending, without a commit it is of the head.

    A comment has `path`, `body` and `line`, and may have `side`, `start_line` and `start_side`.
    """

    event: str | None
    body: str = ""
    comments: Sequence[dict[str, Any]] = ()
    commit: str | None = None


def write_review(repository: HostedRepository, pull: PullRequest, author: str, new: NewReview) -> Review:
    """Store a review with its comments, or nothing of it, and send its webhooks unless it is pending.

    Raises ApiError with 422.
    """
    if not may_talk(repository, pull, author):
        raise unprocessable("lock prevents review")  # Source: https://github.com/github/gh-aw/issues/41135
    _check_body(new.event, new.body)
    if any(r.state == "PENDING" for r in repository.state.reviews_of(pull.number, author) if r.author == author):
        raise unprocessable("User can only have one pending review per pull request")
    _check_author(pull, author, new.event)
    about = _check_commit(repository, pull, new.commit)
    placed = _place_all(repository, pull, about, new.comments)
    review = Review(repository.state.new_id(), pull.number, author, "PENDING", new.body, about, repository.now())
    repository.state.reviews[review.id] = review
    for place, comment in zip(placed, new.comments, strict=True):
        add_comment(repository, review, place, comment["body"])
    if new.event is not None:
        submit(repository, pull, review, new.event)
    return review


def _check_body(event: str | None, body: str) -> None:
    if len(body) > LONGEST_BODY:
        raise unprocessable(TOO_LONG)
    if event in ("REQUEST_CHANGES", "COMMENT") and not body.strip():
        raise unprocessable("Body can't be blank")


def _check_author(pull: PullRequest, author: str, event: str | None) -> None:
    if author == pull.author and event in ("APPROVE", "REQUEST_CHANGES"):
        verb = "approve" if event == "APPROVE" else "request changes on"
        raise unprocessable(f"Can not {verb} your own pull request")


def _check_commit(repository: HostedRepository, pull: PullRequest, commit: str | None) -> str:
    if commit is None:
        return pull.head_sha
    if len(commit) != len(pull.head_sha) or not has_commit(repository, pull, commit):
        raise unprocessable("Commit is not part of the pull request")
    return commit


def _place_all(
    repository: HostedRepository, pull: PullRequest, commit: str, comments: Sequence[dict[str, Any]]
) -> list[CommentAnchor]:
    """Every comment's place; one that has none refuses the whole review, without naming the comment."""
    placed: list[CommentAnchor] = []
    refused: list[str] = []
    for comment in comments:
        try:
            placed.append(place_comment(repository, pull, commit, comment))
        except InvalidPosition as error:
            refused.append(error.sentence)
        if len(comment["body"]) > LONGEST_BODY:
            refused.append(TOO_LONG)
        elif not comment["body"].strip():
            refused.append("Body can't be blank")
    if refused:
        raise unprocessable(*refused)
    return placed


def add_comment(
    repository: HostedRepository, review: Review, placed: CommentAnchor, body: str, in_reply_to: int | None = None
) -> ReviewComment:
    """Put a comment into a review."""
    comment = ReviewComment(
        id=repository.state.new_id(),
        review=review.id,
        number=review.number,
        author=review.author,
        body=body,
        place=placed.place,
        commit=placed.commit,
        hunk=placed.hunk,
        created_at=repository.now(),
        in_reply_to=in_reply_to,
    )
    repository.state.comments[comment.id] = comment
    return comment


def submit(repository: HostedRepository, pull: PullRequest, review: Review, event: str) -> None:
    """Show a pending review to everybody, with a webhook for itself and one for each comment."""
    review.state = _STATES[event]
    review.submitted_at = repository.now()
    if review.author in pull.requested_reviewers:
        pull.requested_reviewers.remove(review.author)
    repository.note(pull.number, review.author, f"reviewed: {review.state}", review.id)
    repository.send_webhook("pull_request_review.submitted", {"pull": pull, "review": review, "sender": review.author})
    for comment in comments_in(repository, review):
        facts = {"pull": pull, "comment": comment, "sender": review.author}
        repository.send_webhook("pull_request_review_comment.created", facts)


def comments_in(repository: HostedRepository, review: Review) -> list[ReviewComment]:
    """The comments that a review brought."""
    return [comment for comment in repository.state.comments.values() if comment.review == review.id]


def create_review(call: Call) -> ApiResponse:
    """Write a review; without an event it stays pending."""
    given = call.body
    new = NewReview(given.get("event"), given.get("body", ""), given.get("comments", ()), given.get("commit_id"))
    review = write_review(call.repository, call.pull, call.login, new)
    return ApiResponse(body=view_review(call.repository, review))


def list_reviews(call: Call) -> ApiResponse:
    """The reviews of a pull request, oldest first."""
    found = call.repository.state.reviews_of(call.pull.number, call.login)
    return page(call, found, view_review)


def get_review(call: Call) -> ApiResponse:
    """One review."""
    return ApiResponse(body=view_review(call.repository, _named(call)))


def list_comments_of_review(call: Call) -> ApiResponse:
    """The comments that one review brought."""
    return page(call, comments_in(call.repository, _named(call)), view_comment_of_review)


def delete_review(call: Call) -> ApiResponse:
    """Delete a pending review with its comments; a submitted one stays."""
    review = _own(call)
    if review.state != "PENDING":
        raise unprocessable("Can not delete a non-pending pull request review")
    view = view_review(call.repository, review)
    for comment in comments_in(call.repository, review):
        del call.repository.state.comments[comment.id]
    del call.repository.state.reviews[review.id]
    return ApiResponse(body=view)


def dismiss(repository: HostedRepository, review: Review, login: str, message: str) -> None:
    """Dismiss an approval or a request for changes. Raises ApiError with 422 for any other review."""
    if review.state not in ("APPROVED", "CHANGES_REQUESTED"):
        raise unprocessable(f"Can not dismiss a {review.state.lower()} pull request review")
    review.state, review.dismissed_with = "DISMISSED", message
    repository.note(review.number, login, f"dismissed a review: {message}", review.id)
    pull = repository.state.pulls[review.number]
    repository.send_webhook("pull_request_review.dismissed", {"pull": pull, "review": review, "sender": login})


def _named(call: Call) -> Review:
    review = call.repository.state.reviews.get(call.number("review_id"))
    if review is None or review not in call.repository.state.reviews_of(call.pull.number, call.login):
        raise not_found()
    return review


def _own(call: Call) -> Review:
    review = _named(call)
    if review.author != call.login:
        raise api_error(403, "You do not have permission to change this review")
    return review
