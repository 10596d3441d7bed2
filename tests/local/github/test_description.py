"""GitHub's own description is held against everything that comes in and goes out."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from githubkit import GitHub

import local.github
from local.github import GitHubStandIn
from local.github.description import FOLDER, RequestFacts, describe, describe_webhooks
from local.github.served import GRAPHQL_FIELDS, OPERATIONS, WEBHOOKS
from tests.local.github.scene import PULL, REPO, Client

NEWEST = {"X-GitHub-Api-Version": "2026-03-10"}


@pytest.mark.parametrize(
    ("method", "path", "body", "sentence"),
    [
        ("POST", f"{PULL}/reviews", {"event": "COMMENT", "body": "x", "comment": []}, "('comment' was unexpected)"),
        ("POST", f"{PULL}/reviews", {"event": "APPROVED"}, "'APPROVED' is not one of"),
        (
            "POST",
            f"{PULL}/reviews",
            {"event": "COMMENT", "body": "x", "comments": [{"path": "new.py", "line": "1", "body": "x"}]},
            "$.comments[0].line '1' is not of type",
        ),
        ("POST", f"{REPO}/issues/1/comments", {}, "'body' is a required property"),
        ("POST", f"{REPO}/issues/1/reactions", {"content": "tada"}, "'tada' is not one of"),
        ("GET", f"{PULL}/files?per_page=many", None, "per_page"),
    ],
)
def test_a_request_that_strays_is_answered_with_500_and_noted(
    github: GitHubStandIn, ann: Client, method: str, path: str, body: Any, sentence: str
) -> None:
    """Such a request is a bug of the client's, and a test must see it; nothing happens."""
    answer = ann.send(method, path, body)

    assert answer.status_code == 500
    (violation,) = github.violations
    assert sentence in violation
    assert (github.state.reviews, github.state.issue_comments) == ({}, {})
    github.violations.clear()


def test_a_path_that_is_not_served_is_noted(github: GitHubStandIn, ann: Client) -> None:
    """It may exist on GitHub; here somebody has to build it first."""
    assert ann.get(f"{REPO}/branches").status_code == 404
    assert github.violations == ["GET /repos/acme/widgets/branches is not served"]
    github.violations.clear()


def test_an_answer_that_strays_is_seen() -> None:
    """The check looks at answers as closely: a field that is missing, null or of a wrong type."""
    request = RequestFacts(
        "GET /repos/{owner}/{repo}/issues/comments/{comment_id}", {"owner": "a", "repo": "b", "comment_id": "1"}
    )

    violation = describe("2022-11-28").check_answer(request, 200, {}, b'{"id": "one"}')
    unlisted = describe("2022-11-28").check_answer(request, 503, {}, b'{"error": "x"}')

    assert violation is not None
    assert violation.sentence.startswith("answer 200 of GET /repos/{owner}/{repo}/issues/comments/{comment_id}: ")
    assert unlisted is not None


def test_a_webhook_that_strays_is_seen(github: GitHubStandIn) -> None:
    """Also where alternatives and nullable fields are described."""
    payload = github.deliveries[0].payload
    broken = json.loads(json.dumps(payload))
    broken["pull_request"]["head"]["sha"] = None

    assert describe_webhooks().check("pull_request", "opened", payload) is None
    violation = describe_webhooks().check("pull_request", "opened", broken)
    assert violation is not None
    assert "$.pull_request.head.sha" in violation.sentence


def test_the_newer_version_lacks_what_it_dropped(github: GitHubStandIn, client_of: Callable[..., Client]) -> None:
    """Properties that REST version 2026-03-10 no longer has are not sent with it; a version nobody knows is refused."""
    token = github.token_for("ann")
    old, new = client_of(github, token), client_of(github, token, **NEWEST)

    before, after = old.get(PULL).json(), new.get(PULL).json()

    assert set(before) - set(after) == {"assignee", "merge_commit_sha"}
    assert set(before["base"]["repo"]) - set(after["base"]["repo"]) == {"has_downloads"}
    assert "rate" in old.get("/rate_limit").json()
    assert "rate" not in new.get("/rate_limit").json()
    assert client_of(github, token, **{"X-GitHub-Api-Version": "2001-01-01"}).get(PULL).status_code == 400


def test_githubkit_reads_what_is_served_into_its_strict_models(bot: "GitHub[Any]") -> None:
    """Its models are made from GitHub's description of the newest version."""
    pull = bot.rest.pulls.get("acme", "widgets", 1).parsed_data
    files: Any = bot.rest.pulls.list_files("acme", "widgets", 1).parsed_data

    assert (pull.number, pull.head.ref) == (1, "feature")
    assert [file.filename for file in files] == ["gone.py", "new.py", "src/a.py"]


@pytest.mark.parametrize("body", [b"{", b"[1]", b"[" * 100_000])
def test_a_body_that_is_no_json_object_is_refused(ann: Client, body: bytes) -> None:
    """400, as GitHub has it."""
    answer = ann._http.post(f"{REPO}/issues/1/comments", content=body)

    assert answer.status_code == 400
    assert answer.json()["message"] in ("Problems parsing JSON", "Body should be a JSON object")


def test_every_operation_and_webhook_is_described_and_nothing_else_is_carried() -> None:
    """The pruned files hold what is served; a new version of the packages is cut by the same list."""
    document = json.loads((FOLDER / "rest-and-webhooks.json").read_text())
    described = {f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods}

    assert described == set(OPERATIONS)
    assert set(document["x-webhooks"]) == set(WEBHOOKS)
    referenced = set(_references(document))
    carried = {f"#/components/{kind}/{name}" for kind, named in document["components"].items() for name in named}
    assert carried == referenced
    assert all(f"type {name} " in (FOLDER / "schema.graphql").read_text() for name in ("Query", "Mutation"))
    assert "Organization" not in GRAPHQL_FIELDS


def _references(node: Any) -> list[str]:
    if isinstance(node, list):
        return [found for item in node for found in _references(item)]
    if not isinstance(node, dict):
        return []
    own = [node["$ref"]] if isinstance(node.get("$ref"), str) else []
    return own + [found for value in node.values() for found in _references(value)]


def test_the_descriptions_are_small_and_carry_their_licences() -> None:
    """They are committed: no prose, and the licence texts beside them."""
    files = {path.name: path for path in Path(FOLDER).iterdir()}

    assert set(files) == {
        "LICENSE-octokit-graphql-schema",
        "LICENSE-octokit-openapi",
        "README.md",
        "rest-and-webhooks.json",
        "schema.graphql",
    }
    assert sum(path.stat().st_size for path in files.values()) < 550_000
    assert '"description":"' not in files["rest-and-webhooks.json"].read_text()
    assert all(
        "Permission is hereby granted" in files[name].read_text() for name in files if name.startswith("LICENSE")
    )
    assert local.github.__all__ == ["GitHubStandIn", "UnusableRepository"]
