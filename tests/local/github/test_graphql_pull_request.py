"""GraphQL: what a review begins with: settings of the base branch, commits, closed issues, templates."""

from collections.abc import Callable
from typing import Any

from local.github import LocalGitHub
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
      oid file(path: $path) { mode oid size type object { __typename ... on Blob { text isTruncated byteSize } } }
    } } }
    commits(last: 2) { nodes { commit { message } } }
    closingIssuesReferences(first: 2) { nodes { number title body repository { nameWithOwner } } }
  }
} }"""

BY_COMMIT = """
query ($oid: GitObjectID!, $path: String!) { repository(owner: "acme", name: "widgets") {
  object(oid: $oid) { oid ... on Commit {
    file(path: $path) { mode oid size type object { oid } }
    tree { entries { name } }
    folder: file(path: "folder") { object { ... on Tree { entries { name } } } }
  } }
} }"""


BY_NAME = """
query ($name: String!, $oid: GitObjectID!) { repository(owner: "acme", name: "widgets") {
  named: object(expression: $name) { __typename ... on Blob { text isTruncated byteSize } }
  own: object(oid: $oid) { __typename ... on Blob { text isTruncated byteSize } }
} }"""


def ask(client: Client, number: int = 1, path: str = ".kodiai.yml") -> dict[str, Any]:
    return client.graphql(QUERY, number=number, path=path)


def pull_of(answer: dict[str, Any]) -> Any:
    assert "errors" not in answer, answer
    return answer["data"]["repository"]["pullRequest"]


def file_of(answer: dict[str, Any]) -> Any:
    return pull_of(answer)["baseRef"]["target"]["file"]


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
    ("run.sh", 0o100755, 10, "blob", "Blob", "#!/bin/sh\n", False),
    ("/run.sh/", 0o100755, 10, "blob", "Blob", "#!/bin/sh\n", False),
    ("link", 0o120000, 6, "blob", "Blob", "run.sh", False),
    ("picture.png", 0o100644, 5, "blob", "Blob", None, False),
    ("latin.txt", 0o100644, 5, "blob", "Blob", "gr\ufffd\ufffde", False),
    ("long.txt", 0o100644, 512_002, "blob", "Blob", "\u00e9" * 256_000, True),
    ("folder/empty", 0o100644, 0, "blob", "Blob", "", False),
    ("folder", 0o040000, 0, "tree", "Tree", None, None),
    ("lib", 0o160000, 0, "commit", None, None, None),
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
        own = [entry[key] for key in ("mode", "size", "type")]
        assert [*own, *(found.get(key) for key in ("__typename", "text", "isTruncated"))] == facts
        assert entry["oid"] == id_of(repository, base, path)
        if entry["type"] != "commit":
            names = {"name": f"{base}:{path.strip('/')}", "oid": entry["oid"]}
            by_name = ann.graphql(BY_NAME, **names)["data"]["repository"]
            assert by_name == {"named": entry["object"], "own": entry["object"] if entry["type"] == "blob" else None}
        by_commit = ann.graphql(BY_COMMIT, oid=base, path=path)["data"]["repository"]["object"]
        assert by_commit["file"] == entry | {"object": {"oid": entry["oid"]} if found else None}
    assert [entry["name"] for entry in by_commit["tree"]["entries"]] == sorted([*map(top, FILES)])
    assert by_commit["folder"]["object"]["entries"] == [{"name": "empty"}]


def top(path: str) -> str:
    return path.partition("/")[0]


def id_of(repository: GitRepository, commit: str, path: str) -> str:
    return repository.git("rev-parse", f"{commit}:{path.strip('/')}").decode().strip()


@each_row(
    ("body", "closed"),
    [
        ("close #2 closed #3", [2, 3]),
        ("resolved #3, Closes: #2", [3, 2]),
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
    """Nine words and four ways to name it; neither in code, nor in comments, nor of another repository.

    They come in the text's order. Issues and pull requests share their numbers, but an issue is no pull request.
    """
    github.open_issue("Two")
    github.open_issue("Three")
    github.state.pulls[1].body = body

    found = pull_of(ask(app))["closingIssuesReferences"]["nodes"]

    assert [issue["number"] for issue in found] == closed
    assert [error["type"] for error in ask(app, 2)["errors"]] == ["NOT_FOUND"]


@each_row(
    ("permission", "fields"),
    [("issues", ["closingIssuesReferences"]), ("contents", ["pullRequestTemplates", "baseRef"])],
)
def test_an_app_gets_all_but_what_it_may_not_read(
    serve: Serve, scene: Scene, client_of: Connect, permission: str, fields: list[str]
) -> None:
    """Each field alone is null, with an error. Templates and files of the base branch are contents, commits are not."""
    granted = {name: level for name, level in APP_PERMISSIONS.items() if name != permission}
    github = serve(scene.repository.path, permissions=granted)
    github.open_pull_request("feature")

    answer = ask(client_of(github, installation_token(github)))

    repository = answer["data"]["repository"]
    pull = repository["pullRequest"]
    assert [(error["type"], error["path"][-1]) for error in answer["errors"]] == [
        ("FORBIDDEN", each) for each in fields
    ]
    assert [(repository | pull)[each] for each in fields] == [None] * len(fields)
    assert (pull["title"], len(pull["commits"]["nodes"])) == ("Change things", 1)


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
    """GitHub's three places count, in any case, as one file or a folder; links and other files do not."""
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
