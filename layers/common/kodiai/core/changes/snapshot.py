"""What a run saw of the pull request, kept so that the next one can tell what is new."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from kodiai.core.changes.changed_file import ChangedFile


@dataclass(frozen=True)
class SeenFile:
    """A file as a run saw it: its content's id, where it came from, and its hunks' keys in order."""

    path: str
    previous_path: str | None
    blob: str
    hunks: tuple[str, ...]


@dataclass(frozen=True)
class Snapshot:
    """All files of a pull request as a run saw them, and the settings it went by."""

    files: tuple[SeenFile, ...]
    config: str

    @classmethod
    def of(cls, files: Sequence[ChangedFile], config: str) -> "Snapshot":
        """Keep what is needed of the files; `config` is a key of the repository's settings."""
        seen = (
            SeenFile(file.path, file.previous_path, file.blob, tuple(hunk.key for hunk in file.hunks)) for file in files
        )
        return cls(tuple(seen), config)


def shows_nothing_new(now: Snapshot, before: Snapshot) -> bool:
    """Whether everything that the pull request changes was there before, under the same settings.

    True for a rebase, a merge of the base, or a revert of the last push. A file without hunks counts by its content.
    """
    if now.config != before.config:
        return False
    known = {file.path: file for file in before.files}
    return all(_was_there(file, known.get(file.path)) for file in now.files)


def _was_there(file: SeenFile, before: SeenFile | None) -> bool:
    if before is None or file.previous_path != before.previous_path:
        return False
    if not file.hunks:
        return file.blob == before.blob
    return not Counter(file.hunks) - Counter(before.hunks)
