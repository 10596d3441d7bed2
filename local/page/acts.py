"""What a person can do on the pages, as far as GitHub lets them.

Each act is given the form that was sent, and says where below the pull request's address to go on. Raises Refused.
Who may do what: https://docs.github.com/organizations/managing-user-access-to-your-organizations-repositories/
managing-repository-roles/repository-roles-for-an-organization
"""

import re
from collections.abc import Callable, Mapping
from typing import cast, get_args

from local.github.answers import LONGEST_BODY, TOO_LONG, not_found, refuse, unprocessable
from local.github.review_comments import find_comment
from local.github.state import CheckRun, IssueComment, ReviewComment, SubjectKind
from local.github.user_actions import UserActions
from local.page.said import REACTIONS
from local.page.visit import Visit

Form = Mapping[str, str]
Act = Callable[[Visit, UserActions, Form], str]
_NUMBER = re.compile(r"[0-9]{1,18}")
_BACK = re.compile(r"(/[a-z]+)?(\?[^#\s\\]*)?")


def _comment(visit: Visit, acts: UserActions, form: Form) -> str:
    number = acts.comment(visit.pull.number, _text(form, "body"), login=visit.viewer.login)
    return _on(visit, form, f"issuecomment-{number}")


def _reply(visit: Visit, acts: UserActions, form: Form) -> str:
    comment = _review_comment(visit, _number(form, "comment"))
    number = acts.reply(comment.id, _text(form, "body"), login=visit.viewer.login)
    return _on(visit, form, f"discussion_r{number}")


def _comment_on_line(visit: Visit, acts: UserActions, form: Form) -> str:
    path, line, body = _text(form, "path"), _number(form, "line"), _text(form, "body")
    side, login = form.get("side", "RIGHT"), visit.viewer.login
    number = acts.comment_on_line(visit.pull.number, path, line, body, side=side, login=login)
    return _on(visit, form, f"discussion_r{number}")


def _resolve(visit: Visit, acts: UserActions, form: Form) -> str:
    comment = _review_comment(visit, _number(form, "thread"))
    _insist(visit.may_resolve, "Only the pull request's author and people with write access can resolve a thread.")
    resolved = _one_of(form, "resolved", ("0", "1")) == "1"
    acts.resolve_thread(comment.id, login=visit.viewer.login, resolved=resolved)
    return _on(visit, form, f"thread-{comment.thread}")


def _react(visit: Visit, acts: UserActions, form: Form) -> str:
    kind, subject = _one_of(form, "kind", get_args(SubjectKind)), _number(form, "subject")
    content = _one_of(form, "content", tuple(REACTIONS))
    anchor = _anchor(visit, kind, subject)
    login, reactions = visit.viewer.login, visit.world.reactions(kind, subject)
    is_mine = any((one.author, one.content) == (login, content) for one in reactions)
    act = acts.take_reaction_back if is_mine else acts.react
    act(cast(SubjectKind, kind), subject, content, login=login)
    return _on(visit, form, anchor)


def _anchor(visit: Visit, kind: str, subject: int) -> str:
    """Where something stands that can be reacted to. Raises Refused with 404 where the viewer sees no such thing."""
    if kind == "issue" and subject == visit.pull.number:
        return f"issue-{subject}"
    if kind == "review comment":
        return f"discussion_r{_review_comment(visit, subject).id}"
    if kind == "issue comment" and _issue_comment(visit, subject):
        return f"issuecomment-{subject}"
    reviews = visit.world.state.reviews_of(visit.pull.number, visit.viewer.login)
    if kind == "review" and any(review.id == subject for review in reviews):
        return f"pullrequestreview-{subject}"
    raise not_found()


def _edit(visit: Visit, acts: UserActions, form: Form) -> str:
    comment = _changeable(visit, _number(form, "comment"))
    acts.edit_comment(comment.id, _text(form, "body"), login=visit.viewer.login)
    name = "issuecomment-" if isinstance(comment, IssueComment) else "discussion_r"
    return _on(visit, form, f"{name}{comment.id}")


def _delete(visit: Visit, acts: UserActions, form: Form) -> str:
    comment = _changeable(visit, _number(form, "comment"))
    acts.delete_comment(comment.id, login=visit.viewer.login)
    return _on(visit, form, "main")


def _describe(visit: Visit, acts: UserActions, form: Form) -> str:
    may = visit.may_change(visit.pull.author)
    _insist(may, "Only the pull request's author and people with write access can change its description.")
    description = _text(form, "description")
    if len(description) > LONGEST_BODY:
        raise unprocessable(TOO_LONG)
    acts.describe(visit.pull.number, description, login=visit.viewer.login)
    return _on(visit, form, f"issue-{visit.pull.number}")


def _rerequest(visit: Visit, acts: UserActions, form: Form) -> str:
    check = _check(visit, form)
    _insist(visit.may("write"), "Only people with write access can re-run a check.")
    acts.rerequest_check(check.id, login=visit.viewer.login)
    return _on(visit, form, f"check-{check.id}")


def _action(visit: Visit, acts: UserActions, form: Form) -> str:
    check = _check(visit, form)
    _insist(visit.may("write"), "Only people with write access can press a check's buttons.")
    identifier = _one_of(form, "identifier", tuple(action["identifier"] for action in check.actions))
    acts.request_action(check.id, identifier, login=visit.viewer.login)
    return _on(visit, form, f"check-{check.id}")


def _request_review(visit: Visit, acts: UserActions, form: Form) -> str:
    _insist(visit.may("triage"), "Only people with triage access or more can request a review.")
    acts.request_review(visit.pull.number, login=visit.viewer.login)
    return _on(visit, form, "main")


def _close(visit: Visit, acts: UserActions, form: Form) -> str:
    _insist(visit.may_close, "Only the pull request's author and people with triage access or more can close it.")
    if visit.pull.state == "closed":
        raise unprocessable("The pull request is closed already.")
    acts.close(visit.pull.number, login=visit.viewer.login)
    return _on(visit, form, "main")


def _reopen(visit: Visit, acts: UserActions, form: Form) -> str:
    if visit.pull.merged_at is not None or visit.pull.state == "open":
        raise unprocessable("Only a pull request that is closed and not merged can be reopened.")
    _insist(visit.may_reopen, "Only who closed it and people with triage access or more can reopen it.")
    acts.reopen(visit.pull.number, login=visit.viewer.login)
    return _on(visit, form, "main")


def _ready(visit: Visit, acts: UserActions, form: Form) -> str:
    may = visit.may_change(visit.pull.author)
    _insist(may, "Only the pull request's author and people with write access can say that it is ready.")
    if not visit.pull.draft:
        raise unprocessable("The pull request is no draft.")
    acts.ready(visit.pull.number, login=visit.viewer.login)
    return _on(visit, form, "main")


ACTS: Mapping[str, Act] = {
    "comment": _comment,
    "reply": _reply,
    "comment-on-line": _comment_on_line,
    "resolve": _resolve,
    "react": _react,
    "edit": _edit,
    "delete": _delete,
    "describe": _describe,
    "rerequest": _rerequest,
    "action": _action,
    "request-review": _request_review,
    "close": _close,
    "reopen": _reopen,
    "ready": _ready,
}
"""By the last part of the address that a form is sent to."""


def _on(visit: Visit, form: Form, anchor: str) -> str:
    """Go on at an anchor of the page that the form was on."""
    below = form.get("back", "").removeprefix(visit.address)
    return f"{below if _BACK.fullmatch(below) else ''}#{anchor}"


def _insist(may: bool, why: str) -> None:
    if not may:
        raise refuse(403, why)


def _text(form: Form, name: str) -> str:
    """Give what was typed, with the line ends that everything here has."""
    if name not in form:
        raise refuse(422, f"The form has no field {name!r}.")
    return form[name].replace("\r\n", "\n")


def _number(form: Form, name: str) -> int:
    text = _text(form, name)
    if not _NUMBER.fullmatch(text):
        raise refuse(422, f"The field {name!r} is no number.")
    return int(text)


def _one_of(form: Form, name: str, choice: tuple[str, ...]) -> str:
    text = _text(form, name)
    if text not in choice:
        raise refuse(422, f"The field {name!r} is none of: {', '.join(choice) or 'nothing'}.")
    return text


def _review_comment(visit: Visit, number: int) -> ReviewComment:
    return find_comment(visit.world, number, visit.viewer.login, visit.pull.number)


def _issue_comment(visit: Visit, number: int) -> IssueComment | None:
    found = visit.world.state.issue_comments.get(number)
    return found if found and found.number == visit.pull.number else None


def _changeable(visit: Visit, number: int) -> IssueComment | ReviewComment:
    found = _issue_comment(visit, number) or _review_comment(visit, number)
    _insist(visit.may_change(found.author), "You cannot update this comment.")
    return found


def _check(visit: Visit, form: Form) -> CheckRun:
    found = visit.world.state.checks.get(_number(form, "check"))
    if found is None:
        raise not_found()
    return found
