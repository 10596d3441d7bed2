"""The GraphQL mutations: threads resolved and answered, comments hidden, reviews lifted, reactions, check runs."""

from collections.abc import Callable
from typing import Any

from local.github.answers import Refused
from local.github.call import Call
from local.github.graphql_checks import update_check_run
from local.github.graphql_errors import as_error, forbidden, unknown_id
from local.github.graphql_nodes import find_node, find_said
from local.github.graphql_reactions import CONTENTS, subject_of, view_reaction_node
from local.github.graphql_views import may_resolve, view_comment_node, view_review_node, view_thread
from local.github.reactions import react
from local.github.review_comments import reply, set_resolved
from local.github.reviews import dismiss
from local.github.state import IssueComment, PullRequest, Review, ReviewComment
from local.github.views import Json, read_node_id

Mutation = Callable[..., Json]


def mutations(call: Call) -> dict[str, Mutation]:
    """Every mutation, bound to who asks."""
    return {
        "updateCheckRun": lambda _, input: update_check_run(call, input),  # noqa: A006 - GitHub's name
        "dismissPullRequestReview": lambda _, input: _dismiss(call, input),  # noqa: A006
        "addReaction": lambda _, input: _react(call, input),  # noqa: A006
        "resolveReviewThread": lambda _, input: _resolve(call, input, True),  # noqa: A006
        "unresolveReviewThread": lambda _, input: _resolve(call, input, False),  # noqa: A006
        "addPullRequestReviewThreadReply": lambda _, input: _reply(call, input),  # noqa: A006
        "minimizeComment": lambda _, input: _minimize(call, input, input["classifier"]),  # noqa: A006
        "unminimizeComment": lambda _, input: _minimize(call, input, None),  # noqa: A006
    }


def _resolve(call: Call, told: dict[str, Any], resolved: bool) -> Json:
    thread = _thread(call, told["threadId"])
    if not may_resolve(call, thread):
        raise forbidden()
    set_resolved(call.world, thread, call.login, resolved)
    return {"thread": view_thread(call, thread), "clientMutationId": told.get("clientMutationId")}


def _reply(call: Call, told: dict[str, Any]) -> Json:
    thread = _thread(call, told["pullRequestReviewThreadId"])
    if not call.may_write("pull_requests", "read"):
        raise forbidden()
    try:
        comment = reply(call.world, call.world.state.comments[thread], call.login, told["body"])
    except Refused as error:
        raise as_error(error) from error
    return {"comment": view_comment_node(call, comment), "clientMutationId": told.get("clientMutationId")}


def _react(call: Call, told: dict[str, Any]) -> Json:
    """React as REST does where it can, and to a review, to which it cannot."""
    thing = _pull(call, told["subjectId"]) or _said(call, told["subjectId"])
    permission = "pull_requests" if isinstance(thing, Review | ReviewComment) else "issues"
    if not (call.may_write(permission, "read") or call.may_write("pull_requests", "read")):
        raise forbidden()
    reaction, _ = react(call.world, *subject_of(thing), call.login, CONTENTS[told["content"]])
    return {
        "reaction": view_reaction_node(call.world, reaction),
        "subject": find_node(call, told["subjectId"]),
        "clientMutationId": told.get("clientMutationId"),
    }


def _minimize(call: Call, told: dict[str, Any], classifier: str | None) -> Json:
    thing = _said(call, told["subjectId"])
    permission = "issues" if isinstance(thing, IssueComment) else "pull_requests"
    if not (call.may_write(permission, "write") or call.may_write("pull_requests", "write")):
        raise forbidden()
    thing.minimized = classifier.lower() if classifier else None
    call.world.note(thing.number, call.login, "hid something" if classifier else "showed something", thing.id)
    name = "minimizedComment" if classifier else "unminimizedComment"
    return {name: find_node(call, told["subjectId"]), "clientMutationId": told.get("clientMutationId")}


def _dismiss(call: Call, told: dict[str, Any]) -> Json:
    review = _said(call, told["pullRequestReviewId"])
    if not isinstance(review, Review):
        raise unknown_id(told["pullRequestReviewId"])
    if not call.may_write("pull_requests", "write"):
        raise forbidden()
    try:
        dismiss(call.world, review, call.login, told["message"])
    except Refused as error:
        raise as_error(error) from error
    return {"pullRequestReview": view_review_node(call, review), "clientMutationId": told.get("clientMutationId")}


def _thread(call: Call, text: str) -> int:
    kind, number = read_node_id(text) or ("", 0)
    comment = find_said(call, "PRRC", number) if call.may_read else None
    if kind != "PRRT" or not isinstance(comment, ReviewComment) or comment.thread != number:
        raise unknown_id(text)
    return number


def _pull(call: Call, text: str) -> PullRequest | None:
    named = read_node_id(text) if call.may_read else None
    return next((pull for pull in call.world.state.pulls.values() if ("PR", pull.id) == named), None)


def _said(call: Call, text: str) -> Review | ReviewComment | IssueComment:
    kind, number = read_node_id(text) or ("", 0)
    found = find_said(call, kind, number) if call.may_read and kind in ("PRR", "PRRC", "IC") else None
    if found is None:
        raise unknown_id(text)
    return found
