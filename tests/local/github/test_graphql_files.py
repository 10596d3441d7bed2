"""GraphQL: the base branch, and files at any revision."""

from collections.abc import Callable
from typing import Any

from local.github import GitHubStandIn
from tests.git_repository import EXECUTABLE, FILE, SUBMODULE, GitRepository
from tests.local.github.scene import NEW, REPO, Client, Scene, installation_token

ENTRY = """
fragment Entry on TreeEntry {
  mode type name path size oid
  object { __typename oid ... on Blob { text isBinary isTruncated byteSize } }
}"""
AT_BASE = (
    """
query { repository(owner: "acme", name: "widgets") { id pullRequest(number: 1) {
  changedFiles baseRefOid
  baseRef { id name prefix target { __typename id oid ... on Commit {
    settings: file(path: ".kodiai.yml") { ...Entry }
    nothing: file(path: "other.yml") { ...Entry }
    root: file(path: "") { ...Entry }
  } } }
} } }"""
    + ENTRY
)
AT = (
    'query ($at: String!, $path: String!) { repository(owner: "acme", name: "widgets") '
    "{ object(expression: $at) { ... on Commit { file(path: $path) { ...Entry } } } } }" + ENTRY
)
OBJECT = """
query ($what: String, $oid: GitObjectID) { repository(owner: "acme", name: "widgets") {
  object(expression: $what, oid: $oid) { __typename oid ... on Blob { text } }
} }"""
NODE = "query ($id: ID!) { node(id: $id) { __typename id } }"


def test_a_file_is_read_at_the_tip_of_the_base_branch(github: GitHubStandIn, app: Client) -> None:
    """With its kind, as in REST; what is not there is null. A branch that is gone is null too."""
    tip = github.set_base_file(1, ".kodiai.yml", b"review: {}\n")
    blob = app.get(f"{REPO}/contents/.kodiai.yml").json()["sha"]

    told = app.graphql(AT_BASE)
    github.state.pulls[1].base_ref = "gone"
    without = app.graphql(AT_BASE)

    pull = told["data"]["repository"]["pullRequest"]
    target = pull["baseRef"].pop("target")
    assert (told["data"]["repository"]["id"], pull["changedFiles"]) == (app.get(REPO).json()["node_id"], 3)
    assert (pull["baseRef"]["name"], pull["baseRef"]["prefix"]) == ("main", "refs/heads/")
    assert (target["__typename"], target["oid"], pull["baseRefOid"]) == ("Commit", tip, tip)
    assert target["settings"] == {
        "mode": 0o100644,
        "type": "blob",
        "name": ".kodiai.yml",
        "path": ".kodiai.yml",
        "size": 11,
        "oid": blob,
        "object": {
            "__typename": "Blob",
            "oid": blob,
            "text": "review: {}\n",
            "isBinary": False,
            "isTruncated": False,
            "byteSize": 11,
        },
    }
    assert (target["nothing"], target["root"], without["data"]["repository"]["pullRequest"]["baseRef"]) == (None,) * 3
    ids = (pull["baseRef"]["id"], target["id"])
    assert [app.graphql(NODE, id=each)["data"]["node"]["__typename"] for each in ids] == ["Ref", "Commit"]


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
    ("run.sh", 0o100755, "blob", "#!/bin/sh\n", False, False, 10),
    ("/run.sh/", 0o100755, "blob", "#!/bin/sh\n", False, False, 10),
    ("link", 0o120000, "blob", "run.sh", False, False, 6),
    ("picture.png", 0o100644, "blob", None, True, False, 5),
    ("latin.txt", 0o100644, "blob", "gr\ufffd\ufffde", False, False, 5),
    ("long.txt", 0o100644, "blob", "\u00e9" * 256_000, False, True, 512_002),
    ("folder/empty", 0o100644, "blob", "", False, False, 0),
    ("folder", 0o040000, "tree", None, None, None, None),
    ("lib", 0o160000, "commit", None, None, None, None),
]


def test_every_kind_of_entry_says_what_it_is(
    repository: GitRepository, serve: Callable[..., GitHubStandIn], client_of: Callable[..., Client]
) -> None:
    """Text is cut at 512,000 bytes and says so, binary files have none, and a submodule has no object."""
    contents = {path: content for path, (content, _) in FILES.items()}
    repository.commit(contents, modes={path: mode for path, (_, mode) in FILES.items()}, branch="main")
    github = serve(repository.path)
    ann = client_of(github, github.token_for("ann"))

    for path, mode, kind, *facts in SEEN:
        entry = ann.graphql(AT, at="HEAD", path=path)["data"]["repository"]["object"]["file"]

        name = path.strip("/")
        assert (entry["mode"], entry["type"], entry["path"], entry["name"]) == (mode, kind, name, name.split("/")[-1])
        found: dict[str, Any] = entry["object"] or {}
        assert found.get("__typename") == {"blob": "Blob", "tree": "Tree", "commit": None}[kind]
        assert [found.get(key) for key in ("text", "isBinary", "isTruncated", "byteSize")] == facts


def test_an_object_is_found_by_what_git_understands(ann: Client, scene: Scene) -> None:
    """Branches, ids, paths below them, and HEAD for the default branch; null for what is not there."""
    commits = {"main": scene.base, "HEAD": scene.base, "feature": scene.head, "refs/pull/1/head": scene.head}
    commits |= {scene.head: scene.head, "feature~1": scene.base}
    nothing = ("nowhere", "main:nothing here 1", "main:a\nb", "HEADER", "1" * 40, "", "-h", ":new.py")

    def ask(what: str | None = None, oid: str | None = None) -> Any:
        return ann.graphql(OBJECT, what=what, oid=oid)["data"]["repository"]["object"]

    assert [(each, ask(each)) for each in commits] == [
        (each, {"__typename": "Commit", "oid": oid}) for each, oid in commits.items()
    ]
    blob = ask("feature:src/a.py")
    assert (blob["__typename"], blob["text"], ask(oid=blob["oid"])) == ("Blob", NEW, blob)
    assert ask("HEAD:src")["__typename"] == "Tree"
    assert [ask(each) for each in nothing] == [None] * len(nothing)
    ids = [
        ann.get(f"{REPO}/{path}").json()["node_id"] for path in (f"commits/{scene.head}", f"git/blobs/{blob['oid']}")
    ]
    assert [ann.graphql(NODE, id=each)["data"]["node"]["id"] for each in ids] == ids
    wrong = (f"B_{scene.head}", "C_main:src", "REF_!", "REF_bm8=")
    assert [ann.graphql(NODE, id=each)["data"]["node"] for each in wrong] == [None] * len(wrong)


def test_an_app_that_may_not_read_contents_is_told_so_and_gets_the_rest(
    github: GitHubStandIn, client_of: Callable[..., Client], scene: Scene
) -> None:
    """The branch and the object are null with an error each."""
    app = client_of(github, installation_token(github, pull_requests="read", metadata="read"))

    told, by_id = app.graphql(AT_BASE), app.graphql(OBJECT, oid=scene.base)

    pull = told["data"]["repository"]["pullRequest"]
    assert (pull["changedFiles"], pull["baseRefOid"], pull["baseRef"]) == (3, scene.base, None)
    assert [(error["type"], error["path"]) for error in told["errors"] + by_id["errors"]] == [
        ("FORBIDDEN", ["repository", "pullRequest", "baseRef"]),
        ("FORBIDDEN", ["repository", "object"]),
    ]
