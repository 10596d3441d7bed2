"""Whether the apply check says and makes the same as `git apply`.

`python -m bench.apply_check 10000` compares so many made diffs; `python -m bench.apply_check path/to/repository 300`
applies the diffs of its newest so many commits to their parents, and to commits some steps earlier.
"""

import collections
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.git_apply import Comparison, compare
from bench.made_diffs import made_diff
from kodiai.core.diffs.apply_check import touched_paths
from kodiai.core.diffs.tree import LINK, SUBMODULE, TreeEntry

STEPS = (1, 2, 5, 20, 100)


class History:
    """The commits of a repository, and the files that they have."""

    def __init__(self, repository: Path) -> None:
        self._repository = repository
        self._blobs = subprocess.Popen(
            ["git", "-C", str(repository), "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def commits(self, count: int) -> list[str]:
        """The newest commits of the first-parent history, newest first."""
        return self._git("rev-list", "--first-parent", f"--max-count={count}", "--all").decode().split()

    def diff(self, commit: str) -> bytes:
        """What a commit changes against its first parent."""
        return self._git("diff", "--binary", "--full-index", "--find-renames", "--find-copies", f"{commit}~", commit)

    def tree(self, commit: str, diff: str) -> dict[str, TreeEntry]:
        """What there is at a commit at the paths that a diff touches, and next to them."""
        touched = touched_paths(diff)
        roots = {path.split("/")[0] for path in touched}
        tree = {}
        for row in self._git("ls-tree", "-r", "-z", commit).split(b"\0")[:-1]:
            facts, _, name = row.partition(b"\t")
            mode, _, blob = facts.decode().split()
            path = name.decode("utf-8", "surrogateescape")
            if path.split("/")[0] in roots and not path.endswith(".gitattributes"):
                # Only the files that are touched count; the others keep their folders from being empty.
                content = self._blob(blob) if mode != SUBMODULE and (path in touched or mode == LINK) else b""
                tree[path] = TreeEntry(mode, content)
        return tree

    def close(self) -> None:
        """End the process that reads files."""
        self._blobs.communicate()

    def _blob(self, blob: str) -> bytes:
        assert self._blobs.stdin is not None
        assert self._blobs.stdout is not None
        self._blobs.stdin.write(f"{blob}\n".encode())
        self._blobs.stdin.flush()
        size = int(self._blobs.stdout.readline().split()[2])
        return self._blobs.stdout.read(size + 1)[:-1]

    def _git(self, *arguments: str) -> bytes:
        return subprocess.run(["git", "-C", str(self._repository), *arguments], check=True, capture_output=True).stdout


def compare_made(count: int, folder: Path) -> Iterator[tuple[str, Comparison]]:
    """Compare made diffs."""
    for seed in range(count):
        case = made_diff(seed)
        yield f"seed {seed}", compare(case.diff, case.tree, folder)


def compare_history(repository: Path, count: int, folder: Path) -> Iterator[tuple[str, Comparison]]:
    """Compare the diffs of commits on the trees of earlier commits."""
    history = History(repository)
    commits = history.commits(count + max(STEPS))
    for index, commit in enumerate(commits[:count]):
        try:
            diff = history.diff(commit).decode()
        except (UnicodeDecodeError, subprocess.CalledProcessError):
            continue
        for steps in STEPS if diff else ():
            if index + steps < len(commits):
                tree = history.tree(commits[index + steps], diff)
                yield f"{commit[:10]} on {steps} before", compare(diff, tree, folder)
    history.close()


def main(arguments: list[str]) -> int:
    """Print how often git and we say the same, and where not."""
    counts: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if arguments[0].isdecimal():
            compared = compare_made(int(arguments[0]), folder)
        else:
            compared = compare_history(Path(arguments[0]), int(arguments[1]), folder)
        for what, comparison in compared:
            counts["applies" if comparison.applies else "does not apply"] += 1
            if comparison.stricter is not None:
                counts[f"  only we refuse it: {comparison.stricter}"] += 1
            if comparison.difference is not None:
                counts["DIFFERENT"] += 1
                print(f"{what}: {comparison.difference}")
    for what, count in sorted(counts.items()):
        print(f"{count:7,} {what}")
    return 1 if counts["DIFFERENT"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
