"""Commands: what is done as it is said, without asking the model what was meant."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal, cast

from kodiai.core.conversation.mention import Line

CommandName = Literal[
    "help", "review", "full review", "pause", "resume", "resolve", "config", "propose", "fix", "apply", "break glass"
]

_EMOJI = "☺"
_COURTESY = r"(?:hey|hello|hi|okay|ok|please|pls|plz|thank you|thanks|thx)(?![\w'’-])"
_BEFORE = rf"(?:[\s.,!:;–—{_EMOJI}-]|{_COURTESY})*+"
_AFTER = rf"(?:[\s.,!{_EMOJI}]|{_COURTESY})*+\Z"
_EXACT = re.compile(
    rf"{_BEFORE}(?P<name>help|(?:full\s+)?review|pause|resume|resolve|config|fix|apply|propose|break\s+glass){_AFTER}"
)
_WITH_REST = re.compile(rf"{_BEFORE}(?P<name>propose|break\s+glass)(?::|\s)(?P<rest>.*)\Z", re.DOTALL)
_QUESTION = re.compile(rf"[?？؟⸮‽]{_AFTER}")
_SMILE = re.compile(r":[a-z0-9_+-]+:|[:;]'?-?[()dp](?!\w)")
_SKIN = range(0x1F3FB, 0x1F400)


@dataclass(frozen=True)
class Command:
    """Something to do. `rest` is what follows "propose" and "break glass", in its own letters."""

    name: CommandName
    rest: str = ""


def command(line: Line) -> Command | None:
    """Tell which command a line that calls us is, None where it is none.

    Courtesy and the punctuation at its end do not count, nor does its case. A question is no command.
    """
    if line.called_at is None:
        return None
    text = _folded(line.text)
    if _QUESTION.search(text):
        return None
    if exact := _EXACT.match(text):
        return Command(_name(exact))
    found = _WITH_REST.match(text)
    if found is None or found.start("name") < line.called_at:
        return None
    return Command(_name(found), line.text[found.start("rest") :].strip())


def _name(found: re.Match[str]) -> CommandName:
    return cast(CommandName, " ".join(found["name"].split()))


def _folded(text: str) -> str:
    """The text in small letters, each emoji a sign and each invisible character a space, at their places."""
    return _SMILE.sub(lambda smile: _EMOJI * len(smile[0]), "".join(map(_fold, text)))


def _fold(char: str) -> str:
    category = unicodedata.category(char)
    if category == "So" or ord(char) in _SKIN:
        return _EMOJI
    if category in ("Cf", "Cc", "Me", "Zs", "Zl", "Zp") or char in "\ufe0e\ufe0f":
        return " "
    small = char.lower()
    return small if len(small) == 1 else char
