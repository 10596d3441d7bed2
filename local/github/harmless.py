"""The forbidden contents of an App's texts: hidden characters, pictures, mentions, and commands of other bots.

Pictures and mentions are searched in the rendered text, where GitHub loads the one and notifies for the other.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from markdown_it import MarkdownIt

_TEXTS = frozenset({"body", "summary", "title", "message"})
# Prow takes such a line, in code too; a carriage return, a tab and the sign behind a broken mention are no harm.
_ORDER = re.compile(r"^/[A-Za-z]", re.MULTILINE)
_BROKEN_MENTION = re.compile(r"(?<=[@#])\u2060")
_MARKDOWN = MarkdownIt("commonmark")
_CALL = re.compile(r"(?<![A-Za-z0-9_])@(?=[A-Za-z0-9])")
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
            if name in ("body", "summary"):
                yield from (f"a {name} {what}" for what in _shown(value))
            if name in ("body", "summary") and _ORDER.search(_SUGGESTION.sub("", text)):
                yield f"a {name} has a line that other bots obey"


def _shown(text: str) -> Iterator[str]:
    """Yield the effects of a rendered text."""
    if "@" not in text and "!" not in text and "<img" not in text:
        return
    for block in _MARKDOWN.parse(text):
        inner = block.children or [block]
        if any(each.type == "image" or (each.type.startswith("html") and "<img" in each.content) for each in inner):
            yield "loads a picture"
        if _CALL.search("".join(each.content if each.type == "text" else "\0" for each in inner)):
            yield "calls somebody"
