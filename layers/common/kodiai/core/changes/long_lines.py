"""Long lines: which parts of them are shown, and whether something that changed is left out."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kodiai.core.changes.line_matcher import common

# Of 27,386 changed files in 10,406 commits of eight public repositories, 13 have a longer line: what is minified, and
# pictures. Five have one between 2,000 and 8,000 characters, most of which people wrote.
LONGEST = 8_000
_AROUND = 200
_BLOCK = 32


@dataclass(frozen=True)
class Cut:
    """The parts of a line that are shown; `hides` is whether something that changed in it is not."""

    parts: tuple[range, ...]
    hides: bool = False

    def rows(self, text: str, row: str = "", further: str = "") -> str:
        """The parts on a row each, the first behind `row`, the others behind `further` and what is left out."""
        rows = [row + _at(text, self.parts[0])]
        for before, part in pairwise(self.parts):
            rows.append(f"{further}… {part.start - before.stop:,} characters left out … {_at(text, part)}")
        return "\n".join(rows)


def _at(text: str, part: range) -> str:
    return text[part.start : part.stop]


def cut(text: str, changed: Sequence[range] = ()) -> Cut:
    """Cut a line where it is too long: its ends are shown, and what changed, with some characters around."""
    if len(text) <= LONGEST:
        return Cut((range(len(text)),))
    around = (range(max(each.start - _AROUND, 0), min(each.stop + _AROUND, len(text))) for each in changed)
    parts = tuple(_fitting(_joined([range(_AROUND), *around, range(len(text) - _AROUND, len(text))])))
    return Cut(parts, any(not any(_holds(part, each) for part in parts) for each in changed))


def shortened(text: str) -> str:
    """A text in which long lines are cut."""
    return "\n".join(cut(line).rows(line) for line in text.split("\n"))


def cuts(lines: Iterable[tuple[str, str]]) -> Mapping[int, Cut]:
    """Cut the long lines of a diff, which are given with their markers, by their places from 0.

    The long removed and added lines of a run are compared in their order: only what differs has changed.
    """
    found: dict[int, Cut] = {}
    removed: list[tuple[int, str]] = []
    for at, (marker, text) in enumerate(lines):
        if marker == " ":
            removed = []
        if len(text) > LONGEST:
            found[at] = cut(text, [range(len(text))] if marker != " " else ())
        if len(text) <= LONGEST // 2:
            continue
        if marker == "-":
            removed.append((at, text))
        elif marker == "+" and removed:
            place, old = removed.pop(0)
            pairs = list(_changes(old, text))
            for where, whole, changed in ((place, old, pairs), (at, text, [(new, old) for old, new in pairs])):
                if where in found:
                    found[where] = cut(whole, [each for each, _ in changed])
    return found


def _changes(old: str, new: str) -> Iterator[tuple[range, range]]:
    """The places where two texts differ: between blocks that both have in the same order.

    The time grows with their length only. Each block is one that the old text has once; from there it goes in both
    directions as far as the texts agree.
    """
    blocks = [old[at : at + _BLOCK] for at in range(0, len(old), _BLOCK)]
    once = {block for block, count in Counter(blocks).items() if count == 1}
    places = {block: number * _BLOCK for number, block in enumerate(blocks) if block in once}
    old_at = at = _common(old, new)
    for found in range(at, len(new)):
        place = places.get(new[found : found + _BLOCK], -1)
        if found < at or place < old_at:
            continue
        back = common(old[old_at:place][::-1], new[at:found][::-1])
        yield range(old_at, place - back), range(at, found - back)
        same = _common(old, new, place, found)
        old_at, at = place + same, found + same
    back = common(old[old_at:][::-1], new[at:][::-1])
    yield range(old_at, len(old) - back), range(at, len(new) - back)


def _common(old: str, new: str, old_at: int = 0, at: int = 0) -> int:
    """The number of characters that are the same from two places on."""
    for same in range(0, min(len(old) - old_at, len(new) - at), _BLOCK):
        block, other = (text[start + same : start + same + _BLOCK] for text, start in ((old, old_at), (new, at)))
        if block != other:
            return same + common(block, other)
    return min(len(old) - old_at, len(new) - at)


def _joined(parts: Iterable[range]) -> list[range]:
    """The parts in their order; those between which hardly anything is are one."""
    joined: list[range] = []
    for part in sorted(parts, key=lambda part: part.start):
        if joined and part.start - joined[-1].stop < _AROUND:
            joined[-1] = range(joined[-1].start, max(joined[-1].stop, part.stop))
        else:
            joined.append(part)
    return joined


def _fitting(parts: Sequence[range]) -> Iterator[range]:
    """The parts as far as there is room for them, without those in the middle."""
    over = max(sum(map(len, parts)) - LONGEST, 0)
    half, at = LONGEST // 2, 0
    for part in parts:
        first, last = part[: max(half - at, 0)], part[max(half + over - at, 0) :]
        yield from filter(len, [part] if not over else [first, last])
        at += len(part)


def _holds(part: range, other: range) -> bool:
    return part.start <= other.start and other.stop <= part.stop
