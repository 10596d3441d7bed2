"""A bare copy of a user's repository: it reads their objects, and stores new objects and refs only in itself."""

import os
import re
import subprocess
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

_QUIET = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}
_KEPT = "refs/kept/"
_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_READING = frozenset({"cat-file", "diff-tree", "log", "ls-tree", "merge-base", "rev-list", "rev-parse"})
_OBJECTS = re.compile(rf"-(?!-glob)\S*|blob|({_ID.pattern})(\^\{{\w+\}}|\.\.\.?({_ID.pattern}))?")
"""An option, or objects by their ids: what git says of them never changes."""
_MOST_ANSWERS, _LONGEST_ANSWER = 2048, 32_768


class UnusableRepository(Exception):
    """The folder, or a revision in it, cannot be used; the message is for the person who named it."""


@dataclass(frozen=True)
class Entry:
    """One entry of a tree; `size` in bytes, None for what is no blob, and where it was not asked for."""

    mode: str
    type: str
    sha: str
    size: int | None
    path: bytes

    @property
    def name(self) -> str:
        """The path as GitHub shows it."""
        return self.path.decode("utf-8", "replace")


class RepositoryCopy:
    """A bare repository whose objects/info/alternates points to the person's.

    `source` is any folder that git accepts: a checkout, a worktree, a submodule, a bare repository.
    Nothing is ever written there, and nothing of it is run: no hook, no filter, no external diff.
    A `lasting` one goes on where an earlier one stopped, and takes over the commits that it is asked to keep.
    Raises UnusableRepository where git finds no repository, or where the earlier one was of another.
    """

    def __init__(self, source: Path, folder: Path, *, lasting: bool = False) -> None:
        self.source = source.resolve()
        self.folder = folder
        self._home = folder.parent
        self._lasting = lasting
        self._environment = self._plain_environment()
        self._answers: dict[tuple[str, ...], bytes] = {}
        (self._home / ".gitconfig").write_text("[safe]\n\tdirectory = *\n")
        objects, shallow, object_format = self._look_at_source()
        self._refuse_another(objects)
        self._remove_locks()
        self._run("init", "--quiet", "--bare", "--template=", f"--object-format={object_format}", str(folder))
        self._alternates.parent.mkdir(parents=True, exist_ok=True)
        self._alternates.write_text(f"{objects}\n")
        if shallow.exists():
            (folder / "shallow").write_bytes(shallow.read_bytes())
        else:
            (folder / "shallow").unlink(missing_ok=True)
        self._lacks_history = shallow.exists()
        listed = self.git("for-each-ref", "--format=%(objectname) %(refname)").decode(errors="surrogateescape")
        self._refs = {ref: sha for sha, ref in (line.split(" ", 1) for line in listed.splitlines())}

    @property
    def _alternates(self) -> Path:
        return self.folder / "objects" / "info" / "alternates"

    def _refuse_another(self, objects: Path) -> None:
        before = Path(self._alternates.read_text().strip()) if self._alternates.exists() else objects
        if before != objects:
            raise UnusableRepository(f"{self._home} belongs to the repository {before.parent}, not to {self.source}")

    def _remove_locks(self) -> None:
        """Take away what a git that was killed has left; nobody else is at work here."""
        for lock in [*self.folder.glob("*.lock"), *self.folder.glob("refs/**/*.lock")]:
            lock.unlink(missing_ok=True)

    def _look_at_source(self) -> tuple[Path, Path, str]:
        """Return the paths of the objects and of the list of shallow commits, and the hash algorithm."""
        if not self.source.is_dir():
            raise UnusableRepository(f"{self.source} is not a folder")
        asked = ("--git-path", "objects", "--git-path", "shallow", "--show-object-format")
        try:
            objects, shallow, object_format = self._ask_source("rev-parse", *asked).decode().splitlines()
        except UnusableRepository as error:
            raise UnusableRepository(f"{self.source} is not a git repository ({error})") from error
        return (self.source / objects).resolve(), (self.source / shallow).resolve(), object_format

    def git(self, *arguments: str, feed: bytes | None = None, index: Path | None = None) -> bytes:
        """Run git in the copy and return what it prints. Raises UnusableRepository with git's own sentence.

        Short answers about objects are remembered.
        """
        if arguments in self._answers:
            return self._answers[arguments]
        out = self._run("--git-dir", str(self.folder), *arguments, feed=feed, index=index)
        if len(out) <= _LONGEST_ANSWER and _is_about_objects(arguments):
            self._remember(arguments, out)
        return out

    def _remember(self, arguments: tuple[str, ...], answer: bytes) -> None:
        if len(self._answers) >= _MOST_ANSWERS:
            self._answers = {}
        self._answers[arguments] = answer

    def _ask_source(self, *arguments: str) -> bytes:
        return self._run("-C", str(self.source), *arguments)

    def _run(
        self, *arguments: str, feed: bytes | None = None, index: Path | None = None, passes: Collection[int] = (0,)
    ) -> bytes:
        environment = self._environment | ({"GIT_INDEX_FILE": str(index)} if index else {})
        done = subprocess.run(
            ["git", *arguments], cwd=self._home, input=feed, capture_output=True, env=environment, check=False
        )
        if done.returncode not in passes:
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            raise UnusableRepository(lines[0] if lines else f"git ended with {done.returncode}")
        return done.stdout

    def _plain_environment(self) -> dict[str, str]:
        """The person's environment without anything that would point git elsewhere or change what it prints.

        The home is ours, with one setting: a repository that belongs to somebody else may be read.
        """
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        return kept | _QUIET | {"HOME": str(self._home), "XDG_CONFIG_HOME": str(self._home)}

    def resolve(self, rev: str) -> str:
        """The commit that a person's words name, in their repository or else in the copy."""
        if rev.startswith("-"):
            raise UnusableRepository(f"{rev!r} does not name a commit")
        wanted = _commit_named(rev)
        if wanted in self._answers:
            return self._answers[wanted].decode().strip()
        for ask in (self._ask_source, self.git):
            try:
                sha = ask(*wanted).decode().strip()
            except UnusableRepository:
                continue
            self._remember(_commit_named(sha), sha.encode())
            return sha
        raise UnusableRepository(f"{rev!r} does not name a commit in {self.source}: `git log --all` shows them")

    def check_commit(self, rev: str) -> None:
        """Check that words name a commit whose files are all here and whole.

        A partial clone may lack some, and a damaged one cannot read some: git finds that out as it packs all of them.
        Raises UnusableRepository.
        Source: https://git-scm.com/docs/git-rev-list#Documentation/git-rev-list.txt---missingltmissing-actiongt
        """
        sha = self.resolve(rev)
        with self.reading(sha):
            listed = self.git("rev-list", "--objects", "--no-object-names", "--missing=print", "--max-count=1", sha)
            if b"\n?" not in listed:
                self.git("archive", "--format=tar", f"--output={os.devnull}", sha)
                return
        fetch = "`git fetch --refetch --no-filter` brings them"
        raise UnusableRepository(f"the repository lacks files of {sha[:7]}, as a partial clone does: {fetch}")

    @contextmanager
    def reading(self, sha: str) -> Iterator[None]:
        """Say what helps where git cannot read what is below a commit."""
        try:
            yield
        except UnusableRepository as error:
            fix = "`git fsck` names what is damaged, and `git fetch --refetch` brings it again"
            raise UnusableRepository(f"git cannot read all files of {sha[:7]} ({error}): {fix}") from error

    def branch_named(self, rev: str) -> str | None:
        """The branch that a revision names by itself: "main", "origin/main" and "HEAD" do, "HEAD~2" does not."""
        if rev.startswith("-") or _ID.fullmatch(rev):
            return None
        try:
            name = self._ask_source("rev-parse", "--symbolic-full-name", "--verify", "--quiet", rev).decode().strip()
            if name == "HEAD":
                name = self._ask_source("symbolic-ref", "--quiet", "HEAD").decode().strip()
        except UnusableRepository:
            return None
        for prefix in ("refs/heads/", "refs/remotes/origin/"):
            if name.startswith(prefix) and name != "refs/remotes/origin/HEAD":
                return name.removeprefix(prefix)
        return None

    def default_branch(self) -> tuple[str, str] | None:
        """Name and tip of the person's default branch: what origin's HEAD says, else main, else master."""
        try:
            name = self._ask_source("symbolic-ref", "--quiet", "refs/remotes/origin/HEAD").decode().strip()
            candidates = [(name.removeprefix("refs/remotes/origin/"), name)]
        except UnusableRepository:
            candidates = []
        for name in ("main", "master"):
            candidates += [(name, f"refs/heads/{name}"), (name, f"refs/remotes/origin/{name}")]
        for name, ref in candidates:
            try:
                return name, self.resolve(ref)
            except UnusableRepository:
                continue
        return None

    def set_ref(self, ref: str, sha: str) -> None:
        """Point a ref of the copy to a commit."""
        if self._refs.get(ref) != sha:
            self.git("update-ref", ref, sha)
            self._refs[ref] = sha

    def set_refs(self, wanted: Mapping[str, str]) -> None:
        """Point refs to commits where they do not yet."""
        for ref, sha in wanted.items():
            self.set_ref(ref, sha)

    def drop_ref(self, ref: str) -> None:
        """Remove a ref of the copy, if it is there."""
        if self._refs.pop(ref, None):
            self.git("update-ref", "-d", ref)

    def merge_tree(self, one: str, other: str) -> str | None:
        """The tree of two commits merged, None where they have conflicts: git then ends with 1 and lists them.

        Raises UnusableRepository where git is older than 2.38.
        Source: https://git-scm.com/docs/git-merge-tree#_exit_status
        """
        merge = ("--git-dir", str(self.folder), "merge-tree", "--write-tree", one, other)
        tree, *conflicts = self._run(*merge, passes=(0, 1)).decode(errors="replace").splitlines()
        return None if conflicts else tree

    def keep(self, head: str, base: str, stem: str) -> None:
        """Copy a head as far as it is beyond its base, and the base as far as it is beyond the branch `stem`.

        They stay then, also when the person's repository drops them after a force-push. Only a lasting copy does so.
        """
        if not self._lasting:
            return
        below = self.tip(f"refs/heads/{stem}") or base
        own = [(head, base)] + ([(base, below)] if base != below else [])
        listed = [self.git("rev-list", "--objects", new, "--not", old, f"--glob={_KEPT}*") for new, old in own]
        if any(listed):
            self.git("pack-objects", "--quiet", str(self.folder / "objects" / "pack" / "pack"), feed=b"".join(listed))
        for sha, _ in own:
            self.set_ref(f"{_KEPT}{sha}", sha)

    def tip(self, ref: str) -> str | None:
        """The commit that a ref, a branch name or an id of the copy means; None where there is none."""
        if ref.startswith("-"):
            return None
        if ref.startswith("refs/") and ref not in self._refs:
            return None
        for name in (ref, f"refs/heads/{ref}"):
            try:
                return self.git(*_commit_named(self._refs.get(name, name))).decode().strip()
            except UnusableRepository:
                continue
        return None

    def merge_base(self, base: str, head: str) -> str:
        """The best common ancestor of two commits."""
        try:
            return self.git("merge-base", base, head).decode().split()[0]
        except UnusableRepository as error:
            why = (
                "the repository is shallow: fetch its history first" if self._lacks_history else "they share no history"
            )
            raise UnusableRepository(f"no merge base of {base[:7]} and {head[:7]}: {why}") from error

    def contains(self, older: str, newer: str) -> bool:
        """Whether `older` is `newer` or one of its ancestors."""
        try:
            return older == newer or self.git("merge-base", newer, older).decode().strip() == older
        except UnusableRepository:
            return False

    def descendants(self, commit: str, heads: Collection[str]) -> set[str]:
        """Return the heads that are the commit or descend from it."""
        if not heads:
            return set()
        later = self.git("rev-list", "--ancestry-path", f"^{commit}", *sorted(heads)).decode().split()
        return {commit, *later} & {*heads}

    def first_parent(self, sha: str) -> str | None:
        """A commit's first parent, None for a root commit."""
        return self.tip(f"{sha}^1")

    def read_tree(self, tree: str, *how: str, paths: Sequence[bytes] = ()) -> list[Entry]:
        """The entries of a tree or of a commit's top folder, or only those at some paths; with "-l" they have sizes."""
        where = ("--", *map(os.fsdecode, paths)) if paths else ()
        found = []
        for line in self.git("ls-tree", "-z", "--full-tree", *how, tree, *where).split(b"\0")[:-1]:
            facts, _, path = line.partition(b"\t")
            mode, kind, sha, *size = facts.decode().split()
            found.append(Entry(mode, kind, sha, int(size[0]) if size and size[0] != "-" else None, path))
        return found

    def diff_tree(self, *arguments: str, attributes: Mapping[str, str] = MappingProxyType({})) -> bytes:
        """The output of `git diff-tree`, by files of attributes with these paths and ids.

        A bare repository reads no files of attributes. So git is shown an empty work tree, and takes them from the
        index instead.
        """
        if not attributes:
            return self.git("diff-tree", *arguments)
        index, folder = self.folder / "index-of-attributes", self.folder / "no-work-tree"
        folder.mkdir(exist_ok=True)
        feed = b"".join(b"100644 %s\t%s\0" % (sha.encode(), os.fsencode(path)) for path, sha in attributes.items())
        bare = ("-c", "core.bare=false", "--work-tree", str(folder))
        try:
            self.git("update-index", "-z", "--index-info", feed=feed, index=index)
            return self.git(*bare, "diff-tree", *arguments, index=index)
        finally:
            index.unlink(missing_ok=True)

    def archive(self, sha: str, prefix: str) -> Iterator[bytes]:
        """The tar.gz of a commit's tree, in pieces, each path below `prefix`."""
        command = ["git", "--git-dir", str(self.folder), "archive", "--format=tar.gz", f"--prefix={prefix}", sha]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self._environment) as git:
            assert git.stdout is not None  # noqa: S101 - for the type checker: it was asked for
            while piece := git.stdout.read(65536):
                yield piece

    def write_blob(self, content: bytes) -> str:
        """Store a blob, and return its id."""
        return self.git("hash-object", "-w", "--stdin", feed=content).decode().strip()

    def write_tree(self, base: str | None, changes: Mapping[str, tuple[str, str] | None]) -> str:
        """Store a tree, and return its id: another one with some paths' modes and ids changed, None removes a path."""
        index = self.folder / "index-of-one-commit"
        removed = ("0", base or "")  # git reads an id here, and uses none
        feed = "".join(" ".join(entry or removed) + f"\t{path}\0" for path, entry in changes.items()).encode()
        try:
            self.git("read-tree", *([base] if base else ["--empty"]), index=index)
            self.git("update-index", "--add", "--replace", "-z", "--index-info", feed=feed, index=index)
            return self.git("write-tree", index=index).decode().strip()
        finally:
            index.unlink(missing_ok=True)

    def write_commit(self, tree: str, parents: Sequence[str], message: str, name: str, email: str) -> str:
        """Store a commit of somebody, and return its id."""
        person = ("-c", f"user.name={name}", "-c", f"user.email={email}")
        after = [word for parent in parents for word in ("-p", parent)]
        return self.git(*person, "commit-tree", tree, *after, feed=message.encode()).decode().strip()

    def commit_file(self, branch: str, path: str, content: bytes, message: str) -> str:
        """Put a commit with one changed file on top of a branch, and return its id."""
        parent = self.git("rev-parse", "--verify", f"refs/heads/{branch}").decode().strip()
        tree = self.write_tree(parent, {path: ("100644", self.write_blob(content))})
        sha = self.write_commit(tree, [parent], f"{message}\n", "octocat", "octocat@example.com")
        self.set_ref(f"refs/heads/{branch}", sha)
        return sha


def _commit_named(rev: str) -> tuple[str, ...]:
    return ("rev-parse", "--verify", "--quiet", f"{rev}^{{commit}}")


def _is_about_objects(arguments: Sequence[str]) -> bool:
    command, *rest = arguments
    names = rest[: rest.index("--")] if "--" in rest else rest
    return command in _READING and all(_OBJECTS.fullmatch(name) for name in names)
