"""The conversation of a pull request, and what comments in threads have in common with it."""

from dataclasses import dataclass
from typing import Any

from local.github.answers import LONGEST_BODY, TOO_LONG, ApiResponse, invalid, locked
from local.github.call import Call, page, since
from local.github.hosted_repository import HostedRepository
from local.github.pulls import may_talk
from local.github.review_views import view_issue_comment
from local.github.state import IssueComment, PullRequest, ReviewComment


@dataclass(frozen=True)
class CommentKind:
    """A kind of comment; `resource` and `blank` (field, message, code) are how GitHub names it in refusals."""

    name: str
    resource: str
    blank: tuple[str, str, str]


ISSUE_COMMENT = CommentKind("comment", "IssueComment", ("data", "Body cannot be blank", "unprocessable"))
REVIEW_COMMENT = CommentKind(
    "review comment", "PullRequestReviewComment", ("body", "Body can't be blank", "missing_field")
)


def kind_of(comment: IssueComment | ReviewComment) -> CommentKind:
    """The kind of a comment."""
    return ISSUE_COMMENT if isinstance(comment, IssueComment) else REVIEW_COMMENT


def comment_on_issue(repository: HostedRepository, pull: PullRequest, author: str, body: str) -> IssueComment:
    """Comment in the conversation. Raises ApiError with 403 where it is locked, and with 422."""
    if not may_talk(repository, pull, author):
        raise locked()
    check_body(body, ISSUE_COMMENT)
    by_app = repository.is_app(author)
    comment = IssueComment(repository.state.new_id(), pull.number, author, body, repository.now(), by_app)
    repository.state.issue_comments[comment.id] = comment
    repository.note(pull.number, author, "commented", comment.id)
    report_comment(repository, "created", comment, author)
    return comment


def report_comment(
    repository: HostedRepository, action: str, comment: IssueComment | ReviewComment, login: str, **more: Any
) -> None:
    """Report by webhook what happened to a comment of either kind."""
    event = "issue_comment" if isinstance(comment, IssueComment) else "pull_request_review_comment"
    pull = repository.state.pulls[comment.number]
    repository.send_webhook(f"{event}.{action}", {"pull": pull, "comment": comment, "sender": login, **more})


def check_body(body: str, kind: CommentKind) -> None:
    """Raise ApiError for a text that GitHub does not take."""
    if not body.strip():
        raise invalid(kind.resource, *kind.blank)
    if len(body) > LONGEST_BODY:
        raise invalid(kind.resource, "data", TOO_LONG, "unprocessable")


def list_issue_comments(call: Call) -> ApiResponse:
    """The conversation, oldest first."""
    found = since(call, call.repository.state.issue_comments_of(call.pull.number))
    return page(call, found, view_issue_comment)


def create_issue_comment(call: Call) -> ApiResponse:
    """Comment in the conversation."""
    comment = comment_on_issue(call.repository, call.pull, call.login, call.body["body"])
    return ApiResponse(201, view_issue_comment(call.repository, comment))
