"""The branch that is checked out, with what is not committed yet, is read without touching anything of the person's."""

import os
import subprocess
from pathlib import Path

import pytest

from local.current_work import CurrentWork, read_current_work
from local.github.repository import UnusableRepository
from tests.checkout import Checkout

NO_REPOSITORY = "fatal: not a git repository (or any of the parent directories): .git"
MAIN = {"a.py": "a = 1\n", "src/b.py": "b = 1\n", "gone.py": "gone = 1\n"}


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A repository on the branch "feature", one commit ahead of main."""
    made = Checkout(tmp_path / "shop")
    made.commit(MAIN)
    made.git("checkout", "--quiet", "-b", "feature")
    made.commit({"new.py": "new = 1\n"}, "Add something new")
    return made


def read(folder: Path, scratch: Path, base: str | None = None, *leave_out: Path) -> CurrentWork:
    scratch.mkdir(exist_ok=True)
    return read_current_work(folder, base, scratch, leave_out)


def refusal(folder: Path, scratch: Path, base: str | None = None) -> str:
    with pytest.raises(UnusableRepository) as refused:
        read(folder, scratch, base)
    return str(refused.value)


def git(work: CurrentWork, *arguments: str) -> str:
    command = ["git", "-C", str(work.repository), *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode()


def changes(work: CurrentWork) -> list[str]:
    """Return the changes of a pull request of this work: status and path of each file."""
    listed = git(work, "diff", "--name-status", "--no-renames", f"{work.base}...{work.head}")
    return [line.replace("\t", " ") for line in listed.splitlines()]


def test_committed_staged_unstaged_and_untracked_work_is_one_change(checkout: Checkout, tmp_path: Path) -> None:
    """Ignored files and nested repositories stay out; a removed file is removed."""
    checkout.write({"a.py": "a = 2\n", "staged.py": "s = 1\n", ".gitignore": "*.log\n"})
    checkout.git("add", "staged.py")
    checkout.write({"staged.py": "s = 2\n", "src/untracked.py": "u = 1\n", "x.log": "", "vendor/lib/x.py": ""})
    (checkout.path / "gone.py").unlink()
    checkout.git("init", "--quiet", "vendor/lib")

    work = read(checkout.path, tmp_path / "scratch")

    assert changes(work) == ["A .gitignore", "M a.py", "D gone.py", "A new.py", "A src/untracked.py", "A staged.py"]
    assert git(work, "show", f"{work.head}:staged.py") == "s = 2\n"
    assert (work.head, work.base, work.title) == ("feature", "main", "Add something new")
    main, head = (checkout.git("rev-parse", "--short=7", name).strip() for name in ("main", "feature"))
    assert work.description == f"feature: 1 commit since main ({main}..{head}), and uncommitted work in 5 files"


@pytest.mark.parametrize("split", ["false", "true"])
def test_nothing_of_the_person_is_touched(checkout: Checkout, tmp_path: Path, split: str) -> None:
    """Index, refs, objects and files are the same before and after, byte by byte."""
    checkout.git("config", "core.splitIndex", split)
    checkout.write({"a.py": "a = 2\n", "staged.py": "s = 1\n", "untracked.py": "u = 1\n"})
    checkout.git("add", "staged.py")
    hook = checkout.path / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/hooked\n")
    hook.chmod(0o755)
    (tmp_path / "hooked").unlink(missing_ok=True)
    before = checkout.everything()
    status, refs = checkout.git("--no-optional-locks", "status", "--porcelain=v2"), checkout.git("for-each-ref")

    read(checkout.path, tmp_path / "scratch")

    assert checkout.everything() == before
    assert checkout.git("--no-optional-locks", "status", "--porcelain=v2") == status
    assert checkout.git("for-each-ref") == refs
    assert not (tmp_path / "hooked").exists()


def test_a_change_of_the_same_size_and_second_as_the_index_is_seen(checkout: Checkout, tmp_path: Path) -> None:
    """Git decides by the index's time which files to read, so a copy has to keep it."""
    checkout.git("config", "core.trustctime", "false")  # the time of a file's last change cannot be set
    index, file, moment = checkout.path / ".git" / "index", checkout.path / "a.py", 1_700_000_000
    os.utime(file, (moment, moment))
    checkout.git("update-index", "--refresh")
    os.utime(index, (moment, moment))
    checkout.write({"a.py": "a = 9\n"})
    os.utime(file, (moment, moment))

    work = read(checkout.path, tmp_path / "scratch")

    assert git(work, "show", f"{work.head}:a.py") == "a = 9\n"


def test_any_folder_of_the_repository_will_do(checkout: Checkout, tmp_path: Path) -> None:
    """A subdirectory leads to a review of the whole branch, including the folders above."""
    checkout.write({"a.py": "a = 2\n"})

    work = read(checkout.path / "src", tmp_path / "scratch")

    assert changes(work) == ["M a.py", "A new.py"]


def test_a_worktree_is_read_by_its_own_index(checkout: Checkout, tmp_path: Path) -> None:
    """It has its branch, its index and its files; the repository's own checkout has others."""
    checkout.git("worktree", "add", "--quiet", "-b", "other", str(tmp_path / "other"), "main")
    (tmp_path / "other" / "o.py").write_text("o = 1\n")
    checkout.write({"a.py": "a = 2\n"})

    work = read(tmp_path / "other", tmp_path / "scratch")

    assert (work.head, changes(work)) == ("other", ["A o.py"])


def test_a_detached_head_is_read_against_the_default_branch(checkout: Checkout, tmp_path: Path) -> None:
    checkout.git("checkout", "--quiet", "--detach")

    work = read(checkout.path, tmp_path / "scratch")

    assert changes(work) == ["A new.py"]
    assert work.description.startswith("detached HEAD: 1 commit since main (")


def test_a_submodule_is_the_commit_that_it_is_at(checkout: Checkout, tmp_path: Path) -> None:
    """Its own files belong to another repository; from within it that one is read."""
    library = Checkout(tmp_path / "library")
    library.commit({"l.py": "l = 1\n"})
    checkout.git("submodule", "--quiet", "add", str(library.path), "lib")
    checkout.git("commit", "--quiet", "--message", "Use the library")
    inside = Checkout(checkout.path / "lib")
    inside.commit({"l.py": "l = 2\n"})
    inside.write({"more.py": "m = 1\n"})

    outer = read(checkout.path, tmp_path / "outer")
    inner = read(inside.path, tmp_path / "inner")

    assert changes(outer) == ["A .gitmodules", "A lib", "A new.py"]
    assert git(outer, "ls-tree", outer.head, "lib").split()[2] == inside.git("rev-parse", "HEAD").strip()
    assert changes(inner) == ["M l.py", "A more.py"]


def test_modes_links_and_line_ends_are_as_git_would_commit_them(checkout: Checkout, tmp_path: Path) -> None:
    checkout.commit({".gitattributes": "*.txt text\n"})
    checkout.write({"run.sh": "#!/bin/sh\n", "windows.txt": "one\r\ntwo\r\n", "naïve\nname.py": "n = 1\n"})
    (checkout.path / "run.sh").chmod(0o755)
    (checkout.path / "link").symlink_to("a.py")

    work = read(checkout.path, tmp_path / "scratch")

    listed = git(work, "ls-tree", "-z", work.head).split("\0")
    modes = {name: facts.split()[0] for facts, _, name in (line.partition("\t") for line in listed if line)}
    assert (modes["run.sh"], modes["link"], modes["naïve\nname.py"]) == ("100755", "120000", "100644")
    assert git(work, "show", f"{work.head}:windows.txt") == "one\ntwo\n"
    assert git(work, "show", f"{work.head}:link") == "a.py"


def test_files_of_the_command_itself_are_no_work(checkout: Checkout, tmp_path: Path) -> None:
    """A report of the last time would be reviewed otherwise."""
    checkout.write({"review.html": "<!doctype html>", "other.html": ""})

    work = read(checkout.path, tmp_path / "scratch", None, checkout.path / "src" / ".." / "review.html")

    assert changes(work) == ["A new.py", "A other.html"]


def test_the_base_is_what_origin_says_or_what_is_named(checkout: Checkout, tmp_path: Path) -> None:
    """origin/HEAD goes before main; --base before both."""
    clone = Checkout(tmp_path / "clone")
    clone.git("remote", "add", "origin", str(checkout.path))
    clone.git("fetch", "--quiet", "origin")
    clone.git("checkout", "--quiet", "-b", "mine", "origin/feature")
    clone.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/feature")
    clone.write({"m.py": "m = 1\n"})

    default = read(clone.path, tmp_path / "default")
    named = read(clone.path, tmp_path / "named", "origin/main")
    by_revision = read(clone.path, tmp_path / "revision", "HEAD~1")

    assert (default.base, changes(default)) == ("feature", ["A m.py"])
    assert (named.base, changes(named)) == ("main", ["A m.py", "A new.py"])
    assert (by_revision.base, changes(by_revision)) == ("base", ["A m.py", "A new.py"])


def test_on_the_default_branch_the_upstream_is_the_base(checkout: Checkout, tmp_path: Path) -> None:
    """The base without an upstream is the last commit: uncommitted work is reviewed."""
    checkout.git("checkout", "--quiet", "main")
    subprocess.run(["git", "clone", "--quiet", str(checkout.path), str(tmp_path / "clone")], check=True)
    clone = Checkout(tmp_path / "clone")
    clone.commit({"c.py": "c = 1\n"})
    checkout.write({"u.py": "u = 1\n"})

    ahead = read(clone.path, tmp_path / "ahead")
    alone = read(checkout.path, tmp_path / "alone")

    assert (changes(ahead), changes(alone)) == (["A c.py"], ["A u.py"])
    assert ahead.description.startswith("main: 1 commit since origin/main (")
    last = checkout.git("rev-parse", "--short=7", "main").strip()
    assert alone.description == f"main: uncommitted work in 1 file, against the last commit ({last})"
    assert alone.title == "Work on main"


def test_one_line_says_that_there_is_nothing_to_review(checkout: Checkout, tmp_path: Path) -> None:
    checkout.git("checkout", "--quiet", "main")

    assert refusal(checkout.path, tmp_path / "scratch") == (
        "no changes: main has none since the last commit, committed or not"
    )


def test_a_state_that_cannot_be_reviewed_says_what_to_do(checkout: Checkout, tmp_path: Path) -> None:
    """A merge or a conflict, no default branch, no commit, no repository."""
    merging, conflicting = Checkout(tmp_path / "merging"), Checkout(tmp_path / "conflicting")
    for made in (merging, conflicting):
        made.commit({"a.py": "a = 1\n"})
        made.git("checkout", "--quiet", "-b", "one")
        made.commit({"a.py": "a = 2\n"})
        made.git("checkout", "--quiet", "main")
        made.commit({"a.py": "a = 3\n"})
    merging.git("merge", "one", check=False)
    conflicting.git("cherry-pick", "one", check=False)
    trunk, unborn, plain = Checkout(tmp_path / "t", "trunk"), Checkout(tmp_path / "u"), tmp_path / "plain"
    trunk.commit(MAIN)
    plain.mkdir()

    said = [
        refusal(folder, tmp_path / f"scratch-{number}", base)
        for number, (folder, base) in enumerate(
            [
                (merging.path, None),
                (conflicting.path, None),
                (trunk.path, None),
                (unborn.path, None),
                (plain, None),
                (checkout.path, "nowhere"),
            ]
        )
    ]

    assert said == [
        "a merge is in progress: commit it or run `git merge --abort`, then try again",
        "there are unresolved conflicts: resolve them, then try again",
        "there is no origin/HEAD, main or master to compare with: give a --base BRANCH",
        f"{unborn.path} has no commits yet: commit something first",
        f"{plain} is not in a git repository: go into one, or name one with --repo PATH ({NO_REPOSITORY})",
        f"'nowhere' does not name a commit in {checkout.path}: `git log --all` shows them",
    ]


def test_a_bare_repository_has_its_commits_only(checkout: Checkout, tmp_path: Path) -> None:
    checkout.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))

    work = read(tmp_path / "bare.git", tmp_path / "scratch")

    assert (work.head, changes(work)) == ("feature", ["A new.py"])
