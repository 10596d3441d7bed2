"""A parsed comment: its commands, what it says about a finding, and whether it needs an answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kodiai.core.conversation.command import Command, UnknownCommand, command, unknown_command
from kodiai.core.conversation.mention import HIDDEN, CommentLine, comment_lines, is_a_greeting
from kodiai.core.conversation.replies import MEANING_IN_WORDS, Meaning, is_courtesy, whole_reply

_WORD = re.compile(r"\w")
_QUESTION = re.compile(r"[?？؟⸮‽](?=[\s)!.]|\Z)")
_SOMEBODY = re.compile(r"(?<![\w@/.])@\w")


@dataclass(frozen=True)
class ParsedComment:
    """A comment, as far as it is understood without a model.

    `mentioned` is whether it mentions us. `commands` are in their order, each once; `unknown` are words that look like
    one. `meaning` is what it says about the finding of its thread. `asks` is whether it needs an answer in words.
    `says_more` is whether it has words that none of this covers.
    """

    mentioned: bool
    commands: tuple[Command, ...] = ()
    unknown: tuple[UnknownCommand, ...] = ()
    meaning: Meaning | None = None
    asks: bool = False
    says_more: bool = False

    @property
    def reopens(self) -> bool:
        """Whether it reopens the finding, by a command or by the whole reply."""
        return self.meaning == "reopen" or Command("reopen") in self.commands

    @property
    def words(self) -> str:
        """The comment in words for the log: "pause, review", "won't fix", "question", "thanks", "nothing"."""
        found: list[str] = [*(each.name for each in self.commands), *(f"unknown: {each.word}" for each in self.unknown)]
        if self.meaning:
            found.append(MEANING_IN_WORDS[self.meaning])
        if self.asks:
            found.append("question")
        nothing = "thanks" if self.mentioned else "nothing"
        return ", ".join(dict.fromkeys(found)) or ("words" if self.says_more else nothing)


def parse_comment(text: str, handles: frozenset[str]) -> ParsedComment:
    """Parse a comment in GitHub's Markdown, whose author may be anybody; `handles` are our names."""
    lines = comment_lines(text, handles)
    mentioned = any(line.mentioned_at is not None for line in lines)
    if mentioned and all(is_a_greeting(line.text) for line in lines):
        return ParsedComment(mentioned=True, commands=(Command("help"),))
    commands = [command(line) for line in lines]
    rest = [line for line, order in zip(lines, commands, strict=True) if order is None]
    # An indented reply still says something, though GitHub shows it as code; a mention in code is none.
    whole = rest if mentioned or not text[:1].isspace() else comment_lines(text.strip(), handles)
    meaning = whole_reply(line for line in whole if not line.is_only_a_mention)
    says_more = meaning is None and any(_speaks(line) for line in whole)
    if not mentioned:
        return ParsedComment(mentioned=False, meaning=meaning, says_more=says_more)
    found = [None if meaning or is_courtesy(line.text) else unknown_command(line) for line in rest]
    unclear = [line for line, unknown in zip(rest, found, strict=True) if unknown is None]
    is_about_all = any(line.is_only_a_mention for line in lines) and not any(commands)
    return ParsedComment(
        mentioned=True,
        commands=tuple(dict.fromkeys(each for each in commands if each)),
        unknown=tuple(dict.fromkeys(unknown for unknown in found if unknown)),
        meaning=meaning,
        asks=meaning is None and _asks(unclear, is_about_all=is_about_all),
        says_more=says_more,
    )


def _asks(lines: Sequence[CommentLine], *, is_about_all: bool) -> bool:
    """Whether something needs an answer. A mention on a line without words is about the whole comment."""
    if any(_is_question(line) for line in lines):
        return True
    to_us = [line for line in lines if is_about_all or line.mentioned_at is not None]
    if any(line.is_only_a_mention or HIDDEN in line.text for line in to_us) and _only_shows(lines):
        return True
    return any(_speaks(line) for line in to_us)


def _speaks(line: CommentLine) -> bool:
    """Whether a line says anything but a mention or courtesy."""
    return bool(_WORD.search(line.text)) and not line.is_only_a_mention and not is_courtesy(line.text)


def _only_shows(lines: Sequence[CommentLine]) -> bool:
    """Whether a comment has a quote, code or a picture, and no words."""
    has_words = any(_WORD.search(line.text) for line in lines)
    return not has_words and any(piece.kind == "shown" for line in lines for piece in line.pieces)


def _is_question(line: CommentLine) -> bool:
    """Whether a line asks us, or nobody in particular."""
    return bool(_QUESTION.search(line.text)) and (line.mentioned_at is not None or not _SOMEBODY.search(line.text))
