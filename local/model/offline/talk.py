"""What people talk about with the offline reviewer: the findings that a thread or a conversation shows, as it is told.

Whatever is missing, cut or in another form is passed over: a talk never fails on its material.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from local.model.answers import Block, tool_use
from local.model.offline.earlier import Earlier
from local.model.offline.likeness import squeezed
from local.model.offline.look_back import look_back
from local.model.offline.reading import LINES_PER_CALL, READ_FILE, FileRead
from local.model.offline.ruff_run import RuffFailed
from local.model.offline.sight import look_at

THREAD, CONVERSATION = "# The thread", "# The conversation"
_OF_A_FINDING = ("severity", "quote", "explanation")
_FENCE = re.compile(r"(`{3,}|~{3,})[^`]*")
_NUMBER = re.compile(r"\d{1,9}")
_STANDS = re.compile(r"stands at (?:line )?(\d{1,9})\b")
_GONE = re.compile(r"\bgone\b")
_NOT_SHOWN = re.compile(r"Not shown: (\d{1,6})\b.*")
_CUT = "…"


@dataclass(frozen=True)
class Told:
    """A finding as the material tells of it: what it does not say is empty.

    `line` is the first one that the finding is about, `now` where its code is at the head, as the material puts it.
    """

    severity: str
    status: str
    path: str
    line: int | None
    title: str
    explanation: str
    quote: str
    now: str

    @property
    def is_open(self) -> bool:
        """Whether nobody has closed it."""
        return self.status in ("", "open")

    @property
    def stands_at(self) -> int | None:
        """The line at which the material says that its code stands."""
        found = _STANDS.match(self.now)
        return int(found[1]) if found else None

    @property
    def is_said_to_be_gone(self) -> bool:
        """Whether the material says that its code is gone, or its file."""
        return _GONE.search(self.now) is not None


@dataclass(frozen=True)
class Place:
    """Where a finding's problem is: at this line as it is quoted, or otherwise than `as_quoted`."""

    line: int
    as_quoted: bool


class Unread(Exception):
    """The file could not be read as far as was necessary."""


def read_told(block: str) -> list[Told]:
    """Read the findings of a thread or a conversation; what stands in fenced code is none."""
    rows = (_fields(line) for line in _unfenced(block) if line.startswith("{"))
    return [_told(row) for row in rows if "title" in row and any(name in row for name in _OF_A_FINDING)]


def left_out(block: str) -> int:
    """How many more findings there are than the material shows."""
    return next((int(found[1]) for line in _unfenced(block) if (found := _NOT_SHOWN.fullmatch(line))), 0)


def read_for(told: Told, read: Mapping[str, FileRead]) -> Block | None:
    """Ask once for the lines around a finding, None where they were asked for, or nothing says where they are."""
    if not told.path or told.path.endswith(_CUT) or told.path in read:
        return None
    at = told.stands_at or told.line or 1
    if at <= LINES_PER_CALL // 2:
        return tool_use(READ_FILE, path=told.path)
    start = at - LINES_PER_CALL // 2
    return tool_use(READ_FILE, path=told.path, start_line=start, end_line=start + LINES_PER_CALL - 1)


def where(told: Told, file: FileRead | None) -> Place | None:
    """Find a finding's problem in what was read of its file: its quoted code, else what the same rule finds.

    None where there is none in the file; raises Unread where that cannot be known.
    """
    at = told.stands_at or told.line or 1
    if file is not None and (places := _quoted(told.quote, file.lines)):
        return Place(min(places, key=lambda line: abs(line - at)), as_quoted=True)
    if told.stands_at is not None:
        return Place(told.stands_at, as_quoted=True)
    if told.is_said_to_be_gone and (file is None or file.total is None):
        return None
    if file is None or file.whole is None or not told.quote or told.quote.endswith(_CUT):
        raise Unread
    line = _found_again(told, file)
    return Place(line, as_quoted=False) if line else None


def _quoted(quote: str, lines: Mapping[int, str]) -> list[int]:
    """The lines at which the quoted code begins, white space aside; a quote may end within a line, or be cut."""
    wanted = squeezed(quote.removesuffix(_CUT))
    starts: dict[int, int] = {}
    text = ""
    for number, line in sorted(lines.items()):
        starts[len(text)] = number
        text += squeezed(line)
    found = []
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        found.append(starts[max(start for start in starts if start <= at)])
        at = text.find(wanted, at + 1)
    return found


def _found_again(told: Told, file: FileRead) -> int | None:
    """The line at which the rule of a finding finds its problem now, None where it does not, or there is no rule."""
    earlier = Earlier("F", told.title, told.path, told.quote, "", told.explanation)
    try:
        sight = look_at({told.path: file.whole or []})
        [outcome], spots = look_back([earlier], [], {told.path: file}, sight, [])
    except RuffFailed as error:
        raise Unread from error
    if outcome.answer in ("NOT_ADDRESSED", "PARTIAL"):
        return min((line for _, _, line in spots), default=None)
    return None


def _unfenced(block: str) -> Iterator[str]:
    fence = ""
    for line in block.split("\n"):
        if fence:
            fence = "" if line.startswith(fence) and not line.strip(fence[0] + " ") else fence
        elif opened := _FENCE.fullmatch(line):
            fence = opened[1]
        else:
            yield line


def _fields(line: str) -> dict[str, Any]:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}


def _told(row: Mapping[str, Any]) -> Told:
    texts = {name: str(row.get(name) or "") for name in Told.__annotations__ if name != "line"}
    line = _NUMBER.search(str(row.get("lines") or row.get("start_line") or row.get("line") or ""))
    return Told(**texts, line=int(line[0]) if line else None)
