"""GitHub's own description is held against everything that comes in and goes out."""

import json
from typing import Any

from local.github import LocalGitHub
from local.github.answers import ApiResponse
from local.github.description import FOLDER, OpenRequest, describe
from local.github.prune import prune_graphql, prune_openapi
from tests.local.github.scene import PULL, REPO, Client
from tests.tables import each_row


@each_row(
    ("method", "path", "body", "sentence"),
    [
        ("POST", f"{PULL}/reviews", {"event": "COMMENT", "body": "x", "comment": []}, "('comment' was unexpected)"),
        ("POST", f"{PULL}/reviews", {"event": "APPROVED"}, "'APPROVED' is not one of"),
        (
            "POST",
            f"{PULL}/reviews",
            {"event": "COMMENT", "body": "x", "comments": [{"path": "new.py", "line": "1", "body": "x"}]},
            '$.body.comments[0].line "1" is not of type',
        ),
        ("POST", f"{REPO}/issues/1/comments", {}, '$.body "body" is a required property'),
        ("POST", f"{REPO}/issues/1/comments", None, '$ "body" is a required property'),
        ("POST", f"{REPO}/issues/comments/1/reactions", {"content": "tada"}, "'tada' is not one of"),
        ("GET", f"{PULL}/files?per_page=many", None, "$.parameters.per_page "),
    ],
)
def test_a_request_outside_the_description_is_a_500_and_a_violation(
    github: LocalGitHub, ann: Client, method: str, path: str, body: Any, sentence: str
) -> None:
    """The request is a bug of the client, which a test must see; it has no effect."""
    answer = ann.send(method, path, body)

    assert answer.status_code == 500
    (violation,) = github.violations
    assert sentence in violation
    assert (github.state.reviews, github.state.issue_comments) == ({}, {})
    github.violations.clear()


def test_a_path_that_is_not_served_is_noted(github: LocalGitHub, ann: Client) -> None:
    """It may exist on GitHub; here somebody has to build it first."""
    assert ann.get(f"{REPO}/branches").status_code == 404
    assert github.violations == ["GET /repos/acme/widgets/branches is not served"]
    github.violations.clear()


def test_an_answer_that_strays_is_seen() -> None:
    """The check looks at answers as closely: a status of its own, a field that is missing, null or of a wrong type."""
    request = OpenRequest("GET /user", {}, {}, None)

    wrong = describe().check_answer(request, ApiResponse(200, {"id": "one"}))
    odd = describe().check_answer(request, ApiResponse(202, {}))

    assert wrong is not None
    assert wrong.sentence.startswith("answer 200 of GET /user: ")
    assert odd is not None
    assert odd.sentence == "answer 202 of GET /user: no such status is described"


def test_a_webhook_outside_the_description_is_a_violation(github: LocalGitHub) -> None:
    """Alternatives and nullable fields are checked too."""
    payload = github.deliveries[0].payload
    broken = json.loads(json.dumps(payload))
    broken["pull_request"]["head"]["sha"] = None

    assert describe().check_webhook("pull_request", "opened", payload) is None
    violation = describe().check_webhook("pull_request", "opened", broken)
    assert violation is not None
    assert "$.pull_request.head.sha" in violation.sentence


@each_row("body", [b"{", b"[1]", b"[" * 100_000])
def test_a_body_that_is_no_json_object_is_refused(ann: Client, body: bytes) -> None:
    """400, as GitHub has it."""
    answer = ann._http.post(f"{REPO}/issues/1/comments", content=body)

    assert answer.status_code == 400
    assert answer.json()["message"] in ("Problems parsing JSON", "Body should be a JSON object")


def test_a_new_version_of_the_descriptions_is_cut_to_what_is_served() -> None:
    """The files' content comes out of the pruning as it went in; anything else of a new version is left out."""
    rest = json.loads((FOLDER / "rest-and-webhooks.json").read_text())
    schema = (FOLDER / "schema.graphql").read_text()
    payloads = {
        name: {"post": {"requestBody": {"content": {"application/json": {"schema": payload}}}}}
        for name, payload in rest["x-webhooks"].items()
    }
    newer = rest | {"x-webhooks": payloads | {"star-created": {}}, "paths": rest["paths"] | {"/gists": {}}}
    described = '"""Prose."""\ntype Gist { id: ID! }\n' + schema.replace("type Blob", '"""Prose."""\ntype Blob', 1)

    assert prune_openapi(newer, list(rest["x-webhooks"])) == rest
    assert prune_graphql(described.replace("  nameWithOwner", "  gist: Gist\n  nameWithOwner"), schema) == schema
