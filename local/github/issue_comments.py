"""The conversation of a pull request."""

from typing import Any

from local.github.answers import LONGEST_BODY, TOO_LONG, ApiResponse, invalid, locked
from local.github.call import Call, page, since
from local.github.hosted_repository import HostedRepository
from local.github.pulls import may_talk
from local.github.review_views import view_issue_comment
from local.github.state import IssueComment, PullRequest


def comment_on_issue(repository: HostedRepository, pull: PullRequest, author: str, body: str) -> IssueComment:
    """Comment in the conversation. Raises ApiError with 403 where it is locked, and with 422."""
    if not may_talk(repository, pull, author):
        raise locked()
    _check_body(body)
    by_app = repository.is_app(author)
    comment = IssueComment(repository.state.new_id(), pull.number, author, body, repository.now(), by_app)
    repository.state.issue_comments[comment.id] = comment
    repository.note(pull.number, author, "commented", comment.id)
    _report(repository, "created", comment, author)
    return comment


def edit_issue_comment(repository: HostedRepository, comment: IssueComment, login: str, body: str) -> None:
    """Change a comment's text. Raises ApiError with 422."""
    _check_body(body)
    before, comment.body, comment.edited_at = comment.body, body, repository.now()
    repository.note(comment.number, login, "edited a comment", comment.id)
    _report(repository, "edited", comment, login, changes={"body": {"from": before}})


def delete_issue_comment(repository: HostedRepository, comment: IssueComment, login: str) -> None:
    """Delete a comment."""
    del repository.state.issue_comments[comment.id]
    repository.note(comment.number, login, "deleted a comment", comment.id)
    _report(repository, "deleted", comment, login)


def _report(repository: HostedRepository, action: str, comment: IssueComment, login: str, **more: Any) -> None:
    pull = repository.state.pulls[comment.number]
    repository.send_webhook(f"issue_comment.{action}", {"pull": pull, "comment": comment, "sender": login, **more})


def _check_body(body: str) -> None:
    if not body.strip():
        raise invalid("IssueComment", "data", "Body cannot be blank", "unprocessable")
    if len(body) > LONGEST_BODY:
        raise invalid("IssueComment", "data", TOO_LONG, "unprocessable")


def list_issue_comments(call: Call) -> ApiResponse:
    """The conversation, oldest first."""
    found = since(call, call.repository.state.issue_comments_of(call.pull.number))
    return page(call, found, lambda comment: view_issue_comment(call.repository, comment))


def create_issue_comment(call: Call) -> ApiResponse:
    """Comment in the conversation."""
    comment = comment_on_issue(call.repository, call.pull, call.login, call.body["body"])
    return ApiResponse(201, view_issue_comment(call.repository, comment))
