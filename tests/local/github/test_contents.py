"""Files, folders, trees, blobs and archives at any revision."""

from collections.abc import Callable

import pytest

from local.github import LocalGitHub
from tests.git_repository import GitRepository
from tests.local.github.scene import REPO, Client
from tests.tables import each_row

NOWHERE = "0" * 40


@pytest.fixture
def strange(repository: GitRepository, serve: Callable[..., LocalGitHub], client_of: Callable[..., Client]) -> Client:
    """A repository with a folder, and a name that means something to git."""
    repository.commit({"src/a b.py": "print()\n", "[x]*.py": "brackets\n"}, branch="main")
    github = serve(repository.path)
    return client_of(github, github.token_for("ann"))


@each_row(
    "path",
    [
        *(f"{REPO}/contents/{name}" for name in ("*.py", ":/src", "..%2Fsrc", "src/a b.py/more", "%00", "")),
        f"{REPO}/contents/src?ref=nowhere",
        f"{REPO}/git/trees/{NOWHERE}",
        f"{REPO}/git/blobs/{NOWHERE}",
        f"{REPO}/git/blobs/--batch",
        f"{REPO}/tarball/nowhere",
        "/acme/widgets/legacy.tar.gz/main",
        "/acme/widgets/legacy.tar.gz/main?token=guess",
    ],
)
def test_content_that_does_not_exist_is_404(strange: Client, path: str) -> None:
    """A path is taken to the letter, whatever it means to git; an archive has no address but its redirect's."""
    assert strange.get(f"{REPO}/contents/%5Bx%5D*.py").json()["size"] == 9

    assert strange.get(path).status_code == 404


def test_a_folder_is_no_blob(strange: Client) -> None:
    """Its id names a tree."""
    listed = strange.get(f"{REPO}/git/trees/main").json()["tree"]
    [folder] = [each["sha"] for each in listed if each["path"] == "src"]

    assert strange.get(f"{REPO}/git/blobs/{folder}").status_code == 404


@each_row(("entries", "size", "listed"), [(9, 7_000_000, 3), (2, 7_000_000, 2), (9, 400, 1)])
def test_a_listing_is_cut_at_a_number_of_entries_and_of_bytes(
    repository: GitRepository,
    serve: Callable[..., LocalGitHub],
    client_of: Callable[..., Client],
    entries: int,
    size: int,
    listed: int,
) -> None:
    """It says so: nobody must take a file for missing."""
    repository.commit({"a.py": "a\n", "src/b.py": "b\n"}, branch="main")
    github = serve(repository.path)
    github.repository.most_entries, github.repository.most_listed_bytes = entries, size

    tree = client_of(github, github.token_for("ann")).get(f"{REPO}/git/trees/main?recursive=1").json()

    assert (len(tree["tree"]), tree["truncated"]) == (listed, listed < 3)
