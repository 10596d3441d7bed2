"""The parts of files that a conversation has read so far, from the answers of its tool."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from local.model.answers import Request
from local.model.request_rules import as_blocks, turns

READ_FILES = "read_files"
_HEAD = re.compile(r'FILE ("(?:[^"\\]|\\.)*") lines \d+-\d+ of (\d+)')
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
    """Collect what every answered call of the conversation gave, by path."""
    found: dict[str, ReadFile] = {}
    calls: set[str] = set()
    for _, blocks in turns(request):
        for block in blocks:
            if block["type"] == "tool_use" and block["name"] == READ_FILES:
                calls.add(block["id"])
                for each in block["input"].get("files", ()):
                    found.setdefault(str(each.get("path")), ReadFile()).asked.add(int(each.get("start_line", 1)))
            elif block["type"] == "tool_result" and block["tool_use_id"] in calls and not block.get("is_error"):
                _take(found, _text(block))
    return found


def _text(block: Mapping[str, Any]) -> str:
    return "".join(part.get("text", "") for part in as_blocks(block.get("content", [])))


def _take(found: dict[str, ReadFile], text: str) -> None:
    """Take the numbered lines below the title of each file; of a very long line its beginning."""
    file = ReadFile()
    for row in text.split("\n"):
        if head := _HEAD.fullmatch(row):
            file = found.setdefault(json.loads(head[1]), ReadFile())
            file.total = int(head[2])
        elif numbered := _ROW.fullmatch(row):
            file.lines[int(numbered[1])] = numbered[2] or ""
