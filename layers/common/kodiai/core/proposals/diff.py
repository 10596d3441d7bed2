"""Reads a diff as strictly as `git apply` does: https://git-scm.com/docs/diff-format#generate_patch_text_with_p.

It is read as bytes: a file's lines end at a newline only, and may have any encoding.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from kodiai.core.proposals.binary_patch import BinaryPatch, UnreadableBinary, parse_binary
from kodiai.core.proposals.diff_names import (
    git_name,
    guessed_prefix,
    has_epoch,
    is_dev_null,
    name_of_both,
    plain_name,
)
from kodiai.core.proposals.proposal import AffectedFile, Operation, Problem

_RANGES = re.compile(rb"@@ -([0-9]+)(?:,([0-9]+))? \+([0-9]+)(?:,([0-9]+))? @@")
_MODE = re.compile(rb"[ \t\r]*\+?([0-7]+)[ \t\r\n]")
_INDEX = re.compile(rb"([^.\n]{0,40})\.\.([^ \n]{0,40})(?= |\n)(?: (.*\n))?", re.DOTALL)
_BINARY_FILES = re.compile(rb"(?:Binary f|F)iles .* differ\n")
_FEWEST_HEADER_BYTES = 6
_FEWEST_PLAIN_BYTES = 14
_FEWEST_MARKER_BYTES = 12
_MOST_DIGITS = 9
# Two paths of 4,096 bytes, which is the most on Linux, and some more.
_LONGEST_HEADER = 9_000


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
    """What a diff says of one file.

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


def read_diff(diff: str) -> tuple[FileDiff, ...]:
    """Read what a diff says of each file, in its order, with the problems of those that cannot be read.

    What is between the files is skipped, as git does. A file without names is what belongs to no file.
    """
    return tuple(_Reader(diff.encode("utf-8", "surrogatepass")).files())


def affected_files(diff: str) -> tuple[AffectedFile, ...]:
    """The files that a diff touches, in its order, as far as it can be read."""
    return tuple(_affected(file, file.name) for file in read_diff(diff) if file.name is not None)


def _affected(file: FileDiff, path: str) -> AffectedFile:
    markers = [line.marker for hunk in file.hunks for line in hunk.lines]
    return AffectedFile(
        path=path,
        operation=_operation(file),
        added=markers.count("+"),
        removed=markers.count("-"),
        previous_path=file.old_name if file.is_rename or file.is_copy else None,
    )


def _operation(file: FileDiff) -> Operation:
    if file.is_rename or file.is_copy:
        return "rename" if file.is_rename else "copy"
    if file.is_new or (file.is_new is None and any(hunk.old_start == 0 for hunk in file.hunks)):
        return "create"
    return "delete" if file.is_deleted else "modify"


class _Unreadable(Exception):
    """A part of the diff that cannot be read, at this line of it, counted from 0."""

    def __init__(self, text: str, at: int, hunk: int | None = None) -> None:
        super().__init__(text)
        self.at = at
        self.hunk = hunk


@dataclass(slots=True)
class _Header:
    """What was read of a file so far."""

    old_name: bytes | None = None
    new_name: bytes | None = None
    old_mode: int = 0
    new_mode: int = 0
    is_new: bool | None = None
    is_deleted: bool | None = None
    is_rename: bool = False
    is_copy: bool = False
    is_binary: bool = False
    binary: BinaryPatch | None = None
    old_id: bytes = b""
    new_id: bytes = b""
    hunks: list[TextHunk] = field(default_factory=list)

    def file(self, *problems: Problem) -> FileDiff:
        names = [name for name in (self.old_name, self.new_name) if name is not None]
        if not problems and any(not _is_readable(name) for name in names):
            problems = (Problem(message="The path is not valid UTF-8, or has a NUL byte.", path=_shown(names[-1])),)
        return FileDiff(
            _decoded(self.old_name),
            _decoded(self.new_name),
            self.old_mode,
            self.new_mode,
            self.is_new,
            self.is_deleted,
            self.is_rename,
            self.is_copy,
            self.is_binary,
            self.binary,
            self.old_id.decode("ascii", "replace"),
            self.new_id.decode("ascii", "replace"),
            tuple(self.hunks),
            problems,
        )


class _Reader:
    """Reads the lines of a diff, each with its newline; numbers of lines count from 0."""

    def __init__(self, diff: bytes) -> None:
        self.lines = diff.split(b"\n")
        self.lines[:-1] = [line + b"\n" for line in self.lines[:-1]]
        if not self.lines[-1]:
            self.lines.pop()
        self.left = [0]
        for line in reversed(self.lines):
            self.left.append(self.left[-1] + len(line))
        self.left.reverse()
        self.prefix: int = 1
        self.prefix_is_known = False

    def files(self) -> Iterator[FileDiff]:
        at = 0
        while at < len(self.lines):
            header = _Header()
            try:
                start = self._find_header(at, header)
                if start is None:
                    return
                at = self._read_changes(start, header)
                yield header.file()
            except _Unreadable as error:
                name = header.new_name or header.old_name
                yield header.file(
                    Problem(
                        message=f"Line {error.at + 1} of the diff cannot be read: {error}.",
                        path=None if name is None else _shown(name),
                        hunk=error.hunk,
                    )
                )
                at = self._next_file(error.at + 1)

    def _next_file(self, at: int) -> int:
        """Where the next file begins after something that cannot be read."""
        for number in range(at, len(self.lines)):
            if self.lines[number].startswith(b"diff --git ") or self._is_plain_header(number):
                return number
        return len(self.lines)

    def _is_plain_header(self, at: int) -> bool:
        return self._line(at).startswith(b"--- ") and self._line(at + 1).startswith(b"+++ ")

    def _line(self, at: int) -> bytes:
        return self.lines[at] if at < len(self.lines) else b""

    def _find_header(self, at: int, header: _Header) -> int | None:
        """Read the next header of a file; where its hunks begin, None if there is no other file."""
        while at < len(self.lines):
            line = self.lines[at]
            if line.startswith((b"diff --git ", b"--- ")):
                _check_length(line, at)
            if len(line) < _FEWEST_HEADER_BYTES:
                at += 1
                continue
            if line.endswith(b"\n") and _RANGES.match(line):
                raise _Unreadable("a hunk without the header of a file", at)
            if self.left[at + 1] < _FEWEST_HEADER_BYTES:
                return None
            if line.startswith(b"diff --git "):
                end = self._read_git_header(at, header)
                if end > at + 1:
                    return end
            elif self._is_plain_header(at):
                if self._line(at + 2).startswith(b"@@ -") and self.left[at] >= (
                    len(self.lines[at + 1]) + _FEWEST_PLAIN_BYTES
                ):
                    self._read_plain_header(at, header)
                    return at + 2
                if self._line(at + 2).startswith(b"@@"):
                    raise _Unreadable("the header of a hunk lacks line numbers, as in “@@ -1,3 +1,4 @@”", at + 2)
            at += 1
        return None

    def _read_git_header(self, start: int, header: _Header) -> int:
        """Read the lines of a git header; where they end."""
        header.is_new = header.is_deleted = False
        both = name_of_both(self.lines[start][len(b"diff --git ") :], self.prefix)
        at = start + 1
        while at < len(self.lines) and self._read_git_line(self.lines[at], at, header, both):
            kinds = (header.is_new, header.is_deleted, header.is_rename, header.is_copy)
            if sum(kind is True for kind in kinds) > 1:
                raise _Unreadable("the header contradicts itself: new, deleted, renamed or copied", at)
            at += 1
        if header.old_name is None and header.new_name is None:
            header.old_name = header.new_name = both
        if (header.new_name is None and not header.is_deleted) or (header.old_name is None and not header.is_new):
            raise _Unreadable("the header names no file", start)
        return at

    def _read_git_line(self, line: bytes, at: int, header: _Header, both: bytes | None) -> bool:
        """Read one line of a git header; False if it is none."""
        if not line.endswith(b"\n") or line.startswith(b"@@ -"):
            return False
        _check_length(line, at)
        key = next((key for key in _KEYS if line.startswith(key)), b"")
        rest = line[len(key) :]
        match key:
            case b"--- ":
                header.old_name = self._same_name(header.old_name, rest, at, absent=header.is_new is True)
            case b"+++ ":
                header.new_name = self._same_name(header.new_name, rest, at, absent=header.is_deleted is True)
            case b"old mode ":
                header.old_mode = _mode(rest, at)
            case b"new mode ":
                header.new_mode = _mode(rest, at)
            case b"deleted file mode ":
                header.is_deleted, header.old_name, header.old_mode = True, both, _mode(rest, at)
            case b"new file mode ":
                header.is_new, header.new_name, header.new_mode = True, both, _mode(rest, at)
            case b"copy from " | b"copy to " | b"rename from " | b"rename old " | b"rename to " | b"rename new ":
                self._read_move(key, rest, header)
            case b"index ":
                _read_index(rest, at, header)
            case b"":
                return False
        return True

    def _read_move(self, key: bytes, rest: bytes, header: _Header) -> None:
        name = git_name(rest, max(self.prefix - 1, 0), at_tab=False)
        if key.startswith(b"copy"):
            header.is_copy = True
        else:
            header.is_rename = True
        if key.endswith((b"from ", b"old ")):
            header.old_name = name
        else:
            header.new_name = name

    def _same_name(self, name: bytes | None, rest: bytes, at: int, *, absent: bool) -> bytes | None:
        """The name of a `---` or `+++` line, which may not contradict the one that is known."""
        if name is None and absent:
            if not is_dev_null(rest):
                raise _Unreadable("/dev/null is expected here, since there is no such file on this side", at)
            return None
        named = git_name(rest, self.prefix, at_tab=True)
        if name is not None and (absent or named != name):
            raise _Unreadable("the name is not the one of the lines before it", at)
        return named

    def _read_plain_header(self, at: int, header: _Header) -> None:
        """Read the `---` and `+++` lines of another program."""
        _check_length(self.lines[at + 1], at + 1)
        first, second = (self.lines[number][4:] for number in (at, at + 1))
        if not self.prefix_is_known:
            guessed = [guessed_prefix(rest) for rest in (first, second)]
            if guessed[1] is not None and guessed[0] in (None, guessed[1]):
                self.prefix, self.prefix_is_known = guessed[1], True
        if is_dev_null(first):
            header.is_new, header.is_deleted = True, False
            header.new_name = name = plain_name(second, self.prefix)
        elif is_dev_null(second):
            header.is_new, header.is_deleted = False, True
            header.old_name = name = plain_name(first, self.prefix)
        else:
            name = plain_name(second, self.prefix, plain_name(first, self.prefix))
            if has_epoch(first):
                header.is_new, header.is_deleted, header.new_name = True, False, name
            elif has_epoch(second):
                header.is_new, header.is_deleted, header.old_name = False, True, name
            else:
                header.old_name = header.new_name = name
        if header.is_new and header.old_name is not None:
            raise _Unreadable("the header contradicts itself: a new file that has an old name", at)
        if name is None:
            raise _Unreadable("the header names no file: names begin with “a/” and “b/”", at)

    def _read_changes(self, at: int, header: _Header) -> int:
        """Read the hunks or the binary patch of a file; where they end."""
        start = at
        while self.left[at] > len(b"@@ -") and self.lines[at].startswith(b"@@ -"):
            at = self._read_hunk(at, header)
        if at > start:
            _check_sides(header, start)
        else:
            at = self._read_binary(at, header)
        if not header.is_binary and self._is_left_over(at):
            raise _Unreadable(
                "it looks like a part of a hunk, but the hunk's header counts fewer lines, or it is no header of a hunk"
                " as in “@@ -1,3 +1,4 @@”",
                at,
                len(header.hunks) or None,
            )
        if at == start and not _has_metadata(header):
            raise _Unreadable("the header of a file without any change", at - 1)
        return at

    def _is_left_over(self, at: int) -> bool:
        """Whether a line after the hunks would be taken for a part of them; git skips it without a word."""
        line = self._line(at)
        if self._is_plain_header(at) or line.rstrip() in (b"--", b"---"):
            return False
        return line.startswith((b"@@", b"+", b"-", b" ", b"\\"))

    def _read_hunk(self, at: int, header: _Header) -> int:
        number = len(header.hunks) + 1
        ranges = _RANGES.match(self.lines[at])
        if ranges is None or any(len(digits) > _MOST_DIGITS for digits in ranges.groups(b"")):
            raise _Unreadable("it is no header of a hunk as in “@@ -1,3 +1,4 @@”", at, number)
        old_left, new_left = int(ranges[2] or 1), int(ranges[4] or 1)
        lines: list[HunkLine] = []
        at += 1
        while old_left or new_left:
            line = self._line(at)
            marker = _MARKERS.get(line[:1])
            if line.startswith(b"\\ ") and len(line) >= _FEWEST_MARKER_BYTES and line.endswith(b"\n"):
                self._end_file(lines, at, number)
            elif marker is None or not line.endswith(b"\n"):
                raise _Unreadable(self._why_corrupt(at, old_left, new_left), at, number)
            else:
                lines.append(HunkLine(marker, line[1:] if line != b"\n" else line))
                old_left, new_left = old_left - (marker != "+"), new_left - (marker != "-")
                if old_left < 0 or new_left < 0:
                    raise _Unreadable("the hunk has more lines than its header counts", at, number)
            at += 1
        if self.left[at] > _FEWEST_MARKER_BYTES and self.lines[at].startswith(b"\\ "):
            self._end_file(lines, at, number)
            at += 1
        if all(line.marker == " " for line in lines):
            raise _Unreadable("the hunk changes nothing", at - 1, number)
        _check_ends(lines, at - 1, number)
        header.hunks.append(TextHunk(number, int(ranges[1]), int(ranges[3]), tuple(lines)))
        return at

    def _why_corrupt(self, at: int, old_left: int, new_left: int) -> str:
        counts = f"its header counts {old_left} more old and {new_left} more new lines"
        if at >= len(self.lines):
            return f"the diff ends within a hunk; {counts}"
        if not self.lines[at].endswith(b"\n"):
            return "the diff does not end with a newline"
        return f"the hunk is not complete: {counts}, and each begins with a space, “+” or “-”"

    def _end_file(self, lines: list[HunkLine], at: int, number: int) -> None:
        if not lines:
            raise _Unreadable("an end of a file before any line", at, number)
        if lines[-1].marker != "+" and lines[-1].content == b"\n":
            raise _Unreadable("a file cannot end in an empty line without a newline", at, number)
        lines[-1] = HunkLine(lines[-1].marker, lines[-1].content.removesuffix(b"\n"))

    def _read_binary(self, at: int, header: _Header) -> int:
        if self._line(at) == b"GIT binary patch\n":
            header.is_binary = True
            try:
                header.binary, at = parse_binary(self.lines, at + 1)
            except UnreadableBinary as error:
                raise _Unreadable(f"the binary patch is damaged: {error}", at) from error
        elif _BINARY_FILES.fullmatch(self._line(at)):
            header.is_binary = True
            at += 1
        return at


_KEYS = (
    b"--- ",
    b"+++ ",
    b"old mode ",
    b"new mode ",
    b"deleted file mode ",
    b"new file mode ",
    b"copy from ",
    b"copy to ",
    b"rename old ",
    b"rename new ",
    b"rename from ",
    b"rename to ",
    b"similarity index ",
    b"dissimilarity index ",
    b"index ",
)
_MARKERS: dict[bytes, Literal[" ", "+", "-"]] = {b" ": " ", b"+": "+", b"-": "-", b"\n": " "}


def _check_length(line: bytes, at: int) -> None:
    if len(line) > _LONGEST_HEADER:
        raise _Unreadable("the line is too long for a path", at)


def _mode(rest: bytes, at: int) -> int:
    found = _MODE.match(rest)
    if found is None or len(found[1]) > _MOST_DIGITS:
        raise _Unreadable("it has no mode as in 100644", at)
    return int(found[1], 8)


def _read_index(rest: bytes, at: int, header: _Header) -> None:
    found = _INDEX.match(rest)
    if found is not None:
        header.old_id, header.new_id = found[1], found[2]
        if found[3] is not None:
            header.old_mode = _mode(found[3], at)


def _check_sides(header: _Header, at: int) -> None:
    """Check that a new file has no old lines, and a deleted one no new lines; say what a plain diff leaves open."""
    has_old = any(line.marker != "+" for hunk in header.hunks for line in hunk.lines)
    has_new = any(line.marker != "-" for hunk in header.hunks for line in hunk.lines)
    several = len(header.hunks) > 1
    if header.is_new is None and (has_old or several):
        header.is_new = False
    if header.is_deleted is None and (has_new or several):
        header.is_deleted = False
    if header.is_new and has_old:
        raise _Unreadable("a new file has old lines", at)
    if header.is_deleted and has_new:
        raise _Unreadable("a deleted file has new lines", at)


def _check_ends(lines: list[HunkLine], at: int, number: int) -> None:
    """Check that only the last line of a side lacks its newline: git would join it with the next one."""
    for absent in ("+", "-"):
        side = [line.content for line in lines if line.marker != absent]
        if not all(content.endswith(b"\n") for content in side[:-1]):
            raise _Unreadable("a file ends before the last line of the hunk", at, number)


def _has_metadata(header: _Header) -> bool:
    modes = header.old_mode and header.new_mode and header.old_mode != header.new_mode
    # A plain diff leaves open whether the file is deleted, which counts as a change.
    return bool(
        header.is_binary
        or header.is_rename
        or header.is_copy
        or header.is_new
        or header.is_deleted is not False
        or modes
    )


def _is_readable(name: bytes) -> bool:
    try:
        return "\0" not in name.decode()
    except UnicodeDecodeError:
        return False


def _decoded(name: bytes | None) -> str | None:
    return name.decode("utf-8", "replace") if name is not None else None


def _shown(name: bytes) -> str:
    return name.decode("utf-8", "replace")
