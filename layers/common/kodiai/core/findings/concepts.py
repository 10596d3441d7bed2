"""Concepts: the kinds of problems that reviewers find, told by words that stand near each other."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

from kodiai.core.findings.concept_cues import CUES
from kodiai.core.findings.identity import normalised_title

_NEAR = 7  # words

_NONE = frozenset(
    """
    no not never neither hardly rarely barely nothing nobody without missing lack lacks lacking neither nowhere skips skipped absent omits none
    cannot doesn isn aren wasn unless forgets forgot fails
    """.split()
)
_SHORT = 3

_Word = tuple[str, ...]
_Cue = tuple[frozenset[_Word], ...]


@cache
def _cues() -> tuple[tuple[str, _Cue], ...]:
    found = []
    for entry in CUES.replace("\n    ;", ";").strip().splitlines():
        name, _, cues = entry.partition(":")
        for cue in cues.split(";"):
            found.append((name, tuple(frozenset(tuple(w.split("_")) for w in either.split("|")) for either in cue.split())))
    return tuple(found)


def concepts(text: str) -> Counter[str]:
    """The kinds of problems that a text tells of, each with how many of its cues; in another language there are none."""
    words = normalised_title(text).split()
    begun = {word[:n] for word in words for n in range(1, len(word) + 1)} | {"NO"}
    told: Counter[str] = Counter()
    for name, cue in _cues():
        if all(any(all(w in begun for w in word) for word in either) for either in cue) and _stands(cue, words):
            told[name] += 1
    return told


def _stands(cue: _Cue, words: Sequence[str]) -> bool:
    places = [[at for word in either for at in _places(word, words)] for either in cue]
    return any(all(any(abs(at - first) <= _NEAR for at in rest) for rest in places[1:]) for first in places[0])


def _places(word: _Word, words: Sequence[str]) -> Iterator[int]:
    for at in range(len(words) - len(word) + 1):
        if all(_is(stem, words[at + n]) for n, stem in enumerate(word)):
            yield at


def _is(stem: str, word: str) -> bool:
    if stem == "NO":
        return word in _NONE
    return word.startswith(stem) if len(stem) > _SHORT else word == stem


OF_ONE_THING: frozenset[str] = frozenset({"missing value","resource leak","unused code","naming","undefined name","validation","missing test","documentation","type hint","invalid number","magic number","wrong type","empty input"})
