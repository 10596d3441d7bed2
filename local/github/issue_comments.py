"""The conversation of a pull request."""

from typing import Any

from local.github.answers import LONGEST_BODY, TOO_LONG, Answer, invalid
from local.github.call import Call, page, since
from local.github.review_views import view_issue_comment
from local.github.state import IssueComment, PullRequest
from local.github.world import World


def comment_on_issue(world: World, pull: PullRequest, author: str, body: str) -> IssueComment:
    """Comment in the conversation. Raises Refused with 422."""
    _check_body(body)
    by_app = world.is_app(author)
    comment = IssueComment(world.state.new_id(), pull.number, author, body, world.now(), by_app)
    world.state.issue_comments[comment.id] = comment
    world.note(pull.number, author, "commented", comment.id)
    _report(world, "created", comment, author)
    return comment


def edit_issue_comment(world: World, comment: IssueComment, login: str, body: str) -> None:
    """Change a comment's text. Raises Refused with 422."""
    _check_body(body)
    before, comment.body, comment.edited_at = comment.body, body, world.now()
    world.note(comment.number, login, "edited a comment", comment.id)
    _report(world, "edited", comment, login, changes={"body": {"from": before}})


def delete_issue_comment(world: World, comment: IssueComment, login: str) -> None:
    """Delete a comment."""
    del world.state.issue_comments[comment.id]
    world.note(comment.number, login, "deleted a comment", comment.id)
    _report(world, "deleted", comment, login)


def _report(world: World, action: str, comment: IssueComment, login: str, **more: Any) -> None:
    pull = world.state.pulls[comment.number]
    world.send_webhook(f"issue_comment.{action}", {"pull": pull, "comment": comment, "sender": login, **more})


def _check_body(body: str) -> None:
    if not body.strip():
        raise invalid("IssueComment", "data", "Body cannot be blank", "unprocessable")
    if len(body) > LONGEST_BODY:
        raise invalid("IssueComment", "data", TOO_LONG, "unprocessable")


def list_issue_comments(call: Call) -> Answer:
    """The conversation, oldest first."""
    found = since(call, call.world.state.issue_comments_of(call.pull.number))
    return page(call, found, lambda comment: view_issue_comment(call.world, comment))


def create_issue_comment(call: Call) -> Answer:
    """Comment in the conversation."""
    comment = comment_on_issue(call.world, call.pull, call.login, call.body["body"])
    return Answer(201, view_issue_comment(call.world, comment))
