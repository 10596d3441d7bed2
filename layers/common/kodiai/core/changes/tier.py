"""The tier of a review: how deep it goes."""

from collections.abc import Sequence
from typing import Literal

from kodiai.core.changes import kinds
from kodiai.core.changes.changed_file import ChangedFile

Tier = Literal["trivial", "lite", "full"]

TRIVIAL_LINES = 10
LITE_LINES = 100
_FULL_FILES = 50


def tier(files: Sequence[ChangedFile]) -> Tier:
    """The tier, by the changed lines and the paths of the files that are read."""
    count = sum(not file.is_only_moved for file in files)
    if count > _FULL_FILES or any(kinds.is_sensitive(file.path) for file in files):
        return "full"
    lines = sum(file.lines_to_read for file in files)
    if lines <= TRIVIAL_LINES:
        return "trivial"
    return "lite" if lines <= LITE_LINES else "full"
