"""A change of a lock file as it is reviewed: the packages that differ, and what code alone tells is wrong."""

from dataclasses import dataclass

from kodiai.core.changes.lock_files.alarm import Alarm
from kodiai.core.changes.lock_files.alarms import alarms
from kodiai.core.changes.lock_files.comparison import MOST_ROWS, compare, table
from kodiai.core.changes.lock_files.read import read_lock_file


@dataclass(frozen=True)
class LockFileChange:
    """The rows that reviewers are shown in place of the text, and the number of packages that are not in there."""

    shown: str
    left_out: int
    alarms: tuple[Alarm, ...]


def lock_file_change(path: str, old: str | None, new: str | None) -> LockFileChange:
    """Read a lock file before and after a change, None where it does not exist. Raises UnreadableLockFile."""
    before = read_lock_file(path, old) if old is not None else None
    if new is None:
        return LockFileChange(f" {'':>6} | (all {len(before.packages) if before else 0} packages are gone)", 0, ())
    after = read_lock_file(path, new)
    changes = compare(before, after)
    shown = table(changes) or f" {'':>6} | (the same packages as before)"
    return LockFileChange(shown, max(len(changes) - MOST_ROWS, 0), alarms(before, after, changes, new.split("\n")))
