"""The acts of a user on the pages, as far as GitHub allows it.

Each action gets the submitted form and returns the anchor of the place to return to. Raises ApiError.
Rights by role: https://docs.github.com/organizations/managing-user-access-to-your-organizations-repositories/
managing-repository-roles/repository-roles-for-an-organization
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast, get_args

from local.github.answers import LONGEST_BODY, TOO_LONG, api_error, not_found, unprocessable
from local.github.review_comments import find_comment
from local.github.state import CheckRun, IssueComment, ReviewComment, SubjectKind
from local.github.user_actions import UserActions
from local.page import merge_box
from local.page.page_request import PageRequest
from local.page.posts import REACTIONS

Form = Mapping[str, str]
Action = Callable[[PageRequest, UserActions, Form], str]
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
    _require(request.may_resolve, "Only the pull request's author and people with write access can resolve a thread.")
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


def _edit_description(request: PageRequest, actions: UserActions, form: Form) -> str:
    may = request.may_change(request.pull.author)
    _require(may, "Only the pull request's author and people with write access can change its description.")
    description = _text(form, "description")
    if len(description) > LONGEST_BODY:
        raise unprocessable(TOO_LONG)
    actions.describe(request.pull.number, description, login=request.viewer.login)
    return f"issue-{request.pull.number}"


def _rerequest(request: PageRequest, actions: UserActions, form: Form) -> str:
    check = _check(request, form)
    _require(request.may("write"), "Only people with write access can re-run a check.")
    actions.rerequest_check(check.id, login=request.viewer.login)
    return f"check-{check.id}"


def _use_button(request: PageRequest, actions: UserActions, form: Form) -> str:
    check = _check(request, form)
    _require(request.may("write"), "Only people with write access can use a check's buttons.")
    identifier = _one_of(form, "identifier", tuple(action["identifier"] for action in check.actions))
    actions.request_action(check.id, identifier, login=request.viewer.login)
    return f"check-{check.id}"


def _request_review(request: PageRequest, actions: UserActions, _: Form) -> str:
    _require(request.may("triage"), "Only people with triage access or more can request a review.")
    actions.request_review(request.pull.number, login=request.viewer.login)
    return "main"


def _close(request: PageRequest, actions: UserActions, _: Form) -> str:
    _require(request.may_close, "Only the pull request's author and people with triage access or more can close it.")
    if request.pull.state == "closed":
        raise unprocessable("The pull request is already closed.")
    actions.close(request.pull.number, login=request.viewer.login)
    return "main"


def _reopen(request: PageRequest, actions: UserActions, _: Form) -> str:
    if request.pull.merged_at is not None or request.pull.state == "open":
        raise unprocessable("Only a closed pull request that was not merged can be reopened.")
    _require(
        request.may_reopen, "Only the author, if they closed it, and people with triage access or more can reopen it."
    )
    actions.reopen(request.pull.number, login=request.viewer.login)
    return "main"


def _ready(request: PageRequest, actions: UserActions, _: Form) -> str:
    may = request.may_change(request.pull.author)
    _require(may, "Only the pull request's author and people with write access can mark it as ready for review.")
    if not request.pull.draft:
        raise unprocessable("The pull request is not a draft.")
    actions.ready(request.pull.number, login=request.viewer.login)
    return "main"


def _merge(request: PageRequest, actions: UserActions, _: Form) -> str:
    _require(request.may("write"), "Only people with write access can merge a pull request.")
    actions.merge(request.pull.number, login=request.viewer.login)
    return "merge"


def _enqueue(request: PageRequest, actions: UserActions, _: Form) -> str:
    _require(request.may("write"), "Only people with write access can add a pull request to a merge queue.")
    actions.enqueue(request.pull.number, login=request.viewer.login)
    return "merge"


def _rerun_all(request: PageRequest, actions: UserActions, _: Form) -> str:
    _require(request.may("write"), "Only people with write access can re-run checks.")
    actions.rerun_checks(request.pull.head_sha, login=request.viewer.login)
    return "heads"


def _lock(request: PageRequest, actions: UserActions, _: Form) -> str:
    _require(request.may("write"), "Only people with write access can lock a conversation.")
    actions.lock(request.pull.number, login=request.viewer.login)
    return "say"


def _unlock(request: PageRequest, actions: UserActions, _: Form) -> str:
    _require(request.may("write"), "Only people with write access can unlock a conversation.")
    actions.unlock(request.pull.number, login=request.viewer.login)
    return "say"


def _set_rules(request: PageRequest, actions: UserActions, form: Form) -> str:
    _require(request.may("admin"), "Only admins can change the rules of a branch.")
    names = dict.fromkeys(filter(None, map(str.strip, _text(form, "checks").split(","))))
    actions.set_rules(request.pull.base_ref, list(names), has_queue="queue" in form)
    return "merge"


def _report_check(request: PageRequest, actions: UserActions, form: Form) -> str:
    """Report a check as another App, which a person plays here."""
    _require(request.may("write"), "Only people with write access can report a check.")
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


ACTIONS: Mapping[str, Action] = {
    "comment": _comment,
    "reply": _reply,
    "comment-on-line": _comment_on_line,
    "resolve": _resolve,
    "react": _react,
    "edit": _edit,
    "delete": _delete,
    "describe": _edit_description,
    "rerequest": _rerequest,
    "action": _use_button,
    "request-review": _request_review,
    "close": _close,
    "reopen": _reopen,
    "ready": _ready,
    "merge": _merge,
    "enqueue": _enqueue,
    "rerun-all": _rerun_all,
    "lock": _lock,
    "unlock": _unlock,
    "rules": _set_rules,
    "report": _report_check,
}
"""By the last part of the URL that a form is sent to."""


def perform(name: str, request: PageRequest, actions: UserActions, form: Form) -> str:
    """Do what a form asks for, and give the path of the place to return to on the page that the form was on."""
    anchor = ACTIONS[name](request, actions, form)
    below = form.get("back", "").removeprefix(request.address)
    return f"{request.address}{below if _BACK.fullmatch(below) else ''}#{anchor}"


def _require(may: bool, why: str) -> None:
    if not may:
        raise api_error(403, why)


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
    _require(request.may_change(found.author), "You cannot update this comment.")
    return found


def _check(request: PageRequest, form: Form) -> CheckRun:
    found = request.repository.state.checks.get(_number(form, "check"))
    if found is None:
        raise not_found()
    return found
