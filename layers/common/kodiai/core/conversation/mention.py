"""The lines of a comment, and whether they mention us: a mention is our handle as a word of its own."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from kodiai.core.text.comment_text import SHOWN, CommentPiece, pieces

HIDDEN = "…"  # what is struck out, quoted or a picture
_NAME = re.compile(r"@([A-Za-z0-9][A-Za-z0-9_-]*)(?:\[(?i:bot)\])?")
_ADDRESS = re.compile(r"(?:://|\bwww\.|\bmailto:)\S+", re.IGNORECASE)
_STRUCK_OUT = re.compile(r"(?<!~)~[^~\s](?:[^~\n]*[^~\s])?~(?!~)")
_NOT_BEFORE = frozenset("@/.-`_=$%#\\" + SHOWN)
_NOT_AFTER = frozenset("-_@/`" + SHOWN)
_ABOUT_US = re.compile(
    r"['’]s\b|\s+(?:believes|called|flagged|found|reported|said|says|thinks|thought|wants)\b"
    r"|\s+(?:is|was|has|had|does|did)\b(?!\s+(?:it|this|that|these|those|the|there|i|we|you|he|she|they|my|our|your|§)"
    r"(?!\w))",
    re.IGNORECASE,
)
# Each looks again at the words before it; those after that many are names like any other.
_MOST_MENTIONS = 20
_COMMA = re.compile(r"\s*[,:](?=\s|\Z)")
_ONLY_A_CALL = re.compile(
    r"(?:[\s.,!:;–—-]|\(\s*\)|\[\s*\]|<\s*>|(?:dear|hello|hey|hi|please|pls|plz)(?!\w))*+", re.IGNORECASE
)


class CommentLine(NamedTuple):
    """A line of prose without the mention of us.

    `text` is in its own letters, with "…" for anything struck out or quoted and for pictures. `mentioned_at` is where
    in it we were mentioned, None where we are not. `pieces` make up the line, up to its end and without a greeting
    before the mention.
    """

    pieces: tuple[CommentPiece, ...]
    text: str
    mentioned_at: int | None

    @property
    def is_only_a_mention(self) -> bool:
        """Whether it mentions us and says nothing else."""
        return self.mentioned_at is not None and is_a_greeting(self.text)


def handles(bot_login: str, aliases: Iterable[str]) -> frozenset[str]:
    """Our names in mentions: lowercase, without the @ and "[bot]"."""
    names = (name.strip().lower().removeprefix("@").removesuffix("[bot]") for name in (bot_login, *aliases))
    return frozenset(name for name in names if name)


def is_a_greeting(text: str) -> bool:
    """Whether a text says no more than "hey"."""
    return _ONLY_A_CALL.fullmatch("".join(" " if is_invisible(char) else char for char in text)) is not None


def comment_lines(text: str, handles: frozenset[str]) -> list[CommentLine]:
    """Split a comment into its lines of prose; a mention without words is one line with the words below it."""
    found: list[CommentLine] = []
    joins = False
    for parts in _split(pieces(text)):
        line = _line(parts, handles)
        if joins and line.mentioned_at is None and line.text:
            found[-1] = line._replace(mentioned_at=0)
            joins = False
        else:
            joins = line.is_only_a_mention and parts[-1].kind == "break"
            found.append(line)
    return found


def _split(text: Iterable[CommentPiece]) -> Iterator[list[CommentPiece]]:
    line: list[CommentPiece] = []
    for piece in text:
        line.append(piece)
        if piece.kind in ("break", "end"):
            yield line
            line = []
    if line:
        yield line


def _line(text: list[CommentPiece], handles: frozenset[str]) -> CommentLine:
    """Remove the first mention, unless it talks about us, and one that follows it immediately.

    Further mentions are names like any other.
    """
    seen = "".join(map(_seen, text))
    open_to_calls = _STRUCK_OUT.sub(_blank, _ADDRESS.sub(_blank, seen))
    kept: list[CommentPiece] = []
    mentioned_at: int | None = None
    start = greeting = 0
    last = 0  # of the pieces that are kept, how many stood before the last mention that was left out
    for piece in text:
        end = 0
        for name in islice(_mentions(piece, start, open_to_calls, handles), _MOST_MENTIONS):
            kept.append(CommentPiece("words", piece.text[end : name.start()]))
            end = name.end()
            is_called = mentioned_at is None or is_a_greeting(_shown(kept[last:]))
            mentioned_at = len(_shown(kept)) if mentioned_at is None else mentioned_at
            if not is_called or _ABOUT_US.match(seen, start + end):
                kept.append(CommentPiece("words", name[1]))
                continue
            last = len(kept)
            if is_a_greeting(_shown(kept)):
                greeting = len(kept)
                comma = _COMMA.match(piece.text, end)
                end = comma.end() if comma else end
        kept.append(CommentPiece(piece.kind, piece.text[end:]))
        start += len(_seen(piece))
    return CommentLine(tuple(kept[greeting:]), _shown(kept), mentioned_at)


def _mentions(piece: CommentPiece, start: int, line: str, handles: frozenset[str]) -> Iterator[re.Match[str]]:
    """Find our handles in a piece that begins at `start` in its line."""
    if piece.kind != "words":
        return
    for name in _NAME.finditer(piece.text):
        if name[1].lower() in handles and _stands_alone(line, start + name.start(), start + name.end()):
            yield name


def _seen(piece: CommentPiece) -> str:
    """The text in which names are searched: the text of a link and code are no name."""
    if piece.kind in ("link", "code", "shown"):
        return SHOWN
    return piece.text


def _shown(text: Iterable[CommentPiece]) -> str:
    words = "".join(HIDDEN if piece.kind == "shown" else piece.text for piece in text)
    return " ".join(words.split())


def _blank(found: re.Match[str]) -> str:
    return SHOWN * len(found[0])


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a handle is a word of its own, not part of a longer name or of an address."""
    if text[start] != "@":
        return False
    before = start - 1
    while before >= 0 and is_invisible(text[before]):
        before -= 1
    if before >= 0 and (text[before] in _NOT_BEFORE or _is_of_a_name(text[before])):
        return False
    while end < len(text) and is_invisible(text[end]):
        end += 1
    after = text[end : end + 1]
    if not after:
        return True
    if after in _NOT_AFTER or _is_of_a_name(after) or unicodedata.combining(after):
        return False
    return after not in (".", "[") or not _is_of_a_name(text[end + 1 : end + 2])


def is_invisible(char: str) -> bool:
    """Whether a character is invisible, such as a mark of the writing direction."""
    return unicodedata.category(char) == "Cf"


def _is_of_a_name(char: str) -> bool:
    """Whether a character continues a name; scripts without letter case write words next to one without a space."""
    return char.isalnum() and unicodedata.category(char) not in ("Lo", "Lm")
