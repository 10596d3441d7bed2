"""The part of a diff about one file."""

from dataclasses import dataclass
from typing import Literal

from kodiai.core.diffs.binary_patch import BinaryPatch
from kodiai.core.diffs.results import Problem


@dataclass(frozen=True, slots=True)
class HunkLine:
    """A line of a hunk, with its newline unless it ends a file without one."""

    marker: Literal[" ", "+", "-"]
    content: bytes


@dataclass(frozen=True, slots=True)
class TextHunk:
    """A run of changed lines with their context.

    `number` counts the hunks of the file from 1. The starts are 1-based line numbers, 0 for a side without lines.
    """

    number: int
    old_start: int
    new_start: int
    lines: tuple[HunkLine, ...]

    @property
    def old(self) -> list[bytes]:
        """The lines that have to be there."""
        return [line.content for line in self.lines if line.marker != "+"]

    @property
    def new(self) -> list[bytes]:
        """The lines that are there afterwards."""
        return [line.content for line in self.lines if line.marker != "-"]

    @property
    def ends_with_change(self) -> bool:
        """Whether no context follows the last change: git applies such a hunk at the end of the file only."""
        return self.lines[-1].marker != " "


@dataclass(frozen=True)
class FileDiff:
    """The part of a diff about one file.

    A name is None on the side where there is no file. Modes are git's, as numbers, 0 where none is given.
    `is_new` and `is_deleted` are None where a diff of another program leaves it open.
    `old_id` and `new_id` are what its `index` line names. `problems` are why it cannot be read.
    """

    old_name: str | None
    new_name: str | None
    old_mode: int = 0
    new_mode: int = 0
    is_new: bool | None = None
    is_deleted: bool | None = None
    is_rename: bool = False
    is_copy: bool = False
    is_binary: bool = False
    binary: BinaryPatch | None = None
    old_id: str = ""
    new_id: str = ""
    hunks: tuple[TextHunk, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def name(self) -> str | None:
        """The name by which people know it: the new one, or the one that it had."""
        return self.new_name or self.old_name

    @property
    def removes_old_name(self) -> bool:
        """Whether the old name is free afterwards."""
        return self.old_name is not None and (self.new_name is None or self.is_rename)
