"""Code that is not what it looks like: invisible characters, turned directions, letters of two alphabets in a word.

Source: https://trojansource.codes/ , https://www.unicode.org/reports/tr39/#Mixed_Script_Detection
"""

import re
import unicodedata
from collections import Counter

from kodiai.core.text.incoming import UNSEEN

# The alphabets that have letters which look like those of others.
_ALIKE = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE"})
_WORD = re.compile(r"[^\W\d_]+")
_PLAIN = re.compile(r"[\x00-\x7f]*")


def new_deception(text: str, before: str) -> str | None:
    """The deception that a text has and that was not there before, None if there is none.

    Each further invisible character counts, also one that ends a line for a language and not on GitHub, and a word
    with letters of two alphabets that look alike, such as a Cyrillic "а" in "pаth". A carriage return at the end of a
    line is none. The words are the second half of "The change brings …".
    """
    if _PLAIN.fullmatch(text) and not UNSEEN.search(text.replace("\r\n", "\n")):
        return None
    if _hidden(text) - _hidden(before):
        return "an invisible character, or one that turns the direction of the text"
    if _mixed(text) - _mixed(before):
        return "a word of letters of two alphabets that look alike"
    return None


def _hidden(text: str) -> Counter[str]:
    return Counter(UNSEEN.findall(text.replace("\r\n", "\n")))


def _mixed(text: str) -> frozenset[str]:
    return frozenset(word for word in _WORD.findall(text) if not word.isascii() and len(_alphabets(word)) > 1)


def _alphabets(word: str) -> frozenset[str]:
    return frozenset(unicodedata.name(letter, "").partition(" ")[0] for letter in word) & _ALIKE
