"""The files of a repository at one commit."""

from collections.abc import Callable, Sequence
from typing import Protocol

ReadAtCommit = Callable[[str, str], list[str] | None]
"""Gives the lines of a file (its path) at a commit, None where they cannot be read."""


class Tree(Protocol):
    """The repository's files at one commit, read-only."""

    @property
    def searchable(self) -> bool:
        """Whether reading every file is cheap."""

    def paths(self) -> Sequence[str]:
        """All files' paths, sorted."""

    def read(self, path: str) -> bytes | None:
        """A file's bytes, None where there is no such file."""


def text_lines(tree: Tree, path: str) -> list[str] | None:
    """Read a file's lines without their ends, None where there is no such text file."""
    return lines_of(tree.read(path))


def lines_of(content: bytes | None) -> list[str] | None:
    """The lines of a file without their ends, None where it is no text."""
    if content is None or b"\0" in content[:8000]:
        return None
    lines = content.decode("utf-8", "replace").split("\n")
    return lines[:-1] if lines[-1] == "" else lines
