"""One file of a pull request, as the review looks at it."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from kodiai.core.changes.hunk import Hunk
from kodiai.core.changes.patch import UnreadablePatch, parse_patch

Status = Literal["added", "removed", "modified", "renamed", "copied", "changed", "unchanged"]


@dataclass(frozen=True)
class ChangedFile:
    """A file that the pull request changes.

    `blob` is the id of its content at the head (of a removed file: of what was removed).
    `patch` is None where GitHub leaves it out: binary files, very large ones, pure renames.
    Source: https://docs.github.com/en/rest/pulls/pulls#list-pull-requests-files
    """

    path: str
    status: Status
    blob: str
    additions: int
    deletions: int
    patch: str | None = field(repr=False)
    previous_path: str | None = None

    @property
    def changed_lines(self) -> int:
        """Added plus removed lines."""
        return self.additions + self.deletions

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """The patch's hunks, none where there is no patch or it cannot be read."""
        try:
            return parse_patch(self.patch) if self.patch else ()
        except UnreadablePatch:
            return ()

    def takes_comment_at(self, line: int) -> bool:
        """Whether GitHub takes a comment on this new-side line: it must stand in a hunk."""
        return any(line in hunk.new_lines for hunk in self.hunks)

    def takes_comment_on(self, start: int, end: int) -> bool:
        """Whether one hunk holds both ends of the range, as a comment over several lines needs."""
        return any(start in hunk.new_lines and end in hunk.new_lines for hunk in self.hunks)
