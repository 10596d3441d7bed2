"""The conversation of a pull request."""

from local.github.answers import LONGEST_BODY, TOO_LONG, Answer, invalid, not_found
from local.github.call import Call, page
from local.github.said_views import view_issue_comment
from local.github.state import IssueComment, PullRequest
from local.github.world import World


def comment_on_issue(world: World, pull: PullRequest, author: str, body: str) -> IssueComment:
    """Say something in the conversation. Raises Refused with 422."""
    _check_body(body)
    by_app = world.is_app(author)
    comment = IssueComment(world.state.new_id(), pull.number, author, body, world.now(), by_app)
    world.state.issue_comments[comment.id] = comment
    world.note(pull.number, author, "commented", comment.id)
    world.tell("issue_comment.created", {"pull": pull, "comment": comment, "sender": author})
    return comment


def _check_body(body: str) -> None:
    if not body.strip():
        raise invalid("IssueComment", "data", "Body cannot be blank", "unprocessable")
    if len(body) > LONGEST_BODY:
        raise invalid("IssueComment", "data", TOO_LONG, "unprocessable")


def list_issue_comments(call: Call) -> Answer:
    """The conversation, oldest first."""
    found = call.world.state.issue_comments_of(call.pull.number)
    return page(call, found, lambda comment: view_issue_comment(call.world, comment))


def create_issue_comment(call: Call) -> Answer:
    """Say something."""
    comment = comment_on_issue(call.world, call.pull, call.login, call.body["body"])
    view = view_issue_comment(call.world, comment)
    return Answer(201, view, {"Location": view["url"]})


def get_issue_comment(call: Call) -> Answer:
    """One comment."""
    return Answer(body=view_issue_comment(call.world, _named(call)))


def update_issue_comment(call: Call) -> Answer:
    """Change what was said."""
    comment = _changeable(call)
    _check_body(call.body["body"])
    comment.body, comment.edited_at = call.body["body"], call.world.now()
    call.world.note(comment.number, call.login, "edited a comment", comment.id)
    return Answer(body=view_issue_comment(call.world, comment))


def delete_issue_comment(call: Call) -> Answer:
    """Take it back."""
    comment = _changeable(call)
    del call.world.state.issue_comments[comment.id]
    call.world.note(comment.number, call.login, "deleted a comment", comment.id)
    return Answer(204, raw=b"")


def _named(call: Call) -> IssueComment:
    found = call.world.state.issue_comments.get(call.number("comment_id"))
    if found is None:
        raise not_found()
    return found


def _changeable(call: Call) -> IssueComment:
    comment = _named(call)
    call.insist_on_right_to_change(comment.author)
    return comment
