"""Writes the diff that leads from some files to others, as `git diff` prints it."""

from collections.abc import Iterator, Mapping, Sequence

from kodiai.core.changes.line_matcher import LineMatcher, common
from kodiai.core.diffs.hunk_search import lines_of
from kodiai.core.diffs.paths import unsafe_path
from kodiai.core.proposals.target import FILE, PROGRAM, TreeEntry

_CONTEXT = 3
_NO_NEWLINE = b"\n\\ No newline at end of file\n"
_ESCAPES = {"\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r"}


def diff_of(before: Mapping[str, TreeEntry | None], after: Mapping[str, TreeEntry | None]) -> str:
    """The unified diff between two states of some files, by path, with three lines of context.

    None, or no entry, is where there is no file. The diff is empty if nothing differs.
    Raises ValueError for what is no text file: not UTF-8, with a NUL character, or of another mode.
    """
    parts = (_file_diff(path, before.get(path), after.get(path)) for path in sorted(before.keys() | after.keys()))
    return "".join(parts)


def _file_diff(path: str, before: TreeEntry | None, after: TreeEntry | None) -> str:
    if before == after:
        return ""
    if unsafe_path(path) is not None:
        raise ValueError(f"no path of a repository: {path!r}")
    old, new = (_checked(path, entry) for entry in (before, after))
    names = (_quoted(f"a/{path}"), _quoted(f"b/{path}"))
    rows = [f"diff --git {names[0]} {names[1]}\n"]
    if before is None and after is not None:
        rows.append(f"new file mode {after.mode}\n")
    elif before is not None and after is None:
        rows.append(f"deleted file mode {before.mode}\n")
    elif before is not None and after is not None and before.mode != after.mode:
        rows.append(f"old mode {before.mode}\nnew mode {after.mode}\n")
    if old != new:
        # A tab ends a name with spaces, for programs that would take what follows for a time.
        ends = "\t\n" if " " in path else "\n"
        rows.append("--- /dev/null\n" if before is None else f"--- {names[0]}{ends}")
        rows.append("+++ /dev/null\n" if after is None else f"+++ {names[1]}{ends}")
        rows.extend(hunk.decode() for hunk in _hunks(lines_of(old), lines_of(new)))
    return "".join(rows)


def _checked(path: str, entry: TreeEntry | None) -> bytes:
    """The content of a text file. Raises ValueError."""
    if entry is None:
        return b""
    if entry.mode not in (FILE, PROGRAM):
        raise ValueError(f"no file: {path!r} has the mode {entry.mode}")
    if "\0" in entry.content.decode():
        raise ValueError(f"no text: {path!r} has a NUL character")
    return entry.content


def _quoted(name: str) -> str:
    """A name as git writes it: in quotes if it has quotes, backslashes or control characters."""
    if all(char >= " " and char not in '"\\\x7f' for char in name):
        return name
    return f'"{"".join(_escaped(char) for char in name)}"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    return _ESCAPES.get(char) or (char if char >= " " and char != "\x7f" else f"\\{ord(char):03o}")


def _hunks(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[bytes]:
    """The hunks between two rows of lines."""
    # What both begin and end with is left out, except for the context: the comparison of long files takes long.
    start = max(common(old, new) - _CONTEXT, 0)
    end = max(common(old[start:][::-1], new[start:][::-1]) - _CONTEXT, 0)
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    for group in LineMatcher(old, new).get_grouped_opcodes(_CONTEXT):
        _, old_start, _, new_start, _ = group[0]
        _, _, old_end, _, new_end = group[-1]
        ranges = (_range(start + old_start, start + old_end), _range(start + new_start, start + new_end))
        yield b"@@ -%s +%s @@\n" % ranges
        for tag, first_old, last_old, first_new, last_new in group:
            if tag == "equal":
                yield from _marked(b" ", old[first_old:last_old])
            else:
                yield from _marked(b"-", old[first_old:last_old])
                yield from _marked(b"+", new[first_new:last_new])


def _range(start: int, end: int) -> bytes:
    """Lines from an index up to another, as in the header of a hunk: an empty range names the line before it."""
    count = end - start
    return b"%d" % (start + 1) if count == 1 else b"%d,%d" % (start + (count > 0), count)


def _marked(marker: bytes, lines: Sequence[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield marker + (line if line.endswith(b"\n") else line + _NO_NEWLINE)
