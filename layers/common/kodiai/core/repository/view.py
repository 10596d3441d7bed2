"""The repository as a review may see it."""

from collections.abc import Callable

from kodiai.core.repository.sources import Sources
from kodiai.core.repository.time_share import plenty
from kodiai.core.repository.tree import ReadAtCommit, Tree
from kodiai.core.repository.usages import Usages


def no_file(path: str, commit: str) -> list[str] | None:  # noqa: ARG001 - it stands in for a repository
    """Read no file."""
    return None


class RepositoryView:
    """Its files at the head, and single files at earlier commits.

    `tree` has the files that may be seen. `read_at` gives a file's lines at a commit, None where that cannot be read.
    `time_left` gives seconds, of which each search takes at most a share.
    """

    def __init__(self, tree: Tree, read_at: ReadAtCommit = no_file, time_left: Callable[[], float] = plenty) -> None:
        self.tree = tree
        self.read_at = read_at
        self.time_left = time_left
        self.sources = Sources(tree)
        self.usages = Usages(tree, time_left)
        self.lines = self.sources.lines
