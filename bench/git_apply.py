"""The result of `git apply` on a tree, for comparison with our own reading of diffs."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kodiai.core.diffs.apply_check import apply_diff, touched_paths
from kodiai.core.diffs.paths import parents_of
from kodiai.core.diffs.tree import FILE, FOLDER, LINK, PROGRAM, SUBMODULE, TreeEntry

_QUIET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_DIR": "/nonexistent", "LC_ALL": "C"}

STRICTER = {
    "it looks like a part of a hunk": "git skips lines that a hunk does not count, and a reviewer would not notice",
    "an end of a file before any line": "git ignores such a mark, which no program writes",
    "a file ends before the last line": "git joins the line with the next one",
    "a file cannot end in an empty line": "git ignores the line",
    "the binary patch is damaged": "git applies what comes before it and ignores the rest",
    "its place is not certain": "git adds lines without context at the end of the file, wherever the header says",
    "There is a folder at this path": "what is in the folder is not known, and git ignores changes of a folder",
    "There is a submodule at this path": "the commit of a submodule is not known",
    "The diff makes a submodule": "git only makes an empty folder",
    "the most is 10,000,000": "a short binary patch may stand for a very long file",
    "not valid UTF-8": "GitHub cannot name such a path",
    "it is in git's own folder": "the rules of every file system count, not only of the present one",
}
"""By their messages, what we refuse and `git apply` does not, and why."""


@dataclass(frozen=True)
class Comparison:
    """The results of git and of ours for a diff: equal, or `difference` describes how they differ.

    `stricter` is the message by which we refuse what git applies, one of STRICTER.
    """

    applies: bool
    difference: str | None = None
    stricter: str | None = None


def compare(diff: str, tree: Mapping[str, TreeEntry], folder: Path) -> Comparison:
    """Apply a diff to a tree with git, in an empty folder, and with our own code."""
    theirs, printed = git_apply(diff, tree, folder)
    applied = apply_diff(diff, entries_at(tree, touched_paths(diff)))
    messages = [problem.message for problem in applied.problems]
    if messages and theirs is not None:
        found = next((known for known in STRICTER if any(known in message for message in messages)), None)
        return Comparison(True, None if found else f"only we refuse it: {messages[0]}", found)
    if messages or theirs is None:
        return Comparison(False, None if messages else f"only git refuses it: {printed.strip()[:300]}")
    ours = {path: entry for path, entry in {**tree, **applied.changes}.items() if entry is not None}
    differing = sorted(path for path in ours.keys() | theirs.keys() if ours.get(path) != theirs.get(path))
    return Comparison(True, f"not the same afterwards: {', '.join(differing)}" if differing else None)


def git_apply(diff: str, tree: Mapping[str, TreeEntry], folder: Path) -> tuple[dict[str, TreeEntry] | None, str]:
    """The tree after `git apply` in an empty folder, None if it refuses the diff; and what git prints."""
    write_tree(tree, folder)
    code, printed = run_git_apply(diff, folder)
    after = read_tree(folder)
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    return (after if code == 0 else None), printed


def run_git_apply(diff: str, folder: Path) -> tuple[int, str]:
    """Run it in a folder; its exit code and what it prints."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"],
        cwd=folder,
        env=kept | _QUIET,
        input=diff.encode("utf-8", "surrogatepass"),
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stderr.decode("utf-8", "replace")


def write_tree(tree: Mapping[str, TreeEntry], folder: Path) -> None:
    """Write files as a check-out does."""
    for path, entry in tree.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if entry.mode == LINK:
            place.symlink_to(os.fsdecode(entry.content))
        elif entry.mode == SUBMODULE:
            place.mkdir()
        else:
            place.write_bytes(entry.content)
            if entry.mode == PROGRAM:
                place.chmod(0o755)


def read_tree(folder: Path) -> dict[str, TreeEntry]:
    """Read the files of a folder as git would commit them."""
    tree = {}
    for root, folders, files in os.walk(folder):
        for name in (*files, *(each for each in folders if (Path(root) / each).is_symlink())):
            place = Path(root) / name
            tree[place.relative_to(folder).as_posix()] = read_entry(place)
    return tree


def read_entry(place: Path) -> TreeEntry:
    """Read one file as git would commit it."""
    if place.is_symlink():
        return TreeEntry(LINK, os.fsencode(place.readlink()))
    return TreeEntry(PROGRAM if place.stat().st_mode & 0o100 else FILE, place.read_bytes())


def entries_at(tree: Mapping[str, TreeEntry], paths: Iterable[str]) -> dict[str, TreeEntry]:
    """Return the entries at the paths, as the port `Code` does: with folders, and with files in the place of one."""
    folders = {parent for path in tree for parent in parents_of(path)}
    entries = {}
    for path in paths:
        for place in (path, *parents_of(path)):
            entry = tree.get(place) or (TreeEntry(FOLDER) if place in folders else None)
            if entry is not None and (place == path or entry.mode != FOLDER):
                entries[place] = entry
    return entries
