"""Files, folders, trees, blobs and archives at any revision."""

import base64
import io
import tarfile
from collections.abc import Callable
from typing import Any

import pytest

from local.github import GitHubStandIn
from tests.git_repository import SUBMODULE, GitRepository
from tests.local.github.scene import NEW, OLD, REPO, Client, Scene

SYMLINK = "120000"
RAW = "application/vnd.github.raw+json"
Connect = Callable[..., Client]


@pytest.fixture
def strange(repository: GitRepository, serve: Callable[..., GitHubStandIn], client_of: Connect) -> Client:
    """A repository with everything that is not a plain file."""
    files: dict[str | bytes, str | bytes | None] = {
        "lib": "1" * 40,
        "link": "src/a b.py",
        "dangling": "nowhere",
        "src/a b.py": "print()\n",
        "large.bin": b"\0" * 1_000_001,
        "[x]*.py": "brackets\n",
    }
    repository.commit(files, modes={"lib": SUBMODULE, "link": SYMLINK, "dangling": SYMLINK}, branch="main")
    github = serve(repository.path)
    return client_of(github, github.token_for("ann"))


def test_a_file_comes_in_base64_at_any_revision(ann: Client, scene: Scene) -> None:
    """A branch, a commit, a pull request's ref, or without any the default branch."""
    wanted = {"feature": NEW, scene.base: OLD, "refs/pull/1/head": NEW, "": OLD}

    for ref, text in wanted.items():
        file = ann.get(f"{REPO}/contents/src/a.py", **({"ref": ref} if ref else {})).json()

        assert base64.b64decode(file["content"]).decode() == text
        assert (file["type"], file["encoding"], file["size"]) == ("file", "base64", len(text))


def test_a_folder_lists_its_entries(strange: Client) -> None:
    """Each with its kind; the root is a folder too."""
    listed = strange.get(f"{REPO}/contents/").json()

    assert {entry["path"]: entry["type"] for entry in listed} == {
        "lib": "submodule",
        "link": "symlink",
        "dangling": "symlink",
        "src": "dir",
        "large.bin": "file",
        "[x]*.py": "file",
    }
    assert [entry["path"] for entry in strange.get(f"{REPO}/contents/src/").json()] == ["src/a b.py"]


def test_a_symbolic_link_gives_the_file_that_it_leads_to(strange: Client) -> None:
    """One that leads nowhere is shown itself."""
    followed, dangling = (strange.get(f"{REPO}/contents/{name}").json() for name in ("link", "dangling"))

    assert (followed["type"], base64.b64decode(followed["content"])) == ("file", b"print()\n")
    assert (dangling["type"], dangling["target"]) == ("symlink", "nowhere")


def test_a_large_file_comes_without_its_text_unless_asked_for_raw(strange: Client) -> None:
    """Over 1 MB the JSON form is empty and says so."""
    described = strange.get(f"{REPO}/contents/large.bin").json()
    raw = strange.send("GET", f"{REPO}/contents/large.bin", Accept=RAW)

    assert (described["content"], described["encoding"], described["size"]) == ("", "none", 1_000_001)
    assert raw.content == b"\0" * 1_000_001
    assert raw.headers["content-type"].startswith("application/vnd.github.raw+json")


def test_a_path_with_signs_that_mean_something_to_git_is_taken_to_the_letter(strange: Client) -> None:
    """Brackets and stars are names here; what does not exist is 404, whatever it looks like."""
    assert strange.send("GET", f"{REPO}/contents/%5Bx%5D*.py", Accept=RAW).text == "brackets\n"
    for missing in ("*.py", ":/src", "..%2Fsrc", "src/a b.py/more", "%00", "src//a b.py/"):
        status = strange.get(f"{REPO}/contents/{missing}").status_code
        assert status == 404 or missing == "src//a b.py/"


def test_a_missing_revision_is_404_with_its_name(ann: Client) -> None:
    """GitHub says which ref it did not find."""
    answer = ann.get(f"{REPO}/contents/src/a.py", ref="nowhere")

    assert (answer.status_code, answer.json()["message"]) == (404, "No commit found for the ref nowhere")


def test_a_tree_lists_one_level_or_all(strange: Client) -> None:
    """Recursive trees name folders and what is in them, with sizes for blobs only."""
    flat = strange.get(f"{REPO}/git/trees/main").json()
    deep = strange.get(f"{REPO}/git/trees/main", recursive="1").json()

    assert [entry["path"] for entry in flat["tree"]] == ["[x]*.py", "dangling", "large.bin", "lib", "link", "src"]
    kinds = {entry["path"]: (entry["type"], entry["mode"], entry.get("size")) for entry in deep["tree"]}
    assert kinds["src"] == ("tree", "040000", None)
    assert kinds["src/a b.py"] == ("blob", "100644", 8)
    assert kinds["lib"] == ("commit", "160000", None)
    assert (deep["sha"], deep["truncated"]) == (flat["sha"], False)
    assert strange.get(f"{REPO}/git/trees/{'0' * 40}").status_code == 404


def test_a_blob_comes_by_its_id(strange: Client) -> None:
    """In base64, or raw; a commit's id is no blob's."""
    tree = {entry["path"]: entry["sha"] for entry in strange.get(f"{REPO}/git/trees/main").json()["tree"]}

    blob = strange.get(f"{REPO}/git/blobs/{tree['[x]*.py']}").json()

    assert (base64.b64decode(blob["content"]), blob["size"]) == (b"brackets\n", 9)
    assert strange.send("GET", f"{REPO}/git/blobs/{tree['[x]*.py']}", Accept=RAW).content == b"brackets\n"
    assert strange.get(f"{REPO}/git/blobs/{tree['src']}").status_code == 404


def test_the_archive_holds_the_tree_in_one_folder(bot: Any, github: GitHubStandIn, scene: Scene) -> None:
    """A redirect to a place that needs no token leads to a tar.gz, named for owner, repository and commit."""
    archive = bot.request("GET", f"{REPO}/tarball/{scene.head}").content

    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        files = {m.name: opened.extractfile(m).read() for m in opened if m.isfile()}  # type: ignore[union-attr]
    folder = f"acme-widgets-{scene.head[:7]}"
    assert files == {f"{folder}/src/a.py": NEW.encode(), f"{folder}/new.py": b"x = 1\n"}
    assert [(seen.route, seen.status) for seen in github.requests[-2:]] == [
        ("GET /repos/{owner}/{repo}/tarball/{ref}", 302),
        ("GET /{owner}/{repo}/legacy.tar.gz/{ref}", 200),
    ]


def test_an_archive_without_its_redirect_is_not_given(ann: Client) -> None:
    """The address alone is worth nothing, nor is a guess at the pass word."""
    assert ann.get("/acme/widgets/legacy.tar.gz/main").status_code == 404
    assert ann.get("/acme/widgets/legacy.tar.gz/main?token=guess").status_code == 404
    assert ann.get(f"{REPO}/tarball/nowhere").status_code == 404
