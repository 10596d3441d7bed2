"""The files that the offline reviewer reads, many in a call, as far as the window surely holds them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kodiai.core.changes.show import packed
from local.model.answers import Block, tool_use
from local.model.read_files import READ_FILES, ReadFile

LINES_PER_CALL = 800
FILES_PER_CALL = 40
MOST_LINES = 20_000
MOST_CALLS_AT_ONCE = 40
MOST_TOKENS = 900_000
MOST_TOKENS_PER_CALL = 20_000


def next_reads(paths: Sequence[str], read: Mapping[str, ReadFile], tokens: int) -> list[Block]:
    """Ask for what is missing of these files, of very long ones for the first page only.

    Nothing is asked twice, and no more than the window surely holds: `tokens` is what it holds already.
    """
    missing = (each for path in paths for each in _missing(path, read.get(path, ReadFile())))
    room = max(MOST_TOKENS - tokens, 0) // MOST_TOKENS_PER_CALL
    calls = [tool_use(READ_FILES, files=files) for files in packed(missing, _size, LINES_PER_CALL)]
    return calls[: min(MOST_CALLS_AT_ONCE, room)]


def _size(asked: Mapping[str, Any]) -> int:
    """The lines of a range. How many a new file has is not known yet: what does not fit is asked for again."""
    return int(asked["end_line"] - asked["start_line"] + 1 if "end_line" in asked else LINES_PER_CALL // FILES_PER_CALL)


def _missing(path: str, file: ReadFile) -> Iterator[dict[str, Any]]:
    if 1 not in file.asked:
        yield {"path": path}
    elif file.total is not None and len(file.lines) < file.total <= MOST_LINES:
        for start in _gaps(file, file.total):
            if start not in file.asked:
                yield {"path": path, "start_line": start, "end_line": min(start + LINES_PER_CALL - 1, file.total)}


def _gaps(file: ReadFile, total: int) -> Iterator[int]:
    """The lines to start a call at, so that the calls cover everything that is missing."""
    number = 1
    while number <= total:
        if number in file.lines:
            number += 1
        else:
            yield number
            number += LINES_PER_CALL
