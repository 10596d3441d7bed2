"""Changed files as the pages show them: which are shown at once, and what is told of each beside its lines."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from urllib.parse import quote

from kodiai.core.changes.kinds import is_generated, is_lock_file
from local.github.diff import FileDiff
from local.github.hunks import Side
from local.github.repository import Shadow
from local.page.choice import Choice
from local.page.diffs import Pair, Row, pairs_of, rows_of
from local.page.threads import Thread

_MOST_CHANGED = 400  # lines of a file, beyond which it waits to be asked for
_LONGEST = 40_000  # characters of a file's patch, the same
_MOST_SHOWN = 80_000  # characters of all patches on a page, the shortest first; the others wait
_MOST_FILES = 300  # of a page; those beyond it are only counted
_HEAD = 4_000  # characters of a patch in which a file says that it is generated
_LINK, _SUBMODULE = "120000", "160000"
_KINDS = {"100644": "a plain file", "100755": "executable", _LINK: "a symbolic link", _SUBMODULE: "a submodule"}
_EMPTY = (
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)
"""The ids of a file without content, as git names it by SHA-1 and by SHA-256."""


@dataclass(frozen=True)
class Below:
    """What stands below a line: its threads, and where somebody asked for it a form to begin one."""

    place: tuple[Side, int | None]
    threads: list[Thread] = field(default_factory=list)
    asked: bool = False


@dataclass(frozen=True)
class Changed:
    """A changed file, as of `commit`, or where it was removed as of the commit before.

    `rows` is empty where there is no text, or where it waits to be asked for, for the reason that `waits` gives.
    `notes` tell what its lines do not. `below` and `foot` are the threads on its lines by their places, and on
    lines that are not here; `outdated` counts those on lines that are gone.
    """

    file: FileDiff
    commit: str
    notes: Sequence[str]
    rows: Sequence[Row]
    waits: str
    below: Mapping[tuple[Side, int | None], Below] = field(default_factory=dict)
    foot: Sequence[Thread] = ()
    outdated: int = 0

    @property
    def path(self) -> str:
        """Its path, the new one where it was renamed."""
        return self.file.name

    @property
    def previous(self) -> str | None:
        """The path that it had, where it was renamed."""
        return None if self.file.previous is None else self.file.previous.decode("utf-8", "replace")

    @property
    def folder(self) -> str:
        """The folder that it is in, empty for the repository's own."""
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        """Its name in the folder."""
        return self.path.rpartition("/")[2]

    @property
    def address(self) -> str:
        """Its path in an address."""
        return quote(self.file.path)

    @property
    def anchor(self) -> str:
        """Its name in the page's address, which a line's number is put to: "file-0a1b2c3dR12"."""
        return anchor_of(self.path)

    @property
    def pairs(self) -> Iterator[Pair]:
        """Its rows side by side."""
        return pairs_of(self.rows)

    @property
    def threads(self) -> Sequence[Thread]:
        """All that stand somewhere in it."""
        return [*(thread for below in self.below.values() for thread in below.threads), *self.foot]

    def with_threads(self, threads: Sequence[Thread], asked: tuple[str, int] | None = None) -> "Changed":
        """Put threads where they belong, and where `asked` names a line of it, a form to begin one."""
        places = dict(_places(self.rows))
        below: dict[tuple[Side, int | None], Below] = {}
        foot = []
        for thread in threads:
            if thread.now is None:
                continue
            place = places.get((thread.now.side, thread.now.line))
            if place is None:
                foot.append(thread)
            else:
                below.setdefault(place, Below(place)).threads.append(thread)
        if asked in places:
            place = places[asked]
            below[place] = replace(below.get(place, Below(place)), asked=True)
        outdated = sum(thread.now is None for thread in threads)
        return replace(self, below=below, foot=foot, outdated=outdated)


def anchor_of(path: str) -> str:
    """The name of a file in the address of a page of changed files."""
    return f"file-{hashlib.sha256(path.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def changed_files(shadow: Shadow, old: str, new: str, files: Sequence[FileDiff], choice: Choice) -> list[Changed]:
    """Arrange files that differ between two commits: as many as fit on a page, and what is asked for in any case."""
    facts = _facts(shadow, old, new)
    files = [file for number, file in enumerate(files) if number < _MOST_FILES or choice.shows(file.name)]
    waiting = _waiting([file for file in files if not choice.shows(file.name)])
    return [
        _changed(file, old if file.status == "removed" else new, waiting.get(file.name, ""), list(_notes(file, facts)))
        for file in files
    ]


def _waiting(files: Sequence[FileDiff]) -> Mapping[str, str]:
    """Why files wait to be asked for, by their names; of the others there are as many as fit on a page."""
    waiting = {file.name: why for file in files if (why := _why(file))}
    left = _MOST_SHOWN
    for file in sorted(files, key=lambda file: len(file.patch or "")):
        if file.name not in waiting:
            left -= len(file.patch or "")
            if left < 0:
                waiting[file.name] = "It is one of the longer diffs of a large change."
    return waiting


def _changed(file: FileDiff, commit: str, waits: str, notes: Sequence[str]) -> Changed:
    if file.patch is None:
        return Changed(file, commit, notes, (), "")
    return Changed(file, commit, notes, () if waits else rows_of(file.name, file.patch), waits)


def _why(file: FileDiff) -> str:
    """Why a file waits whatever else there is; empty where it does not."""
    if file.patch is None:
        return ""
    if is_lock_file(file.name):
        return "A package manager writes this file."
    if is_generated(file.name, tuple(line[1:] for line in file.patch[:_HEAD].split("\n"))):
        return "A program writes this file."
    if file.additions + file.deletions > _MOST_CHANGED or len(file.patch) > _LONGEST:
        return f"It is large: {file.additions + file.deletions:,} lines changed."
    return ""


def _places(rows: Sequence[Row]) -> Iterator[tuple[tuple[Side, int | None], tuple[Side, int | None]]]:
    """By each place that a comment can have, the row's own: a line of context has two."""
    for row in rows:
        if row.marker != "@":
            yield row.place, row.place
            if row.marker == " ":
                yield ("LEFT", row.old), row.place


Fact = tuple[str, str]
"""Mode and id of one side of a file."""


@lru_cache(maxsize=64)
def _facts(shadow: Shadow, old: str, new: str) -> Mapping[bytes, tuple[Fact, Fact]]:
    """Both sides of what differs, by path, as if nothing was ever renamed."""
    out = shadow.git("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-commit-id", "--full-index", old, new)
    parts = out.split(b"\0")[:-1]
    made = {}
    for told, path in zip(parts[::2], parts[1::2], strict=True):
        old_mode, new_mode, old_id, new_id, _ = told[1:].decode().split(" ")
        made[path] = ((old_mode, old_id), (new_mode, new_id))
    return made


def _notes(file: FileDiff, facts: Mapping[bytes, tuple[Fact, Fact]]) -> Iterator[str]:
    """Tell what the lines do not: another mode, and why there are none."""
    before, after = facts[file.previous or file.path][0], facts[file.path][1]
    kind, number = before if file.status == "removed" else after
    if file.status not in ("added", "removed") and before[0] != kind:
        yield f"It was {_KINDS.get(before[0], before[0])}, and is {_KINDS.get(kind, kind)} now."
    elif kind in (_LINK, _SUBMODULE):
        yield f"This is {_KINDS[kind]}."
    if file.hunks is not None:
        if file.patch is None:
            yield f"Its diff is too large to be shown: {len(file.hunks):,} bytes."
    elif before[1] == after[1]:
        if file.previous is not None:
            yield "It was renamed, and not changed."
    elif number in _EMPTY:
        yield "The file is empty."
    else:
        yield "A binary file, of which no lines can be shown."
