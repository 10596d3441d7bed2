"""Quotes: the readings of a text in which a model quotes code."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# Lines come from anywhere and may be very long: no two repetitions here compete for the same text.
_FENCE = re.compile(r"\s*+(?:`{3,}|~{3,})\s*+[\w+#.-]*+\s*")
_CONFLICT = re.compile(r"(?:<{7}|>{7}|\|{7})(?: |$)")
_WRAPPED = re.compile(r"\s*+(```|`)(.*)\1\s*", re.DOTALL)
_MARKER = re.compile(r"\A\s*+[+-]")
# As the material cuts long lines.
_CUT = r"(?:\.{3,}+|…)\s*+\d[\d,]*+ characters left out\s*+(?:\.{3,}+|…)"
# As the material shows lines (`+    12 | code`, `-       | code`, `+       … 9 characters left out … code`), and as
# people number them.
_NUMBER = re.compile(rf"\s*+(?:[+-]?\s*+(?:\d++\s*(?:\||:(?=\s|$)|\t)|(?={_CUT}))|[+-]\s*+\d++(?=\s|$)|-\s++\|)")
_GAP = re.compile(rf"{_CUT}|\[\s*+(?:\.{{3,}}+|…)\s*+\]|\.{{3,}}|…")
_LOST = re.compile("\ufffd+")
_ELLIPSIS = r"(?:[^\w.…]|_)*+(?:\.{3,}+|…)"
# Nothing but an ellipsis, perhaps in a comment, or the header of a hunk.
_GAP_LINE = re.compile(rf"{_ELLIPSIS}[\W_]*|@@ -\d.*")
# One that stands for lines, and does not spread a value as `...args` does, or for the middle of a line.
_LEFT_OUT = re.compile(rf"{_ELLIPSIS}(?!\S*\w)|.*?{_CUT}")


@dataclass(frozen=True)
class Part:
    """A run of code in a quote.

    `begins_line` is whether it has to be at the start of a line, since a marker or a number came before it.
    """

    text: str
    begins_line: bool = False


def readings(quote: str) -> Iterator[tuple[Part, ...]]:
    """Give the readings of a quote, the most literal first: its parts, between which code may be omitted.

    The first one is the text itself. Then fences and backticks, diff markers or line numbers are removed; then the same
    with an ellipsis taken for omitted code. Code itself may begin with a `+` or a `...`.
    """
    seen: set[tuple[Part, ...]] = set()
    plain = quote.split("\n")
    for skips in (False, True):
        for lines in _undecorated(plain):
            parts = _parts(lines, skips=skips)
            if parts and parts not in seen:
                seen.add(parts)
                yield parts


def with_lost_characters(quote: str, replacement: str | None, lines: Sequence[str]) -> tuple[str, str | None]:
    """A quote and its replacement with the characters of the file in place of U+FFFD, which stands for lost ones.

    The first lines count that the quote fits. Both stay as they are if it fits none; so does a replacement with another
    number of lost characters.
    """
    parts = (r"\s*+".join(map(re.escape, part.split())) for part in _LOST.split(quote.strip()))
    found = re.search(r"\s*+([^\x00-\x7f]++)\s*+".join(parts), "\n".join(lines))
    if found is None:
        return quote, replacement
    known = found.groups()
    if replacement is not None and len(_LOST.findall(replacement)) == len(known):
        characters = iter(known)
        replacement = _LOST.sub(lambda _: next(characters), replacement)
    return found[0], replacement


def decorations(code: str) -> frozenset[str]:
    """Name the decorations that code has around it, as far as its form tells: "a fence", "diff markers" …."""
    lines = [line for line in code.split("\n") if line.strip()]
    found = {
        "a fence": any(_FENCE.fullmatch(line) for line in (*lines[:1], *lines[-1:])),
        "diff markers": any(line[0] in "+-" for line in lines),
        "line numbers": bool(lines) and all(_NUMBER.match(line) for line in lines),
        "a conflict marker": any(_CONFLICT.match(line) for line in lines),
        "an ellipsis": any(_LEFT_OUT.match(line) for line in lines),
    }
    return frozenset(name for name, is_there in found.items() if is_there)


def _undecorated(lines: Sequence[str]) -> Iterator[list[Part]]:
    yield [Part(line) for line in lines]
    bare = _unwrapped(lines)
    yield [Part(line) for line in bare]
    for prefix in (_MARKER, _NUMBER):
        yield [Part(line[found.end() :], True) if (found := prefix.match(line)) else Part(line) for line in bare]


def _unwrapped(lines: Sequence[str]) -> list[str]:
    """The lines without a fence around all, or backticks around all or each."""
    solid = [line for line in lines if line.strip()]
    if solid and _FENCE.fullmatch(solid[0]):
        return solid[1 : -1 if _FENCE.fullmatch(solid[-1]) else None]
    each = [_WRAPPED.fullmatch(line) for line in solid]
    if all(each):
        return [wrapped[2] for wrapped in each if wrapped]
    whole = _WRAPPED.fullmatch("\n".join(lines))
    return whole[2].split("\n") if whole else solid


def _parts(lines: Sequence[Part], *, skips: bool) -> tuple[Part, ...]:
    runs: list[list[Part]] = [[]]
    for line in lines:
        if not skips:
            runs[-1].append(line)
        elif _GAP_LINE.fullmatch(line.text):
            runs.append([])
        else:
            first, *others = _GAP.split(line.text)
            runs[-1].append(Part(first, line.begins_line))
            runs += [[Part(other)] for other in others]
    solid = ([part for part in run if part.text.strip()] for run in runs)
    return tuple(Part("\n".join(part.text for part in run), run[0].begins_line) for run in solid if run)
