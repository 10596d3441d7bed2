"""How alike two texts are, whatever words they choose for the same thing."""

import re

from kodiai.core.findings.finding import Finding
from kodiai.core.findings.identity import normalised_title

_STEM_LETTERS = 5
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}")
# Words that any two findings share.
_COMMON = frozenset(
    """
    about after again all also and any are because been before being but can case code could does done each every for
    from function get gets has have here how into its itself just line lines makes may method more most must never not
    now only other over same should some such than that the their them then there these they this value was were what
    when where which while who will with would
    """.split()
)


def likeness(one: Finding, other: Finding) -> float:
    """How alike the words of two findings are, from 0 to 1: of their titles, or of all that they say."""
    titles = _dice(_stems(one.title), _stems(other.title))
    return max(titles, _dice(_stems(f"{one.title} {one.explanation}"), _stems(f"{other.title} {other.explanation}")))


def _stems(text: str) -> frozenset[str]:
    """The beginnings of a text's words; of scripts that put no spaces between them, every two letters."""
    stems = set()
    for word in normalised_title(text).split():
        if unspaced := _UNSPACED.findall(word):
            stems |= {letters[at : at + 2] for letters in unspaced for at in range(len(letters) - 1)}
            stems |= {part[:_STEM_LETTERS] for part in _UNSPACED.split(word) if len(part) > 1}
        elif word not in _COMMON and (len(word) > 2 or word.isdigit()):  # noqa: PLR2004 - "is", "of", "to"
            stems.add(word[:_STEM_LETTERS])
    return frozenset(stems)


def _dice(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0
