"""The acts of a user on the pages, as far as GitHub allows it: a table of their rights, and what they do.

Each act gets the submitted form and returns the anchor of the place to return to. Raises ApiError.
Rights by role: https://docs.github.com/organizations/managing-user-access-to-your-organizations-repositories/
managing-repository-roles/repository-roles-for-an-organization
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast, get_args

from local.github.answers import LONGEST_BODY, TOO_LONG, api_error, not_found, unprocessable
from local.github.review_comments import find_comment
from local.github.state import CheckRun, IssueComment, PullRequest, ReviewComment, SubjectKind
from local.github.user_actions import UserActions
from local.page import merge_box
from local.page.page_request import PageRequest
from local.page.posts import REACTIONS

Form = Mapping[str, str]
Do = Callable[[PageRequest, UserActions, Form], str]
_NUMBER = re.compile(r"[0-9]{1,18}")
_ANNOTATION = re.compile(r"(.+?):([1-9][0-9]{0,8}): *(.+)")
_BACK = re.compile(r"(/[a-z]+)?(\?[^#\s\\]*)?")


def _comment(request: PageRequest, actions: UserActions, form: Form) -> str:
    number = actions.comment(request.pull.number, _text(form, "body"), login=request.viewer.login)
    return f"issuecomment-{number}"


def _reply(request: PageRequest, actions: UserActions, form: Form) -> str:
    comment = _review_comment(request, _number(form, "comment"))
    number = actions.reply(comment.id, _text(form, "body"), login=request.viewer.login)
    return f"discussion_r{number}"


def _comment_on_line(request: PageRequest, actions: UserActions, form: Form) -> str:
    path, line, body = _text(form, "path"), _number(form, "line"), _text(form, "body")
    side, login = form.get("side", "RIGHT"), request.viewer.login
    number = actions.comment_on_line(request.pull.number, path, line, body, side=side, login=login)
    return f"discussion_r{number}"


def _resolve(request: PageRequest, actions: UserActions, form: Form) -> str:
    comment = _review_comment(request, _number(form, "thread"))
    resolved = _one_of(form, "resolved", ("0", "1")) == "1"
    actions.resolve_thread(comment.id, login=request.viewer.login, resolved=resolved)
    return f"thread-{comment.thread}"


def _react(request: PageRequest, actions: UserActions, form: Form) -> str:
    kind, subject = _one_of(form, "kind", get_args(SubjectKind)), _number(form, "subject")
    content = _one_of(form, "content", tuple(REACTIONS))
    anchor = _anchor(request, kind, subject)
    login, reactions = request.viewer.login, request.repository.reactions(kind, subject)
    is_mine = any((one.author, one.content) == (login, content) for one in reactions)
    act = actions.take_reaction_back if is_mine else actions.react
    act(cast(SubjectKind, kind), subject, content, login=login)
    return anchor


def _anchor(request: PageRequest, kind: str, subject: int) -> str:
    """The anchor of something that can be reacted to. Raises ApiError with 404 where the viewer sees no such thing."""
    if kind == "issue" and subject == request.pull.number:
        return f"issue-{subject}"
    if kind == "review comment":
        return f"discussion_r{_review_comment(request, subject).id}"
    if kind == "issue comment" and _issue_comment(request, subject):
        return f"issuecomment-{subject}"
    reviews = request.repository.state.reviews_of(request.pull.number, request.viewer.login)
    if kind == "review" and any(review.id == subject for review in reviews):
        return f"pullrequestreview-{subject}"
    raise not_found()


def _edit(request: PageRequest, actions: UserActions, form: Form) -> str:
    comment = _changeable(request, _number(form, "comment"))
    actions.edit_comment(comment.id, _text(form, "body"), login=request.viewer.login)
    name = "issuecomment-" if isinstance(comment, IssueComment) else "discussion_r"
    return f"{name}{comment.id}"


def _delete(request: PageRequest, actions: UserActions, form: Form) -> str:
    comment = _changeable(request, _number(form, "comment"))
    actions.delete_comment(comment.id, login=request.viewer.login)
    return "main"


def _describe(request: PageRequest, actions: UserActions, form: Form) -> str:
    description = _text(form, "description")
    if len(description) > LONGEST_BODY:
        raise unprocessable(TOO_LONG)
    actions.describe(request.pull.number, description, login=request.viewer.login)
    return f"issue-{request.pull.number}"


def _rerequest(request: PageRequest, actions: UserActions, form: Form) -> str:
    check = _check(request, form)
    actions.rerequest_check(check.id, login=request.viewer.login)
    return f"check-{check.id}"


def _use_button(request: PageRequest, actions: UserActions, form: Form) -> str:
    check = _check(request, form)
    identifier = _one_of(form, "identifier", tuple(action["identifier"] for action in check.actions))
    actions.request_action(check.id, identifier, login=request.viewer.login)
    return f"check-{check.id}"


def _rerun_all(request: PageRequest, actions: UserActions, _: Form) -> str:
    actions.rerun_checks(request.pull.head_sha, login=request.viewer.login)
    return "heads"


def _to_pull_request(name: str, anchor: str) -> Do:
    """The act of that name on the pull request alone."""

    def do(request: PageRequest, actions: UserActions, _: Form) -> str:
        getattr(actions, name)(request.pull.number, login=request.viewer.login)
        return anchor

    return do


def _set_rules(request: PageRequest, actions: UserActions, form: Form) -> str:
    names = dict.fromkeys(filter(None, map(str.strip, _text(form, "checks").split(","))))
    actions.set_rules(request.pull.base_ref, list(names), has_queue="queue" in form)
    return "merge"


def _report_check(request: PageRequest, actions: UserActions, form: Form) -> str:
    """Report a check as another App, which a person plays here."""
    commit = _one_of(form, "commit", tuple(merge_box.commits_of(request)))
    name, result = _text(form, "name").strip(), _one_of(form, "result", merge_box.RESULTS)
    if not name:
        raise unprocessable("A check needs a name.")
    actions.report_check(commit, name, None if result == "in_progress" else result, annotations=_annotations(form))
    return "merge"


def _annotations(form: Form) -> Sequence[dict[str, Any]]:
    """The one annotation of a form, in the words of a compiler: "path:line: message"."""
    text = form.get("annotation", "").strip()
    found = _ANNOTATION.fullmatch(text)
    if text and not found:
        raise unprocessable("An annotation is written as path:line: message.")
    if not found:
        return ()
    path, line, message = found.groups()
    place = {"path": path, "start_line": int(line), "end_line": int(line)}
    return ({**place, "annotation_level": "failure", "message": message},)


@dataclass(frozen=True)
class Right:
    """The people who may do something, in words, and whether the viewer is one of them."""

    people: str
    held: Callable[[PageRequest], bool]


@dataclass(frozen=True)
class Act:
    """An act, the right that it takes, and its name in the sentence that refuses it.

    `why_not` says why it makes no sense now, "" where it does.
    """

    do: Do
    right: Right | None = None
    name: str = ""
    why_not: Callable[[PullRequest], str] = lambda _: ""


_WRITER = Right("people with write access", lambda request: request.may("write"))
_TRIAGE = Right("people with triage access or more", lambda request: request.may("triage"))
_ADMIN = Right("admins", lambda request: request.may("admin"))
_AUTHOR_OR_WRITER = Right(
    "the pull request's author and people with write access", lambda request: request.may_change(request.pull.author)
)
_CLOSER = Right("the pull request's author and people with triage access or more", lambda request: request.may_close)
_REOPENER = Right(
    "the author, if they closed it, and people with triage access or more", lambda request: request.may_reopen
)


def _not_closed(pull: PullRequest) -> str:
    can = pull.state == "closed" and pull.merged_at is None
    return "" if can else "Only a closed pull request that was not merged can be reopened."


def _closed(pull: PullRequest) -> str:
    return "The pull request is already closed." if pull.state == "closed" else ""


def _no_draft(pull: PullRequest) -> str:
    return "" if pull.draft else "The pull request is not a draft."


ACTIONS: Mapping[str, Act] = {
    "comment": Act(_comment),
    "reply": Act(_reply),
    "comment-on-line": Act(_comment_on_line),
    "react": Act(_react),
    "edit": Act(_edit),
    "delete": Act(_delete),
    "resolve": Act(_resolve, _AUTHOR_OR_WRITER, "resolve a thread"),
    "describe": Act(_describe, _AUTHOR_OR_WRITER, "change its description"),
    "ready": Act(_to_pull_request("ready", "main"), _AUTHOR_OR_WRITER, "mark it as ready for review", _no_draft),
    "request-review": Act(_to_pull_request("request_review", "main"), _TRIAGE, "request a review"),
    "close": Act(_to_pull_request("close", "main"), _CLOSER, "close it", _closed),
    "reopen": Act(_to_pull_request("reopen", "main"), _REOPENER, "reopen it", _not_closed),
    "merge": Act(_to_pull_request("merge", "merge"), _WRITER, "merge a pull request"),
    "enqueue": Act(_to_pull_request("enqueue", "merge"), _WRITER, "add a pull request to a merge queue"),
    "lock": Act(_to_pull_request("lock", "say"), _WRITER, "lock a conversation"),
    "unlock": Act(_to_pull_request("unlock", "say"), _WRITER, "unlock a conversation"),
    "rerequest": Act(_rerequest, _WRITER, "re-run a check"),
    "rerun-all": Act(_rerun_all, _WRITER, "re-run checks"),
    "action": Act(_use_button, _WRITER, "use a check's buttons"),
    "report": Act(_report_check, _WRITER, "report a check"),
    "rules": Act(_set_rules, _ADMIN, "change the rules of a branch"),
}
"""By the last part of the URL that a form is sent to."""


def perform(name: str, request: PageRequest, actions: UserActions, form: Form) -> str:
    """Do what a form asks for, and give the path of the place to return to on the page that the form was on."""
    act = ACTIONS[name]
    if act.right and not act.right.held(request):
        raise api_error(403, f"Only {act.right.people} can {act.name}.")
    if why := act.why_not(request.pull):
        raise unprocessable(why)
    anchor = act.do(request, actions, form)
    below = form.get("back", "").removeprefix(request.address)
    return f"{request.address}{below if _BACK.fullmatch(below) else ''}#{anchor}"


def _text(form: Form, name: str) -> str:
    """Give a field with normalized line ends."""
    if name not in form:
        raise api_error(422, f"The form has no field {name!r}.")
    return form[name].replace("\r\n", "\n")


def _number(form: Form, name: str) -> int:
    text = _text(form, name)
    if not _NUMBER.fullmatch(text):
        raise api_error(422, f"The field {name!r} is not a number.")
    return int(text)


def _one_of(form: Form, name: str, choice: tuple[str, ...]) -> str:
    text = _text(form, name)
    if text not in choice:
        raise api_error(422, f"The field {name!r} must be one of: {', '.join(choice) or 'nothing'}.")
    return text


def _review_comment(request: PageRequest, number: int) -> ReviewComment:
    return find_comment(request.repository, number, request.viewer.login, request.pull.number)


def _issue_comment(request: PageRequest, number: int) -> IssueComment | None:
    found = request.repository.state.issue_comments.get(number)
    return found if found and found.number == request.pull.number else None


def _changeable(request: PageRequest, number: int) -> IssueComment | ReviewComment:
    found = _issue_comment(request, number) or _review_comment(request, number)
    if not request.may_change(found.author):
        raise api_error(403, "You cannot update this comment.")
    return found


def _check(request: PageRequest, form: Form) -> CheckRun:
    found = request.repository.state.checks.get(_number(form, "check"))
    if found is None:
        raise not_found()
    return found
