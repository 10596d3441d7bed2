"""The data folder of the local system: only its owner may read it, and only one process at a time may use it."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

FORMAT = 1
"""The format in which everything here is kept. One that an older version cannot read gets the next number."""

_MARK = "kodiai-data"


class UnusableFolder(OSError):
    """The folder cannot be used; the message is for the person who named it."""


@contextmanager
def locked_folder(folder: Path) -> Iterator[Path]:
    """Lock a folder, which is made if there is none, until the end, also that of a process that is killed.

    Raises UnusableFolder if another process has locked it, if its format is not known, or if it holds other things.
    """
    with _open(folder) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UnusableFolder(f"{folder} is in use by another process") from error
        known = file.read().strip()
        if known not in ("", f"{FORMAT}"):
            raise UnusableFolder(f"{folder} is kept in format {known}, and only {FORMAT} is known here")
        if not known:
            file.write(f"{FORMAT}\n")
            file.flush()
        yield folder


def _open(folder: Path) -> IO[str]:
    """Make the folder our own, as far as it is not, and open its mark."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        mark = folder / _MARK
        is_foreign = not mark.exists() and any(folder.iterdir())
        if not is_foreign:
            folder.chmod(0o700)  # the data may quote private code
            return os.fdopen(os.open(mark, os.O_RDWR | os.O_CREAT, 0o600), "r+")
    except OSError as error:
        raise UnusableFolder(f"{folder} cannot be used: {error.strerror}") from error
    raise UnusableFolder(f"{folder} holds other things: name an empty folder, or one that does not exist")
