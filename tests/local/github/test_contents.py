"""Files, folders, trees, blobs and archives at any revision."""

import base64
from collections.abc import Callable

import pytest

from local.github import LocalGitHub
from tests.git_repository import SUBMODULE, GitRepository
from tests.local.github.scene import NEW, OLD, REPO, Client, Scene

SYMLINK = "120000"
Connect = Callable[..., Client]


@pytest.fixture
def strange(repository: GitRepository, serve: Callable[..., LocalGitHub], client_of: Connect) -> Client:
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


def test_a_symbolic_link_gives_the_file_that_it_leads_to(strange: Client) -> None:
    """One that leads nowhere is shown itself."""
    followed, dangling = (strange.get(f"{REPO}/contents/{name}").json() for name in ("link", "dangling"))

    assert (followed["type"], base64.b64decode(followed["content"])) == ("file", b"print()\n")
    assert (dangling["type"], dangling["target"]) == ("symlink", "nowhere")


def test_what_is_no_file_says_so(strange: Client) -> None:
    """A folder is a list, a submodule has its kind, and a file over 1 MB comes without its text."""
    folder, submodule, large = (strange.get(f"{REPO}/contents/{name}").json() for name in ("src", "lib", "large.bin"))

    assert [(entry["path"], entry["type"]) for entry in folder] == [("src/a b.py", "file")]
    assert submodule["type"] == "submodule"
    assert (large["content"], large["encoding"], large["size"]) == ("", "none", 1_000_001)


def test_a_path_with_signs_that_mean_something_to_git_is_taken_to_the_letter(strange: Client) -> None:
    """Brackets and stars are names here; what does not exist is 404, whatever it looks like."""
    assert strange.get(f"{REPO}/contents/%5Bx%5D*.py").json()["size"] == 9
    for missing in ("*.py", ":/src", "..%2Fsrc", "src/a b.py/more", "%00", ""):
        assert strange.get(f"{REPO}/contents/{missing}").status_code == 404
    folder = next(each["sha"] for each in strange.get(f"{REPO}/git/trees/main").json()["tree"] if each["path"] == "src")
    for missing in (f"trees/{'0' * 40}", f"blobs/{folder}", "blobs/--batch"):
        assert strange.get(f"{REPO}/git/{missing}").status_code == 404


def test_a_missing_revision_is_404_with_its_name(ann: Client) -> None:
    """GitHub says which ref it did not find."""
    answer = ann.get(f"{REPO}/contents/src/a.py", ref="nowhere")

    assert (answer.status_code, answer.json()["message"]) == (404, "No commit found for the ref nowhere")


def test_an_archive_without_its_redirect_is_not_given(ann: Client) -> None:
    """The address alone is worth nothing, nor is a guess at the password."""
    assert ann.get("/acme/widgets/legacy.tar.gz/main").status_code == 404
    assert ann.get("/acme/widgets/legacy.tar.gz/main?token=guess").status_code == 404
    assert ann.get(f"{REPO}/tarball/nowhere").status_code == 404
