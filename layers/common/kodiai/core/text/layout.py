"""Layout: paragraphs, lists, numbers with their nouns, and texts cut to their limits."""

import re
from collections.abc import Iterable

BODY_LIMIT = 65_536
TITLE_CHARACTERS = 80
_BLANK_LINE = "\n\n"
_FURTHER_LINE = re.compile(r"\n(?!\n)")
_WORD_CHARACTERS = 15
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s")
_WORD = re.compile(r"\S+")


def joined(*parts: str) -> str:
    """Paragraphs, those that are empty left out."""
    return _BLANK_LINE.join(part for part in parts if part)


def bullets(texts: Iterable[str]) -> str:
    """List the texts; the further lines of each are indented, so that they stay in its item."""
    rows = [text for text in texts if text]
    return "\n".join(f"- {_FURTHER_LINE.sub(chr(10) + '  ', row)}" for row in rows)


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def short_title(title: str) -> str:
    """Cut a title at a word."""
    flat = " ".join(title.split())
    if len(flat) <= TITLE_CHARACTERS:
        return flat
    return f"{flat[: TITLE_CHARACTERS - 1].rsplit(' ', 1)[0]}…"


def short_text(text: str, words: int) -> str:
    """Cut a text at the end of a sentence, or at a word if the first sentence is too long.

    A text of very long words is also cut by its characters.
    """
    text = text.strip()
    ends = [word.end() for word in _WORD.finditer(text)]
    if len(ends) <= words and len(text) <= words * _WORD_CHARACTERS:
        return text
    room = text[: ends[min(words, len(ends)) - 1]][: words * _WORD_CHARACTERS] if words > 0 else ""
    whole = [end.start() for end in _SENTENCE_END.finditer(text, 0, len(room) + 1) if end.start() <= len(room)]
    return room[: whole[-1]] if whole else f"{room}…"
