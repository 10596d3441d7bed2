"""Comments in review threads: alone, as answers, changed and deleted."""

from typing import Any

from local.github.answers import LONGEST_BODY, TOO_LONG, Answer, invalid, not_found
from local.github.call import Call, page, since
from local.github.placing import Misplaced, Placed, place_comment
from local.github.pulls import has_commit
from local.github.reviews import add_comment, submit
from local.github.said_views import view_comment
from local.github.state import PullRequest, Resolution, Review, ReviewComment
from local.github.world import World

_RESOURCE = "PullRequestReviewComment"
_THREAD = "pull_request_review_thread"


def comment_alone(world: World, pull: PullRequest, author: str, told: dict[str, Any]) -> ReviewComment:
    """A comment on a line outside any review; GitHub wraps it into a review of its own. Raises Refused."""
    _check_body(told["body"])
    if not has_commit(world, pull, told["commit_id"]):
        field = f"{_THREAD}.commit_oid"
        raise invalid(_RESOURCE, field, f"{field} is not part of the pull request")
    try:
        placed = place_comment(world, pull, told["commit_id"], told)
    except Misplaced as error:
        field = f"{_THREAD}.{error.field}"
        raise invalid(_RESOURCE, field, f"{field} must be part of the diff") from error
    return _wrap(world, pull, author, placed, told["body"], None)


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
    _tell(world, "edited", comment, login, changes={"body": {"from": before}})


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
    _tell(world, "deleted", comment, login)


def _tell(world: World, action: str, comment: ReviewComment, login: str, **more: Any) -> None:
    pull = world.state.pulls[comment.number]
    world.tell(f"pull_request_review_comment.{action}", {"pull": pull, "comment": comment, "sender": login, **more})


def list_comments(call: Call) -> Answer:
    """All review comments of a pull request, oldest first unless asked otherwise."""
    found = since(call, call.world.state.comments_of(call.pull.number, call.viewer))
    if call.query.get("sort") == "updated":
        found.sort(key=lambda comment: comment.edited_at or comment.created_at)
    if "sort" in call.query and call.query.get("direction") == "desc":
        found.reverse()
    return page(call, found, lambda comment: view_comment(call.world, comment))


def create_comment(call: Call) -> Answer:
    """Write a comment on a line, or, with `in_reply_to`, an answer."""
    told = call.body
    if "in_reply_to" in told:
        parent = find_comment(call.world, told["in_reply_to"], call.viewer, call.pull.number)
        comment = reply(call.world, parent, call.login, told["body"])
    else:
        comment = comment_alone(call.world, call.pull, call.login, told)
    return _created(call, comment)


def create_reply(call: Call) -> Answer:
    """Answer in a thread, by the id of its first comment."""
    parent = find_comment(call.world, call.number("comment_id"), call.viewer, call.pull.number)
    return _created(call, reply(call.world, parent, call.login, call.body["body"]))


def _created(call: Call, comment: ReviewComment) -> Answer:
    view = view_comment(call.world, comment)
    return Answer(201, view, {"Location": view["url"]})


def get_comment(call: Call) -> Answer:
    """One review comment."""
    return Answer(body=view_comment(call.world, _named(call)))


def update(call: Call) -> Answer:
    """Change a comment's text."""
    comment = _changeable(call)
    edit_comment(call.world, comment, call.login, call.body["body"])
    return Answer(body=view_comment(call.world, comment))


def delete(call: Call) -> Answer:
    """Delete a comment."""
    delete_comment(call.world, _changeable(call), call.login)
    return Answer(204, raw=b"")


def find_comment(world: World, comment: int, viewer: str | None, number: int | None = None) -> ReviewComment:
    """A comment that the viewer may see; a Refused with 404 where there is none, or in another pull request."""
    found = world.state.comments.get(comment)
    if found is None or number not in (None, found.number):
        raise not_found()
    if found not in world.state.comments_of(found.number, viewer):
        raise not_found()
    return found


def _named(call: Call) -> ReviewComment:
    return find_comment(call.world, call.number("comment_id"), call.viewer)


def _changeable(call: Call) -> ReviewComment:
    comment = _named(call)
    call.insist_on_right_to_change(comment.author)
    return comment
