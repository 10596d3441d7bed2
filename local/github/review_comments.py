"""Comments in review threads: alone, as answers, changed and deleted."""

from typing import Any

from local.github.answers import LONGEST_BODY, TOO_LONG, Answer, invalid, not_found
from local.github.call import Call, page, since
from local.github.comment_places import Misplaced, Placed, place_comment
from local.github.review_views import view_comment
from local.github.reviews import add_comment, submit
from local.github.state import PullRequest, Resolution, Review, ReviewComment
from local.github.world import World

_RESOURCE = "PullRequestReviewComment"
_THREAD = "pull_request_review_thread"


def comment_alone(world: World, pull: PullRequest, author: str, given: dict[str, Any]) -> ReviewComment:
    """A comment on a line of the head, outside any review; GitHub wraps it into a review of its own. Raises Refused."""
    _check_body(given["body"])
    try:
        placed = place_comment(world, pull, pull.head_sha, given)
    except Misplaced as error:
        field = f"{_THREAD}.{error.field}"
        raise invalid(_RESOURCE, field, f"{field} must be part of the diff") from error
    return _wrap(world, pull, author, placed, given["body"], None)


def reply(world: World, parent: ReviewComment, author: str, body: str) -> ReviewComment:
    """An answer in a thread; it stands at the thread's own place. Raises Refused."""
    _check_body(body)
    if parent.in_reply_to is not None:
        raise invalid(_RESOURCE, "in_reply_to", "in_reply_to must be the id of a top-level comment")
    pull = world.state.pulls[parent.number]
    placed = Placed(parent.place, parent.commit, parent.hunk)
    return _wrap(world, pull, author, placed, body, parent.id)


def _wrap(
    world: World, pull: PullRequest, author: str, placed: Placed, body: str, in_reply_to: int | None
) -> ReviewComment:
    review = Review(world.state.new_id(), pull.number, author, "PENDING", "", pull.head_sha, world.now())
    world.state.reviews[review.id] = review
    comment = add_comment(world, review, placed, body, in_reply_to)
    submit(world, pull, review, "COMMENT")
    return comment


def _check_body(body: str) -> None:
    if not body.strip():
        raise invalid(_RESOURCE, "body", "Body can't be blank", "missing_field")
    if len(body) > LONGEST_BODY:
        raise invalid(_RESOURCE, "data", TOO_LONG, "unprocessable")


def set_resolved(world: World, thread: int, login: str, resolved: bool) -> None:
    """Resolve a thread, or open it again."""
    if resolved:
        world.state.resolutions.setdefault(thread, Resolution(login, world.now()))
    else:
        world.state.resolutions.pop(thread, None)
    number = world.state.comments[thread].number
    world.note(number, login, "resolved a thread" if resolved else "unresolved a thread", thread)


def edit_comment(world: World, comment: ReviewComment, login: str, body: str) -> None:
    """Change a comment's text. Raises Refused."""
    _check_body(body)
    before, comment.body, comment.edited_at = comment.body, body, world.now()
    world.note(comment.number, login, "edited a review comment", comment.id)
    _report(world, "edited", comment, login, changes={"body": {"from": before}})


def delete_comment(world: World, comment: ReviewComment, login: str) -> None:
    """Delete a comment; the answers to it stay, and the oldest of them leads the thread."""
    del world.state.comments[comment.id]
    rest = [other for other in world.state.comments.values() if other.in_reply_to == comment.id]
    for other in rest:
        other.in_reply_to = None if other is rest[0] else rest[0].id
    resolution = world.state.resolutions.pop(comment.id, None)
    if resolution and rest:
        world.state.resolutions[rest[0].id] = resolution
    world.note(comment.number, login, "deleted a review comment", comment.id)
    _report(world, "deleted", comment, login)


def _report(world: World, action: str, comment: ReviewComment, login: str, **more: Any) -> None:
    pull = world.state.pulls[comment.number]
    world.send_webhook(
        f"pull_request_review_comment.{action}", {"pull": pull, "comment": comment, "sender": login, **more}
    )


def list_comments(call: Call) -> Answer:
    """All review comments of a pull request, oldest first; with `sort` and `direction` newest first."""
    found = since(call, call.world.state.comments_of(call.pull.number, call.login))
    if (call.query.get("sort"), call.query.get("direction")) == ("created", "desc"):
        found.reverse()
    return page(call, found, lambda comment: view_comment(call.world, comment))


def create_reply(call: Call) -> Answer:
    """Answer in a thread, by the id of its first comment."""
    parent = find_comment(call.world, call.number("comment_id"), call.login, call.pull.number)
    return Answer(201, view_comment(call.world, reply(call.world, parent, call.login, call.body["body"])))


def get_comment(call: Call) -> Answer:
    """One review comment."""
    return Answer(body=view_comment(call.world, find_comment(call.world, call.number("comment_id"), call.login)))


def find_comment(world: World, comment: int, viewer: str | None, number: int | None = None) -> ReviewComment:
    """A comment that the viewer may see; a Refused with 404 where there is none, or in another pull request."""
    found = world.state.comments.get(comment)
    if found is None or number not in (None, found.number):
        raise not_found()
    if found not in world.state.comments_of(found.number, viewer):
        raise not_found()
    return found
