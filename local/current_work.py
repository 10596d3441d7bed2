"""The current work of a person: their branch with what is not committed yet, as the two ends of a pull request.

It is put together in a scratch repository; the person's index, work tree, refs and objects are only read.
"""

import os
import shutil
import subprocess
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from local.github.repository import RepositoryCopy, UnusableRepository

_SHORT = 7
_NOBODY = ("-c", "user.name=you", "-c", "user.email=you@example.com")
# No program of the person's runs, and nothing is written next to their index.
_ONLY_READ = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "core.splitIndex=false")


@dataclass(frozen=True)
class CurrentWork:
    """A scratch repository with two branches: `head`, which holds the work, and the `base` that it is compared with.

    `title` is the pull request's, `description` says in words what is reviewed.
    """

    repository: Path
    head: str
    base: str
    title: str
    description: str


def read_current_work(folder: Path, base: str | None, scratch: Path, leave_out: Collection[Path] = ()) -> CurrentWork:
    """Read the work in the repository that `folder` is in, against `base` or else the default branch.

    `scratch` is an empty folder; `leave_out` are untracked files that are not work, such as an earlier report.
    Raises UnusableRepository with a sentence for the person.
    """
    work_tree = _WorkTree(folder)
    copy = RepositoryCopy(work_tree.top, scratch / f"{work_tree.top.name.removesuffix('.git')}.git")
    try:
        last = copy.resolve("HEAD")
    except UnusableRepository as error:
        raise UnusableRepository(f"{work_tree.top} has no commits yet: commit something first") from error
    branch = copy.branch_named("HEAD")
    base_name, base_words, base_sha = _base(copy, work_tree, branch, base)
    fork = copy.merge_base(base_sha, last)
    tree = work_tree.snapshot(copy, scratch / "index", leave_out)
    uncommitted = _changed(copy, last, tree) if tree else 0
    with copy.reading(fork):
        changed = _changed(copy, fork, tree or last)
    if not changed:
        raise UnusableRepository(f"no changes: {branch or 'HEAD'} has none since {base_words}, committed or not")
    head = _commit(copy, tree, last) if tree and uncommitted else last
    name = branch if branch and branch != base_name else f"work-on-{branch or last[:_SHORT]}"
    copy.set_refs({f"refs/heads/{base_name}": base_sha, f"refs/heads/{name}": head})
    commits = int(copy.git("rev-list", "--count", f"{fork}..{last}"))
    subject = copy.git("log", "-1", "--format=%s", last).decode(errors="replace").strip()
    return CurrentWork(
        repository=copy.folder,
        head=name,
        base=base_name,
        title=subject if commits and subject else f"Work on {branch or last[:_SHORT]}",
        description=f"{branch or 'detached HEAD'}: " + _description(commits, fork, last, base_words, uncommitted),
    )


def work_tree(folder: Path) -> Path:
    """The top of the work tree that a folder is in. Raises UnusableRepository."""
    return _WorkTree(folder).top


def files_of_work_tree(folder: Path) -> list[str]:
    """The files of the work tree that a folder is in, without ignored ones. Raises UnusableRepository."""
    return _WorkTree(folder).files()


def _base(copy: RepositoryCopy, work_tree: "_WorkTree", branch: str | None, named: str | None) -> tuple[str, str, str]:
    """The base as a branch's name, in words, and its commit.

    On the default branch itself it is the upstream, and where there is none what the default branch is on origin, or
    else its last commit.
    """
    if named is not None:
        return copy.branch_named(named) or "base", named, copy.resolve(named)
    default = copy.default_branch()
    if default is None:
        raise UnusableRepository("there is no origin/HEAD, main or master to compare with: give a --base BRANCH")
    name, tip = default
    if name == branch:
        upstream = work_tree.upstream()
        return (name, upstream, copy.resolve(upstream)) if upstream else (name, "the last commit", tip)
    return name, name, tip


def _changed(copy: RepositoryCopy, old: str, new: str) -> int:
    """The number of files that differ."""
    listed = copy.git("diff-tree", "-r", "-z", "--name-only", "--no-renames", f"{old}^{{tree}}", f"{new}^{{tree}}")
    return listed.count(b"\0")


def _commit(copy: RepositoryCopy, tree: str, parent: str) -> str:
    made = copy.git(*_NOBODY, "commit-tree", tree, "-p", parent, "-m", "Work that is not committed yet")
    return made.decode().strip()


def _description(commits: int, fork: str, last: str, base: str, uncommitted: int) -> str:
    parts = []
    if commits:
        plural = "commit" if commits == 1 else "commits"
        parts.append(f"{commits} {plural} since {base} ({fork[:_SHORT]}..{last[:_SHORT]})")
    if uncommitted:
        plural = "file" if uncommitted == 1 else "files"
        on = "" if commits else f", against {base} ({fork[:_SHORT]})"
        parts.append(f"uncommitted work in {uncommitted} {plural}{on}")
    return ", and ".join(parts)


class _WorkTree:
    """The person's checkout, read by git with the person's own settings: what they ignore is ignored here too.

    Raises UnusableRepository where the folder is in no repository.
    """

    def __init__(self, folder: Path) -> None:
        self.top = folder.resolve()
        try:
            inside = self._git("rev-parse", "--is-inside-work-tree").strip() == b"true"
        except UnusableRepository as error:
            raise UnusableRepository(
                f"{self.top} is not in a git repository: go into one, or name one with --repo PATH ({error})"
            ) from error
        self._has_files = inside
        if inside:
            self.top = Path(os.fsdecode(self._git("rev-parse", "--show-toplevel")).rstrip("\n"))

    def snapshot(self, copy: RepositoryCopy, index: Path, leave_out: Collection[Path]) -> str | None:
        """The tree of all files as they are now, staged or not, in the copy; None where there are no files.

        What is ignored is not in it, nor what is in a repository of its own.
        """
        if not self._has_files:
            return None
        self._refuse_unfinished_merge()
        present = self._path("index")
        if present.exists():
            shutil.copy2(present, index)  # with its time: by that git knows which files it has to look into
        objects = {"GIT_INDEX_FILE": str(index), "GIT_OBJECT_DIRECTORY": str(copy.folder / "objects")}
        outside = {str(path.resolve()) for path in leave_out}
        listed = self._git("ls-files", "--others", "--exclude-standard", "-z", environment=objects).split(b"\0")
        new = [path for path in listed if path and not path.endswith(b"/")]
        new = [path for path in new if str(self.top / os.fsdecode(path)) not in outside]
        self._git("add", "--update", environment=objects)
        feed = b"".join(path + b"\0" for path in new)
        self._git("update-index", "--add", "--replace", "-z", "--stdin", environment=objects, feed=feed)
        return self._git("write-tree", "--missing-ok", environment=objects).decode().strip()

    def files(self) -> list[str]:
        """The paths of all files that are not ignored, from the top."""
        listed = self._git("ls-files", "--cached", "--others", "--exclude-standard", "-z")
        return [os.fsdecode(path) for path in listed.split(b"\0") if path]

    def upstream(self) -> str | None:
        """The branch that the current one follows, such as "origin/main"; None where there is none."""
        try:
            return os.fsdecode(self._git("rev-parse", "--abbrev-ref", "@{upstream}")).strip()
        except UnusableRepository:
            return None

    def _refuse_unfinished_merge(self) -> None:
        if self._path("MERGE_HEAD").exists():
            raise UnusableRepository("a merge is in progress: commit it or run `git merge --abort`, then try again")
        if self._git("ls-files", "--unmerged"):
            raise UnusableRepository("there are unresolved conflicts: resolve them, then try again")

    def _path(self, name: str) -> Path:
        found = os.fsdecode(self._git("rev-parse", "--git-path", name)).rstrip("\n")
        return self.top / found

    def _git(self, *arguments: str, environment: dict[str, str] | None = None, feed: bytes | None = None) -> bytes:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        quiet = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        settings: Sequence[str] = [word for setting in _ONLY_READ for word in ("-c", setting)]
        done = subprocess.run(
            ["git", "-C", str(self.top), *settings, *arguments],
            env=kept | quiet | (environment or {}),
            input=feed,
            capture_output=True,
            check=False,
        )
        if done.returncode:
            output = done.stderr.decode(errors="replace").strip().splitlines()
            errors = [line for line in output if line.startswith(("error: ", "fatal: "))]  # the others are warnings
            raise UnusableRepository((errors or output or [f"git ended with {done.returncode}"])[0])
        return done.stdout
