"""The GraphQL mutations: threads resolved and answered, reviews hidden and dismissed, reactions, check runs."""

import re
from collections.abc import Callable
from typing import Any

from local.github.answers import ApiError, malformed
from local.github.call import Call
from local.github.checks import change_check
from local.github.description import OpenRequest, describe
from local.github.graphql_objects import may_resolve, view_check_run, view_comment, view_review, view_thread
from local.github.graphql_results import forbidden, refusal, unknown_id
from local.github.pulls import may_talk
from local.github.reactions import CONTENTS, react
from local.github.review_comments import reply, set_resolved
from local.github.reviews import dismiss
from local.github.state import Review
from local.github.views import Json, node_id, read_node_id

Input = dict[str, Any]
_CREATE_CHECK = "POST /repos/{owner}/{repo}/check-runs"
_NOT_IN_REST = {"checkRunId", "repositoryId", "clientMutationId"}
_CAPITAL = re.compile(r"[A-Z]")


def mutations(call: Call) -> dict[str, Callable[..., Json]]:
    """Every mutation, bound to who asks."""
    return {
        "updateCheckRun": _bound(call, _update_check),
        "dismissPullRequestReview": _bound(call, _dismiss),
        "addReaction": _bound(call, _react),
        "resolveReviewThread": _bound(call, _resolve),
        "unresolveReviewThread": _bound(call, _unresolve),
        "addPullRequestReviewThreadReply": _bound(call, _reply),
        "minimizeComment": _bound(call, _minimize),
    }


def _bound(call: Call, mutation: Callable[[Call, Input], Json]) -> Callable[..., Json]:
    def resolve(_: object, input: Input) -> Json:  # noqa: A002 - GitHub's name
        try:
            return mutation(call, input) | {"clientMutationId": input.get("clientMutationId")}
        except ApiError as refused:
            raise refusal(refused) from refused

    return resolve


def _resolve(call: Call, given: Input) -> Json:
    return _set_resolved(call, given, True)


def _unresolve(call: Call, given: Input) -> Json:
    return _set_resolved(call, given, False)


def _set_resolved(call: Call, given: Input, resolved: bool) -> Json:
    thread = _thread(call, given["threadId"])
    if not may_resolve(call, thread) or call.lacks("contents:write"):
        raise forbidden()
    set_resolved(call.repository, thread, call.login, resolved)
    return {"thread": view_thread(call, thread)}


def _reply(call: Call, given: Input) -> Json:
    thread = _thread(call, given["pullRequestReviewThreadId"])
    if not call.may_write("pull_requests", "read"):
        raise forbidden()
    comment = reply(call.repository, call.repository.state.comments[thread], call.login, given["body"])
    return {"comment": view_comment(call, comment)}


def _react(call: Call, given: Input) -> Json:
    """React to a review, to which REST cannot."""
    review = _review(call, given["subjectId"])
    if not call.may_write("pull_requests", "read"):
        raise forbidden()
    react(call.repository, "review", review.id, call.login, CONTENTS[given["content"]])
    return {}


def _minimize(call: Call, given: Input) -> Json:
    review = _review(call, given["subjectId"])
    is_open = may_talk(call.repository, call.repository.pull(review.number), call.login)
    if not (is_open and call.may_write("pull_requests", "write")):  # hiding takes the right to comment
        raise forbidden()
    review.minimized = given["classifier"].lower()
    call.repository.note(review.number, call.login, "hid something", review.id)
    return {"minimizedComment": view_review(call, review)}


def _dismiss(call: Call, given: Input) -> Json:
    review = _review(call, given["pullRequestReviewId"])
    if not call.may_write("pull_requests", "write"):
        raise forbidden()
    dismiss(call.repository, review, call.login, given["message"])
    return {"pullRequestReview": view_review(call, review)}


def _thread(call: Call, text: str) -> int:
    """The thread of a global id, by its first comment. Raises GraphQLError with NOT_FOUND."""
    kind, number = read_node_id(text) or ("", 0)
    comment = call.repository.state.comments.get(number) if kind == "PRRT" and call.may_read else None
    if comment is None or comment not in call.repository.state.comments_of(comment.number, call.login):
        raise unknown_id(text)
    return number


def _review(call: Call, text: str) -> Review:
    """The review of a global id; a pending one is there for its author only. Raises GraphQLError with NOT_FOUND."""
    kind, number = read_node_id(text) or ("", 0)
    review = call.repository.state.reviews.get(number) if kind == "PRR" and call.may_read else None
    if review is None or (review.state == "PENDING" and review.author != call.login):
        raise unknown_id(text)
    return review


def _update_check(call: Call, given: Input) -> Json:
    """Change a check run, as far as REST would take it."""
    kind, number = read_node_id(given["checkRunId"]) or ("", 0)
    check = call.repository.state.checks.get(number)
    if not call.may_read or given["repositoryId"] != node_id("R", call.repository.id):
        raise unknown_id(given["repositoryId"])
    if kind != "CR" or check is None:
        raise unknown_id(given["checkRunId"])
    if call.actor.kind != "installation" or call.lacks("checks:write"):
        raise forbidden()
    if check.app is not None:  # Source: https://github.com/github/rest-api-description/issues/4290
        app = call.repository.app.id
        raise forbidden(f"Invalid app_id `{app}` - check run can only be modified by the GitHub App that created it.")
    change = _as_in_rest(given)
    _insist_on_limits(change)
    change_check(call, check, change)
    return {"checkRun": view_check_run(call, check)}


def _as_in_rest(given: Input) -> Input:
    """The mutation's input as the body that REST has for the same change; what is null is left out."""
    change: Input = _renamed({name: value for name, value in given.items() if name not in _NOT_IN_REST})
    for word in {"status", "conclusion"} & change.keys():
        change[word] = change[word].lower()
    for annotation in change.get("output", {}).get("annotations", ()):
        annotation.update(annotation.pop("location"), annotation_level=annotation["annotation_level"].lower())
    return change


def _renamed(node: Any) -> Any:
    """The same with names such as "raw_details" for "rawDetails"."""
    if isinstance(node, list):
        return [_renamed(item) for item in node]
    if not isinstance(node, dict):
        return node
    given = {name: value for name, value in node.items() if value is not None}
    return {_CAPITAL.sub(lambda m: f"_{m[0].lower()}", name): _renamed(value) for name, value in given.items()}


def _insist_on_limits(change: Input) -> None:
    """Refuse what is over REST's limits, in REST's words. Raises ApiError."""
    if change.get("status") == "completed" and "conclusion" not in change:
        raise malformed('"conclusion" wasn\'t supplied.')
    body = {"name": "", "head_sha": ""} | {name: value for name, value in change.items() if name != "status"}
    request = OpenRequest(_CREATE_CHECK, {"owner": "", "repo": ""}, {}, body)
    violation = describe().check_request(request)
    if violation and violation.limit:
        raise malformed(violation.limit)
