"""How much is at stake: which files come first, and how deep the review goes."""

from collections.abc import Sequence
from typing import Literal

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.kinds import is_data, is_prose, is_sensitive, is_test

Tier = Literal["trivial", "lite", "full"]

TRIVIAL_LINES = 10
LITE_LINES = 100
FULL_FILES = 50


def risk(file: ChangedFile) -> tuple[int, int]:
    """Rank a file, higher first: its kind, then its added lines (what is new can be wrong)."""
    if is_sensitive(file.path):
        kind = 4
    elif is_prose(file.path) or is_data(file.path):
        kind = 1
    elif is_test(file.path):
        kind = 2
    else:
        kind = 3
    return kind if file.status != "removed" else 0, file.additions


def tier(files: Sequence[ChangedFile]) -> Tier:
    """How deep the review goes, from the changed lines and the paths of the files that are read."""
    lines = sum(file.changed_lines for file in files)
    if len(files) > FULL_FILES or any(is_sensitive(file.path) for file in files):
        return "full"
    if lines <= TRIVIAL_LINES:
        return "trivial"
    return "lite" if lines <= LITE_LINES else "full"
