"""The parts of files that a conversation has read so far, from the answers of its tool."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from local.model.answers import Request
from local.model.request_rules import as_blocks, turns

READ_FILE = "read_file"
_HEAD = re.compile(r'FILE "(?:[^"\\]|\\.)*" lines \d+-\d+ of (\d+)')
_ROW = re.compile(r" *(\d+) \|(?: (.*))?", re.DOTALL)


@dataclass
class ReadFile:
    """The lines of one file that have been read, by number; `total` is None until one read succeeded.

    `asked` are the lines at which a read was to begin.
    """

    lines: dict[int, str] = field(default_factory=dict)
    total: int | None = None
    asked: set[int] = field(default_factory=set)

    @property
    def whole(self) -> list[str] | None:
        """Every line of the file, or None while some are missing."""
        if self.total is None or len(self.lines) < self.total:
            return None
        return [self.lines[number] for number in range(1, self.total + 1)]


def read_files(request: Request) -> dict[str, ReadFile]:
    """Collect every answered read_file call of the conversation, by path."""
    found: dict[str, ReadFile] = {}
    asked: dict[str, ReadFile] = {}
    for _, blocks in turns(request):
        for block in blocks:
            if block["type"] == "tool_use" and block["name"] == READ_FILE:
                arguments = block["input"]
                file = found.setdefault(str(arguments.get("path")), ReadFile())
                file.asked.add(int(arguments.get("start_line", 1)))
                asked[block["id"]] = file
            elif block["type"] == "tool_result" and block["tool_use_id"] in asked and not block.get("is_error"):
                _take(asked[block["tool_use_id"]], _text(block))
    return found


def _text(block: Mapping[str, Any]) -> str:
    return "".join(part.get("text", "") for part in as_blocks(block.get("content", [])))


def _take(file: ReadFile, text: str) -> None:
    """Take the numbered lines of one answer; of a very long line its beginning."""
    title, _, body = text.partition("\n")
    head = _HEAD.fullmatch(title)
    if head is None:
        return
    file.total = int(head[1])
    rows = (_ROW.fullmatch(line) for line in body.split("\n"))
    file.lines.update({int(row[1]): row[2] or "" for row in rows if row})
