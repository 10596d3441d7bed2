"""One file of a pull request, as the review looks at it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from kodiai.core.changes.patch import Hunk, UnreadablePatch, parse_patch, squeezed

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

    def only(self, hunks: Iterable[int]) -> "ChangedFile":
        """The file with some of its hunks only, by their places from 0; whole where it does not have all of those."""
        wanted = list(hunks)
        kept = [self.hunks[at] for at in wanted if at < len(self.hunks)]
        if len(kept) == len(self.hunks) or len(kept) < len(wanted):
            return self
        return self.with_hunks(kept)

    def with_hunks(self, hunks: Sequence[Hunk]) -> "ChangedFile":
        """The file with these hunks in the place of its own."""
        return replace(
            self,
            patch="\n".join(hunk.patch for hunk in hunks),
            additions=_count(hunks, "+"),
            deletions=_count(hunks, "-"),
        )

    def hunk_at(self, start: int, end: int) -> Hunk | None:
        """The hunk that holds new-side lines of this range, the one that holds most of it."""
        lines = range(start, end + 1)
        held = [(len(_overlap(lines, hunk.new_lines)), hunk) for hunk in self.hunks]
        most, hunk = max(held, key=lambda each: each[0], default=(0, None))
        return hunk if most else None

    def takes_comment_at(self, line: int) -> bool:
        """Whether GitHub takes a comment on this new-side line: it must stand in a hunk."""
        return any(line in hunk.new_lines for hunk in self.hunks)

    def takes_comment_on(self, start: int, end: int) -> bool:
        """Whether one hunk holds both ends of the range, as a comment over several lines needs."""
        return any(start in hunk.new_lines and end in hunk.new_lines for hunk in self.hunks)


class Touched:
    """The changed lines of a pull request's files."""

    def __init__(self, files: Iterable[ChangedFile]) -> None:
        self._files = tuple(files)

    def touches(self, path: str, start: int, end: int) -> bool:
        """Whether any of these new-side lines was added, or stands right beside lines that were removed."""
        return not self._lines.get(path, frozenset()).isdisjoint(range(start, end + 1))

    def has(self, path: str, quote: str) -> bool:
        """Whether a line of the quote is one that the change adds to the file or removes from it."""
        changed = self._texts.get(path, frozenset())
        return any(squeezed(line) in changed for line in quote.split("\n") if squeezed(line))

    @cached_property
    def _lines(self) -> Mapping[str, frozenset[int]]:
        return {file.path: frozenset(line for hunk in file.hunks for line in _touched(hunk)) for file in self._files}

    @cached_property
    def _texts(self) -> Mapping[str, frozenset[str]]:
        texts = {file.path: _changed_texts(file) for file in self._files}
        before = {file.previous_path: texts[file.path] for file in self._files if file.previous_path}
        return {**before, **texts}


def _count(hunks: Sequence[Hunk], marker: str) -> int:
    return sum(line.marker == marker for hunk in hunks for line in hunk.lines)


def _overlap(one: range, other: range) -> range:
    return range(max(one.start, other.start), min(one.stop, other.stop))


def _touched(hunk: Hunk) -> Iterable[int]:
    last = 0
    removed = False
    for line in hunk.lines:
        if line.marker == "-":
            removed = True
            if last:
                yield last
        elif line.new is not None:
            if line.marker == "+" or removed:
                yield line.new
            removed = False
            last = line.new


def _changed_texts(file: ChangedFile) -> frozenset[str]:
    lines = (line for hunk in file.hunks for line in hunk.lines if line.marker != " ")
    return frozenset(squeezed(line.text) for line in lines)
