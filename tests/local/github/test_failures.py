"""Failures, as a test plans them."""

import pytest

from local.github import LocalGitHub
from local.github.failures import (
    refusal,
)
from tests.local.github.scene import PULL, REPO, Client

SAY = f"{REPO}/issues/1/comments"
HELLO = {"body": "Hello."}


def test_a_failure_is_planned_for_a_route_and_so_many_times(github: LocalGitHub, ann: Client) -> None:
    """Any method unless one is named, and any names of parameters; other routes are not touched. It has no effect."""
    github.fail_next("/repos/{}/{}/issues/{}/comments", refusal(418, {"message": "no"}), times=2)
    github.fail_next("POST /repos/{owner}/{repo}/issues/{number}/comments", 502)

    statuses = [ann.get(path).status_code for path in (SAY, PULL)]
    statuses += [ann.post(SAY, HELLO).status_code for _ in range(3)]

    assert statuses == [418, 200, 418, 502, 201]
    assert len(github.state.issue_comments) == 1


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
