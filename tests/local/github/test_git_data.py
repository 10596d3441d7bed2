"""Git's objects and refs through the API, as GitHub answers and refuses."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from local.github import LocalGitHub
from tests.local.github.scene import PULL, REPO, Client, Scene
from tests.tables import each_row

Connect = Callable[..., Client]
GIT = f"{REPO}/git"
NOTHING = "1" * 40


def a_commit(client: Client, parent: str, *entries: dict[str, Any], message: str = "Change\n") -> str:
    """A commit with these entries on top of another; its id."""
    base = client.get(f"{GIT}/commits/{parent}").json()["tree"]["sha"]
    tree = client.post(f"{GIT}/trees", {"base_tree": base, "tree": list(entries)})
    assert tree.status_code == 201, tree.text
    commit = client.post(f"{GIT}/commits", {"message": message, "tree": tree.json()["sha"], "parents": [parent]})
    assert commit.status_code == 201, commit.text
    return str(commit.json()["sha"])


def a_file(path: str, **more: Any) -> dict[str, Any]:
    return {"path": path, "mode": "100644", "type": "blob", **more}


@each_row(
    ("path", "body", "said"),
    [
        ("blobs", {"content": "x", "encoding": "latin-1"}, "Invalid encoding"),
        ("trees", {"base_tree": NOTHING, "tree": []}, "base_tree is not a valid tree oid"),
        ("trees", {"tree": [a_file("../x", content="x")]}, "tree.path contains a malformed path component"),
        ("trees", {"tree": [a_file("a/.git/config", content="x")]}, "tree.path contains a malformed path component"),
        ("trees", {"tree": [a_file("x", sha=NOTHING)]}, f"tree.sha {NOTHING} is not a valid blob"),
        ("trees", {"tree": [a_file("x", sha=None)]}, "GitRPC::BadObjectState"),
        (
            "trees",
            {"tree": [a_file("x", sha=NOTHING, content="x")]},
            "Must supply either tree.sha or tree.content",
        ),
        ("commits", {"message": "x", "tree": NOTHING, "parents": []}, "Tree SHA does not exist"),
        ("refs", {"ref": "refs/heads/x", "sha": NOTHING}, "Object does not exist"),
    ],
)
def test_an_invalid_object_is_refused(ann: Client, path: str, body: dict[str, Any], said: str) -> None:
    """The status is 422, the message GitHub's as far as it is known."""
    answer = ann.post(f"{GIT}/{path}", body)

    assert (answer.status_code, answer.json()["message"]) == (422, said)


def test_a_push_to_the_base_branch_moves_the_base_of_its_pull_requests(
    ann: Client, scene: Scene, github: LocalGitHub
) -> None:
    """It is no event of theirs."""
    sha = a_commit(ann, scene.base, a_file("other.py", content="o = 1\n"))

    ann.send("PATCH", f"{GIT}/refs/heads/main", {"sha": sha})

    assert ann.get(PULL).json()["base"]["sha"] == sha
    assert [each.action for each in github.deliveries] == ["opened"]


def test_commits_and_branches_outlive_a_restart(
    serve: Callable[..., LocalGitHub], scene: Scene, client_of: Connect, tmp_path: Path
) -> None:
    """They are in no repository of a person's."""
    first = serve(scene.repository.path, data=tmp_path / "data")
    first.open_pull_request("feature")
    ann = client_of(first, first.token_for("ann"))
    head = a_commit(ann, scene.head, a_file("new.py", content="x = 2\n"))
    begun = a_commit(ann, scene.base, a_file("other.py", content="o = 1\n"))
    ann.send("PATCH", f"{GIT}/refs/heads/feature", {"sha": head})
    ann.post(f"{GIT}/refs", {"ref": "refs/heads/kodiai/P-1", "sha": begun})
    first.stop()

    second = serve(scene.repository.path, data=tmp_path / "data")

    again = client_of(second, second.token_for("ann"))
    assert again.get(PULL).json()["head"]["sha"] == head
    assert again.get(f"{GIT}/ref/heads/kodiai/P-1").json()["object"]["sha"] == begun
    assert [file["filename"] for file in again.get(f"{PULL}/files").json()] == ["gone.py", "new.py", "src/a.py"]


def test_files_of_a_comparison_are_on_its_first_page_only(ann: Client, scene: Scene) -> None:
    """The merge base is on every page, also where the base has moved on."""
    moved_on = scene.repository.commit({"elsewhere.py": "y = 2\n"}, scene.base)

    first, second = (ann.get(f"{REPO}/compare/{moved_on}...{scene.head}", page=page).json() for page in (1, 2))

    assert first["files"] == ann.get(f"{PULL}/files").json()
    assert "files" not in second
    assert [page["merge_base_commit"]["sha"] for page in (first, second)] == [scene.base, scene.base]
