"""Any folder that git accepts serves as the repository, and any two revisions of it as a pull request."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from local.github import LocalGitHub, UnusableRepository
from tests.git_repository import GitRepository
from tests.local.github.scene import PULL, Client, Scene
from tests.tables import each_row

Serve = Callable[..., LocalGitHub]
Connect = Callable[..., Client]


def git(folder: Path, *arguments: str) -> None:
    person = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "protocol.file.allow=always")
    subprocess.run(["git", "-C", str(folder), *person, *arguments], check=True, capture_output=True)


@pytest.fixture
def checkout(scene: Scene, tmp_path: Path) -> Path:
    """A clone with main checked out and feature as a remote branch."""
    git(tmp_path, "clone", "--quiet", "--branch", "main", str(scene.repository.path), "checkout")
    return tmp_path / "checkout"


def test_a_checkout_and_any_folder_in_it_will_do(serve: Serve, checkout: Path) -> None:
    """The remote branch is found by its short name, and the default branch by origin's HEAD."""
    github = serve(checkout / "src")

    number = github.open_pull_request("origin/feature")

    pull = github.state.pulls[number]
    assert (pull.head_ref, pull.base_ref, pull.title) == ("feature", "main", "Change things")


def test_a_worktree_and_a_submodule_will_do(serve: Serve, checkout: Path, scene: Scene, tmp_path: Path) -> None:
    """Their .git is a file that leads to another folder; a worktree's HEAD is its own."""
    git(checkout, "worktree", "add", "--quiet", "../tree", "origin/feature")
    git(tmp_path, "init", "--quiet", "outer")
    git(tmp_path / "outer", "submodule", "--quiet", "add", "--branch", "main", str(scene.repository.path), "lib")

    worktree, submodule = serve(tmp_path / "tree"), serve(tmp_path / "outer" / "lib")

    assert worktree.state.pulls[worktree.open_pull_request("HEAD")].head_sha == scene.head
    assert submodule.state.pulls[submodule.open_pull_request("origin/feature", "main")].head_sha == scene.head


def test_a_shallow_repository_works_as_far_as_its_history_goes(serve: Serve, scene: Scene, tmp_path: Path) -> None:
    """The error about a missing merge base names the remedy."""
    tip = scene.push({"later.py": "z = 3\n"})
    scene.repository.commit({"side.py": "s = 1\n"}, scene.base, branch="side")
    git(scene.repository.path, "branch", "--force", "feature", tip)
    git(tmp_path, "clone", "--quiet", "--depth=2", "--no-single-branch", f"file://{scene.repository.path}", "shallow")

    github = serve(tmp_path / "shallow")

    assert github.open_pull_request(tip, f"{tip}~1") == 1
    with pytest.raises(UnusableRepository, match=r"^no merge base of .*: the repository is shallow: fetch its history"):
        github.open_pull_request(tip, "origin/side")


def test_a_partial_clone_will_do_once_it_has_the_files(serve: Serve, scene: Scene, tmp_path: Path) -> None:
    """One that lacks any of the commit's files is refused in one sentence: git cannot fetch them from the copy."""
    origin, clone = scene.repository.path, tmp_path / "partial"
    git(origin, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "--quiet", "--no-checkout", "--filter=blob:none", f"file://{origin}", str(clone))

    with pytest.raises(UnusableRepository) as refused:
        serve(clone).check_revision(scene.head)
    git(clone, "fetch", "--quiet", "--refetch", "--no-filter")
    serve(clone).check_revision(scene.head)

    said = f"the repository lacks files of {scene.head[:7]}, as a partial clone does: "
    assert str(refused.value) == f"{said}`git fetch --refetch --no-filter` brings them"


@each_row(
    ("damaged", "content", "commit"),
    [
        ("feature:unchanged.py", b"", "the head"),
        ("feature:unchanged.py", b"no object", "the head"),
        ("feature:src", b"", "the head"),
        ("main~1:changed.py", b"", "the merge base"),
        ("main:later.py", b"", "the base"),
    ],
)
def test_a_damaged_repository_is_refused_at_once_with_the_command_that_repairs_it(
    serve: Serve, tmp_path: Path, damaged: str, content: bytes, commit: str
) -> None:
    """Whichever object it is: the review would wait for an archive, or a comparison, that never comes whole."""
    repository = GitRepository(tmp_path / f"{len(list(tmp_path.iterdir()))}.git")
    fork = repository.commit({"unchanged.py": "u = 1\n", "changed.py": "c = 1\n", "src/a.py": "a = 1\n"})
    base = repository.commit({"changed.py": "c = 2\n", "later.py": "l = 1\n"}, fork, branch="main")
    head = repository.commit({"changed.py": "c = 3\n"}, fork, branch="feature")
    blob = repository.git("rev-parse", damaged).decode().strip()
    unpack(repository)
    file = repository.path / "objects" / blob[:2] / blob[2:]
    file.unlink()
    file.write_bytes(content)
    github = serve(repository.path)

    with pytest.raises(UnusableRepository) as refused:
        check(github, "feature")

    sha = {"the head": head, "the base": base, "the merge base": fork}[commit]
    assert str(refused.value).startswith(f"git cannot read all files of {sha[:7]} (error: ")
    assert str(refused.value).endswith("): `git fsck` names what is damaged, and `git fetch --refetch` brings it again")


def check(github: LocalGitHub, head: str) -> None:
    """Look at a head as a command does before it starts the system."""
    github.check_revision(head)
    github.check_pull_request(head)


def unpack(repository: GitRepository) -> None:
    """Have a file for each object in place of the pack."""
    for pack in [*(repository.path / "objects" / "pack").glob("*.pack")]:
        content = pack.read_bytes()
        for each in pack.parent.glob(f"{pack.stem}.*"):
            each.unlink()
        repository.git("unpack-objects", "-q", feed=content)


def test_a_repository_that_belongs_to_somebody_else_will_do(serve: Serve, scene: Scene) -> None:
    """Git would call it dubious; nothing of it is run, so it may be read."""
    git(scene.repository.path, "config", "core.fsmonitor", "touch /nonexistent/was-run")
    git(scene.repository.path, "config", "diff.external", "false")
    git(scene.repository.path, "config", "diff.noprefix", "true")

    assert serve(scene.repository.path).open_pull_request("feature") == 1


@pytest.mark.parametrize("name", ["empty", "missing"])
def test_a_folder_without_a_repository_is_refused_in_one_sentence(tmp_path: Path, name: str) -> None:
    """It names the folder."""
    (tmp_path / "empty").mkdir()

    with pytest.raises(UnusableRepository, match=f"^{tmp_path / name} is not a (folder|git repository)"):
        LocalGitHub(tmp_path / name)


@each_row(
    ("head", "base", "sentence"),
    [
        ("nowhere", None, "^'nowhere' does not name a commit"),
        ("--all", None, "^'--all' does not name a commit"),
        ("", None, "^'' does not name a commit"),
        ("stranger", "main", "they share no history$"),
        ("main", "feature", "^nothing to review: 'main' is part of 'feature'$"),
        ("main", None, "has no parent to compare it with: name a base$"),
    ],
)
def test_an_impossible_change_is_refused_in_one_sentence(
    github: LocalGitHub, scene: Scene, head: str, base: str | None, sentence: str
) -> None:
    """An unknown revision, even one that looks like an option, histories without a merge base, nothing new, a root."""
    scene.repository.commit({"other": "x"}, branch="stranger")

    with pytest.raises(UnusableRepository, match=sentence):
        github.open_pull_request(head, base)


def test_without_a_base_a_merged_head_is_compared_with_its_first_parent(serve: Serve, scene: Scene) -> None:
    """The default branch holds the head already, so its parent is what it changed."""
    git(scene.repository.path, "branch", "--force", "main", scene.head)
    github = serve(scene.repository.path)

    pull = github.state.pulls[github.open_pull_request("main")]

    assert (pull.head_sha, pull.base_sha, pull.head_ref) == (scene.head, scene.base, "change-1")


def test_two_pull_requests_into_different_commits_of_a_branch_do_not_disturb_each_other(
    serve: Serve, client_of: Connect, scene: Scene
) -> None:
    """The second gets a base branch of its own; the first one's base stays."""
    later = scene.push({"later.py": "z = 3\n"})
    github = serve(scene.repository.path)
    github.open_pull_request(scene.head, scene.base)

    github.open_pull_request(later, scene.head)

    client = client_of(github, github.token_for("ann"))
    first, second = client.get(PULL).json(), client.get("/repos/acme/widgets/pulls/2").json()
    assert (first["base"]["ref"], first["base"]["sha"]) == ("main", scene.base)
    assert (second["base"]["ref"], second["base"]["sha"]) == ("main-2", scene.head)
    assert [f["filename"] for f in client.get("/repos/acme/widgets/pulls/2/files").json()] == ["later.py"]


def test_a_branch_that_moves_is_read_where_it_is(serve: Serve, checkout: Path) -> None:
    """Only facts about objects are cached."""
    copy = serve(checkout).repository.copy
    before = copy.tip("refs/heads/main")

    first, second = (copy.commit_file("main", name, b"text\n", f"Add {name}") for name in ("one.txt", "two.txt"))

    assert (copy.first_parent(first), copy.first_parent(second), copy.tip("refs/heads/main")) == (before, first, second)
    assert {b"one.txt", b"two.txt"} <= {each.path for each in copy.read_tree("refs/heads/main")}
