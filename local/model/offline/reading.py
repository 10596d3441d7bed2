"""The files that the offline reviewer reads, page by page, as far as the window surely holds them."""

from collections.abc import Iterator, Mapping, Sequence

from local.model.answers import Block, tool_use
from local.model.read_files import READ_FILE, ReadFile

LINES_PER_CALL = 800
MOST_LINES = 20_000
MOST_CALLS_AT_ONCE = 40
MOST_TOKENS = 900_000
MOST_TOKENS_PER_CALL = 20_000


def next_reads(paths: Sequence[str], read: Mapping[str, ReadFile], tokens: int) -> list[Block]:
    """Ask for what is missing of these files, of very long ones for the first page only.

    No call is made twice, and no more of them than the window surely holds: `tokens` is what it holds already.
    """
    calls = [call for path in paths for call in _missing(path, read.get(path, ReadFile()))]
    room = max(MOST_TOKENS - tokens, 0) // MOST_TOKENS_PER_CALL
    return calls[: min(MOST_CALLS_AT_ONCE, room)]


def _missing(path: str, file: ReadFile) -> Iterator[Block]:
    if 1 not in file.asked:
        yield tool_use(READ_FILE, path=path)
    elif file.total is not None and len(file.lines) < file.total <= MOST_LINES:
        for start in _gaps(file, file.total):
            if start not in file.asked:
                end = min(start + LINES_PER_CALL - 1, file.total)
                yield tool_use(READ_FILE, path=path, start_line=start, end_line=end)


def _gaps(file: ReadFile, total: int) -> Iterator[int]:
    """The lines to start a call at, so that the calls cover everything that is missing."""
    number = 1
    while number <= total:
        if number in file.lines:
            number += 1
        else:
            yield number
            number += LINES_PER_CALL
