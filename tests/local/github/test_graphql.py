"""GraphQL: review threads as they are read, and everything that is changed, checked against GitHub's schema."""

from collections.abc import Callable
from typing import Any

import pytest
from githubkit import GitHub

from local.github import LocalGitHub
from local.github.hosted_repository import APP_PERMISSIONS, REPOSITORY_ID
from local.github.views import node_id
from tests.local.github.scene import PULL, REPO, Client, Scene, installation_token
from tests.tables import each_row

Connect = Callable[..., Client]


@pytest.fixture
def check(app: Client, github: LocalGitHub, scene: Scene) -> int:
    """A check run in progress."""
    app.post(f"{REPO}/check-runs", {"name": "Kodiai", "head_sha": scene.head, "status": "in_progress"})
    return next(iter(github.state.checks))


def problems(*answers: dict[str, Any]) -> list[tuple[str, str]]:
    return [(error["type"], error["message"]) for answer in answers for error in answer["errors"]]


def note(line: int) -> dict[str, Any]:
    location = {"startLine": line, "endLine": line}
    return {"path": "src/a.py", "location": location, "annotationLevel": "WARNING", "message": f"{line}", "title": "t"}


def test_an_app_resolves_threads_only_with_write_access_to_contents(
    serve: Callable[..., LocalGitHub], client_of: Connect, scene: Scene
) -> None:
    """The thread without it has viewerCanResolve false, and resolving is FORBIDDEN."""
    github = serve(scene.repository.path, permissions=APP_PERMISSIONS | {"contents": "read"})
    github.open_pull_request("feature")
    app, thread = client_of(github, installation_token(github)), github.comment_on_line(1, "new.py", 1, "Why?")
    found = """query { repository(owner: "acme", name: "widgets") { pullRequest(number: 1) {
      reviewThreads(first: 1) { nodes { viewerCanResolve } } } } }"""

    refused = app.mutate("resolveReviewThread", threadId=node_id("PRRT", thread))

    pull = app.graphql(found)["data"]["repository"]["pullRequest"]
    assert pull["reviewThreads"]["nodes"] == [{"viewerCanResolve": False}]
    assert problems(refused) == [("FORBIDDEN", "Resource not accessible by integration")]


@each_row(
    ("change", "sentence"),
    [
        (
            {"output": {"title": "t", "summary": "s", "annotations": [note(1)] * 51}, "status": "PENDING"},
            "No more than 50 items are allowed; 51 were supplied.",
        ),
        (
            {"output": {"title": "t", "summary": "x" * 65_536}},
            "Only 65535 characters are allowed; 65536 were supplied.",
        ),
        (
            {"actions": [{"label": "x" * 21, "description": "d", "identifier": "i"}]},
            "Only 20 characters are allowed; 21 were supplied.",
        ),
        ({"status": "COMPLETED"}, '"conclusion" wasn\'t supplied.'),
    ],
    ids=["annotations", "summary", "label", "no conclusion"],
)
def test_a_check_run_over_the_limits_is_refused(
    app: Client, github: LocalGitHub, check: int, change: dict[str, Any], sentence: str
) -> None:
    """The message is REST's, and nothing is stored."""
    refused = app.update_check(check, **change)

    assert problems(refused) == [("UNPROCESSABLE", f"Invalid request.\n\n{sentence}")]
    assert refused["data"] == {"updateCheckRun": None}
    [run] = github.state.checks.values()
    assert (run.status, run.summary, run.annotations, run.actions) == ("in_progress", None, [], [])


def test_a_forbidden_and_a_missing_object_are_different_errors(
    github: LocalGitHub, app: Client, ann: Client, client_of: Connect, check: int
) -> None:
    """A check run requires an App, a review write access."""
    review = github.review(1, "REQUEST_CHANGES", "Stop.", login="bea")
    reader = client_of(github, github.token_for("rita", "read"))
    elsewhere = {"repositoryId": node_id("R", REPOSITORY_ID + 1), "conclusion": "SUCCESS"}
    of_another_app = github.report_check(github.state.pulls[1].head_sha, "build", None)
    not_a_review = node_id("IC", github.comment(1, "Hm."))

    answers = {
        "a person": ann.update_check(check, conclusion="SUCCESS"),
        "a reader": reader.dismiss(review, "No."),
        "another App's run": app.update_check(of_another_app, conclusion="SUCCESS"),
        "another run": app.update_check(1, conclusion="SUCCESS"),
        "another repository": app.mutate("updateCheckRun", checkRunId=node_id("CR", check), **elsewhere),
        "another review": app.dismiss(1, "No."),
        "no review": app.mutate("addReaction", subjectId=not_a_review, content="EYES"),
    }

    assert {name: answer["errors"][0]["type"] for name, answer in answers.items()} == {
        name: "FORBIDDEN" if number < 3 else "NOT_FOUND" for number, name in enumerate(answers)
    }
    comment = github.review(1, "COMMENT", "Hm.", login=github.bot_login)
    refused = app.dismiss(comment, "Fixed.")
    assert problems(refused) == [("UNPROCESSABLE", "Can not dismiss a commented pull request review")]
    assert [github.state.checks[each].conclusion for each in (check, of_another_app)] == [None, None]
    assert github.state.reviews[review].state == "CHANGES_REQUESTED"


@each_row(
    ("query", "message"),
    [
        (
            'query { repository(owner: "acme", name: "other") { id } }',
            "Could not resolve to a Repository with the name 'acme/other'.",
        ),
        (
            'query { repository(owner: "acme", name: "widgets") { pullRequest(number: 9) { url } } }',
            "Could not resolve to a PullRequest with the number of 9.",
        ),
        (
            'mutation { resolveReviewThread(input: {threadId: "PRRT_x"}) { thread { id } } }',
            "Could not resolve to a node with the global id of 'PRRT_x'.",
        ),
        ('query { node(id: "nothing") { id } }', "Could not resolve to a node with the global id of 'nothing'."),
    ],
)
def test_a_missing_object_is_not_found_in_githubs_shape(ann: Client, query: str, message: str) -> None:
    """The type is next to the message, and the answer is 200."""
    answer = ann.graphql(query)

    assert problems(answer) == [("NOT_FOUND", message)]
    assert next(iter(answer["data"].values())) in (None, {"pullRequest": None})


def test_a_stranger_finds_nothing(github: LocalGitHub, client_of: Connect) -> None:
    """Names and ids are not found."""
    stranger, thread = (
        client_of(github, github.token_for("mallory", "none")),
        github.comment_on_line(1, "new.py", 1, "?"),
    )

    by_name = stranger.graphql('query { repository(owner: "acme", name: "widgets") { id } }')
    by_id = stranger.mutate("resolveReviewThread", threadId=node_id("PRRT", thread))

    assert [kind for kind, _ in problems(by_name, by_id)] == ["NOT_FOUND", "NOT_FOUND"]


def test_a_pending_review_is_there_for_its_author_only(bot: "GitHub[Any]", ann: Client) -> None:
    """Others cannot find it or its threads by their ids."""
    body = {"body": "Draft.", "comments": [{"path": "new.py", "line": 1, "body": "x"}]}
    review = bot.request("POST", f"{PULL}/reviews", json=body).json()["id"]
    (comment,) = bot.request("GET", f"{PULL}/comments").json()

    hidden = [
        ann.mutate("resolveReviewThread", threadId=node_id("PRRT", comment["id"])),
        ann.dismiss(review, "No."),
    ]

    assert [kind for kind, _ in problems(*hidden)] == ["NOT_FOUND", "NOT_FOUND"]


def test_a_list_has_a_size_and_can_be_read_from_the_end(ann: Client, github: LocalGitHub) -> None:
    """GitHub wants `first` or `last`, and at most 100."""
    for line in (5, 31, 32):
        github.comment_on_line(1, "src/a.py", line, "?")
    query = """query { repository(owner: "acme", name: "widgets") { pullRequest(number: 1) {
      reviewThreads%s { nodes { line } } } } }"""

    refused = [ann.graphql(query % size) for size in ("", "(first: 101)")]
    newest = ann.graphql(query % "(last: 2)")["data"]["repository"]["pullRequest"]["reviewThreads"]

    assert [kind for kind, _ in problems(*refused)] == ["MISSING_PAGINATION_BOUNDARIES", "EXCESSIVE_PAGINATION"]
    assert newest == {"nodes": [{"line": 31}, {"line": 32}]}


@each_row(
    "query",
    [
        'query { repository(owner: "acme", name: "widgets") { nonsense } }',
        'query { repository(owner: "acme", name: "widgets") { id }',
        "mutation { resolveReviewThread { thread { id } } }",
    ],
    ids=["an unknown field", "no closing brace", "a missing argument"],
)
def test_a_query_that_the_schema_does_not_know_is_a_violation(github: LocalGitHub, ann: Client, query: str) -> None:
    """It is answered with errors, and noted, so that a test sees it."""
    answer = ann.graphql(query)

    assert "data" not in answer
    assert answer["errors"]
    (violation,) = github.violations
    assert violation.startswith("query: ")
    github.violations.clear()
    assert ann.post("/graphql", {"query": 7}).status_code == 422
