"""A budget in characters that texts share."""

import json
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

LONGEST_LISTED = 400
"""Characters of an entry in a list."""

_LEAST_TEXT = 20  # characters below which a text is better left out than cut
_BREAKS = {ord(char): f"\\u{ord(char):04x}" for char in "\x7f\x85\u2028\u2029"}  # JSON lets them stand in a line


@dataclass(frozen=True)
class ContextPart:
    """A part of a context: `body` gives at most the characters that it is asked for, "" where it has nothing for them.

    `least` is what it gets before the others get more, in characters.
    """

    title: str
    body: Callable[[int], str]
    least: int = 0

    def show(self, room: int) -> str:
        """Show the part under its heading, within this number of characters."""
        heading = f"\n\n## {self.title}\n\n"
        text = self.body(room - len(heading)) if room > len(heading) else ""
        return heading + text if text else ""


def arranged(heading: str, parts: Sequence[ContextPart], budget: int) -> str:
    """Arrange parts under a heading, within this number of characters; each has its share."""
    wants = [len(part.show(budget)) for part in parts]
    given = shares(budget - len(heading), wants, [part.least for part in parts])
    return heading + "".join(part.show(room) for part, room in zip(parts, given, strict=True))


def shares(room: int, wants: Sequence[int], least: Sequence[int] = ()) -> list[int]:
    """Divide room evenly; room that one does not want goes to the others. `least` is the room that each gets first."""
    given = [min(want, first) for want, first in zip(wants, least or [0] * len(wants), strict=True)]
    left = max(room - sum(given), 0)
    missing = [want - has for want, has in zip(wants, given, strict=True)]
    for waiting, at in zip(range(len(wants), 0, -1), sorted(range(len(wants)), key=missing.__getitem__), strict=True):
        more = min(missing[at], left // waiting)
        given[at] += more
        left -= more
    return given


def row(facts: Mapping[str, object], texts: Mapping[str, str], room: int) -> str:
    """One JSON object on a line of at most `room` characters, "" where there is no room for its facts.

    Texts share the room; those that are too long end in "…", and the last are left out where it is very small.
    """
    for count in range(len(texts), -1, -1):
        kept = dict(list(texts.items())[:count])
        left = room - len(_json({**facts, **dict.fromkeys(kept, "")}))
        wants = [_size(text) for text in kept.values()]
        if left >= sum(min(want, _LEAST_TEXT) for want in wants):
            given = shares(left, wants)
            cuts = {name: _cut(text, size) for (name, text), size in zip(kept.items(), given, strict=True)}
            return _json({**facts, **cuts})
    return ""


def most(show: Callable[[Sequence[str], int], str], rows: Sequence[str], room: int) -> str:
    """Show as many rows as there is room for; where not all fit, none is longer than half of it.

    `show` is given the rows, and how many of them.
    """
    whole = show(rows, len(rows))
    if len(whole) <= room:
        return whole
    rows = [clipped(text, room // 2) for text in rows]
    count = largest(lambda count: len(show(rows, count)) <= room, len(rows))
    return show(rows, count) if count else ""


def largest(fits: Callable[[int], bool], most: int) -> int:
    """The largest number from 1 to `most` that fits, 0 where none does; whatever is smaller than one that fits does."""
    return bisect_left(range(1, most + 1), True, key=lambda number: not fits(number))


def clipped(text: str, width: int) -> str:
    """Cut a text after this number of characters, and mark that."""
    return text if len(text) <= width else f"{text[:width]}…"


def newest(entries: Sequence[str], room: int) -> list[str]:
    """The last entries, as many as fit, each after a newline."""
    rows: list[str] = []
    for entry in reversed(entries):
        room -= len(entry) + 1
        if room < 0:
            break
        rows.append(entry)
    return rows[::-1]


def _cut(text: str, room: int) -> str:
    """Cut a text so that it takes at most `room` characters as JSON, without the quotation marks around it."""
    if _size(text) <= room:
        return text
    kept = largest(lambda length: _size(text[:length]) < room, min(len(text), room))
    return f"{text[:kept].rstrip()}…" if room > 0 else ""


def _size(text: str) -> int:
    return len(_json(text)) - 2


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False).translate(_BREAKS)
