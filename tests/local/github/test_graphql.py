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
WHERE = {"owner": "acme", "name": "widgets", "number": 1}
THREADS = """
query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: 2, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes {
        id isResolved viewerCanResolve path line startLine originalLine originalStartLine resolvedBy { login }
        comments(first: 50) { nodes { databaseId body diffHunk author { __typename login } } }
      }
    }
  } }
}"""
FORBIDDEN = "Resource not accessible by integration"


@pytest.fixture
def threads(github: LocalGitHub) -> list[int]:
    """Three threads of the bot's."""
    comments = [{"path": "src/a.py", "line": n, "body": f"{n}?"} for n in (5, 31, 32)]
    github.review(1, "COMMENT", "Seen.", comments, login=github.bot_login)
    return list(github.state.comments)


@pytest.fixture
def check(app: Client, github: LocalGitHub, scene: Scene) -> int:
    """A check run in progress."""
    app.post(f"{REPO}/check-runs", {"name": "Kodiai", "head_sha": scene.head, "status": "in_progress"})
    return next(iter(github.state.checks))


def read(client: Client, after: str | None = None) -> dict[str, Any]:
    answer = client.graphql(THREADS, **WHERE, after=after)
    assert "errors" not in answer, answer
    threads: dict[str, Any] = answer["data"]["repository"]["pullRequest"]["reviewThreads"]
    return threads


def resolve(client: Client, thread: int | str, name: str = "resolveReviewThread") -> dict[str, Any]:
    thread_id = thread if isinstance(thread, str) else node_id("PRRT", thread)
    return client.mutate(name, "thread { isResolved }", threadId=thread_id)


def problems(*answers: dict[str, Any]) -> list[tuple[str, str]]:
    return [(error["type"], error["message"]) for answer in answers for error in answer["errors"]]


def note(line: int) -> dict[str, Any]:
    location = {"startLine": line, "endLine": line}
    return {"path": "src/a.py", "location": location, "annotationLevel": "WARNING", "message": f"{line}", "title": "t"}


def test_an_app_resolves_threads_only_with_write_access_to_contents(
    serve: Callable[..., LocalGitHub], client_of: Connect, scene: Scene
) -> None:
    """Without it, the thread says that it cannot and the mutation is FORBIDDEN; it may still answer."""
    limited = serve(scene.repository.path, permissions=APP_PERMISSIONS | {"contents": "read"})
    limited.open_pull_request("feature")
    app, thread = client_of(limited, installation_token(limited)), limited.comment_on_line(1, "new.py", 1, "Why?")

    refused = resolve(app, thread)
    reply = {"pullRequestReviewThreadId": node_id("PRRT", thread), "body": "Fixed."}
    answered = app.mutate("addPullRequestReviewThreadReply", "comment { body }", **reply)

    assert [each["viewerCanResolve"] for each in read(app)["nodes"]] == [False]
    assert (problems(refused), refused["errors"][0]["path"]) == ([("FORBIDDEN", FORBIDDEN)], ["resolveReviewThread"])
    assert answered["data"]["addPullRequestReviewThreadReply"]["comment"]["body"] == "Fixed."
    assert limited.state.resolutions == {}


def test_a_request_for_changes_is_dismissed(github: LocalGitHub, app: Client) -> None:
    """The message is kept and a webhook is sent; a comment cannot be dismissed."""
    blocking = github.review(1, "REQUEST_CHANGES", "Stop.", login=github.bot_login)
    other = github.review(1, "COMMENT", "Hm.", login=github.bot_login)

    answer, refused = app.dismiss(blocking, "Fixed."), app.dismiss(other, "Fixed.")

    assert "errors" not in answer
    assert problems(refused) == [("UNPROCESSABLE", "Can not dismiss a commented pull request review")]
    assert [review.state for review in github.state.reviews.values()] == ["DISMISSED", "COMMENTED"]
    assert github.state.reviews[blocking].dismissed_with == "Fixed."
    assert github.state.timeline[-1].what == "dismissed a review: Fixed."
    sent = github.deliveries[-1]
    assert (sent.event, sent.action, sent.payload["review"]["state"]) == (
        "pull_request_review",
        "dismissed",
        "dismissed",
    )


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
    """In REST's words, and nothing of it is kept."""
    refused = app.update_check(check, **change)

    assert problems(refused) == [("UNPROCESSABLE", f"Invalid request.\n\n{sentence}")]
    assert refused["data"] == {"updateCheckRun": None}
    [run] = github.state.checks.values()
    assert (run.status, run.summary, run.annotations, run.actions) == ("in_progress", None, [], [])


def test_what_is_not_permitted_and_what_is_not_there_are_different_errors(
    github: LocalGitHub, app: Client, ann: Client, client_of: Connect, check: int
) -> None:
    """A check run requires an App, a review write access."""
    review = github.review(1, "REQUEST_CHANGES", "Stop.", login="bea")
    reader = client_of(github, github.token_for("rita", "read"))
    elsewhere = {"repositoryId": node_id("R", REPOSITORY_ID + 1), "conclusion": "SUCCESS"}
    not_a_review = node_id("IC", github.comment(1, "Hm."))

    answers = {
        "a person": ann.update_check(check, conclusion="SUCCESS"),
        "a reader": reader.dismiss(review, "No."),
        "another run": app.update_check(1, conclusion="SUCCESS"),
        "another repository": app.mutate("updateCheckRun", checkRunId=node_id("CR", check), **elsewhere),
        "another review": app.dismiss(1, "No."),
        "no review": app.mutate("addReaction", subjectId=not_a_review, content="EYES"),
    }

    assert {name: answer["errors"][0]["type"] for name, answer in answers.items()} == {
        name: "FORBIDDEN" if number < 2 else "NOT_FOUND" for number, name in enumerate(answers)
    }
    assert (github.state.checks[check].conclusion, github.state.reviews[review].state) == (None, "CHANGES_REQUESTED")


def test_several_changes_happen_in_order_and_one_that_fails_stands_alone(
    github: LocalGitHub, app: Client, scene: Scene
) -> None:
    """It is null at its alias, with an error that says where; each result sees what went before it."""
    review = github.review(1, "REQUEST_CHANGES", "Stop.", login=github.bot_login)
    one = github.comment_on_line(1, "src/a.py", 5, "5?", login=github.bot_login)
    app.post(f"{REPO}/check-runs", {"name": "Kodiai", "head_sha": scene.head})
    document = """
    mutation ($run: ID!, $repository: ID!, $review: ID!, $one: ID!, $gone: ID!) {
      begun: updateCheckRun(input: {checkRunId: $run, repositoryId: $repository, status: IN_PROGRESS}) { ...Now }
      dismissed: dismissPullRequestReview(input: {pullRequestReviewId: $review, message: "Fixed."}) {
        pullRequestReview { state }
      }
      first: resolveReviewThread(input: {threadId: $one}) { thread { isResolved } }
      missing: resolveReviewThread(input: {threadId: $gone}) { thread { isResolved } }
      again: dismissPullRequestReview(input: {pullRequestReviewId: $review, message: "Fixed."}) { clientMutationId }
      done: updateCheckRun(input: {checkRunId: $run, repositoryId: $repository, conclusion: SUCCESS}) { ...Now }
    }
    fragment Now on UpdateCheckRunPayload { checkRun { repository { pullRequest(number: 1) {
      reviews(last: 2) { nodes { state } } reviewThreads(last: 100) { nodes { isResolved } }
    } } } }"""

    answer = app.graphql(
        document,
        run=node_id("CR", next(iter(github.state.checks))),
        repository=node_id("R", REPOSITORY_ID),
        review=node_id("PRR", review),
        one=node_id("PRRT", one),
        gone=node_id("PRRT", 1),
    )

    data = answer["data"]
    assert [(error["path"], error["type"]) for error in answer["errors"]] == [
        (["missing"], "NOT_FOUND"),
        (["again"], "UNPROCESSABLE"),
    ]
    assert [data[alias] for alias in ("missing", "again")] == [None, None]
    assert data["dismissed"] == {"pullRequestReview": {"state": "DISMISSED"}}
    assert data["first"] == {"thread": {"isResolved": True}}
    before, after = (data[alias]["checkRun"]["repository"]["pullRequest"] for alias in ("begun", "done"))
    assert [before["reviews"]["nodes"][0], before["reviewThreads"]["nodes"]] == [
        {"state": "CHANGES_REQUESTED"},
        [{"isResolved": False}],
    ]
    assert [after["reviews"]["nodes"][0], after["reviewThreads"]["nodes"]] == [
        {"state": "DISMISSED"},
        [{"isResolved": True}],
    ]
    assert github.requests[-1].fields == (
        "updateCheckRun",
        "dismissPullRequestReview",
        "resolveReviewThread",
        "resolveReviewThread",
        "dismissPullRequestReview",
        "updateCheckRun",
    )


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
def test_what_is_not_there_is_not_found_in_githubs_shape(ann: Client, query: str, message: str) -> None:
    """The type is next to the message, and the answer is 200."""
    answer = ann.graphql(query)

    assert problems(answer) == [("NOT_FOUND", message)]
    assert next(iter(answer["data"].values())) in (None, {"pullRequest": None})


def test_a_stranger_finds_nothing(github: LocalGitHub, client_of: Connect, threads: list[int]) -> None:
    """Neither by name nor by id."""
    stranger = client_of(github, github.token_for("mallory", "none"))

    by_name, by_id = stranger.graphql(THREADS, **WHERE), resolve(stranger, threads[0])

    assert [kind for kind, _ in problems(by_name, by_id)] == ["NOT_FOUND", "NOT_FOUND"]


def test_a_pending_review_is_there_for_its_author_only(bot: "GitHub[Any]", ann: Client) -> None:
    """Neither it nor its threads are found by their ids, nor listed."""
    body = {"body": "Draft.", "comments": [{"path": "new.py", "line": 1, "body": "x"}]}
    review = bot.request("POST", f"{PULL}/reviews", json=body).json()["id"]
    (comment,) = bot.request("GET", f"{PULL}/comments").json()

    hidden = [resolve(ann, comment["id"]), ann.dismiss(review, "No.")]

    assert [kind for kind, _ in problems(*hidden)] == ["NOT_FOUND", "NOT_FOUND"]
    assert read(ann)["nodes"] == []


@pytest.mark.usefixtures("threads")
def test_a_list_has_a_size_and_can_be_read_from_the_end(ann: Client) -> None:
    """GitHub wants `first` or `last`, and at most 100."""
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


def test_a_query_that_is_no_text_is_refused(ann: Client) -> None:
    """GitHub says so with 422."""
    assert ann.post("/graphql", {"query": 7}).status_code == 422
