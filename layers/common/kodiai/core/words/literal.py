"""Lines of an answer whose code, escapes and entities mean what they say: signs stand for them until it is written."""

import html
import re
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from string import punctuation

from kodiai.core.words.incoming import visible
from kodiai.core.words.incoming.signs import ENTITY

ESCAPED = re.compile(rf"\\([{re.escape(punctuation)}])")

_FREE = frozenset("/.:@#")  # `markdown.prose` escapes these where they do something

# Signs of plane 16, which no text holds, stand for what must come out of `markdown.prose` as it went in.
_FIRST, _MOST_KEPT = 0x100000, 0xFF00
_LITERAL = {char: chr(0x10FF00 + ord(char)) for char in punctuation}
_LESS, _AND = "\U0010fff0", "\U0010fff1"
_WRITTEN = {sign: f"\\{char}" for char, sign in _LITERAL.items()} | {_LESS: "&lt;", _AND: "&amp;"}
_OURS = re.compile("[\U00100000-\U0010ffff]")
_EMAIL = (
    r"(?<![A-Za-z0-9._%+@/:\u0080-\U0010ffff-])(?!www\.)[A-Za-z0-9](?:[A-Za-z0-9._%+-]{0,63}[A-Za-z0-9_])?"
    r"@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+"
)
_SIGN = re.compile(rf"\\[{re.escape(punctuation)}]|`+|~|{ENTITY.pattern}|{_EMAIL}")
_TEXT = re.compile("[^\U00100000-\U0010ffff]+")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass
class Kept:
    """Pieces that come out as they went in, in order."""

    pieces: list[str] = field(default_factory=list)

    def keep(self, piece: str) -> str:
        """Put a piece away, and give the sign that stands for it."""
        if len(self.pieces) == _MOST_KEPT:
            return ""
        self.pieces.append(piece)
        return chr(_FIRST + len(self.pieces) - 1)

    def put_back(self, text: str) -> str:
        """Put every piece where its sign stands."""
        return _OURS.sub(lambda sign: _WRITTEN.get(sign.group()) or self.pieces[ord(sign.group()) - _FIRST], text)


def cleared(text: str) -> str:
    """Lines as they end here, without controls, and without the signs that stand for something."""
    return _OURS.sub("\ufffd", _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))


def masked(line: str, kept: Kept) -> str:
    """Put away code spans, and let signs stand for what is escaped or written as an entity."""
    runs: dict[int, list[int]] = defaultdict(list)
    for run in re.finditer("`+", line):
        runs[len(run.group())].append(run.start())
    parts = []
    at = 0
    while found := _SIGN.search(line, at):
        sign, start = found.group(), found.start()
        parts.append(line[at:start])
        at = found.end()
        if sign[0] == "`":
            same = runs[len(sign)]
            following = bisect_right(same, start)
            if following < len(same) and same[following] > at:
                at = same[following] + len(sign)
                parts.append(kept.keep(line[start:at]))
            else:
                parts.append(_LITERAL["`"] * len(sign))
        elif sign[0] == "\\":
            is_free = sign[1] in _FREE and (sign[1] != "." or line[:start].endswith("www"))
            parts.append(sign[1] if is_free else _LITERAL[sign[1]])
        elif sign[0] == "&":
            parts.append(_decoded(sign))
        else:
            parts.append(_LITERAL["~"] if sign == "~" else kept.keep(sign))
    return _TEXT.sub(lambda text: visible(text.group()), "".join([*parts, line[at:]]))


def _decoded(entity: str) -> str:
    """What an entity stands for, as text."""
    if entity in ("&lt;", "&amp;"):
        return _LESS if entity == "&lt;" else _AND
    char = visible(html.unescape(entity))
    if char == entity:
        return f"{_AND}{entity[1:]}"
    if char in ("<", "&"):
        return _LESS if char == "<" else _AND
    if not char.strip() or _CONTROLS.match(char):
        return " "
    return char if char in _FREE else _LITERAL.get(char, char)
