"""GraphQL: what a pull request is for: its commits, the issues that it closes, and the repository's templates."""

from collections.abc import Callable
from typing import Any

import pytest

from local.github import GitHubStandIn
from local.github.trouble import forbidden_field
from local.github.world import APP_PERMISSIONS
from tests.git_repository import GitRepository
from tests.local.github.scene import REPO, Client, Scene, installation_token

Serve = Callable[..., GitHubStandIn]
INTENT = """
query ($number: Int!) { repository(owner: "acme", name: "widgets") {
  pullRequestTemplates { filename body }
  pullRequest(number: $number) {
    number
    commits(last: 2) { totalCount nodes { commit { oid message file(path: "new.py") { name } } } }
    closingIssuesReferences(first: 2) {
      totalCount
      nodes { id number title body state closed author { login } repository { nameWithOwner } url }
    }
  }
} }"""
NODE = "query ($id: ID!) { node(id: $id) { ... on Issue { number } } }"


def ask(client: Client, number: int = 1) -> Any:
    told = client.graphql(INTENT, number=number)
    assert "errors" not in told, told
    return told["data"]["repository"]


def test_issues_and_pull_requests_share_their_numbers(github: GitHubStandIn, app: Client) -> None:
    """An issue is no pull request, but counts among what is open."""
    issue = github.open_issue("It crashes", "When it is empty.", author="ann")
    pull = github.open_pull_request("feature", "main")

    told = app.graphql(INTENT, number=issue)

    assert (issue, pull) == (2, 3)
    assert [error["type"] for error in told["errors"]] == ["NOT_FOUND"]
    assert app.get(REPO).json()["open_issues_count"] == 3
    assert [delivery.event for delivery in github.deliveries] == ["pull_request"] * 2


def test_the_issues_that_a_description_closes_are_told(github: GitHubStandIn, app: Client) -> None:
    """In its order; an App finds one by its id as well."""
    issues = [github.open_issue(title, f"{title}, please.", author="ann") for title in ("One", "Two", "Three")]
    body = f"Fixes #{issues[1]}, closes: #{issues[0]} and\nresolved #{issues[2]}"
    number = github.open_pull_request("feature", "main", body=body)

    found = ask(app, number)["pullRequest"]["closingIssuesReferences"]

    assert (found["totalCount"], [issue["number"] for issue in found["nodes"]]) == (3, [issues[1], issues[0]])
    assert app.graphql(NODE, id=found["nodes"][0].pop("id"))["data"]["node"] == {"number": issues[1]}
    assert found["nodes"][0] == {
        "number": issues[1],
        "title": "Two",
        "body": "Two, please.",
        "state": "OPEN",
        "closed": False,
        "author": {"login": "ann"},
        "repository": {"nameWithOwner": "acme/widgets"},
        "url": f"{github.url}/acme/widgets/issues/{issues[1]}",
    }


@pytest.mark.parametrize(
    ("body", "closed"),
    [
        ("close #2 closed #3", [2, 3]),
        ("FIX #2, Fixed: #3, fixes #2", [2, 3]),
        ("Resolve acme/widgets#2, resolves GH-3", [2, 3]),
        ("Closes https://github.com/Acme/widgets/issues/2", [2]),
        ("See #2, for #3, closes acme/others#2, fixes https://github.com/acme/others/issues/3", []),
        ("Fixes #1, fixes #99, fixes #2a, prefixes #3", []),
        ("<!-- Fixes #2 --> `Fixes #2` ``Fixes ` #2``\n```\nFixes #2\n```\nFixes #3", [3]),
        ("```\nFixes #2", []),
        ("", []),
    ],
)
def test_the_words_that_close_an_issue(github: GitHubStandIn, app: Client, body: str, closed: list[int]) -> None:
    """Nine words and four ways to name it; neither in code, nor in comments, nor of another repository."""
    github.open_issue("Two")
    github.open_issue("Three")
    github.state.pulls[1].body = body

    found = ask(app)["pullRequest"]["closingIssuesReferences"]["nodes"]

    assert [issue["number"] for issue in found] == closed


def test_an_app_that_may_not_read_issues_gets_all_the_rest(
    serve: Serve, scene: Scene, client_of: Callable[..., Client]
) -> None:
    """The field alone is null, with an error; so it is where a test wants it for once."""
    permissions = {name: level for name, level in APP_PERMISSIONS.items() if name != "issues"}
    github = serve(scene.repository.path, permissions=permissions)
    issue = github.open_issue("Two")
    number = github.open_pull_request("feature", body=f"Fixes #{issue}")
    lacking, person = client_of(github, installation_token(github)), client_of(github, github.token_for("ann"))
    by_id = ask(person, number)["pullRequest"]["closingIssuesReferences"]["nodes"][0]["id"]

    github.fail_next("POST /graphql", forbidden_field("closingIssuesReferences"))
    told = [client.graphql(INTENT, number=number) for client in (person, lacking)]

    for each in told:
        pull = each["data"]["repository"]["pullRequest"]
        assert (pull["closingIssuesReferences"], pull["commits"]["totalCount"]) == (None, 1)
        assert [(error["type"], error["path"], error["message"]) for error in each["errors"]] == [
            (
                "FORBIDDEN",
                ["repository", "pullRequest", "closingIssuesReferences"],
                "Resource not accessible by integration",
            )
        ]
    assert lacking.graphql(NODE, id=by_id)["errors"][0]["type"] == "FORBIDDEN"


def test_commits_are_told_with_their_whole_messages(github: GitHubStandIn, app: Client, scene: Scene) -> None:
    """The last ones, oldest first; what is in them is a matter of contents."""
    second = scene.repository.commit({"new.py": "y = 1\n"}, scene.head, message="Two\n\nIn full.\n")
    third = scene.repository.commit({"new.py": None}, second, message="Three")
    github.push(1, third)

    found = ask(app)["pullRequest"]["commits"]

    assert found == {
        "totalCount": 3,
        "nodes": [
            {"commit": {"oid": second, "message": "Two\n\nIn full.", "file": {"name": "new.py"}}},
            {"commit": {"oid": third, "message": "Three", "file": None}},
        ],
    }
    alone = app.graphql("query ($id: ID!) { node(id: $id) { ... on Commit { message } } }", id=f"C_{scene.head}")
    assert alone["data"]["node"]["message"] == "Change things\n\nBecause."


def test_an_app_that_may_not_read_contents_sees_commits_without_files(
    github: GitHubStandIn, client_of: Callable[..., Client]
) -> None:
    """Nor the templates."""
    app = client_of(github, installation_token(github, pull_requests="read", issues="read"))

    told = app.graphql(INTENT, number=1)

    [node] = told["data"]["repository"]["pullRequest"]["commits"]["nodes"]
    assert (node["commit"]["message"], node["commit"]["file"]) == ("Change things\n\nBecause.", None)
    assert [(error["type"], error["path"][-1]) for error in told["errors"]] == [
        ("FORBIDDEN", "pullRequestTemplates"),
        ("FORBIDDEN", "file"),
    ]


TEMPLATES: dict[str, str | bytes] = {
    ".github/pull_request_template.md": "One\n",
    ".github/PULL_REQUEST_TEMPLATE/two.md": "Two\n",
    ".github/PULL_REQUEST_TEMPLATE/picture.png": b"\x89PNG\0",
    ".github/other.md": "Other\n",
    "PULL_REQUEST_TEMPLATE.txt": "Three\n",
    "docs/Pull_Request_Template": "Four\n",
    "docs/pull_request_template.md": "../README.md",
    "src/pull_request_template.md": "Not here\n",
}


def test_the_templates_of_the_default_branch_are_told(
    repository: GitRepository, serve: Serve, client_of: Callable[..., Client]
) -> None:
    """In the three places where GitHub looks, in any case, one or a folder of them; no links, and no other files."""
    base = repository.commit(TEMPLATES, modes={"docs/pull_request_template.md": "120000"}, branch="main")
    head = repository.commit({"PULL_REQUEST_TEMPLATE.txt": "New\n", "new.py": "x = 1\n"}, base)
    github = serve(repository.path)
    github.open_pull_request(head)
    app = client_of(github, installation_token(github))

    found = ask(app)["pullRequestTemplates"]
    github.set_base_file(1, "pull_request_template.md", b"Five\n")
    later = ask(app)["pullRequestTemplates"]

    assert sorted((each["body"], each["filename"]) for each in found) == [
        ("Four\n", "Pull_Request_Template"),
        ("One\n", "pull_request_template.md"),
        ("Three\n", "PULL_REQUEST_TEMPLATE.txt"),
        ("Two\n", "two.md"),
    ]
    assert {each["body"] for each in later} - {each["body"] for each in found} == {"Five\n"}


def test_without_templates_the_list_is_empty(github: GitHubStandIn, app: Client) -> None:
    """Not null."""
    github.open_issue("Two")

    assert ask(app)["pullRequestTemplates"] == []
