"""Findings of earlier reviews: how a question shows them, and what the offline reviewer answers about each."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from local.model.offline.changes import Change
from local.model.offline.titles import kind_at

HEADING = "# Findings of earlier reviews"
_GONE = "the file is gone"
_STANDS = re.compile(r"stands at line (\d{1,9})")
_HUNK = re.compile(r"@@ -\S+ \+(\d+)")
_ALIKE = re.compile(r" The same in (\d{1,6}) more places of this file: ")
_TEXTS = ("title", "path", "quote", "now", "explanation", "change_since")


@dataclass(frozen=True)
class Earlier:
    """One finding that was told before; `now` says where its code is at the head, as the question puts it."""

    finding: str
    title: str
    path: str
    quote: str
    now: str
    explanation: str = ""
    change_since: str = ""

    @property
    def fresh(self) -> frozenset[int]:
        """The lines of its file that are new since it was last reviewed; where none is, those next to removed ones."""
        fresh: set[int] = set()
        next_to: set[int] = set()
        number = 0
        for row in self.change_since.split("\n"):
            if found := _HUNK.match(row):
                number = int(found[1])
            elif number and row.startswith("+"):
                fresh.add(number)
                number += 1
            elif number and row.startswith("-"):
                next_to |= {number - 1, number}
            elif number:
                number += 1
        return frozenset(fresh or next_to)

    @property
    def line(self) -> int | None:
        """Where the quoted code stands at the head, if it does."""
        stands = _STANDS.fullmatch(self.now)
        return int(stands[1]) if stands else None

    @property
    def others(self) -> int:
        """For how many more places of its file the finding spoke."""
        alike = _ALIKE.search(self.explanation)
        return int(alike[1]) if alike else 0

    def home(self, changes: Sequence[Change]) -> str | None:
        """Give the path of its file at the head, None where the file is gone."""
        shown = {change.path: change.status for change in changes}
        if self.now != _GONE and shown.get(self.path) != "removed":
            return self.path
        moved = (change.path for change in changes if change.status == "renamed" and change.previous == self.path)
        return next(moved, None)


@dataclass(frozen=True)
class Outcome:
    """What has become of an earlier finding; `quote` is code of `path` at the head that shows it."""

    finding: str
    answer: Literal["ADDRESSED", "PARTIAL", "NOT_ADDRESSED", "CANNOT_TELL"]
    path: str
    quote: str
    why: str

    def as_entry(self) -> dict[str, object]:
        """Give the fields that the extraction asks for; of arguments and of graver problems it says nothing."""
        return {**asdict(self), "severity": None, "concedes": False}


def is_about_earlier(block: str) -> bool:
    """Whether a text block of the question shows earlier findings."""
    return block.partition("\n")[0] == HEADING


def read_earlier(blocks: Sequence[str]) -> list[Earlier]:
    """Read the earlier findings of a question's text blocks; in no other block anything is taken for one."""
    found: dict[str, Earlier] = {}
    for block in filter(is_about_earlier, blocks):
        for line in block.split("\n"):
            fields = _fields(line)
            name = fields.get("finding")
            if isinstance(name, str) and name and name not in found:
                texts = {key: str(fields.get(key) or "") for key in _TEXTS}
                found[name] = Earlier(name, **texts)
    return list(found.values())


def to_read(earlier: Sequence[Earlier], changes: Sequence[Change]) -> dict[str, frozenset[int]]:
    """Give the files that must be known for answers, by path, with the lines at which quoted code stands.

    A file that is gone is not there, nor one of which no rule could say what the finding says.
    """
    found: dict[str, frozenset[int]] = {}
    for each in earlier:
        path = each.home(changes)
        if path is not None and kind_at(each.title, path):
            found[path] = found.get(path, frozenset()) | ({each.line} if each.line else frozenset())
    return found


def _fields(line: str) -> dict[str, Any]:
    try:
        fields = json.loads(line) if line.startswith("{") else {}
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}
