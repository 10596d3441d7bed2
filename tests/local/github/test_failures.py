"""Failures, as a test plans them."""

from collections.abc import Callable

import httpx
import pytest

from local.github import LocalGitHub
from local.github.failures import (
    dropped_connection,
    expired_token,
    forbidden_field,
    primary_limit,
    refusal,
    secondary_limit,
    server_error,
    slow_response,
    truncated_response,
)
from local.github.views import node_id
from tests.local.github.scene import PULL, REPO, Client

SAY = f"{REPO}/issues/1/comments"
ROUTE = "POST /repos/{owner}/{repo}/issues/{number}/comments"
HELLO = {"body": "Hello."}
Connect = Callable[..., Client]


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


def test_a_server_error_may_come_after_the_effect(github: LocalGitHub, ann: Client) -> None:
    """GitHub did it, though it answered 502."""
    github.fail_next(ROUTE, server_error(takes_effect=True))

    assert ann.post(SAY, HELLO).status_code == 502
    assert [c["body"] for c in ann.get(SAY).json()] == ["Hello."]


@pytest.mark.parametrize("takes_effect", [True, False])
def test_the_connection_may_break_before_the_answer(github: LocalGitHub, ann: Client, takes_effect: bool) -> None:
    """The client cannot know whether anything was done."""
    github.fail_next(ROUTE, dropped_connection(takes_effect=takes_effect))

    with pytest.raises(httpx.RemoteProtocolError):
        ann.post(SAY, HELLO)

    assert len(github.state.issue_comments) == takes_effect
    assert ann.post(SAY, HELLO).status_code == 201


def test_the_connection_may_break_in_the_middle_of_an_answer(github: LocalGitHub, ann: Client) -> None:
    """The work is done, and the client knows by the promised length that it did not hear all of it."""
    github.fail_next(ROUTE, truncated_response())

    with pytest.raises(httpx.RemoteProtocolError, match="complete message body"):
        ann.post(SAY, HELLO)

    assert [said["body"] for said in ann.get(SAY).json()] == ["Hello."]


def test_an_archive_may_break_off(github: LocalGitHub, ann: Client) -> None:
    """It comes half, with or without a length."""
    address = ann.get(f"{REPO}/tarball/main").headers["location"]
    github.fail_next("GET /{owner}/{repo}/legacy.tar.gz/{ref}", truncated_response())

    with pytest.raises(httpx.RemoteProtocolError, match="complete message body"):
        ann.get(address)

    assert ann.get(address).content.startswith(b"\x1f\x8b")


def test_an_answer_may_be_late(github: LocalGitHub, client_of: Connect) -> None:
    """The client gives up, the work is done all the same, and others are served meanwhile."""
    github.fail_next(ROUTE, slow_response(1))
    hasty = httpx.Client(base_url=github.url, timeout=0.3, trust_env=False, verify=False)

    with hasty, pytest.raises(httpx.ReadTimeout):
        hasty.post(SAY, json=HELLO, headers={"Authorization": f"Bearer {github.token_for('ann')}"})

    assert len(client_of(github, github.token_for("ann")).get(SAY).json()) == 1


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


def test_limits_and_expiry_can_be_planned_in_githubs_words(github: LocalGitHub, ann: Client) -> None:
    """With the headers by which a client knows when to come back."""
    for failure in (secondary_limit(17), secondary_limit(18, 429), primary_limit(1_900_000_000.5), expired_token()):
        github.fail_next(ROUTE, failure)

    once, twice, hour, token = (ann.post(SAY, HELLO) for _ in range(4))

    assert [(a.status_code, a.headers["retry-after"]) for a in (once, twice)] == [(403, "17"), (429, "18")]
    assert once.json()["message"].startswith("You have exceeded a secondary rate limit.")
    assert (hour.status_code, hour.headers["x-ratelimit-remaining"], hour.headers["x-ratelimit-reset"]) == (
        403,
        "0",
        "1900000000",
    )
    assert (token.status_code, token.json()["message"]) == (401, "Bad credentials")
    assert github.state.issue_comments == {}
