"""Merge conflicts that were committed with their markers."""

import re
from collections.abc import Mapping

from kodiai.core.changes.kinds import is_prose
from local.model.offline.changes import Change
from local.model.offline.problem import Problem

CONFLICT = "A merge conflict is left in the file"
_OPENS = re.compile(r"<{7}( .*)?\r?")
_PARTS = re.compile(r"={7}\r?")
_CLOSES = re.compile(r">{7}( .*)?\r?")
_MEANING = (
    "The lines from here to line {end} hold both sides of a merge and git's own markers. Code in this state does not "
    "compile, and data and text say everything twice."
)


def conflicts(change: Change) -> list[Problem]:
    """Find each conflict whose three markers, opening, parting and closing, are all on added lines."""
    found = []
    for opening in sorted(number for number, text in change.added.items() if _OPENS.fullmatch(text)):
        closing = _end(change.added, opening)
        if closing:
            found.append(_problem(change, opening, closing))
    return found


def _end(added: Mapping[int, str], opening: int) -> int | None:
    parted = False
    for number in sorted(line for line in added if line > opening):
        if _OPENS.fullmatch(added[number]):
            return None
        parted = parted or _PARTS.fullmatch(added[number]) is not None
        if parted and _CLOSES.fullmatch(added[number]):
            return number
    return None


def _problem(change: Change, opening: int, closing: int) -> Problem:
    return Problem(
        rule="merge conflict",
        severity="MAJOR" if is_prose(change.path) else "CRITICAL",
        category="correctness",
        kind="impact",
        path=change.path,
        start_line=opening,
        end_line=opening,
        title=CONFLICT,
        explanation=_MEANING.format(end=closing),
        quote=change.added[opening].rstrip("\r"),
    )
