"""A changed file of a pull request, with its hunks."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from kodiai.core.changes.broken_reference import BrokenReference
from kodiai.core.changes.line_ranges import LineRanges
from kodiai.core.changes.lock_files.alarm import Alarm
from kodiai.core.changes.patch import Hunk, UnreadablePatch, parse_patch, without_spaces
from kodiai.core.changes.sections import joined, sections

_WORD = re.compile(r"\w+")

MOST_PATCHES = 100_000_000
"""The bytes that the patches of all files may take in memory once they are read."""
FileStatus = Literal["added", "removed", "modified", "renamed", "copied", "changed", "unchanged"]


@dataclass(frozen=True)
class Skipped:
    """A file that is not read, with the reason that people see, and `facts`, such as its size before and after.

    `excused` is True if it need not be read. Then `named` is the kind of file under which the first lines of a review
    name it: "lock file", or a folder with its slash for all that is in there. It is "" if nothing is to be said: the
    repository's settings skip it, or it has nothing to read.
    `is_lasting` is whether no other run can read it either.
    """

    path: str
    reason: str
    excused: bool = False
    named: str = ""
    facts: str = ""
    is_lasting: bool = False


@dataclass(frozen=True)
class ChangedFile:
    """A file that the pull request changes.

    `blob` is the id of its content at the head (of a removed file: of what was removed).
    `patch` is None where GitHub leaves it out and the contents do not tell it either: binary files, pure renames. It is
    None too where there is no room for it next to the patches of the other files; then `has_room` is False.
    `is_rebuilt` is whether the patch comes from both contents, because GitHub shows none: it takes no comment there.
    `hidden` is why nobody sees on GitHub what changed, although it is read here: "it has a NUL character".
    `encoding` is that of its text, "" for UTF-8. `skipped` is why it cannot be read at all.
    `shown` is what reviewers are shown in place of the hunks, `shown_in_part` why it does not have all that changed.
    `alarms` are what code alone tells is wrong with a lock file.
    `left_out` is what was left out of a notebook, of which each hunk is in the cell that its heading names; None where
    the hunks are those of the whole file.
    `broken` are the references, its own and those of other files to it, that resolve no more since it was moved.
    Source: https://docs.github.com/en/rest/pulls/pulls#list-pull-requests-files
    """

    path: str
    status: FileStatus
    blob: str
    additions: int
    deletions: int
    patch: str | None = field(repr=False)
    previous_path: str | None = None
    has_room: bool = True
    is_rebuilt: bool = False
    hidden: str = ""
    encoding: str = ""
    skipped: Skipped | None = None
    shown: str | None = None
    shown_in_part: str = ""
    alarms: tuple[Alarm, ...] = ()
    left_out: str | None = None
    broken: tuple[BrokenReference, ...] = ()

    @property
    def is_moved(self) -> bool:
        """Whether it was renamed, and nothing else is known to have changed."""
        return self.status == "renamed" and not self.patch and not self.left_out

    @property
    def is_only_moved(self) -> bool:
        """Whether the path where it was says all about it."""
        return self.is_moved and not self.broken

    @property
    def changed_lines(self) -> int:
        """Added plus removed lines."""
        return self.additions + self.deletions

    @property
    def lines_to_read(self) -> int:
        """The changed lines, or the rows that are shown in place of the hunks if these are fewer."""
        rows = self.changed_lines if self.shown is None else self.shown.count("\n") + 1
        return min(self.changed_lines, rows)

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """The patch's hunks, none where there is no patch or it cannot be read."""
        try:
            return parse_patch(self.patch) if self.patch else ()
        except UnreadablePatch:
            return ()

    @cached_property
    def sections(self) -> tuple[Hunk, ...]:
        """The hunks, long ones in their sections: what is compared from push to push."""
        return tuple(section for hunk in self.hunks for section in sections(hunk))

    def only(self, places: Iterable[int]) -> "ChangedFile":
        """The file with some of its sections only, by their places from 0; the whole file if it lacks one of them."""
        wanted = list(places)
        kept = [self.sections[at] for at in wanted if at < len(self.sections)]
        if len(kept) == len(self.sections) or len(kept) < len(wanted):
            return self
        return self.with_hunks(tuple(joined(kept)))

    def with_hunks(self, hunks: Sequence[Hunk]) -> "ChangedFile":
        """The file with these hunks instead of its own."""
        counts = Counter(line.marker for hunk in hunks for line in hunk.lines)
        patch = "\n".join(hunk.patch for hunk in hunks)
        return replace(self, patch=patch, additions=counts["+"], deletions=counts["-"])

    def hunk_at(self, start: int, end: int) -> Hunk | None:
        """The hunk that holds most of a range of new-side lines, None if no hunk holds any of it."""
        return _most(self._by_lines.on(start, end), start, end)

    def section_at(self, start: int, end: int) -> Hunk | None:
        """The section that holds most of a range of new-side lines, None if none holds any of it."""
        return _most(self._sections_by_lines.on(start, end), start, end)

    def section_of(self, key: str | None) -> Hunk | None:
        """The first section with a key, None if it has none."""
        return self._by_key.get(key)

    @cached_property
    def _by_key(self) -> Mapping[str | None, Hunk]:
        return {hunk.key: hunk for hunk in reversed(self.sections)}

    def takes_comment_on(self, start: int, end: int) -> bool:
        """Whether one hunk holds both ends of a range of new-side lines: GitHub takes no other comment."""
        return any(start in hunk.new_lines and end in hunk.new_lines for hunk in self._by_lines.on(start, start))

    @cached_property
    def _by_lines(self) -> LineRanges[Hunk]:
        return _by_lines(self.hunks)

    @cached_property
    def _sections_by_lines(self) -> LineRanges[Hunk]:
        return _by_lines(self.sections)

    @cached_property
    def _touched_lines(self) -> list[int]:
        """The new-side lines that are added, or are right next to removed ones, in their order."""
        touched: set[int] = set()
        for hunk in self.hunks:
            lines = hunk.new_lines
            following = lines.start
            for line in hunk.lines:
                if line.marker == "-":
                    touched.update(each for each in (following - 1, following) if each in lines)
                elif line.new is not None:
                    touched |= {line.new} if line.marker == "+" else set()
                    following = line.new + 1
        return sorted(touched)

    def touches(self, start: int, end: int) -> bool:
        """Whether any of these new-side lines was added, or is right next to removed lines."""
        at = bisect_left(self._touched_lines, start)
        return at < len(self._touched_lines) and self._touched_lines[at] <= end

    @cached_property
    def changed_code(self) -> frozenset[str]:
        """The lines that are added or removed, without white space."""
        lines = (line for hunk in self.hunks for line in hunk.lines if line.marker != " ")
        return frozenset(without_spaces(line.text) for line in lines)


def patch_bytes(patch: str) -> int:
    """The bytes that a patch takes in memory once it is read, roughly: a line takes much more than its text."""
    return 2 * len(patch) + 200 * patch.count("\n")


def _by_lines(hunks: Iterable[Hunk]) -> LineRanges[Hunk]:
    return LineRanges((hunk.new_lines.start, hunk.new_lines.stop - 1, hunk) for hunk in hunks)


def _most(hunks: Iterable[Hunk], start: int, end: int) -> Hunk | None:
    """The one that holds most of a range of new-side lines."""

    def held(hunk: Hunk) -> int:
        lines = hunk.new_lines
        return min(end + 1, lines.stop) - max(start, lines.start)

    return max(hunks, key=held, default=None)


class ChangedLines:
    """The changed lines of a pull request's files."""

    def __init__(self, files: Iterable[ChangedFile]) -> None:
        self._files = {file.path: file for file in files}
        self._before = {file.previous_path: file for file in reversed(self._files.values())}
        self._broken = [each for file in self._files.values() for each in file.broken]

    def touches(self, path: str, start: int, end: int) -> bool:
        """Whether any of these new-side lines was added, or is right next to removed lines."""
        file = self._files.get(path)
        return file is not None and file.touches(start, end)

    def broken(self, path: str, start: int, end: int) -> list[BrokenReference]:
        """The references on these lines, of any file, that the move of a file breaks."""
        return [each for each in self._broken if each.path == path and start <= each.line <= end]

    def file(self, path: str) -> ChangedFile | None:
        """The file that has, or had, a path."""
        return self._files.get(path) or self._before.get(path)

    def is_all_new(self, path: str, start: int, end: int, words: Collection[str]) -> bool:
        """Whether the change adds all these lines, and removes none near them that has one of the words.

        What holds of a line only because of what the change writes there was not there before; a line on which a name
        changed may have been as wrong before.
        """
        file = self._files.get(path)
        hunk = file.section_at(start, end) if file is not None else None
        if hunk is None:
            return False
        own = [line for line in hunk.lines if line.new is not None and start <= line.new <= end and line.text.strip()]
        removed = {word for line in hunk.lines if line.marker == "-" for word in _WORD.findall(line.text)}
        return bool(own) and all(line.marker == "+" for line in own) and removed.isdisjoint(words)

    def has(self, path: str, quote: str) -> bool:
        """Whether a line of the quote is one that the change adds to the file or removes from it.

        Without a quote, whether the file was moved.
        """
        file = self.file(path)
        lines = {without_spaces(line) for line in quote.split("\n")} - {""}
        return file is not None and (
            not lines.isdisjoint(file.changed_code) if lines else file.previous_path is not None
        )
