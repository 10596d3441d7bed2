"""What of the pull request is read in this run, and what is not, each with its reason."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from kodiai.core.changes import kinds
from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.globs import matches_any
from kodiai.core.changes.risk import Tier, risk, tier
from kodiai.core.changes.show import show_file
from kodiai.core.tokens import estimated_tokens

Mode = Literal["full", "incremental", "unchanged"]


@dataclass(frozen=True)
class Skipped:
    """A file that is not read, with the reason that the person is shown."""

    path: str
    reason: str

    @property
    def for_want_of_room(self) -> bool:
        """Whether it would be read if there were more room."""
        return self.reason.startswith((_OVER_BUDGET, _TOO_LARGE))


_OVER_BUDGET = "over the budget of "
_TOO_LARGE = "its change alone is over the budget"


@dataclass(frozen=True)
class Scope:
    """What one run reads: batches of files, each shown whole to every reviewer.

    `reason` says why this mode; `files` are all that are read, riskiest first, with the hunks that are asked about.
    `as_reviewed` is how many files stand as they were reviewed before, and are not read again.
    """

    mode: Mode
    reason: str
    tier: Tier
    batches: tuple[tuple[ChangedFile, ...], ...]
    skipped: tuple[Skipped, ...]
    total_files: int
    total_hunks: int
    as_reviewed: int = 0

    @property
    def files(self) -> tuple[ChangedFile, ...]:
        """Every file that is read, in the order of the batches."""
        return tuple(file for batch in self.batches for file in batch)

    @property
    def asked_hunks(self) -> int:
        """How many hunks the model is asked about."""
        return sum(len(file.hunks) for file in self.files)


def choose_scope(
    files: Sequence[ChangedFile],
    *,
    mode: Mode,
    reason: str,
    changed: Mapping[str, Sequence[int]] | None = None,
    skip_paths: Iterable[str] = (),
    batch_tokens: int,
    read_files: int,
) -> Scope:
    """Choose what to read: skip what need not be, rank the rest by risk, cut it into batches.

    `changed` has, by path, the places of the hunks that are new, None where everything is.
    `batch_tokens` bounds the changes shown in one conversation, `read_files` the files read in all.
    """
    patterns = tuple(skip_paths)
    new = [file for file in files if changed is None or file.path in changed]
    looked_at = [
        _look_at(file, patterns, None if changed is None else changed[file.path], batch_tokens) for file in new
    ]
    ranked = sorted((file for file, why in looked_at if why is None), key=risk, reverse=True)
    read, left = ranked[:read_files], ranked[read_files:]
    skipped = [Skipped(file.path, why) for file, why in looked_at if why is not None]
    skipped += [Skipped(file.path, f"{_OVER_BUDGET}{read_files} files") for file in left]
    return Scope(
        mode=mode,
        reason=reason,
        tier=tier(read),
        batches=_batches(read, batch_tokens),
        skipped=tuple(skipped),
        total_files=len(files),
        total_hunks=sum(len(file.hunks) for file in files),
        as_reviewed=len(files) - len(new),
    )


def _look_at(
    file: ChangedFile, skip_paths: Sequence[str], hunks: Sequence[int] | None, batch_tokens: int
) -> tuple[ChangedFile, str | None]:
    """What is to be read of a file, and why it is not read."""
    reason = skip_reason(file, skip_paths)
    if reason is not None:
        return file, reason
    part = file if hunks is None else file.only(hunks)
    return part, _too_large(part, batch_tokens)


def skip_reason(file: ChangedFile, skip_paths: Sequence[str]) -> str | None:
    """Say why a file is not read, None for one that is."""
    if matches_any(file.path, skip_paths):
        return "matches skipPaths"
    if kinds.is_lock_file(file.path):
        return "lock file"
    if kinds.is_vendored(file.path):
        return "vendored"
    if not file.patch:
        return _no_patch_reason(file)
    if not file.hunks:
        return "its patch cannot be read"
    if all(line.text.startswith("Subproject commit ") for hunk in file.hunks for line in hunk.lines):
        return "submodule"
    if kinds.is_generated(file.path, _first_lines(file)):
        return "generated"
    return None


def _no_patch_reason(file: ChangedFile) -> str:
    if kinds.is_binary(file.path):
        return "binary"
    if file.changed_lines:
        return "too large for GitHub to show"
    if file.status in ("renamed", "copied"):
        return f"{file.status} without a change"
    return "binary, empty, or only its mode changed"


def _first_lines(file: ChangedFile) -> tuple[str, ...]:
    first = file.hunks[0]
    return tuple(line.text for line in first.lines if line.marker != "-") if first.new_start <= 1 else ()


def _too_large(file: ChangedFile, batch_tokens: int) -> str | None:
    return _TOO_LARGE if _size(file) > batch_tokens else None


def _size(file: ChangedFile) -> int:
    """How many tokens the file takes in a batch, the blank line before the next one included."""
    return estimated_tokens(show_file(file) + "\n")


def _batches(files: Sequence[ChangedFile], tokens: int) -> tuple[tuple[ChangedFile, ...], ...]:
    """Fill batches in order of risk, so that the riskiest are read first if time runs out."""
    batches: list[list[ChangedFile]] = []
    room = 0
    for file in files:
        size = _size(file)
        if not batches or size > room:
            batches.append([])
            room = tokens
        batches[-1].append(file)
        room -= size
    return tuple(tuple(batch) for batch in batches)
