"""Text: the content of a file that people can read, however it is encoded."""

import codecs
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

Encoding = Literal["UTF-8", "UTF-16", "UTF-32", "Latin-1"]

NUL = "␀"
"""The symbol for a NUL character, which is shown in its place."""
MOST_LINES = 300_000
"""The most lines of a text that is read: each of them takes many times its length in memory."""
# The marks of UTF-32 first: the one of UTF-16 is the beginning of one of them.
_MARKS: tuple[tuple[bytes, str, Encoding], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)
# The characters that no text has. A tenth of random bytes are among them, and those are no UTF-8.
_CONTROL = re.compile(r"[\0-\x06\x0e-\x1a\x1c-\x1f\x7f]")
_MOST_CONTROL: dict[bool, tuple[int, float]] = {True: (0, 0.02), False: (8, 0.3)}
# Of text in UTF-16 one half of the bytes has hardly a NUL, and the other one has many.
_LEAST_NULS, _MOST_OTHER_NULS = 0.2, 0.02


@dataclass(frozen=True)
class Decoded:
    """A text, and how its bytes are encoded. A NUL character is shown as the symbol for it."""

    text: str
    encoding: Encoding


def decoded(content: bytes) -> Decoded | None:
    """Decode a file: UTF-16 and UTF-32 by their marks, UTF-16 by its NULs, UTF-8, else Latin-1; None if it is no text.

    Latin-1 is read as browsers do, as Windows-1252. Lines end with a newline only, as git counts them.
    """
    for mark, codec, encoding in _MARKS:
        if content.startswith(mark):
            with suppress(UnicodeDecodeError):
                return _text(content.removeprefix(mark).decode(codec), encoding)
    if b"\0" in content and (wide := _wide(content)) is not None:
        with suppress(UnicodeDecodeError):
            return _text(content.decode(wide), "UTF-16")
    try:
        return _text(content.decode(), "UTF-8")
    except UnicodeDecodeError:
        return _text(_latin(content), "Latin-1")


def _wide(content: bytes) -> str | None:
    """The codec of text in UTF-16 without a mark."""
    even, odd = content[::2].count(0), content[1::2].count(0)
    many, few = _LEAST_NULS * len(content) / 2, _MOST_OTHER_NULS * len(content) / 2
    if odd >= many and even <= few:
        return "utf-16-le"
    return "utf-16-be" if even >= many and odd <= few else None


def _latin(content: bytes) -> str:
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError:  # it leaves five bytes without a meaning
        return content.decode("latin-1")


def _text(text: str, encoding: Encoding) -> Decoded | None:
    few, share = _MOST_CONTROL[encoding == "Latin-1"]
    if (encoding == "Latin-1" or "\0" in text) and len(_CONTROL.findall(text)) > max(few, share * len(text)):
        return None
    return Decoded(text.replace("\0", NUL), encoding)
