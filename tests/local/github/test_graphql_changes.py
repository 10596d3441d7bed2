"""GraphQL: check runs updated, reviews lifted, and several changes in one request."""

from collections.abc import Callable
from typing import Any

import pytest

from local.github import GitHubStandIn
from local.github.views import node_id
from tests.local.github.scene import PULL, REPO, Client, Scene, installation_token

RUNS = f"{REPO}/check-runs"
UPDATE = """
mutation ($input: UpdateCheckRunInput!) { updateCheckRun(input: $input) { clientMutationId checkRun {
  id databaseId name status conclusion title summary text externalId detailsUrl startedAt completedAt
  repository { id nameWithOwner }
  annotations(first: 1) { totalCount nodes {
    path message title rawDetails annotationLevel location { start { line column } end { line column } }
  } }
} } }"""
DISMISS = """
mutation ($id: ID!) { dismissPullRequestReview(input: {pullRequestReviewId: $id, message: "Fixed."}) {
  pullRequestReview { databaseId state isMinimized author { __typename login } }
} }"""
PUBLISH = """
mutation ($run: ID!, $repository: ID!, $review: ID!, $one: ID!, $two: ID!, $gone: ID!) {
  begun: updateCheckRun(input: {checkRunId: $run, repositoryId: $repository, status: IN_PROGRESS}) { ...Threads }
  lifted: dismissPullRequestReview(input: {pullRequestReviewId: $review, message: "Fixed."}) {
    pullRequestReview { state }
  }
  first: resolveReviewThread(input: {threadId: $one}) { thread { isResolved } }
  missing: resolveReviewThread(input: {threadId: $gone}) { thread { isResolved } }
  again: dismissPullRequestReview(input: {pullRequestReviewId: $review, message: "Fixed."}) { clientMutationId }
  answer: addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $two, body: "Fixed in abc1234."}) {
    comment { body }
  }
  done: updateCheckRun(input: {checkRunId: $run, repositoryId: $repository, conclusion: SUCCESS}) { ...Threads }
}
fragment Threads on UpdateCheckRunPayload { checkRun { conclusion repository { pullRequest(number: 1) {
  reviews(last: 1) { nodes { databaseId state body isMinimized author { __typename login } } }
  reviewThreads(last: 100) { nodes {
    isResolved resolvedBy { login } viewerCanResolve viewerCanUnresolve
    first: comments(first: 1) { nodes { body } }
    latest: comments(last: 30) { totalCount nodes { body } }
  } }
} } } }"""


def note(line: int) -> dict[str, Any]:
    location = {"startLine": line, "endLine": line, "startColumn": 2, "endColumn": 3}
    said = {"annotationLevel": "WARNING", "message": f"{line}", "title": "t", "rawDetails": "r"}
    return {"path": "src/a.py", "location": location} | said


@pytest.fixture
def run(app: Client, scene: Scene) -> dict[str, Any]:
    """A check run in progress, as the input that names it."""
    body = {"name": "Kodiai", "head_sha": scene.head, "status": "in_progress", "external_id": "run-1"}
    told = app.post(RUNS, body).json()
    return {"checkRunId": told["node_id"], "repositoryId": app.get(REPO).json()["node_id"]}


def update(client: Client, run: dict[str, Any], **change: Any) -> dict[str, Any]:
    return client.graphql(UPDATE, input=run | change)


def test_a_check_run_is_updated_as_in_rest(
    app: Client, ann: Client, github: GitHubStandIn, run: dict[str, Any]
) -> None:
    """Annotations add up, a conclusion completes it, and buttons are kept; what is null is not said."""
    button = {"label": "Review again", "description": "Look once more", "identifier": "again"}
    output: dict[str, Any] = {"title": "Half", "summary": "So far.", "annotations": [note(n) for n in range(1, 51)]}
    before = ann.graphql("query ($id: ID!) { node(id: $id) { ... on CheckRun { status } } }", id=run["checkRunId"])

    half = update(app, run, output=output, status="IN_PROGRESS", clientMutationId="m")["data"]["updateCheckRun"]
    output |= {"title": "Done", "annotations": [note(n) for n in range(51, 56)], "text": None}
    done = update(
        app, run, output=output, conclusion="NEUTRAL", completedAt="2027-01-15T08:00:00Z", name=None, actions=[button]
    )["data"]["updateCheckRun"]["checkRun"]

    assert before["data"]["node"] == {"status": "IN_PROGRESS"}
    assert half["clientMutationId"] == "m"
    assert (half["checkRun"]["status"], half["checkRun"]["annotations"]["totalCount"]) == ("IN_PROGRESS", 50)
    (check,) = github.state.checks.values()
    listed = ann.get(f"{RUNS}/{check.id}").json()
    assert done == {
        "id": run["checkRunId"],
        "databaseId": check.id,
        "name": "Kodiai",
        "status": "COMPLETED",
        "conclusion": "NEUTRAL",
        "title": "Done",
        "summary": "So far.",
        "text": None,
        "externalId": "run-1",
        "detailsUrl": listed["details_url"],
        "startedAt": listed["started_at"],
        "completedAt": "2027-01-15T08:00:00Z",
        "repository": {"id": run["repositoryId"], "nameWithOwner": "acme/widgets"},
        "annotations": {
            "totalCount": 55,
            "nodes": [
                {
                    "path": "src/a.py",
                    "message": "1",
                    "title": "t",
                    "rawDetails": "r",
                    "annotationLevel": "WARNING",
                    "location": {"start": {"line": 1, "column": 2}, "end": {"line": 1, "column": 3}},
                }
            ],
        },
    }
    assert (listed["status"], listed["conclusion"], listed["output"]["annotations_count"]) == (
        "completed",
        "neutral",
        55,
    )
    notes = ann.get(f"{RUNS}/{check.id}/annotations", per_page=100).json()
    assert [(n["message"], n["annotation_level"]) for n in notes] == [(f"{n}", "warning") for n in range(1, 56)]
    assert check.actions == [button]


@pytest.mark.parametrize(
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
def test_what_rest_would_refuse_is_refused(
    app: Client, github: GitHubStandIn, run: dict[str, Any], change: dict[str, Any], sentence: str
) -> None:
    """In REST's words, and nothing of it is kept."""
    told = update(app, run, **change)

    (error,) = told["errors"]
    assert (error["type"], error["message"]) == ("UNPROCESSABLE", f"Invalid request.\n\n{sentence}")
    assert told["data"] == {"updateCheckRun": None}
    (check,) = github.state.checks.values()
    assert (check.status, check.summary, check.annotations, check.actions) == ("in_progress", None, [], [])


def test_who_may_not_change_something_and_what_is_not_there_are_told_apart(
    github: GitHubStandIn, app: Client, ann: Client, client_of: Callable[..., Client], run: dict[str, Any]
) -> None:
    """A check run wants an App with checks: write, a review pull_requests: write or a writer."""
    review = node_id("PRR", github.review(1, "REQUEST_CHANGES", "Stop.", login="bea"))
    comment = node_id("IC", github.comment(1, "Hm."))
    reader = client_of(github, github.token_for("rita", "read"))
    lesser = client_of(github, installation_token(github, checks="read", pull_requests="read"))
    blind = client_of(github, installation_token(github, pull_requests="write"))
    by_id = "query ($id: ID!) { node(id: $id) { id } }"

    told = {
        "a person": update(ann, run, conclusion="SUCCESS"),
        "a reading app": update(lesser, run, conclusion="SUCCESS"),
        "an app without checks": blind.graphql(by_id, id=run["checkRunId"]),
        "a reader": reader.graphql(DISMISS, id=review),
        "a reading app's review": lesser.graphql(DISMISS, id=review),
        "another run": update(app, run | {"checkRunId": node_id("CR", 1)}, conclusion="SUCCESS"),
        "no run": update(app, run | {"checkRunId": review}, conclusion="SUCCESS"),
        "another repository": update(app, run | {"repositoryId": node_id("R", 1)}, conclusion="SUCCESS"),
        "another review": app.graphql(DISMISS, id=node_id("PRR", 1)),
        "no review": app.graphql(DISMISS, id=comment),
    }

    assert {name: answer["errors"][0]["type"] for name, answer in told.items()} == {
        name: "FORBIDDEN" if number < 5 else "NOT_FOUND" for number, name in enumerate(told)
    }
    assert reader.graphql(by_id, id=run["checkRunId"])["data"]["node"] == {"id": run["checkRunId"]}
    (check,) = github.state.checks.values()
    assert (check.conclusion, [r.state for r in github.state.reviews.values()]) == (None, ["CHANGES_REQUESTED"])


def test_a_request_for_changes_is_lifted(github: GitHubStandIn, app: Client, ann: Client) -> None:
    """REST says so too, the message is kept, and a webhook tells of it; a comment has nothing to lift."""
    blocking = app.post(f"{PULL}/reviews", {"event": "REQUEST_CHANGES", "body": "Stop."}).json()
    other = app.post(f"{PULL}/reviews", {"event": "COMMENT", "body": "Hm."}).json()

    lifted = app.graphql(DISMISS, id=blocking["node_id"])
    refused = app.graphql(DISMISS, id=other["node_id"])

    assert lifted["data"]["dismissPullRequestReview"]["pullRequestReview"] == {
        "databaseId": blocking["id"],
        "state": "DISMISSED",
        "isMinimized": False,
        "author": {"__typename": "Bot", "login": "kodiai"},
    }
    assert [review["state"] for review in ann.get(f"{PULL}/reviews").json()] == ["DISMISSED", "COMMENTED"]
    assert github.state.reviews[blocking["id"]].dismissed_with == "Fixed."
    assert github.state.timeline[-1].what == "dismissed a review: Fixed."
    told = github.deliveries[-1]
    assert (told.event, told.action, told.payload["review"]["state"]) == (
        "pull_request_review",
        "dismissed",
        "dismissed",
    )
    (error,) = refused["errors"]
    assert (error["type"], error["message"]) == ("UNPROCESSABLE", "Can not dismiss a commented pull request review")


def test_several_changes_happen_in_order_and_one_that_fails_stands_alone(
    serve: Callable[..., GitHubStandIn], client_of: Callable[..., Client], scene: Scene
) -> None:
    """It is null at its alias, with an error that says where; each payload sees what went before it."""
    granted = dict.fromkeys(("checks", "contents", "pull_requests"), "write") | {"metadata": "read"}
    github = serve(scene.repository.path, permissions=granted)
    github.open_pull_request("feature")
    app = client_of(github, installation_token(github))
    comments = [{"path": "src/a.py", "line": line, "body": f"{line}?"} for line in (5, 31)]
    review = app.post(f"{PULL}/reviews", {"event": "REQUEST_CHANGES", "body": "Stop.", "comments": comments}).json()
    one, two = github.state.comments
    run = app.post(RUNS, {"name": "Kodiai", "head_sha": scene.head}).json()

    told = app.graphql(
        PUBLISH,
        run=run["node_id"],
        repository=app.get(REPO).json()["node_id"],
        review=review["node_id"],
        one=node_id("PRRT", one),
        two=node_id("PRRT", two),
        gone=node_id("PRRT", 1),
    )

    data = told["data"]
    assert [(error["path"], error["type"]) for error in told["errors"]] == [
        (["missing"], "NOT_FOUND"),
        (["again"], "UNPROCESSABLE"),
    ]
    assert [data[alias] for alias in ("missing", "again")] == [None, None]
    assert (data["lifted"], data["first"]) == (
        {"pullRequestReview": {"state": "DISMISSED"}},
        {"thread": {"isResolved": True}},
    )
    before, after = (data[alias]["checkRun"]["repository"]["pullRequest"] for alias in ("begun", "done"))
    author = {"__typename": "Bot", "login": "kodiai"}
    seen = {"databaseId": review["id"], "body": "Stop.", "isMinimized": False, "author": author}
    assert before["reviews"]["nodes"] == [seen | {"state": "CHANGES_REQUESTED"}]
    assert [node["isResolved"] for node in before["reviewThreads"]["nodes"]] == [False, False]
    open_thread = {"isResolved": False, "resolvedBy": None, "viewerCanResolve": True, "viewerCanUnresolve": False}
    resolved = {"isResolved": True, "viewerCanResolve": False, "viewerCanUnresolve": True}
    said = [{"body": "5?"}, {"body": "31?"}, {"body": "Fixed in abc1234."}]
    assert after["reviewThreads"]["nodes"] == [
        resolved
        | {"resolvedBy": {"login": "kodiai[bot]"}}
        | {"first": {"nodes": said[:1]}, "latest": {"totalCount": 1, "nodes": said[:1]}},
        open_thread | {"first": {"nodes": said[1:2]}, "latest": {"totalCount": 2, "nodes": said[1:]}},
    ]
    assert (data["done"]["checkRun"]["conclusion"], len(github.state.resolutions)) == ("SUCCESS", 1)
    assert github.requests[-1].fields == (
        "updateCheckRun",
        "dismissPullRequestReview",
        "resolveReviewThread",
        "resolveReviewThread",
        "dismissPullRequestReview",
        "addPullRequestReviewThreadReply",
        "updateCheckRun",
    )
