"""Failures, as a test plans them."""

import httpx
import pytest

from local.github import LocalGitHub
from local.github.failures import (
    PlannedFailure,
    dropped_connection,
    forbidden_field,
    refusal,
    server_error,
    truncated_response,
)
from local.github.views import node_id
from tests.local.github.scene import PULL, REPO, Client
from tests.tables import each_row

SAY = f"{REPO}/issues/1/comments"
ROUTE = "POST /repos/{owner}/{repo}/issues/{number}/comments"
HELLO = {"body": "Hello."}


def test_a_planned_failure_happens_once_and_has_no_effect(github: LocalGitHub, ann: Client) -> None:
    """The route may be spelt with any parameter names; the next request is answered again."""
    github.fail_next(ROUTE, 502)

    statuses = [ann.post(SAY, HELLO).status_code for _ in range(2)]

    assert statuses == [502, 201]
    assert len(github.state.issue_comments) == 1
    assert [seen.route for seen in github.requests] == ["POST /repos/{owner}/{repo}/issues/{issue_number}/comments"] * 2


def test_a_failure_can_be_planned_for_any_method_and_several_times(github: LocalGitHub, ann: Client) -> None:
    """Other routes are not touched."""
    github.fail_next("/repos/{}/{}/issues/{}/comments", refusal(418, {"message": "no"}), times=2)

    statuses = [
        ann.get(SAY).status_code,
        ann.get(PULL).status_code,
        ann.post(SAY, HELLO).status_code,
        ann.get(SAY).status_code,
    ]

    assert statuses == [418, 200, 418, 200]


@each_row(
    ("failure", "heard", "done"),
    [
        (server_error(takes_effect=True), 502, 1),
        (dropped_connection(takes_effect=True), httpx.RemoteProtocolError, 1),
        (dropped_connection(takes_effect=False), httpx.RemoteProtocolError, 0),
        (truncated_response(), httpx.RemoteProtocolError, 1),
    ],
)
def test_a_client_may_not_hear_what_was_done(
    github: LocalGitHub, ann: Client, failure: PlannedFailure, heard: int | type[Exception], done: int
) -> None:
    """GitHub answers 502, nothing, or half an answer, though it did it; or it did not."""
    before = len(github.state.issue_comments)
    github.fail_next(ROUTE, failure)

    if isinstance(heard, int):
        assert ann.post(SAY, HELLO).status_code == heard
    else:
        with pytest.raises(heard):
            ann.post(SAY, HELLO)

    assert len(github.state.issue_comments) - before == done
    assert ann.post(SAY, HELLO).status_code == 201


def test_a_graphql_request_is_picked_by_a_word_of_its_query(github: LocalGitHub, ann: Client) -> None:
    """A whole word of the query, not of its variables; the log has the fields that were asked for."""
    here = 'repository(owner: "acme", name: "widgets")'
    templates = {"query": f"query {{ {here} {{ pullRequestTemplates {{ body }} }} }}"}
    ids = {"query": f"query {{ pullRequest: {here} {{ id }} more: {here} {{ id }} }}", "variables": {"x": "labels"}}
    github.fail_next("POST /graphql pullRequest", 502)
    github.fail_next("/graphql labels", 503)
    github.fail_next("POST /graphql", 504, times=2)
    bodies = [templates, ids, {"query": 7}, ids, templates]

    statuses = [ann.post("/graphql", body).status_code for body in bodies]
    statuses.append(ann.post("/graphql", {"query": "query { labels"}).status_code)

    assert statuses == [504, 502, 504, 200, 200, 503]
    assert [(seen.route, seen.fields) for seen in github.requests] == [
        ("POST /graphql", ("repository",)),
        ("POST /graphql", ("repository", "repository")),
        ("POST /graphql", ()),
        ("POST /graphql", ("repository", "repository")),
        ("POST /graphql", ("repository",)),
        ("POST /graphql", ()),
    ]
    with pytest.raises(ValueError, match="is no route"):
        github.fail_next("POST graphql", 502)


def test_single_fields_of_a_graphql_document_can_be_forbidden(github: LocalGitHub, ann: Client) -> None:
    """They do nothing and are null, each with its error; the rest is done and answered."""
    first, second = (github.comment_on_line(1, "src/a.py", line, f"{line}?") for line in (5, 31))
    mutation = """mutation ($one: ID!, $two: ID!, $run: UnresolveReviewThreadInput!) {
      a: resolveReviewThread(input: {threadId: $one}) { thread { isResolved path } }
      b: unresolveReviewThread(input: $run) { thread { isResolved } }
      c: resolveReviewThread(input: {threadId: $two}) { thread { isResolved } }
    }"""
    one, two = node_id("PRRT", first), node_id("PRRT", second)
    github.resolve_thread(first)
    github.fail_next("POST /graphql resolveReviewThread", forbidden_field("unresolveReviewThread", "path"))
    github.fail_next("POST /graphql", forbidden_field("resolveReviewThread"))

    some, none, everything = (ann.graphql(mutation, one=one, two=two, run={"threadId": one}) for _ in range(3))

    assert some["data"] == {"a": {"thread": None}, "b": None, "c": {"thread": {"isResolved": True}}}
    refusal_of = {"type": "FORBIDDEN", "message": "Resource not accessible by integration"}
    assert [{key: error[key] for key in ("path", *refusal_of)} for error in some["errors"]] == [
        {"path": path} | refusal_of for path in (["a", "thread", "path"], ["b"])
    ]
    assert (none["data"]["a"], none["data"]["b"]["thread"], none["data"]["c"]) == (None, {"isResolved": False}, None)
    assert "errors" not in everything
    assert set(github.state.resolutions) == {second}
