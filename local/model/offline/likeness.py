"""How alike two pieces of code are: lines that were edited are known again by their words and letters."""

import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from heapq import nlargest

_WORD = re.compile(r"\w+")
_LONGEST = 400
_LEAST_CONTAINED = 8
_MOST_COMPARED = 40


def squeezed(code: str) -> str:
    """The code without its white space."""
    return "".join(code.split())


def first_line(code: str) -> str:
    """The first line of the code that is not blank."""
    return next((line for line in code.split("\n") if line.strip()), "")


def likely(code: str, lines: Mapping[int, str]) -> list[int]:
    """Choose the few of thousands of lines that have the most words in common with the code, the best first."""
    mine = _words(code)
    return nlargest(_MOST_COMPARED, lines, key=lambda number: _shared(mine, _words(lines[number])))


def most_alike(code: str, lines: Mapping[int, str]) -> tuple[float, int | None]:
    """Choose the line that is most like the code, and say how alike the two are; None where there are no lines."""
    alike = {number: likeness(code, lines[number]) for number in likely(code, lines)}
    best = max(alike, key=lambda number: alike[number], default=None)
    return (alike[best], best) if best is not None else (0.0, None)


def likeness(one: str, other: str) -> float:
    """Say how alike they are, from 0 to 1; a piece of the other is as alike as can be."""
    short, long = sorted((squeezed(one)[:_LONGEST], squeezed(other)[:_LONGEST]), key=len)
    if short == long or (len(short) >= _LEAST_CONTAINED and short in long):
        return 1.0
    letters = SequenceMatcher(None, short, long, autojunk=False).ratio()
    return (letters + _shared(_words(one), _words(other))) / 2


def _words(code: str) -> set[str]:
    return set(_WORD.findall(code[:_LONGEST]))


def _shared(mine: set[str], yours: set[str]) -> float:
    """Say which part of the words of both is in both, from 0 to 1."""
    return len(mine & yours) / len(mine | yours) if mine or yours else 0.0
