"""Time to prepare the material of a large change: `python -m bench.material REPOSITORY BASE HEAD [FILES …]`.

The changes between two commits of a local repository are read as a pull request is, all of them or the first FILES.
Each step is set against splitting every file of the repository into words once.
"""

import io
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from time import process_time
from typing import TypeVar

from kodiai.core.changes.changed_file import ChangedFile, Status
from kodiai.core.changes.scope import choose_scope
from kodiai.core.code.parser import DirectParser
from kodiai.core.repository.surroundings import Surroundings
from kodiai.core.repository.tree import VisibleTree
from kodiai.core.repository.view import RepositoryView
from kodiai.core.tokens import estimated_tokens
from kodiai.edges.trees import ArchiveTree

T = TypeVar("T")
BATCH_TOKENS = 60_000
_WORD = re.compile(rb"\w+")
_STATUS: dict[str, Status] = {"A": "added", "D": "removed", "M": "modified", "T": "changed"}


def git(repository: str, *arguments: str) -> bytes:
    """What git prints."""
    return subprocess.run(["git", "-C", repository, *arguments], check=True, capture_output=True).stdout


def changes(repository: str, base: str, head: str) -> Iterator[ChangedFile]:
    """The files that differ, each with its patch."""
    rows = git(repository, "diff", "--no-renames", "--name-status", "-z", base, head).decode().split("\0")[:-1]
    text = git(repository, "diff", "--no-renames", base, head).decode("utf-8", "replace")
    patches = re.split(r"^diff --git .*\n", text, flags=re.MULTILINE)[1:]
    for status, path, patch in zip(rows[::2], rows[1::2], patches, strict=True):
        hunks = patch[at:].rstrip("\n") if (at := patch.find("\n@@ ") + 1) else None
        lines = (hunks or "").split("\n")
        added, removed = (sum(line.startswith(sign) for line in lines) for sign in "+-")
        yield ChangedFile(path, _STATUS[status], "b" * 40, added, removed, patch=hunks)


def tree_of(repository: str, head: str) -> VisibleTree:
    """The files at the head as a run has them: from an archive."""
    archive = io.BytesIO(git(repository, "archive", "--prefix=root/", "--format=tar.gz", head))
    return VisibleTree(lambda: ArchiveTree(archive, 2_000_000_000), ())


def seconds(do: Callable[[], T]) -> tuple[float, T]:
    """Seconds of computing, and what came of it."""
    start = process_time()
    done = do()
    return process_time() - start, done


def measure(repository: str, head: str, files: list[ChangedFile]) -> None:
    """Print what each step takes for these files."""
    tree = tree_of(repository, head)
    size = sum(len(tree.read(path) or b"") for path in tree.paths())
    splitting, _ = seconds(lambda: [len(set(_WORD.findall(tree.read(path) or b""))) for path in tree.paths()])
    choosing, scope = seconds(
        lambda: choose_scope(
            files, mode="full", reason="no-prior-review", batch_tokens=BATCH_TOKENS, read_files=len(files)
        )
    )
    planning, surroundings = seconds(lambda: Surroundings(scope.batches, RepositoryView(tree, DirectParser())))
    showing, shown = seconds(lambda: [surroundings.of(batch, again=False) for batch in scope.batches])
    count = len(scope.files)
    print(f"\n{count:,} files in {len(scope.batches)} batches, {size / 1e6:.0f} MB in {len(tree.paths()):,} files")
    print(f"{'step':<34}{'CPU seconds':>12}{'ratio':>12}")
    steps = {
        "splitting every file into words": splitting,
        "choosing files": choosing,
        "outlines, calls and one search": planning,
        "all that is shown around": showing,
    }
    for step, taken in {**steps, "the whole material": choosing + planning + showing}.items():
        print(f"{step:<34}{taken:12.2f}{taken / splitting:11.1f}x")
    print_shown(shown)


def print_shown(shown: list[tuple[str, Counter[str]]]) -> None:
    """Print how much there is to read."""
    kinds = Counter(
        "called" if ", called at " in line else "uses" if line.startswith("## uses") else "imports or definitions"
        for text, _ in shown
        for line in text.split("\n")
        if line.startswith("## ")
    )
    tokens = sum(estimated_tokens(text) for text, _ in shown)
    print(f"shown: {tokens:,} tokens; {', '.join(f'{count:,} {kind}' for kind, count in kinds.most_common())}")
    print(f"left out: {dict(sum((left_out for _, left_out in shown), Counter()))}")


def main() -> None:
    """Measure the whole change, or its first files as often as counts are given."""
    repository, base, head, *counts = sys.argv[1:]
    files = list(changes(repository, base, head))
    for count in map(int, counts or [str(len(files))]):
        measure(repository, head, files[:count])


if __name__ == "__main__":
    main()
