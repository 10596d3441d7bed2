"""Writes the diff that leads from some files to others, as `git diff` prints it."""

from collections.abc import Mapping

from kodiai.core.changes.unified import unified_hunks
from kodiai.core.diffs.hunk_search import lines_of
from kodiai.core.diffs.paths import unsafe_path
from kodiai.core.diffs.tree import FILE, PROGRAM, TreeEntry

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
        rows.extend(hunk.decode() for hunk in unified_hunks(lines_of(old), lines_of(new)))
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
