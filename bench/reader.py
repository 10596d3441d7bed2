"""The reader of the benchmarks, which looks things up, reports and answers as a model does.

All that depends on how a reader is asked and reports is in this file.
"""

import json
import zlib
from collections.abc import Mapping
from typing import Any

from local.model import Answer, ModelRequest, OfflineReviewer, Request, a_report, reporting, tool_use, tools
from local.model.changes import Change
from local.model.offline.look_back import EarlierFinding

_LOOKED_UP = "# Looked up by the readers before you"
_REPORTED_FILES = 3
_PROBLEM = "The first value over the limit is let through, because the limit grows before it is compared."


class Reader:
    """Reads one file in each conversation, then reports a problem in every third changed file; the judge keeps all.

    It does not read what readers before it have read. An earlier finding is not addressed, unless its line changed.
    Equal requests have equal answers, and findings about other lines have other texts.
    """

    def __init__(self) -> None:
        self._others = OfflineReviewer()

    def answer(self, request: Request) -> Answer:
        """Answer the request."""
        asked = ModelRequest(request)
        if asked.kind != "find":
            return self._others.answer(request)
        changes = [change for change in asked.changes if change.is_text_at_head and change.added]
        paths = [change.path for change in changes] + [row["path"] for row in asked.earlier]
        if asked.may_read and asked.turns_taken == 0 and paths and not _is_shown(paths[0], asked):
            return tools(tool_use("read_files", files=[{"path": paths[0]}]))
        if not asked.sums_up:
            return reporting()
        found = [_finding(change) for change in changes[::_REPORTED_FILES]]
        answers = [_answer(row, asked) for row in asked.earlier]
        return reporting(a_report("It changes limits.", found, answers))


def _is_shown(path: str, asked: ModelRequest) -> bool:
    """Whether a reader before this one has read the file."""
    return any(f"\nFILE {json.dumps(path)} " in text for text in asked.texts if text.startswith(_LOOKED_UP))


def _finding(change: Change) -> Mapping[str, Any]:
    """A finding about the longest added line of a file."""
    line, code = max(change.added.items(), key=lambda row: len(row[1].strip()))
    return {
        "severity": "MEDIUM",
        "category": "correctness",
        "kind": "impact",
        "path": change.path,
        "start_line": line,
        "end_line": line,
        "title": f"The limit of {change.path} is off by one in case {zlib.crc32(code.encode())}",
        "explanation": _PROBLEM,
        "quote": code.strip(),
        "replacement": None,
        "pre_existing": False,
    }


def _answer(row: Mapping[str, Any], asked: ModelRequest) -> Mapping[str, Any]:
    """The answer about an earlier finding; a line that came in its place fixes it."""
    changes = asked.changes
    earlier = EarlierFinding.read(row, changes, asked.diffs_since)
    added = {number: code for change in changes if change.path == earlier.path for number, code in change.added.items()}
    fix = next((added[line].strip() for line in earlier.changed_lines if added.get(line, "").strip()), "")
    stands = earlier.line is not None or not (fix or earlier.is_gone)
    return {
        "finding": earlier.id,
        "answer": "NOT_ADDRESSED" if stands else "ADDRESSED",
        "path": earlier.path,
        "quote": earlier.quote if stands else fix,
        "why": "The limit is compared as before." if stands else "The limit is compared first now.",
        "severity": None,
        "concedes": False,
    }
