"""What a comment wants of us: commands, what it says about a finding, and whether it waits for an answer."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kodiai.core.conversation.command import Command, CommandName, command
from kodiai.core.conversation.meaning import Meaning, meaning_of, sentences, settles
from kodiai.core.conversation.mention import HIDDEN, Line, is_a_greeting, lines
from kodiai.core.conversation.spoken import as_spoken

__all__ = ["Command", "CommandName", "Understood", "understand"]

_WORDS: Mapping[Meaning, str] = {
    "wont_fix": "won't fix",
    "by_design": "by design",
    "acknowledged": "acknowledged",
    "done": "done",
    "disagrees": "disagrees",
}
_WORD = re.compile(r"[\w+'§]+")
_COURTESY = re.compile(
    r"(?:(?:(?:many )?thanks?(?: you)?(?: (?:a lot|again|so much|very much))?"
    r"(?: for (?:it|that|this|(?:the|this|that|your) \w+))?|thx|ty|cheers|dear|hey|hi|hello|please|pls|plz|ok|okay"
    r"|\+1|lgtm|noted|got it|i see|makes sense|you are (?:right|welcome)|no worries|well done|sounds good"
    r"|(?:awesome|cool|excellent|good|great|nice|perfect)(?: (?:bot|catch|find|job|one|point|spot|work))?)(?: |\Z))*"
)
_TASK = re.compile(r"\[[ xX]\] ")
_QUESTION = re.compile(r"\?(?=[\s)!.]|\Z)")
_SOMEBODY = re.compile(r"(?<![\w@/.])@\w")


@dataclass(frozen=True)
class Understood:
    """What a comment wants of us.

    `mentioned` is whether it calls us. `commands` are in their order, each once. `meaning` is what it says about the
    finding whose thread it stands in. `asks` is whether something is said to us that only an answer does justice to.
    """

    mentioned: bool
    commands: tuple[Command, ...] = ()
    meaning: Meaning | None = None
    asks: bool = False

    @property
    def words(self) -> str:
        """It in words for the log: "pause, review", "won't fix", "question", "thanks", "nothing"."""
        told: list[str] = [each.name for each in self.commands]
        if self.meaning:
            told.append(_WORDS[self.meaning])
        if self.asks and self.meaning != "disagrees":
            told.append("question")
        return ", ".join(dict.fromkeys(told)) or ("thanks" if self.mentioned else "nothing")


def understand(text: str, handles: frozenset[str]) -> Understood:
    """Understand a comment in GitHub's Markdown, whose author may be anybody; `handles` are our names."""
    said = lines(text, handles)
    # A reply may begin indented and still mean something; called we are only in what GitHub does not show as code.
    stance = meaning_of(lines(text.strip(), handles) if text[:1].isspace() else said)
    if all(line.called_at is None for line in said):
        return Understood(mentioned=False, meaning=stance)
    if all(is_a_greeting(line.text) for line in said):
        return Understood(mentioned=True, commands=(Command("help"),))
    commands = [command(line) for line in said]
    rest = [line for line, found in zip(said, commands, strict=True) if found is None]
    return Understood(
        mentioned=True,
        commands=tuple(dict.fromkeys(found for found in commands if found)),
        meaning=stance,
        asks=_asks(rest, stance, is_called_to_all=any(line.is_only_a_call for line in said) and not any(commands)),
    )


def _asks(said: Sequence[Line], stance: Meaning | None, *, is_called_to_all: bool) -> bool:
    """Whether something waits for an answer. A call that says nothing by itself is about all that is said."""
    if any(_is_question(line) for line in said):
        return True
    to_us = [line for line in said if is_called_to_all or line.called_at is not None]
    if any(_TASK.match(line.text) for line in to_us):
        return True
    if any(line.is_only_a_call or HIDDEN in line.text for line in to_us) and _only_shows(said):
        return True
    settled = stance is not None and stance != "disagrees"
    return any(
        not _is_courtesy(sentence) and not (settled and settles(sentence))
        for sentence in sentences(as_spoken(piece for line in to_us for piece in line.pieces))
    )


def _only_shows(said: Sequence[Line]) -> bool:
    """Whether a quote, code or a picture stands in a comment without words."""
    has_words = any(_WORD.search(line.text) for line in said)
    return not has_words and any(piece.kind == "shown" for line in said for piece in line.pieces)


def _is_question(line: Line) -> bool:
    """Whether a line asks us, or nobody by name."""
    words = as_spoken(line.pieces)
    return bool(_QUESTION.search(words)) and (line.called_at is not None or not _SOMEBODY.search(words))


def _is_courtesy(sentence: str) -> bool:
    return _COURTESY.fullmatch(" ".join(_WORD.findall(sentence))) is not None
