"""The contents of changed files, where GitHub's patch does not tell what changed."""

import re
from collections import Counter
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace

from kodiai.core.changes.changed_file import ChangedFile, Skipped
from kodiai.core.changes.globs import matches_any
from kodiai.core.changes.kinds import has_magic_number, is_binary
from kodiai.core.changes.lock_files.change import lock_file_change
from kodiai.core.changes.lock_files.located import UnreadableLockFile
from kodiai.core.changes.lock_files.read import is_readable_lock_file
from kodiai.core.changes.notebook import is_notebook, with_cells
from kodiai.core.changes.patch import Hunk
from kodiai.core.changes.text import MOST_LINES, Decoded, decoded
from kodiai.core.changes.unified import patch_between

NO_CONTENT = "GitHub does not give its content"
NO_TEXT = "it is no text, and of no binary format that is known by its name or its beginning"
POINTER = "Git LFS pointer, not the file itself"
EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
"""The id of a content of no bytes."""
_LINK, _SUBMODULE = "120000", "160000"
_SUBPROJECT = "Subproject commit "
_REPLACED = "\ufffd"
# Characters of an id that are shown.
_SHORT = 12
# https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md: the version first, the other keys in alphabetical order.
_POINTER = re.compile(r"version https?://(?:git-lfs\.github\.com|hawser\.github\.com)/spec/v\S*\n(?:[^\n]+\n?){1,20}")
_POINTER_OID = re.compile(r"^oid (\w+:\w+)$", re.MULTILINE)
_POINTER_SIZE = re.compile(r"^size (\d{1,15})$", re.MULTILINE)


class Unavailable(ValueError):
    """The content of a file cannot be had; the text is why."""


@dataclass(frozen=True)
class Entry:
    """A file as a commit has it: git's mode ("100644"), the id of its object, and its bytes, 0 for a submodule."""

    mode: str
    oid: str
    size: int


Read = Callable[[Entry], bytes]
"""Gives the content of an entry. Raises Unavailable."""


def needs_contents(file: ChangedFile, skip_paths: Sequence[str]) -> bool:
    """Whether what changed is known only by the contents, or by what the commits say of the file.

    There is no patch, it has characters that GitHub could not decode, or it may be that of a symbolic link; or it is
    that of a notebook, of which the contents have the cells, or of a lock file, of which they have the packages.
    """
    is_empty = file.status == "added" and file.blob == EMPTY_BLOB
    if is_empty or file.skipped is not None or not file.has_room or matches_any(file.path, skip_paths):
        return False
    if not file.patch or file.status == "changed" or _REPLACED in file.patch or _has_form(file.path):
        return True
    return any(_is_lone(hunk) for hunk in file.hunks)


def _is_lone(hunk: Hunk) -> bool:
    """Whether the whole file is one line without an end, as git shows where a symbolic link leads to."""
    new = [line for line in hunk.lines if line.marker != "-"]
    return len(new) == 1 and new[0].new == 1 and new[0].ends_file


def with_contents(file: ChangedFile, old: Entry | None, new: Entry | None, read: Read) -> ChangedFile:
    """The file with what its contents tell; `old` and `new` are how the base and the head have it, None if they do not.

    Text of which GitHub shows no change gets a patch; everything else gets the reason for which it is not read.
    """
    modes = {entry.mode for entry in (old, new) if entry is not None}
    # A name that is not UTF-8 is shown like that of another file.
    if file.status != "removed" and (new is None or new.oid != file.blob):
        return _skipped(file, NO_CONTENT)
    if _SUBMODULE in modes:
        return _skipped(file, "submodule", named="submodule", facts=_change(old, new, lambda each: each.oid[:_SHORT]))
    if new is not None and _LINK in modes:
        return replace(file, hidden="what the symbolic link leads to")
    is_told = file.patch and _REPLACED not in file.patch
    if is_told and not _has_form(file.path):
        return file
    if old is not None and new is not None and old.oid == new.oid:
        is_moved = file.status == "renamed" and old.mode == new.mode
        return file if is_moved else _skipped(file, "only its mode changed", named="new mode", facts=_modes(old, new))
    if is_binary(file.path) and not file.patch:
        return _binary(file, old, new)
    try:
        contents = [read(entry) if entry is not None else b"" for entry in (old, new)]
    except Unavailable as why:
        is_shown = is_told and is_notebook(file.path)
        return file if is_shown else _skipped(file, str(why), facts=_sizes(old, new))
    texts = [decoded(content) for content in contents]
    known = _as_text(file, contents, texts) or _no_text(file, old, new, contents[1 if new is not None else 0])
    if known.skipped is not None or not _has_form(file.path):
        return known
    before, after = (text.text if entry and text else None for entry, text in zip((old, new), texts, strict=True))
    return with_cells(known, before, after) if is_notebook(file.path) else _with_packages(known, before, after)


def _has_form(path: str) -> bool:
    """Whether a file is shown in a form of its own: by its cells, or by its packages."""
    return is_notebook(path) or is_readable_lock_file(path)


def _with_packages(file: ChangedFile, old: str | None, new: str | None) -> ChangedFile:
    """The lock file with the packages that changed; `old` and `new` are its texts."""
    try:
        change = lock_file_change(file.path, old, new)
    except UnreadableLockFile as why:
        return _skipped(file, f"lock file: {why}")
    in_part = f"{change.left_out:,} more packages changed than are shown" if change.left_out else ""
    return replace(file, shown=change.shown, shown_in_part=in_part, alarms=change.alarms)


def pointed_to(file: ChangedFile) -> str | None:
    """The object that a Git LFS pointer stands for, in words; None if the file is none at the head."""
    first = file.hunks[0] if file.hunks else None
    if first is None or first.new_start != 1:
        return None
    text = "".join(f"{line.text}\n" for line in first.lines if line.marker != "-")
    if not _POINTER.fullmatch(text):
        return None
    oid, size = _POINTER_OID.search(text), _POINTER_SIZE.search(text)
    return f"{int(size[1]):,} bytes, {oid[1]}" if oid and size else "without an id or a size"


def submodule_commits(file: ChangedFile) -> str | None:
    """The commits of a submodule before and after, by its patch, in words; None if the file is none."""
    commits = {"-": "new", "+": "gone"}
    for line in (line for hunk in file.hunks for line in hunk.lines):
        if not line.text.startswith(_SUBPROJECT):
            return None
        commits[line.marker] = line.text.removeprefix(_SUBPROJECT)[:_SHORT]
    return f"{commits['-']} → {commits['+']}"


def _as_text(file: ChangedFile, contents: Sequence[bytes], texts: Sequence[Decoded | None]) -> ChangedFile | None:
    """The file with the change of its text, None if it is no text. A removed one needs no more than its own."""
    old, new = texts
    if new is None or (old is None and file.status == "removed"):
        return None
    encodings = {each.encoding for each in (old, new) if each is not None}
    file = replace(file, encoding=new.encoding if new.encoding != "UTF-8" else "")
    if file.patch and encodings <= {"UTF-8", "Latin-1"}:
        return _with_lines(file, old, new) if _REPLACED in file.patch else file
    sides = [each.text if each else "" for each in (old, new)]
    if max(text.count("\n") for text in sides) > MOST_LINES:
        return _skipped(file, f"over {MOST_LINES:,} lines")
    patch = patch_between(*sides)
    if not patch:
        return _skipped(file, "only its encoding changed", named="new encoding")
    markers = Counter(row[:1] for row in patch.split("\n"))
    return replace(
        file,
        patch=patch,
        additions=markers["+"],
        deletions=markers["-"],
        is_rebuilt=True,
        hidden=_hidden(file, contents, encodings),
    )


def _hidden(file: ChangedFile, contents: Sequence[bytes], encodings: Set[str]) -> str:
    """The reason for which GitHub hides the change of a text; "" if a click shows it, or if the file is removed."""
    if file.status == "removed":
        return ""
    if wide := sorted(encodings & {"UTF-16", "UTF-32"}):
        return f"it is in {' and '.join(wide)}"
    if any(b"\0" in content for content in contents):
        return "it has a NUL character"
    return "" if file.changed_lines else "GitHub takes it for a binary file"


def _with_lines(file: ChangedFile, old: Decoded | None, new: Decoded) -> ChangedFile:
    """The file with GitHub's hunks, and the text of their lines as the contents have it."""
    before, after = (each.text.split("\n") if each else [] for each in (old, new))

    def line_of(marker: str, number: int | None, at_old: int | None, text: str) -> str:
        lines, at = (before, at_old) if marker == "-" else (after, number)
        return lines[at - 1] if _REPLACED in text and at is not None and at <= len(lines) else text

    hunks = [
        replace(
            hunk,
            lines=tuple(replace(line, text=line_of(line.marker, line.new, line.old, line.text)) for line in hunk.lines),
        )
        for hunk in file.hunks
    ]
    return file.with_hunks(hunks)


def _no_text(file: ChangedFile, old: Entry | None, new: Entry | None, content: bytes) -> ChangedFile:
    if has_magic_number(content):
        return _binary(file, old, new)
    return _skipped(file, NO_TEXT, facts=_sizes(old, new))


def _binary(file: ChangedFile, old: Entry | None, new: Entry | None) -> ChangedFile:
    return _skipped(file, "binary", named="binary file", facts=_sizes(old, new))


def _skipped(file: ChangedFile, reason: str, *, named: str = "", facts: str = "") -> ChangedFile:
    """The file with the reason for which it is not read: of a removed file nothing else has to be known."""
    is_gone = file.status == "removed"
    if is_gone:
        return replace(file, skipped=Skipped(file.path, "removed", excused=True))
    skipped = Skipped(file.path, reason, excused=bool(named), named=named, facts=facts, is_lasting=True)
    return replace(file, skipped=skipped)


def _sizes(old: Entry | None, new: Entry | None) -> str:
    return _change(old, new, lambda each: f"{each.size:,} bytes, {each.oid[:_SHORT]}")


def _modes(old: Entry, new: Entry) -> str:
    return _change(old, new, lambda each: each.mode)


def _change(old: Entry | None, new: Entry | None, words: Callable[[Entry], str]) -> str:
    """A file before and after, in words; "new" and "gone" where there is only one of both."""
    return f"{words(old) if old else 'new'} → {words(new) if new else 'gone'}"
