"""Prose that others wrote, as its readers see it: nothing in it is hidden, and its code is as it was.

What GitHub makes of Markdown: https://github.github.com/gfm/
"""

import re

from kodiai.core.words.incoming.blocks import is_too_deep, told
from kodiai.core.words.incoming.inline import words_alone
from kodiai.core.words.incoming.signs import visible, without_ours

__all__ = ["incoming", "visible"]

_ROUNDS = 12
_OPENS_BLOCK = re.compile(r"^[-#>+*=|:_ \t.)0-9]+")


def incoming(text: str) -> str:
    """Give a text as its readers see it: without comments, invisible signs, hidden attributes, titles and definitions.

    Fenced and indented code and code spans stay to the letter; only what a fence says beside its language goes.
    Entities are decoded, however often they were encoded; what they hid is hidden no more, or gone.
    Cleaning a clean text changes nothing. The result is at most a few times as long as the text.
    """
    text = without_ours(text)
    for _ in range(0 if is_too_deep(text) else _ROUNDS):
        cleaned = told(text)
        if cleaned == text:
            return text
        text = cleaned
    return _without_markup(text)


def _without_markup(text: str) -> str:
    """Take from a text that is made to deceive all that markup is made of, code too."""
    lines = words_alone(text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
    return "\n".join(_OPENS_BLOCK.sub("", " ".join(line.split())) for line in lines)
