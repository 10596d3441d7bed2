"""The repository's files on GitHub, as a review reads them."""

from kodiai.core.repository.tree import Tree, lines_of
from kodiai.core.settings import Limits
from kodiai.flows.deadline import Deadline
from kodiai.ports import GitHub


def open_tree(github: GitHub, head: str, limits: Limits, deadline: Deadline) -> Tree:
    """All files at the head. Raises OutOfTime where too little time is left."""
    deadline.need(limits.publish_seconds)
    return github.tree(head, limits.archive_bytes)


class FilesAtCommits:
    """Single files at other commits, each read once."""

    def __init__(self, github: GitHub, limits: Limits, deadline: Deadline) -> None:
        self._github = github
        self._publish_seconds = limits.publish_seconds
        self._deadline = deadline
        self._read: dict[tuple[str, str], list[str] | None] = {}

    def lines(self, path: str, commit: str) -> list[str] | None:
        """A file's lines, None where it is no text file. Raises OutOfTime where too little time is left."""
        self._deadline.need(self._publish_seconds)
        if (path, commit) not in self._read:
            self._read[path, commit] = lines_of(self._github.file(path, commit))
        return self._read[path, commit]
