"""The similarity of two texts by their words, for the rule judge.

Words are separated by spaces, so only a model can judge scripts without spaces.
"""

import re

_STEM_LETTERS = 5
_SHORTEST_WORD = 3
_WORD = re.compile(r"[^\W_]+")
# Words that any two findings share.
_COMMON = frozenset(
    """
    about after again all also and any are because been before being but can case code could does done each every for
    from function get gets has have here how into its itself just line lines makes may method more most must never not
    now only other over same should some such than that the their them then there these they this value was were what
    when where which while who will with would
    """.split()
)

Text = tuple[str, str]
"""A title and the explanation below it."""


def similarity(one: Text, other: Text) -> float:
    """Return the similarity of two texts' words, from 0 to 1: the maximum over titles and over whole texts."""
    return max(_shared(one[0], other[0]), _shared(" ".join(one), " ".join(other)))


def _shared(one: str, other: str) -> float:
    """The Dice coefficient of the beginnings of both texts' words."""
    mine, yours = _stems(one), _stems(other)
    return 2 * len(mine & yours) / (len(mine) + len(yours)) if mine and yours else 0.0


def _stems(text: str) -> frozenset[str]:
    words = (word for word in _WORD.findall(text.casefold()) if word not in _COMMON)
    return frozenset(word[:_STEM_LETTERS] for word in words if len(word) >= _SHORTEST_WORD or word.isdigit())
