"""Snapshots of a pull request: a run keeps one, so that the next run can tell what is new."""

import hashlib
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from kodiai.core.changes.changed_file import ChangedFile, Skipped
from kodiai.core.changes.scope import Scope
from kodiai.core.changes.team_ruling import TeamRuling

_MOST_EARLIER = 200


@dataclass(frozen=True)
class SeenFile:
    """A file as a run saw it: its content's id, where it came from, and the keys of its hunks' sections in order.

    `change` is a digest of all its changed lines, however git cuts them into hunks, and without hunks of what else is
    known of the change.
    `earlier` are keys of sections that earlier runs reviewed and that are not there now.
    `left_out` is why it was not read although it needs to be, else ""; `is_lasting` is whether no other run can read
    it. `excused` is True if it need not be read, `named` is then the kind of file under which a review names it, ""
    for none. `hidden` is why nobody sees on GitHub what changed, else "".
    """

    path: str
    previous_path: str | None
    blob: str
    hunks: tuple[str, ...]
    change: str = ""
    earlier: tuple[str, ...] = ()
    left_out: str = ""
    excused: bool = False
    is_lasting: bool = False
    named: str = ""
    hidden: str = ""

    @property
    def is_read(self) -> bool:
        """Whether a run has read it."""
        return not (self.left_out or self.excused)


@dataclass(frozen=True)
class Difference:
    """The changes of a pull request that the last completed run did not see.

    `changed` has, by path, the places (from 0) of the sections that are new; none of them for a file without hunks.
    `back` are the files among them whose new sections were all reviewed by earlier runs.
    `gone` has, by the old path, the keys of the sections that are no longer there.
    `renamed` maps old paths to new ones.
    """

    changed: Mapping[str, tuple[int, ...]]
    back: Collection[str] = frozenset()
    gone: Mapping[str, frozenset[str]] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def is_new(self) -> bool:
        """Whether it has a change that no run has reviewed."""
        return any(path not in self.back for path in self.changed)

    def touches(self, path: str, hunk: str | None) -> bool:
        """Whether a hunk of the last run is gone; without a hunk, whether the file changed."""
        if hunk is None:
            return self.path_now(path) in self.changed or path in self.gone
        return hunk in self.gone.get(path, ())

    def path_now(self, path: str) -> str:
        """The path that a file of the last run has now."""
        return self.renamed.get(path, path)

    def path_then(self, path: str) -> str:
        """The path that a file of today had at the last run."""
        return self._renamed_from.get(path, path)

    @cached_property
    def _renamed_from(self) -> Mapping[str, str]:
        return {now: then for then, now in reversed([*self.renamed.items()])}


NO_DIFFERENCE = Difference({})


@dataclass(frozen=True)
class Coverage:
    """The number of files that were read, and of those that need to be read and were not.

    `not_read` are the files that were not read, each with its kind, "" where it needs to be read; without those that
    the settings skip. `hidden` are files that were read, each with why nobody sees on GitHub what changed.
    """

    read: int
    unread: int
    not_read: tuple[tuple[str, str], ...] = ()
    hidden: tuple[tuple[str, str], ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether something was read, and everything that changed."""
        return self.read > 0 and not self.unread and not self.not_read and not self.hidden


@dataclass(frozen=True)
class Snapshot:
    """All files of a pull request as a run saw them, the settings it went by, and its rulings on the team's rules."""

    files: tuple[SeenFile, ...]
    config: str
    rulings: tuple[TeamRuling, ...] = ()

    @classmethod
    def of(cls, files: Sequence[ChangedFile], config: str) -> "Snapshot":
        """Keep what is needed of the files; `config` is a key of the repository's settings."""
        return cls(tuple(_seen(file) for file in files), config)

    @property
    def coverage(self) -> Coverage:
        """The numbers of files that were read, in the run that saw this or before, and of those left to read."""
        return Coverage(
            read=sum(file.is_read for file in self.files),
            unread=sum(bool(file.left_out) for file in self.files),
            not_read=tuple((file.path, file.named) for file in self.files if file.left_out or file.named),
            hidden=tuple((file.path, file.hidden) for file in self.files if file.hidden and file.is_read),
        )

    @property
    def left_out(self) -> frozenset[str]:
        """The paths of the files that need to be read and were not."""
        return frozenset(file.path for file in self.files if file.left_out)

    @property
    def waits(self) -> bool:
        """Whether another run can read what was left out."""
        return any(file.left_out and not file.is_lasting for file in self.files)

    def read_as(self, scope: Scope) -> "Snapshot":
        """The snapshot after a run that read this scope; other files keep their state."""
        now: dict[str, Skipped | None] = {file.path: None for file in scope.files}
        now |= {each.path: each for each in scope.skipped}
        files = (_as_read(file, now[file.path]) if file.path in now else file for file in self.files)
        return replace(self, files=tuple(files))

    def after(self, before: "Snapshot") -> "Snapshot":
        """The snapshot with what earlier runs, up to `before`, have reviewed or left out."""
        pairs = _pairs(self, before)
        files = tuple(_remembering(file, _known(file, pairs)) for file in self.files)
        return replace(self, files=files, rulings=before.rulings)

    def hunks(self, path: str) -> tuple[str, ...]:
        """The keys of a file's hunks, none where the pull request does not change it."""
        return self._hunks.get(path, ())

    def blob(self, path: str) -> str:
        """The id of a file's content, "" if it is unknown, or the pull request does not change the file."""
        return next((file.blob for file in self.files if file.path == path), "")

    def has_hunk(self, path: str, hunk: str) -> bool:
        """Whether a file has a hunk with this key."""
        return hunk in self._keys.get(path, ())

    @cached_property
    def _hunks(self) -> Mapping[str, tuple[str, ...]]:
        return {file.path: file.hunks for file in reversed(self.files)}

    @cached_property
    def _keys(self) -> Mapping[str, frozenset[str]]:
        return {path: frozenset(hunks) for path, hunks in self._hunks.items()}


def difference(now: Snapshot, before: Snapshot) -> Difference:
    """Compare by content: neither commits, nor line numbers, nor where git cuts a change into hunks count.

    A rebase, a force-push or a merge of the base makes no difference where the changed lines are the same.
    """
    pairs = _pairs(now, before)
    changed: dict[str, tuple[int, ...]] = {}
    back = set()
    for file in now.files:
        seen = _known(file, pairs)
        if seen is not None and _same(file, seen):
            continue
        places = _new_places(file, seen)
        if places or not file.hunks:
            changed[file.path] = places
        if places and seen is not None and {*seen.earlier}.issuperset(file.hunks[at] for at in places):
            back.add(file.path)
    renamed = {seen.path: path for path, seen in pairs.items() if seen.path != path}
    return Difference(changed, frozenset(back), dict(_gone(now, before, pairs)), renamed)


def _gone(now: Snapshot, before: Snapshot, pairs: Mapping[str, SeenFile]) -> Iterator[tuple[str, frozenset[str]]]:
    today = {pairs[file.path].path: file for file in now.files if file.path in pairs}
    for seen in before.files:
        file = today.get(seen.path)
        if file is None:
            yield seen.path, frozenset(seen.hunks)
        elif not _same(file, seen) and (gone := frozenset(seen.hunks) - frozenset(file.hunks)):
            yield seen.path, gone


def _seen(file: ChangedFile) -> SeenFile:
    changed = (line for hunk in file.hunks for line in hunk.lines if line.marker != " ")
    lines = "\n".join(f"{line.marker}{line.text}{line.ends_file:d}" for line in changed)
    # Of the same content there may be another mode, or another origin.
    told = lines or f"{file.status} {file.previous_path} {file.skipped}"
    digest = hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    hunks = tuple(section.key for section in file.sections)
    return SeenFile(file.path, file.previous_path, file.blob, hunks, digest, hidden=file.hidden)


def _as_read(file: SeenFile, skipped: Skipped | None) -> SeenFile:
    """The file after a run that read it, or else skipped it."""
    if skipped is None:
        return replace(file, left_out="", excused=False, named="")
    left_out = "" if skipped.excused else skipped.reason
    return replace(file, left_out=left_out, excused=skipped.excused, is_lasting=skipped.is_lasting, named=skipped.named)


def _known(file: SeenFile, pairs: Mapping[str, SeenFile]) -> SeenFile | None:
    """The file of the last run, None if it need not be read at the path that it had then."""
    seen = pairs.get(file.path)
    return None if seen is not None and seen.excused and seen.path != file.path else seen


def _same(file: SeenFile, seen: SeenFile) -> bool:
    """Whether it is the same change; runs of earlier versions kept nothing of changes without hunks but the content."""
    if file.hunks or seen.hunks:
        return file.change == seen.change
    return file.blob == seen.blob and seen.change in (file.change, "")


def _new_places(file: SeenFile, seen: SeenFile | None) -> tuple[int, ...]:
    """The places of the hunks that are new; a hunk that is repeated more often than before is new too."""
    left = Counter(seen.hunks if seen is not None else ())
    places = []
    for at, key in enumerate(file.hunks):
        left[key] -= 1
        if left[key] < 0:
            places.append(at)
    return tuple(places)


def _remembering(file: SeenFile, seen: SeenFile | None) -> SeenFile:
    if seen is None:
        return file
    reviewed = (*seen.hunks, *seen.earlier) if seen.is_read else seen.earlier
    there = frozenset(file.hunks)
    return replace(
        file,
        earlier=tuple(key for key in dict.fromkeys(reviewed) if key not in there)[:_MOST_EARLIER],
        left_out=seen.left_out,
        excused=seen.excused,
        is_lasting=seen.is_lasting,
        named=seen.named,
    )


def _pairs(now: Snapshot, before: Snapshot) -> dict[str, SeenFile]:
    """The file of the last run for each path of today: by path, else by its origin, else by its content."""
    known = {file.path: file for file in before.files}
    pairs = {file.path: known[file.path] for file in now.files if file.path in known}
    left = [file for file in before.files if file.path not in pairs]
    taken: set[int] = set()
    for names, wanted in ((_names, _origins), (_content, _content)):
        places: dict[tuple[str, str], deque[int]] = defaultdict(deque)
        for at, seen in enumerate(left):
            for name in names(seen):
                places[name].append(at)
        for file in now.files:
            found = [places[name] for name in wanted(file) if name in places] if file.path not in pairs else []
            for queue in found:
                while queue and queue[0] in taken:
                    queue.popleft()
            first = min((queue[0] for queue in found if queue), default=None)
            if first is not None:
                pairs[file.path] = left[first]
                taken.add(first)
    return pairs


def _names(seen: SeenFile) -> list[tuple[str, str]]:
    return [("is", seen.path), *([("was", seen.previous_path)] if seen.previous_path else [])]


def _origins(file: SeenFile) -> list[tuple[str, str]]:
    """The names by which a pull request that renamed it has it: away, on, or back."""
    before = file.previous_path
    return [("was", file.path), *([("is", before), ("was", before)] if before else [])]


def _content(file: SeenFile) -> list[tuple[str, str]]:
    return [("blob", file.blob)] if file.blob else []
