"""Which line of the code as it is now shows that an earlier finding's problem is gone."""

import re
from collections.abc import Iterable, Mapping, Set

from local.model.offline.earlier import Earlier
from local.model.offline.head import Head
from local.model.offline.likeness import first_line, most_alike, squeezed

_NEAR_LINES = 20
_LEAST_LIKENESS = 0.3
_LONGEST_QUOTE = 200


def evidence(earlier: Earlier, names: Iterable[str], head: Head, bad: Set[int]) -> str | None:
    """Choose the line to quote, None where the file has none that says anything.

    It is no line of the finding's own quote, nor one of the `bad` ones, which have a problem of the same kind.
    Where the quoted code still stands, it is a new line that speaks of the finding's `names`; else a new line near
    the place, else the line that is nearest to it. The place is where the code stands, or the line most like it.
    """
    own = {squeezed(earlier.quote), *(squeezed(line) for line in earlier.quote.split("\n"))}
    sound = {number: line for number, line in head.sayable.items() if number not in bad}
    lines = {number: line for number, line in sound.items() if squeezed(line) not in own}
    if not lines:
        return None
    since = {number: line for number, line in lines.items() if number in earlier.fresh}
    fresh = since or {number: line for number, line in lines.items() if number in head.fresh}
    stands = [place.start for place in head.places(earlier.quote)]
    if stands:
        place = min(stands, key=lambda number: abs(number - (earlier.line or number)))
        speaking = {number: line for number, line in fresh.items() if _speaks(line, names)}
        chosen = _nearest(speaking, place) or _nearest(fresh, place, _NEAR_LINES) or _nearest(lines, place)
    else:
        place = _place(first_line(earlier.quote), fresh, since or lines)
        chosen = _nearest(fresh, place, _NEAR_LINES) or _nearest(lines, place)
    return lines[chosen].strip()[:_LONGEST_QUOTE].rstrip() if chosen else None


def _speaks(line: str, names: Iterable[str]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line) for name in names)


def _nearest(lines: Mapping[int, str], place: int, within: int | None = None) -> int | None:
    number = min(lines, key=lambda each: abs(each - place), default=None)
    return number if number is None or within is None or abs(number - place) <= within else None


def _place(code: str, fresh: Mapping[int, str], lines: Mapping[int, str]) -> int:
    """The new line that the code has most likely become, else the line that is most like it."""
    score, successor = most_alike(code, fresh)
    if successor is not None and score >= _LEAST_LIKENESS:
        return successor
    return most_alike(code, lines)[1] or min(lines)
