"""What the conversation has read of files so far, and what to read next."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from local.model.answers import Block, Request, tool_use
from local.model.offline.changes import Change
from local.model.offline.kinds import is_python
from local.model.request_rules import as_blocks, turns

READ_FILE = "read_file"
LINES_PER_CALL = 800
MOST_CALLS_AT_ONCE = 40
MOST_TOKENS = 900_000
MOST_TOKENS_PER_CALL = 20_000
MOST_LINES_OF_OTHERS = 4000
_HEAD = re.compile(r'FILE "(?:[^"\\]|\\.)*" lines (\d+)-(\d+) of (\d+)')
_ROW = re.compile(r" *(\d+) \|(?: (.*))?", re.DOTALL)


@dataclass
class FileRead:
    """The lines of one file that have been read, by number; `total` is None until one read succeeded."""

    lines: dict[int, str] = field(default_factory=dict)
    total: int | None = None
    asked: set[int] = field(default_factory=set)

    @property
    def whole(self) -> list[str] | None:
        """Every line of the file, or None while some are missing."""
        if self.total is None or len(self.lines) < self.total:
            return None
        return [self.lines[number] for number in range(1, self.total + 1)]


def files_read(request: Request) -> dict[str, FileRead]:
    """Gather every answered read_file call of the conversation, by path."""
    found: dict[str, FileRead] = {}
    asked: dict[str, FileRead] = {}
    for _, blocks in turns(request):
        for block in blocks:
            if block["type"] == "tool_use" and block["name"] == READ_FILE:
                arguments = block["input"]
                file = found.setdefault(str(arguments.get("path")), FileRead())
                file.asked.add(int(arguments.get("start_line", 1)))
                asked[block["id"]] = file
            elif block["type"] == "tool_result" and block["tool_use_id"] in asked and not block.get("is_error"):
                _take(asked[block["tool_use_id"]], _words(block))
    return found


def next_reads(
    changes: Sequence[Change], back: Mapping[str, Set[int]], read: Mapping[str, FileRead], tokens: int
) -> list[Block]:
    """Ask for what is still missing: each changed text file once, then the rest of those that were cut.

    `back` has the files of earlier findings, by path, with the lines where their code stands.
    Python files come first and are read to their ends; so is any other file of `back` that is not too long.
    Of the rest the first page is read, and the pages with added lines or lines of `back`.
    No call is made twice, and no more of them than the window surely holds: `tokens` is what it holds already.
    """
    lines: dict[str, Set[int]] = {change.path: change.added.keys() for change in changes if change.is_text_at_head}
    for path, standing in back.items():
        lines[path] = lines.get(path, frozenset()) | standing
    calls: list[Block] = []
    for path in sorted(lines, key=lambda each: (not is_python(each), each not in back)):
        calls += _missing(path, lines[path], read.get(path, FileRead()), back=path in back)
    room = max(MOST_TOKENS - tokens, 0) // MOST_TOKENS_PER_CALL
    return calls[: min(MOST_CALLS_AT_ONCE, room)]


def _missing(path: str, lines: Set[int], file: FileRead, *, back: bool) -> Iterator[Block]:
    if 1 not in file.asked:
        yield tool_use(READ_FILE, path=path)
    if file.total is None or len(file.lines) >= file.total:
        return
    to_the_end = is_python(path) or (back and file.total <= MOST_LINES_OF_OTHERS)
    for start in _gaps(file):
        end = min(start + LINES_PER_CALL - 1, file.total)
        wanted = to_the_end or any(start <= number <= end for number in lines)
        if wanted and start not in file.asked:
            yield tool_use(READ_FILE, path=path, start_line=start, end_line=end)


def _gaps(file: FileRead) -> Iterator[int]:
    """The lines to start a call at, so that the calls cover everything that is missing."""
    number = 1
    while file.total is not None and number <= file.total:
        if number in file.lines:
            number += 1
        else:
            yield number
            number += LINES_PER_CALL


def _words(block: Mapping[str, Any]) -> str:
    return "".join(part.get("text", "") for part in as_blocks(block.get("content", [])))


def _take(file: FileRead, words: str) -> None:
    """Take the numbered lines of one answer; one that was cut ends before the line in which it was cut."""
    title, _, body = words.partition("\n")
    head = _HEAD.fullmatch(title)
    if head is None:
        return
    first, last, file.total = (int(number) for number in head.groups())
    rows = [_ROW.fullmatch(line) for line in body.split("\n")][: max(last - first + 1, 0)]
    whole = list(takewhile(lambda row: row is not None, rows))
    if len(whole) <= last - first:
        whole = whole[:-1]
    file.lines.update({int(row[1]): row[2] or "" for row in whole if row})
