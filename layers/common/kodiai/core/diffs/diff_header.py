"""Reads the headers of files in a diff."""

import re
from dataclasses import dataclass, field

from kodiai.core.diffs.binary_patch import BinaryPatch
from kodiai.core.diffs.diff_lines import DiffLines, UnreadableDiff
from kodiai.core.diffs.diff_names import git_name, guessed_prefix, has_epoch, is_dev_null, name_of_both, plain_name
from kodiai.core.diffs.file_diff import FileDiff, TextHunk
from kodiai.core.diffs.results import Problem

_MODE = re.compile(rb"[ \t\r]*\+?([0-7]+)[ \t\r\n]")
_INDEX = re.compile(rb"([^.\n]{0,40})\.\.([^ \n]{0,40})(?= |\n)(?: (.*\n))?", re.DOTALL)
_MOST_DIGITS = 9
# Two paths of 4,096 bytes, which is the most on Linux, and some more.
_LONGEST_HEADER = 9_000
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


@dataclass(slots=True)
class Header:
    """The header of a file as far as it was read, with its names as bytes."""

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
        """The file, with why it cannot be read."""
        names = [name for name in (self.old_name, self.new_name) if name is not None]
        if not problems and any(not _is_readable(name) for name in names):
            problems = (
                Problem(message="The path is empty, not valid UTF-8, or has a NUL byte.", path=shown_name(names[-1])),
            )
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


def read_git_header(lines: DiffLines, start: int, prefix: int, header: Header) -> int:
    """Read the header of git that begins at a line, and say where it ends. Raises UnreadableDiff."""
    header.is_new = header.is_deleted = False
    _check_length(lines[start], start)
    both = name_of_both(lines[start][len(b"diff --git ") :], prefix)
    at = start + 1
    while _read_git_line(lines[at], at, prefix, header, both):
        kinds = (header.is_new, header.is_deleted, header.is_rename, header.is_copy)
        if sum(kind is True for kind in kinds) > 1:
            raise UnreadableDiff("the header contradicts itself: new, deleted, renamed or copied", at)
        at += 1
    if header.old_name is None and header.new_name is None:
        header.old_name = header.new_name = both
    if (header.new_name is None and not header.is_deleted) or (header.old_name is None and not header.is_new):
        raise UnreadableDiff("the header names no file", start)
    return at


def _read_git_line(line: bytes, at: int, prefix: int, header: Header, both: bytes | None) -> bool:
    """Read one line of a git header; False if it is none."""
    if not line.endswith(b"\n") or line.startswith(b"@@ -"):
        return False
    _check_length(line, at)
    key = next((key for key in _KEYS if line.startswith(key)), b"")
    rest = line[len(key) :]
    match key:
        case b"--- ":
            header.old_name = _same_name(header.old_name, rest, at, prefix, absent=header.is_new is True)
        case b"+++ ":
            header.new_name = _same_name(header.new_name, rest, at, prefix, absent=header.is_deleted is True)
        case b"old mode ":
            header.old_mode = _mode(rest, at)
        case b"new mode ":
            header.new_mode = _mode(rest, at)
        case b"deleted file mode ":
            header.is_deleted, header.old_name, header.old_mode = True, both, _mode(rest, at)
        case b"new file mode ":
            header.is_new, header.new_name, header.new_mode = True, both, _mode(rest, at)
        case b"copy from " | b"copy to " | b"rename from " | b"rename old " | b"rename to " | b"rename new ":
            _read_move(key, rest, prefix, header)
        case b"index ":
            _read_index(rest, at, header)
        case b"":
            return False
    return True


def _read_move(key: bytes, rest: bytes, prefix: int, header: Header) -> None:
    name = git_name(rest, max(prefix - 1, 0), at_tab=False)
    if key.startswith(b"copy"):
        header.is_copy = True
    else:
        header.is_rename = True
    if key.endswith((b"from ", b"old ")):
        header.old_name = name
    else:
        header.new_name = name


def _same_name(name: bytes | None, rest: bytes, at: int, prefix: int, *, absent: bool) -> bytes | None:
    """The name of a `---` or `+++` line, which may not contradict the one that is known."""
    if name is None and absent:
        if not is_dev_null(rest):
            raise UnreadableDiff("/dev/null is expected here, since there is no such file on this side", at)
        return None
    named = git_name(rest, prefix, at_tab=True)
    if name is not None and (absent or named != name):
        raise UnreadableDiff("the name is not the one of the lines before it", at)
    return named


def sides_at(lines: DiffLines, at: int) -> tuple[bytes, bytes]:
    """The sides that the `---` line and the `+++` line after it name. Raises UnreadableDiff."""
    _check_length(lines[at], at)
    _check_length(lines[at + 1], at + 1)
    return lines[at][len(b"--- ") :], lines[at + 1][len(b"+++ ") :]


def prefix_at(lines: DiffLines, at: int) -> int | None:
    """The number of leading parts of the names in the `---` and `+++` lines that are no folders, None if unclear."""
    first, second = (guessed_prefix(rest) for rest in sides_at(lines, at))
    return second if second is not None and first in (None, second) else None


def read_plain_header(lines: DiffLines, at: int, prefix: int, header: Header) -> None:
    """Read the `---` and `+++` lines of another program, of which a line is the first. Raises UnreadableDiff."""
    first, second = sides_at(lines, at)
    if is_dev_null(first):
        header.is_new, header.is_deleted = True, False
        header.new_name = name = plain_name(second, prefix)
    elif is_dev_null(second):
        header.is_new, header.is_deleted = False, True
        header.old_name = name = plain_name(first, prefix)
    else:
        name = plain_name(second, prefix, plain_name(first, prefix))
        if has_epoch(first):
            header.is_new, header.is_deleted, header.new_name = True, False, name
        elif has_epoch(second):
            header.is_new, header.is_deleted, header.old_name = False, True, name
        else:
            header.old_name = header.new_name = name
    if header.is_new and header.old_name is not None:
        raise UnreadableDiff("the header contradicts itself: a new file that has an old name", at)
    if name is None:
        raise UnreadableDiff("the header names no file: names begin with “a/” and “b/”", at)


def _check_length(line: bytes, at: int) -> None:
    if len(line) > _LONGEST_HEADER:
        raise UnreadableDiff("the line is too long for a path", at)


def _mode(rest: bytes, at: int) -> int:
    found = _MODE.match(rest)
    if found is None or len(found[1]) > _MOST_DIGITS:
        raise UnreadableDiff("it has no mode as in 100644", at)
    return int(found[1], 8)


def _read_index(rest: bytes, at: int, header: Header) -> None:
    found = _INDEX.match(rest)
    if found is not None:
        header.old_id, header.new_id = found[1], found[2]
        if found[3] is not None:
            header.old_mode = _mode(found[3], at)


def _is_readable(name: bytes) -> bool:
    try:
        return name != b"" and "\0" not in name.decode()
    except UnicodeDecodeError:
        return False


def _decoded(name: bytes | None) -> str | None:
    return name.decode("utf-8", "replace") if name is not None else None


def shown_name(name: bytes) -> str:
    """A name for people, whatever its bytes."""
    return name.decode("utf-8", "replace")
