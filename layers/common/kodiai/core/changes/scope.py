"""The scope of a run: the files that are read, and the others with their reasons."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, compress
from operator import not_
from typing import Literal

from kodiai.core.changes import kinds
from kodiai.core.changes.changed_file import ChangedFile, Skipped
from kodiai.core.changes.contents import EMPTY_BLOB, POINTER, pointed_to, submodule_commits
from kodiai.core.changes.generated import BaseBranch, generated_or_vendored, vendored_folder
from kodiai.core.changes.globs import matches_any
from kodiai.core.changes.lock_files.read import is_readable_lock_file
from kodiai.core.changes.show import longest_in_part, packed, pieces, token_size
from kodiai.core.changes.tier import Tier, tier

Mode = Literal["full", "incremental", "unchanged"]

_NOT_SHOWN = "GitHub shows no change of it"
_NO_ROOM = "too large together with the files before it"
_UNREADABLE_PATCH = "its patch cannot be read"
_LONG_LINE = "one of its lines alone is over the budget"


@dataclass(frozen=True)
class Scope:
    """The scope of a run: batches of files, each shown to every reviewer.

    `reason` says why this mode; `files` are all that are read, by risk, with the hunks that are asked about. One that
    is too large for a batch is in `batches` once for each of its pieces.
    `as_reviewed` is how many files are unchanged since they were reviewed, and are not read again.
    """

    mode: Mode
    reason: str
    tier: Tier
    files: tuple[ChangedFile, ...]
    batches: tuple[tuple[ChangedFile, ...], ...]
    skipped: tuple[Skipped, ...]
    total_files: int
    total_hunks: int
    as_reviewed: int = 0

    @property
    def unread(self) -> tuple[Skipped, ...]:
        """The files that need to be read and are not."""
        return tuple(skipped for skipped in self.skipped if not skipped.excused)

    @property
    def paths(self) -> frozenset[str]:
        """The paths of the files that are new to this run, whether it reads them or not."""
        return frozenset(file.path for file in self.files).union(skipped.path for skipped in self.skipped)

    @property
    def asked_hunks(self) -> int:
        """The number of hunks that the model is asked about."""
        return sum(len(file.hunks) for file in self.files)

    def without(self, failed: Iterable[Skipped]) -> "Scope":
        """The scope that was really read: a file of which a piece could not be read is unread, or has to be again."""
        reasons = {skipped.path: skipped.reason for skipped in failed}
        batches = (tuple(file for file in batch if file.path not in reasons) for batch in self.batches)
        unread = [Skipped(path, why) for path, why in reasons.items()]
        return replace(
            self,
            files=tuple(file for file in self.files if file.path not in reasons),
            batches=tuple(batch for batch in batches if batch),
            skipped=(*(skipped for skipped in self.skipped if skipped.path not in reasons), *unread),
        )


@dataclass(frozen=True)
class Unread:
    """The part of a pull request that is to be read, and why: the hunks by path and place, None for everything.

    `first` are the paths that no run has read: they come before the others, each of the two by risk.
    """

    mode: Mode
    reason: str
    changed: Mapping[str, Sequence[int]] | None = None
    first: Collection[str] = ()


def choose_scope(
    files: Sequence[ChangedFile],
    unread: Unread,
    *,
    skip_paths: Iterable[str] = (),
    base: Callable[[], BaseBranch] = BaseBranch,
    batch_tokens: int,
    read_files: int,
) -> Scope:
    """Choose what to read: skip what need not be, rank the rest, cut it into batches.

    `batch_tokens` bounds the changes shown in one conversation, `read_files` the files read in all, but for those of
    which only their folders are shown.
    `base` gives the base branch's files; it is called only if the pull request itself does not tell.
    """
    changed, first, patterns = unread.changed, unread.first, tuple(skip_paths)

    def exactly(file: ChangedFile) -> tuple[bool, tuple[int, int]]:
        return file.path in first, risk(file)

    new = [file for file in files if changed is None or file.path in changed]
    skipped = []
    wanted = []
    for file in new:
        if why := skip(file, patterns, base):
            skipped.append(why)
        else:
            wanted.append(file if changed is None else file.only(changed[file.path]))
    ranked = sorted(wanted, key=lambda file: (file.path in first, _risk_class(file)), reverse=True)
    cut = [(file, pieces(file, batch_tokens)) for file in ranked]
    fitting = [(file, parts) for file, parts in cut if parts]
    skipped += [Skipped(file.path, _LONG_LINE, is_lasting=True) for file, parts in cut if not parts]
    counts = accumulate(not file.is_only_moved for file, _ in fitting)
    fits = [file.is_only_moved or count <= read_files for (file, _), count in zip(fitting, counts, strict=True)]
    over = compress(fitting, map(not_, fits))
    skipped += [Skipped(file.path, f"over the budget of {read_files} files") for file, _ in over]
    read = [*compress(fitting, fits)]
    in_part = ((file.path, _in_part(file, parts)) for file, parts in read)
    skipped += [Skipped(path, why, is_lasting=True) for path, why in in_part if why]
    before = [parts for file, parts in read if file.path in first]
    return Scope(
        mode=unread.mode,
        reason=unread.reason,
        tier=tier([file for file, _ in read]),
        files=tuple(sorted((file for file, _ in read), key=exactly, reverse=True)),
        # What could not be read together with others does not keep new files from being read.
        batches=(*_batches(before, batch_tokens), *_batches([parts for _, parts in read[len(before) :]], batch_tokens)),
        skipped=tuple(skipped),
        total_files=len(files),
        total_hunks=sum(len(file.hunks) for file in files),
        as_reviewed=len(files) - len(new),
    )


def _in_part(file: ChangedFile, parts: Sequence[ChangedFile]) -> str:
    """The reason for which a file is shown in part, "" if all that changed is shown."""
    if file.shown is not None:
        return file.shown_in_part
    longest = max(map(longest_in_part, parts))
    return f"a line of {longest:,} characters was shown in part" if longest else ""


def skip(file: ChangedFile, skip_paths: Sequence[str], base: Callable[[], BaseBranch]) -> Skipped | None:
    """Say why a file is not read, None if it is.

    What the settings skip, what is empty and what is gone is excused without a word; the rest is at least named.
    """
    if matches_any(file.path, skip_paths):
        return Skipped(file.path, "matches skipPaths", excused=True)
    if is_readable_lock_file(file.path) and (file.shown is not None or file.skipped or file.is_moved):
        return file.skipped
    if kinds.is_lock_file(file.path):
        return Skipped(file.path, "lock file", excused=True, named="lock file")
    if made := generated_or_vendored(file, base):
        folder = vendored_folder(file.path) if made == "vendored" else None
        return Skipped(file.path, made, excused=True, named=folder or f"{made} file")
    if file.skipped is not None:
        return file.skipped
    if not file.patch:
        return _without_patch(file) if file.left_out is None else None
    if not file.hunks:
        return Skipped(file.path, _UNREADABLE_PATCH, is_lasting=True)
    if (pointed := pointed_to(file)) is not None:
        return Skipped(file.path, POINTER, facts=pointed, is_lasting=True)
    if (commits := submodule_commits(file)) is not None:
        return Skipped(file.path, "submodule", excused=True, named="submodule", facts=commits)
    return None


def _without_patch(file: ChangedFile) -> Skipped | None:
    """The reason to skip a file of which neither GitHub nor its contents show a change; None for a move."""
    if file.status == "removed":
        return Skipped(file.path, "removed", excused=True)
    if file.blob == EMPTY_BLOB:
        return Skipped(file.path, "empty", excused=True)
    if file.is_moved and not file.changed_lines:
        return None
    if kinds.is_binary(file.path):
        return Skipped(file.path, "binary", excused=True, named="binary file")
    return Skipped(file.path, _NOT_SHOWN if file.has_room else _NO_ROOM, is_lasting=True)


def _batches(files: Iterable[Sequence[ChangedFile]], tokens: int) -> Iterator[tuple[ChangedFile, ...]]:
    """Fill batches in the given order, so that what comes first is read first if time runs out.

    A file is given by its pieces: several have a batch each.
    """
    sizes = ((piece, token_size(piece) if len(pieces) == 1 else tokens) for pieces in files for piece in pieces)
    for batch in packed(sizes, lambda sized: sized[1], tokens):
        yield tuple(sorted((piece for piece, _ in batch), key=risk, reverse=True))


def risk(file: ChangedFile) -> tuple[int, int]:
    """Rank a file, higher first: its kind, then its added lines (what is new can be wrong)."""
    if kinds.is_sensitive(file.path):
        kind = 4
    elif kinds.is_prose(file.path) or kinds.is_data(file.path):
        kind = 1
    elif kinds.is_test(file.path):
        kind = 2
    else:
        kind = 3
    return kind if file.status != "removed" else 0, file.additions


def _risk_class(file: ChangedFile) -> tuple[int, int]:
    """The risk in steps: a push that adds some lines to a file leaves it, and the others, in the batch where it was."""
    kind, additions = risk(file)
    return kind, additions.bit_length()
