"""GraphQL: review threads as they are read and resolved, checked against GitHub's schema."""

from collections.abc import Callable
from typing import Any

import pytest
from githubkit import GitHub

from local.github import GitHubStandIn
from local.github.views import node_id
from tests.local.github.scene import NEW, PULL, REPO, Client, Scene, installed

Serve = Callable[..., GitHubStandIn]
WHERE = {"owner": "acme", "name": "widgets", "number": 1}
THREADS = """
query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: 2, after: $after) {
      totalCount pageInfo { hasNextPage endCursor }
      nodes {
        id isResolved isOutdated viewerCanResolve viewerCanReply path line resolvedBy { login }
        comments(first: 50) { nodes {
          databaseId fullDatabaseId body createdAt lastEditedAt url author { __typename login }
        } }
      }
    }
  } }
}"""
RESOLVE = "mutation ($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { isResolved } } }"
UNRESOLVE = "mutation ($id: ID!) { unresolveReviewThread(input: {threadId: $id}) { thread { isResolved } } }"
REPLY = """
mutation ($id: ID!, $body: String!) {
  addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $id, body: $body}) { comment { databaseId body } }
}"""
MINIMIZE = """
mutation ($id: ID!) {
  minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) { minimizedComment { isMinimized minimizedReason } }
}"""


@pytest.fixture
def threads(github: GitHubStandIn) -> list[int]:
    """Three threads of the bot's."""
    review = {
        "login": github.bot_login,
        "comments": [{"path": "src/a.py", "line": n, "body": f"{n}?"} for n in (5, 31, 32)],
    }
    github.review(1, "COMMENT", "Seen.", **review)  # type: ignore[arg-type]
    return list(github.state.comments)


def read(client: Client, after: str | None = None) -> dict[str, Any]:
    told = client.graphql(THREADS, **WHERE, after=after)
    assert "errors" not in told, told
    threads: dict[str, Any] = told["data"]["repository"]["pullRequest"]["reviewThreads"]
    return threads


def test_threads_are_read_page_by_page_with_their_comments(
    github: GitHubStandIn, ann: Client, threads: list[int]
) -> None:
    """A cursor leads on; ids are those of REST, however large; a bot's login comes without "[bot]"."""
    github.reply(threads[0], "Because.")

    first = read(ann)
    second = read(ann, first["pageInfo"]["endCursor"])

    assert [len(page["nodes"]) for page in (first, second)] == [2, 1]
    assert [page["pageInfo"]["hasNextPage"] for page in (first, second)] == [True, False]
    thread = first["nodes"][0]
    assert (thread["path"], thread["line"], thread["isResolved"], thread["isOutdated"]) == ("src/a.py", 5, False, False)
    comments = thread["comments"]["nodes"]
    assert [(c["databaseId"], c["author"], c["body"]) for c in comments] == [
        (threads[0], {"__typename": "Bot", "login": "kodiai"}, "5?"),
        (max(github.state.comments), {"__typename": "User", "login": "octocat"}, "Because."),
    ]
    assert [c["fullDatabaseId"] for c in comments] == [str(c["databaseId"]) for c in comments]
    assert threads[0] > 2**31


def test_githubkit_reads_threads_by_itself(bot: "GitHub[Any]", threads: list[int]) -> None:
    """As the App, by its installation token."""
    told = bot.graphql(THREADS, {**WHERE})

    assert told["repository"]["pullRequest"]["reviewThreads"]["totalCount"] == len(threads)


@pytest.mark.usefixtures("threads")
def test_a_thread_is_resolved_and_opened_again(github: GitHubStandIn, ann: Client) -> None:
    """Who did it is told; the rights turn with the state."""
    thread = read(ann)["nodes"][0]

    resolved = ann.graphql(RESOLVE, id=thread["id"])
    after = read(ann)["nodes"][0]
    ann.graphql(UNRESOLVE, id=thread["id"])

    assert resolved["data"]["resolveReviewThread"]["thread"] == {"isResolved": True}
    assert (after["isResolved"], after["resolvedBy"], after["viewerCanResolve"]) == (True, {"login": "ann"}, False)
    assert (read(ann)["nodes"][0]["isResolved"], github.state.resolutions) == (False, {})


@pytest.mark.usefixtures("threads")
def test_an_app_resolves_threads_only_with_write_access_to_contents(github: GitHubStandIn, app: Client) -> None:
    """Without it: it is told beforehand that it cannot, the mutation is FORBIDDEN, and it may still answer."""
    thread = read(app)["nodes"][0]

    refused = app.graphql(RESOLVE, id=thread["id"])
    answered = app.graphql(REPLY, id=thread["id"], body="Fixed in abc1234.")

    assert (thread["viewerCanResolve"], thread["viewerCanReply"]) == (False, True)
    (error,) = refused["errors"]
    assert (error["type"], error["path"], error["message"]) == (
        "FORBIDDEN",
        ["resolveReviewThread"],
        "Resource not accessible by integration",
    )
    assert refused["data"] == {"resolveReviewThread": None}
    assert answered["data"]["addPullRequestReviewThreadReply"]["comment"]["body"] == "Fixed in abc1234."
    assert github.state.resolutions == {}


def test_an_app_that_may_write_contents_resolves_threads(serve: Serve, scene: Scene) -> None:
    """The permission is what it takes; where the schema knows only users, a bot keeps its "[bot]"."""
    granted = {"contents": "write", "pull_requests": "write", "metadata": "read"}
    github = serve(scene.repository.path, permissions=granted)
    github.open_pull_request("feature")
    github.comment_on_line(1, "new.py", 1, "Why?")
    bot = installed(github)
    (thread,) = bot.graphql(THREADS, {**WHERE})["repository"]["pullRequest"]["reviewThreads"]["nodes"]

    bot.graphql(RESOLVE, {"id": thread["id"]})

    told = bot.graphql(THREADS.replace("{\n", "{\n  viewer { login }\n", 1), {**WHERE})
    (after,) = told["repository"]["pullRequest"]["reviewThreads"]["nodes"]
    (resolution,) = github.state.resolutions.values()
    assert (thread["viewerCanResolve"], resolution.by) == (True, "kodiai[bot]")
    assert [told["viewer"], after["resolvedBy"]] == [{"login": "kodiai[bot]"}] * 2


@pytest.mark.usefixtures("threads")
def test_outdated_threads_say_so(github: GitHubStandIn, ann: Client, scene: Scene) -> None:
    """Outdated is what the diff no longer shows; it proves nothing about a fix."""
    github.push(1, scene.push({"src/a.py": "all new\n"}))

    assert [(t["isOutdated"], t["line"]) for t in read(ann)["nodes"]] == [(True, None), (True, None)]


def test_a_thread_says_where_it_stands_and_where_it_was_begun(github: GitHubStandIn, ann: Client, scene: Scene) -> None:
    """Its lines of now follow the code and are gone once it is outdated; the rest stays as it was."""
    several = {"path": "src/a.py", "start_line": 5, "line": 6, "side": "RIGHT", "start_side": "RIGHT", "body": "?"}
    github.review(1, "COMMENT", "Seen.", [several], login=github.bot_login)
    query = """query { repository(owner: "acme", name: "widgets") { pullRequest(number: 1) {
      reviewThreads(first: 1) { nodes {
        path line startLine originalLine originalStartLine isOutdated comments(first: 1) { nodes { diffHunk } }
      } }
      reviews(last: 1) { nodes { submittedAt } } } } }"""

    def ask() -> tuple[dict[str, Any], str]:
        told = ann.graphql(query)["data"]["repository"]["pullRequest"]
        [thread], [review] = told["reviewThreads"]["nodes"], told["reviews"]["nodes"]
        [comment] = thread.pop("comments")["nodes"]
        return thread | comment, review["submittedAt"]

    before, submitted = ask()
    github.push(1, scene.push({"src/a.py": f"line zero\n{NEW}"}))
    moved, _ = ask()
    github.push(1, scene.push({"src/a.py": "all new\n"}))
    outdated, _ = ask()

    fixed = {"path": "src/a.py", "originalLine": 6, "originalStartLine": 5, "diffHunk": before["diffHunk"]}
    assert before == fixed | {"line": 6, "startLine": 5, "isOutdated": False}
    assert moved == fixed | {"line": 7, "startLine": 6, "isOutdated": False}
    assert outdated == fixed | {"line": None, "startLine": None, "isOutdated": True}
    assert before["diffHunk"].startswith("@@ -")
    assert submitted == ann.get(f"{PULL}/reviews").json()[0]["submitted_at"]


@pytest.mark.usefixtures("threads")
def test_a_review_is_hidden_as_outdated(bot: "GitHub[Any]", ann: Client) -> None:
    """Its node id from REST will do; GraphQL then says that it is hidden, and why."""
    review = ann.get(f"{PULL}/reviews").json()[0]["node_id"]

    hidden = bot.graphql(MINIMIZE, {"id": review})
    query = """query { repository(owner: "acme", name: "widgets") { pullRequest(number: 1) {
      title reviews(first: 5) { nodes { id isMinimized databaseId author { login } body } } } } }"""
    told = ann.graphql(query)["data"]["repository"]["pullRequest"]

    assert hidden["minimizeComment"]["minimizedComment"] == {"isMinimized": True, "minimizedReason": "outdated"}
    assert (told["title"], told["reviews"]["nodes"][0]["isMinimized"]) == ("Change things", True)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (
            'query { repository(owner: "acme", name: "other") { id } }',
            "Could not resolve to a Repository with the name 'acme/other'.",
        ),
        (
            'query { repository(owner: "acme", name: "widgets") { pullRequest(number: 9) { id } } }',
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
    """The type stands beside the message, and the answer is 200."""
    told = ann.graphql(query)

    assert [(error["type"], error["message"]) for error in told["errors"]] == [("NOT_FOUND", message)]
    assert next(iter(told["data"].values())) in (None, {"pullRequest": None})


@pytest.mark.usefixtures("threads")
def test_a_stranger_finds_nothing(github: GitHubStandIn, client_of: Callable[..., Client]) -> None:
    """Neither by name nor by id."""
    stranger = client_of(github, github.token_for("mallory", "none"))
    review = node_id("PRR", next(iter(github.state.reviews)))

    by_name = stranger.graphql(THREADS, **WHERE)
    by_id = stranger.graphql(MINIMIZE, id=review)

    assert [told["errors"][0]["type"] for told in (by_name, by_id)] == ["NOT_FOUND", "NOT_FOUND"]


def test_a_pending_review_is_there_for_its_author_only(bot: "GitHub[Any]", ann: Client) -> None:
    """Neither it nor its comments and threads are found by their ids, nor listed."""
    body = {"body": "Draft.", "comments": [{"path": "new.py", "line": 1, "body": "x"}]}
    review = bot.request("POST", f"{PULL}/reviews", json=body).json()["node_id"]
    (comment,) = bot.request("GET", f"{PULL}/comments").json()
    ids = (review, comment["node_id"], node_id("PRRT", comment["id"]))
    query = "query ($id: ID!) { node(id: $id) { id } }"

    assert [bot.graphql(query, {"id": each})["node"]["id"] for each in ids] == list(ids)
    assert [ann.graphql(query, id=each)["data"]["node"] for each in ids] == [None, None, None]
    assert (read(ann)["totalCount"], ann.graphql(RESOLVE, id=ids[2])["errors"][0]["type"]) == (0, "NOT_FOUND")


@pytest.mark.usefixtures("threads")
def test_a_list_without_a_size_or_over_a_hundred_is_refused(ann: Client) -> None:
    """GitHub wants `first` or `last`, and at most 100."""
    query = """query { repository(owner: "acme", name: "widgets") { pullRequest(number: 1) {
      reviewThreads%s { totalCount } } } }"""

    kinds = [ann.graphql(query % size)["errors"][0]["type"] for size in ("", "(first: 101)")]

    assert kinds == ["MISSING_PAGINATION_BOUNDARIES", "EXCESSIVE_PAGINATION"]


@pytest.mark.usefixtures("threads")
def test_lists_can_be_read_from_the_end(ann: Client) -> None:
    """`last` and `before` go backwards."""
    query = """query ($before: String) { repository(owner: "acme", name: "widgets") { pullRequest(number: 1) {
      reviewThreads(last: 2, before: $before) { nodes { line } pageInfo { startCursor hasPreviousPage } } } } }"""

    def ask(before: str | None) -> dict[str, Any]:
        told: dict[str, Any] = ann.graphql(query, before=before)["data"]["repository"]["pullRequest"]["reviewThreads"]
        return told

    end = ask(None)
    start = ask(end["pageInfo"]["startCursor"])

    assert [[node["line"] for node in page["nodes"]] for page in (end, start)] == [[31, 32], [5]]
    assert [page["pageInfo"]["hasPreviousPage"] for page in (end, start)] == [True, False]


@pytest.mark.parametrize(
    "query",
    [
        'query { repository(owner: "acme", name: "widgets") { nonsense } }',
        "query { viewer { login }",
        "mutation { resolveReviewThread { thread { id } } }",
    ],
    ids=["an unknown field", "no closing brace", "a missing argument"],
)
def test_a_query_that_the_schema_does_not_know_is_a_violation(github: GitHubStandIn, ann: Client, query: str) -> None:
    """It is answered with errors, and noted, so that a test sees it."""
    told = ann.graphql(query)

    assert "data" not in told
    assert told["errors"]
    (violation,) = github.violations
    assert violation.startswith("query: ")
    github.violations.clear()


def test_a_query_that_is_no_text_is_refused(ann: Client) -> None:
    """GitHub says so with 422."""
    assert ann.post("/graphql", {"query": 7}).status_code == 422
    assert ann.get(f"{REPO}").status_code == 200
