"""GraphQL: what a review begins with: settings of the base branch, commits, closed issues, templates."""

from collections.abc import Callable
from typing import Any

from local.github import LocalGitHub
from local.github.failures import forbidden_field
from local.github.hosted_repository import APP_PERMISSIONS
from tests.git_repository import EXECUTABLE, FILE, SUBMODULE, GitRepository
from tests.local.github.scene import Client, Scene, installation_token
from tests.tables import each_row

Serve = Callable[..., LocalGitHub]
Connect = Callable[..., Client]
QUERY = """
query ($number: Int!, $path: String!) { repository(owner: "acme", name: "widgets") {
  pullRequestTemplates { body }
  pullRequest(number: $number) {
    title
    baseRef { target { ... on Commit {
      oid file(path: $path) { mode object { __typename ... on Blob { text isTruncated } } }
    } } }
    commits(last: 2) { nodes { commit { message } } }
    closingIssuesReferences(first: 2) { nodes { number title body repository { nameWithOwner } } }
  }
} }"""


def ask(client: Client, number: int = 1, path: str = ".kodiai.yml") -> dict[str, Any]:
    return client.graphql(QUERY, number=number, path=path)


def pull_of(answer: dict[str, Any]) -> Any:
    assert "errors" not in answer, answer
    return answer["data"]["repository"]["pullRequest"]


def file_of(answer: dict[str, Any]) -> Any:
    return pull_of(answer)["baseRef"]["target"]["file"]


def lacking(serve: Serve, client_of: Connect, scene: Scene, permission: str) -> tuple[LocalGitHub, Client]:
    """Where the App was not granted a permission."""
    granted = {name: level for name, level in APP_PERMISSIONS.items() if name != permission}
    github = serve(scene.repository.path, permissions=granted)
    github.open_pull_request("feature")
    return github, client_of(github, installation_token(github))


def test_a_file_is_read_at_the_tip_of_the_base_branch(github: LocalGitHub, app: Client) -> None:
    """A missing object is null, and so is a branch that is gone."""
    tip = github.set_base_file(1, ".kodiai.yml", b"review: {}\n")

    found, nothing, root = ask(app), ask(app, path="other.yml"), ask(app, path="")
    github.state.pulls[1].base_ref = "gone"

    content = {"__typename": "Blob", "text": "review: {}\n", "isTruncated": False}
    target = pull_of(found)["baseRef"]["target"]
    assert target == {"oid": tip, "file": {"mode": 0o100644, "object": content}}
    assert (file_of(nothing), file_of(root), pull_of(ask(app))["baseRef"]) == (None, None, None)


FILES: dict[str, tuple[str | bytes, str]] = {
    "run.sh": ("#!/bin/sh\n", EXECUTABLE),
    "link": ("run.sh", "120000"),
    "lib": ("1" * 40, SUBMODULE),
    "picture.png": (b"\x89PNG\0", FILE),
    "latin.txt": (b"gr\xfc\xdfe", FILE),
    "long.txt": ("\u00e9" * 256_001, FILE),
    "folder/empty": ("", FILE),
}
SEEN = [
    ("run.sh", 0o100755, "Blob", "#!/bin/sh\n", False),
    ("/run.sh/", 0o100755, "Blob", "#!/bin/sh\n", False),
    ("link", 0o120000, "Blob", "run.sh", False),
    ("picture.png", 0o100644, "Blob", None, False),
    ("latin.txt", 0o100644, "Blob", "gr\ufffd\ufffde", False),
    ("long.txt", 0o100644, "Blob", "\u00e9" * 256_000, True),
    ("folder/empty", 0o100644, "Blob", "", False),
    ("folder", 0o040000, "Tree", None, None),
    ("lib", 0o160000, None, None, None),
]


def test_every_kind_of_entry_says_what_it_is(repository: GitRepository, serve: Serve, client_of: Connect) -> None:
    """Text is cut at 512,000 bytes and says so, binary files have none, and a submodule has no object."""
    contents = {path: content for path, (content, _) in FILES.items()}
    base = repository.commit(contents, modes={path: mode for path, (_, mode) in FILES.items()}, branch="main")
    github = serve(repository.path)
    github.open_pull_request(repository.commit({"new.py": "x = 1\n"}, base))
    ann = client_of(github, github.token_for("ann"))

    for path, *facts in SEEN:
        entry = file_of(ask(ann, path=path))

        found: dict[str, Any] = entry["object"] or {}
        assert [entry["mode"], *(found.get(key) for key in ("__typename", "text", "isTruncated"))] == facts


def test_the_last_commits_come_with_their_whole_messages(github: LocalGitHub, app: Client, scene: Scene) -> None:
    """Oldest first."""
    second = scene.repository.commit({"new.py": "y = 1\n"}, scene.head, message="Two\n\nIn full.\n")
    github.push(1, scene.repository.commit({"new.py": None}, second, message="Three"))

    found = pull_of(ask(app))["commits"]["nodes"]

    assert found == [{"commit": {"message": "Two\n\nIn full."}}, {"commit": {"message": "Three"}}]


def test_the_issues_that_a_description_closes_are_named(github: LocalGitHub, app: Client) -> None:
    """In its order. Issues and pull requests share their numbers, but an issue is no pull request."""
    issues = [github.open_issue(title, f"{title}, please.", author="ann") for title in ("One", "Two", "Three")]
    body = f"Fixes #{issues[1]}, closes: #{issues[0]} and\nresolved #{issues[2]}"
    number = github.open_pull_request("feature", "main", body=body)

    found = pull_of(ask(app, number))["closingIssuesReferences"]["nodes"]
    refused = ask(app, issues[0])

    here = {"nameWithOwner": "acme/widgets"}
    assert (issues, number) == ([2, 3, 4], 5)
    assert found == [
        {"number": 3, "title": "Two", "body": "Two, please.", "repository": here},
        {"number": 2, "title": "One", "body": "One, please.", "repository": here},
    ]
    assert [error["type"] for error in refused["errors"]] == ["NOT_FOUND"]


@each_row(
    ("body", "closed"),
    [
        ("close #2 closed #3", [2, 3]),
        ("resolved #3", [3]),
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
def test_the_words_that_close_an_issue(github: LocalGitHub, app: Client, body: str, closed: list[int]) -> None:
    """Nine words and four ways to name it; neither in code, nor in comments, nor of another repository."""
    github.open_issue("Two")
    github.open_issue("Three")
    github.state.pulls[1].body = body

    found = pull_of(ask(app))["closingIssuesReferences"]["nodes"]

    assert [issue["number"] for issue in found] == closed


def test_an_app_that_may_not_read_issues_gets_all_the_rest(serve: Serve, scene: Scene, client_of: Connect) -> None:
    """The field alone is null, with an error; so it is where a test wants it for once."""
    github, app = lacking(serve, client_of, scene, "issues")
    person = client_of(github, github.token_for("ann"))

    github.fail_next("POST /graphql", forbidden_field("closingIssuesReferences"))
    answers = [ask(client) for client in (person, app)]

    for answer in answers:
        pull = answer["data"]["repository"]["pullRequest"]
        assert (pull["closingIssuesReferences"], pull["title"]) == (None, "Change things")
        assert [(error["type"], error["path"], error["message"]) for error in answer["errors"]] == [
            (
                "FORBIDDEN",
                ["repository", "pullRequest", "closingIssuesReferences"],
                "Resource not accessible by integration",
            )
        ]


def test_an_app_that_may_not_read_contents_gets_all_the_rest(serve: Serve, scene: Scene, client_of: Connect) -> None:
    """Neither templates nor files of the base branch; commits are no contents."""
    _, app = lacking(serve, client_of, scene, "contents")

    answer = ask(app)

    pull = answer["data"]["repository"]["pullRequest"]
    assert (pull["baseRef"], len(pull["commits"]["nodes"])) == (None, 1)
    assert [(error["type"], error["path"][-1]) for error in answer["errors"]] == [
        ("FORBIDDEN", "pullRequestTemplates"),
        ("FORBIDDEN", "baseRef"),
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


def test_the_templates_are_those_of_the_default_branch(
    repository: GitRepository, serve: Serve, client_of: Connect
) -> None:
    """In the three places where GitHub looks, in any case, one or a folder of them; no links, and no other files."""
    base = repository.commit(TEMPLATES, modes={"docs/pull_request_template.md": "120000"}, branch="main")
    head = repository.commit({"PULL_REQUEST_TEMPLATE.txt": "New\n", "new.py": "x = 1\n"}, base)
    github = serve(repository.path)
    github.open_pull_request(head)
    app = client_of(github, installation_token(github))

    found = ask(app)["data"]["repository"]["pullRequestTemplates"]
    github.set_base_file(1, "pull_request_template.md", b"Five\n")
    later = ask(app)["data"]["repository"]["pullRequestTemplates"]

    assert sorted(each["body"] for each in found) == ["Four\n", "One\n", "Three\n", "Two\n"]
    assert sorted(each["body"] for each in later) == ["Five\n", "Four\n", "One\n", "Three\n", "Two\n"]


def test_without_templates_the_list_is_empty(app: Client) -> None:
    """Not null."""
    assert ask(app)["data"]["repository"]["pullRequestTemplates"] == []


REACTIONS = """
query { repository(owner: "acme", name: "widgets") { isPrivate pullRequest(number: 1) { reviewThreads(first: 1) {
  nodes { comments(first: 1) { nodes { reactionGroups {
    content reactors(first: 2) { nodes { __typename ... on User { login } } }
  } } } }
} } } }"""


def test_the_reactions_to_a_review_comment_come_in_groups(github: LocalGitHub, app: Client) -> None:
    """All eight, also those that nobody used; the first who reacted come first, each as what it is."""
    comment = github.comment_on_line(1, "new.py", 1, "Hm.", login="ann")
    for login, content in (("ann", "+1"), ("dependabot[bot]", "+1"), ("bob", "+1"), ("bob", "-1"), ("bob", "heart")):
        github.react("review comment", comment, content, login=login)

    found = app.graphql(REACTIONS)["data"]["repository"]

    [thread] = found["pullRequest"]["reviewThreads"]["nodes"]
    groups = thread["comments"]["nodes"][0]["reactionGroups"]
    by = {group["content"]: group["reactors"]["nodes"] for group in groups}
    ann, bob = ({"__typename": "User", "login": login} for login in ("ann", "bob"))
    used = {"THUMBS_UP": [ann, {"__typename": "Bot"}], "THUMBS_DOWN": [bob], "HEART": [bob]}
    unused = ("CONFUSED", "EYES", "HOORAY", "LAUGH", "ROCKET")
    assert found["isPrivate"]
    assert by == {**used, **{content: [] for content in unused}}
