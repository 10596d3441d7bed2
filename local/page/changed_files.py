"""Changed files as the pages show them: which diffs are loaded at once, and notes on what the lines do not say."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from urllib.parse import quote

from kodiai.core.changes.generated import is_generated
from kodiai.core.changes.kinds import is_lock_file
from local.github.diff import FileDiff
from local.github.repository import RepositoryCopy
from local.page.diff_options import DiffOptions
from local.page.threads import Thread
from local.rendering.diffs import LinePosition, Row, pairs_of, places_of, rows_of

_MOST_CHANGED = 400  # lines of a file, beyond which its diff is not loaded at once
_LONGEST = 40_000  # characters of a file's patch, the same
_MOST_SHOWN = 80_000  # characters of all patches on a page, the shortest first; the others are not loaded at once
_MOST_FILES = 300  # of a page; further ones are only counted
_TOP = 4_000  # characters of a patch in which a file says that it is generated
_LINK, _SUBMODULE = "120000", "160000"
_KINDS = {"100644": "regular file", "100755": "executable file", _LINK: "symbolic link", _SUBMODULE: "submodule"}
_EMPTY = (
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)
"""The ids of a file without content, as git names it by SHA-1 and by SHA-256."""


@dataclass(frozen=True)
class ChangedFile:
    """A changed file, as of `commit`; a removed one as of the commit before.

    `rows` is empty where there is no text, or where it is not loaded, for the reason `unloaded`.
    `notes` say what its lines do not. The threads are `on_lines` by their places, or `elsewhere` on lines that are
    not shown; `outdated` counts those on lines that no longer exist. `new_thread` is where a form is shown.
    """

    file: FileDiff
    commit: str
    notes: Sequence[str]
    rows: Sequence[Row]
    unloaded: str
    on_lines: Mapping[LinePosition, Sequence[Thread]] = field(default_factory=dict)
    elsewhere: Sequence[Thread] = ()
    outdated: int = 0
    new_thread: LinePosition | None = None

    @property
    def path(self) -> str:
        """Its path, the new one where it was renamed."""
        return self.file.name

    @property
    def folder(self) -> str:
        """The folder that it is in, empty for the repository's own."""
        return self.path.rpartition("/")[0]

    @property
    def url_path(self) -> str:
        """Its path in a URL."""
        return quote(self.file.path)

    @property
    def anchor(self) -> str:
        """Its id on the page, to which a line's number is added: "file-0a1b2c3dR12"."""
        return anchor_of(self.path)

    @property
    def pairs(self) -> Iterator[tuple[Row | None, Row | None]]:
        """Its rows side by side."""
        return pairs_of(self.rows)

    @property
    def threads(self) -> Sequence[Thread]:
        """All threads that are shown in it."""
        return [*(thread for threads in self.on_lines.values() for thread in threads), *self.elsewhere]

    def with_threads(self, threads: Sequence[Thread], new: LinePosition | None = None) -> "ChangedFile":
        """Put threads where they belong, and a form to start one at `new` if the diff has that line."""
        places = places_of(self.rows)
        on_lines: dict[LinePosition, list[Thread]] = {}
        elsewhere = []
        for thread in threads:
            if thread.now is None:
                continue
            place = places.get((thread.now.side, thread.now.line))
            if place is None:
                elsewhere.append(thread)
            else:
                on_lines.setdefault(place, []).append(thread)
        new_thread = places.get(new) if new else None
        if new_thread:
            on_lines.setdefault(new_thread, [])
        outdated = sum(thread.now is None for thread in threads)
        return replace(self, on_lines=on_lines, elsewhere=elsewhere, outdated=outdated, new_thread=new_thread)


def anchor_of(path: str) -> str:
    """The id of a file on a page of changed files."""
    return f"file-{hashlib.sha256(path.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def changed_files(
    copy: RepositoryCopy, old: str, new: str, files: Sequence[FileDiff], options: DiffOptions
) -> list[ChangedFile]:
    """Show the files that differ between two commits: as many as fit on a page, and all that were asked for."""
    sides = _sides(copy, old, new)
    files = [file for number, file in enumerate(files) if number < _MOST_FILES or options.shows(file.name)]
    unloaded = _unloaded([file for file in files if file.patch is not None and not options.shows(file.name)])
    return [
        ChangedFile(
            file,
            old if file.status == "removed" else new,
            list(_notes(file, sides)),
            () if file.patch is None or file.name in unloaded else rows_of(file.name, file.patch),
            unloaded.get(file.name, ""),
        )
        for file in files
    ]


def _unloaded(files: Sequence[FileDiff]) -> Mapping[str, str]:
    """Why diffs are not loaded at once, by their files' names; of the others there are as many as fit on a page."""
    unloaded = {file.name: why for file in files if (why := _reason(file, file.patch or ""))}
    left = _MOST_SHOWN
    for file in sorted(files, key=lambda file: len(file.patch or "")):
        if file.name not in unloaded:
            left -= len(file.patch or "")
            if left < 0:
                unloaded[file.name] = "This is one of the longer diffs of a large change."
    return unloaded


def _reason(file: FileDiff, patch: str) -> str:
    """Why a file's diff is never loaded at once; empty where it is."""
    if is_lock_file(file.name):
        return "This is a lock file."
    if is_generated(file.name, tuple(line[1:] for line in patch[:_TOP].split("\n"))):
        return "This is a generated file."
    if file.additions + file.deletions > _MOST_CHANGED or len(patch) > _LONGEST:
        return f"This diff is large: {file.additions + file.deletions:,} lines changed."
    return ""


FileSide = tuple[str, str]
"""Mode and id of one side of a file."""


@lru_cache(maxsize=64)
def _sides(copy: RepositoryCopy, old: str, new: str) -> Mapping[bytes, tuple[FileSide, FileSide]]:
    """Both sides of what differs, by path, as if nothing was ever renamed."""
    out = copy.git("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-commit-id", "--full-index", old, new)
    parts = out.split(b"\0")[:-1]
    made = {}
    for entry, path in zip(parts[::2], parts[1::2], strict=True):
        old_mode, new_mode, old_id, new_id, _ = entry[1:].decode().split(" ")
        made[path] = ((old_mode, old_id), (new_mode, new_id))
    return made


def _notes(file: FileDiff, sides: Mapping[bytes, tuple[FileSide, FileSide]]) -> Iterator[str]:
    """Say what the lines do not: a changed mode, and why there are no lines."""
    before, after = sides[file.previous or file.path][0], sides[file.path][1]
    mode, sha = before if file.status == "removed" else after
    if file.status not in ("added", "removed") and before[0] != mode:
        yield f"File mode changed from {_KINDS.get(before[0], before[0])} to {_KINDS.get(mode, mode)}."
    elif mode in (_LINK, _SUBMODULE):
        yield f"This is a {_KINDS[mode]}."
    if file.hunks is not None:
        if file.patch is None:
            yield f"This diff is too large to be shown: {len(file.hunks):,} bytes."
    elif before[1] == after[1]:
        if file.previous is not None:
            yield "File renamed without changes."
    elif sha in _EMPTY:
        yield "Empty file."
    else:
        yield "Binary file not shown."
