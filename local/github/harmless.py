"""What no text of an App may hold: hidden characters, and lines that other bots obey."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

_TEXTS = frozenset({"body", "summary", "title", "message"})
# Prow takes such a line, in code too; a carriage return, a tab and the sign behind a broken mention are no harm.
_ORDER = re.compile(r"^/[A-Za-z]", re.MULTILINE)
_BROKEN_MENTION = re.compile(r"(?<=[@#])\u2060")
_OF_EMOJI = "\u200d\ufe0f"
_SUGGESTION = re.compile(r"^`{3,}suggestion\n.*?^`{3,}$", re.MULTILINE | re.DOTALL)


def harm_in(value: Any, name: str = "") -> Iterator[str]:
    """Say what is harmful in the texts of a request's JSON."""
    match value:
        case dict():
            for key, each in value.items():
                yield from harm_in(each, str(key))
        case list():
            for each in value:
                yield from harm_in(each, name)
        case str() if name in _TEXTS:
            text = _BROKEN_MENTION.sub("", value)
            if any(unicodedata.category(char) == "Cf" and char not in _OF_EMOJI for char in text):
                yield f"a {name} holds an invisible character"
            if name in ("body", "summary") and _ORDER.search(_SUGGESTION.sub("", text)):
                yield f"a {name} has a line that other bots obey"
