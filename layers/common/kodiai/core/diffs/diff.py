"""Reads a diff as strictly as `git apply` does: https://git-scm.com/docs/diff-format#generate_patch_text_with_p.

It is read as bytes: a file's lines end at a newline only, and may have any encoding.
"""

import re
from collections.abc import Iterator

from kodiai.core.diffs.binary_patch import UnreadableBinary, parse_binary
from kodiai.core.diffs.diff_header import Header, prefix_at, read_git_header, read_plain_header, shown_name
from kodiai.core.diffs.diff_hunks import RANGES, read_hunk
from kodiai.core.diffs.diff_lines import DiffLines, UnreadableDiff
from kodiai.core.diffs.file_diff import FileDiff
from kodiai.core.diffs.results import AffectedFile, Operation, Problem

_BINARY_FILES = re.compile(rb"(?:Binary f|F)iles .* differ\n")
_FEWEST_HEADER_BYTES = 6
_FEWEST_PLAIN_BYTES = 14


def read_diff(diff: str) -> tuple[FileDiff, ...]:
    """Read what a diff says of each file, in its order, with the problems of those that cannot be read.

    What is between the files is skipped, as git does. A file without names is what belongs to no file.
    """
    return tuple(_Reader(DiffLines(diff.encode("utf-8", "surrogatepass"))).files())


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


class _Reader:
    """Reads the lines of a diff, each with its newline; numbers of lines count from 0."""

    def __init__(self, lines: DiffLines) -> None:
        self._lines = lines
        self._prefix = 1
        self._prefix_is_known = False

    def files(self) -> Iterator[FileDiff]:
        at = 0
        while at < len(self._lines):
            header = Header()
            try:
                start = self._find_header(at, header)
                if start is None:
                    return
                at = self._read_changes(start, header)
                yield header.file()
            except UnreadableDiff as error:
                name = header.new_name or header.old_name
                yield header.file(
                    Problem(
                        message=f"Line {error.at + 1} of the diff cannot be read: {error}.",
                        path=None if name is None else shown_name(name),
                        hunk=error.hunk,
                    )
                )
                at = self._next_file(error.at + 1)

    def _next_file(self, at: int) -> int:
        """The beginning of the next file after an unreadable part."""
        for number in range(at, len(self._lines)):
            if self._lines[number].startswith(b"diff --git ") or self._is_plain_header(number):
                return number
        return len(self._lines)

    def _is_plain_header(self, at: int) -> bool:
        return self._lines[at].startswith(b"--- ") and self._lines[at + 1].startswith(b"+++ ")

    def _find_header(self, at: int, header: Header) -> int | None:
        """Read the next header of a file; where its hunks begin, None if there is no other file."""
        while at < len(self._lines):
            line = self._lines[at]
            if len(line) < _FEWEST_HEADER_BYTES:
                at += 1
                continue
            if line.endswith(b"\n") and RANGES.match(line):
                raise UnreadableDiff("a hunk without the header of a file", at)
            if self._lines.left(at + 1) < _FEWEST_HEADER_BYTES:
                return None
            if line.startswith(b"diff --git "):
                end = read_git_header(self._lines, at, self._prefix, header)
                if end > at + 1:
                    return end
            elif self._is_plain_header(at):
                if self._lines[at + 2].startswith(b"@@ -") and self._lines.left(at) >= (
                    len(self._lines[at + 1]) + _FEWEST_PLAIN_BYTES
                ):
                    self._note_prefix(at)
                    read_plain_header(self._lines, at, self._prefix, header)
                    return at + 2
                if self._lines[at + 2].startswith(b"@@"):
                    raise UnreadableDiff("the header of a hunk lacks line numbers, as in “@@ -1,3 +1,4 @@”", at + 2)
            at += 1
        return None

    def _note_prefix(self, at: int) -> None:
        """Leave the names as they are from here on if those of a `---` and a `+++` line have no folder."""
        prefix = None if self._prefix_is_known else prefix_at(self._lines, at)
        if prefix is not None:
            self._prefix, self._prefix_is_known = prefix, True

    def _read_changes(self, at: int, header: Header) -> int:
        """Read the hunks or the binary patch of a file; where they end."""
        start = at
        while self._lines.left(at) > len(b"@@ -") and self._lines[at].startswith(b"@@ -"):
            hunk, at = read_hunk(self._lines, at, len(header.hunks) + 1)
            header.hunks.append(hunk)
        if at > start:
            _check_sides(header, start)
        else:
            at = self._read_binary(at, header)
        if not header.is_binary and self._is_left_over(at):
            raise UnreadableDiff(
                "it looks like a part of a hunk, but the hunk's header counts fewer lines, or it is no header of a hunk"
                " as in “@@ -1,3 +1,4 @@”",
                at,
                len(header.hunks) or None,
            )
        if at == start and not _has_metadata(header):
            raise UnreadableDiff("the header of a file without any change", at - 1)
        return at

    def _is_left_over(self, at: int) -> bool:
        """Whether a line after the hunks would be taken for a part of them; git skips it without a word."""
        line = self._lines[at]
        if self._is_plain_header(at) or line.rstrip() in (b"--", b"---"):
            return False
        return line.startswith((b"@@", b"+", b"-", b" ", b"\\"))

    def _read_binary(self, at: int, header: Header) -> int:
        if self._lines[at] == b"GIT binary patch\n":
            header.is_binary = True
            try:
                header.binary, at = parse_binary(self._lines, at + 1)
            except UnreadableBinary as error:
                raise UnreadableDiff(f"the binary patch is damaged: {error}", at) from error
        elif _BINARY_FILES.fullmatch(self._lines[at]):
            header.is_binary = True
            at += 1
        return at


def _check_sides(header: Header, at: int) -> None:
    """Check that a new file has no old lines, and a deleted one no new lines; say what a plain diff leaves open."""
    has_old = any(line.marker != "+" for hunk in header.hunks for line in hunk.lines)
    has_new = any(line.marker != "-" for hunk in header.hunks for line in hunk.lines)
    several = len(header.hunks) > 1
    if header.is_new is None and (has_old or several):
        header.is_new = False
    if header.is_deleted is None and (has_new or several):
        header.is_deleted = False
    if header.is_new and has_old:
        raise UnreadableDiff("a new file has old lines", at)
    if header.is_deleted and has_new:
        raise UnreadableDiff("a deleted file has new lines", at)


def _has_metadata(header: Header) -> bool:
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
