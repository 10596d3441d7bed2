"""Commands, recognized without a model."""

import difflib
import re
import unicodedata
from dataclasses import dataclass

from kodiai.core.conversation.commands import COMMANDS
from kodiai.core.conversation.mention import CommentLine, is_a_greeting

_SUGGESTED = {word: row.name for row in COMMANDS.values() for word in row.synonyms.split()}
"""Words that are no commands, and the command that is suggested instead."""

_EMOJI = "☺"
_COURTESY = r"(?:hey|hello|hi|okay|ok|kindly|please|pls|plz|thank you|thanks|thx)"
_POLITE = re.compile(r"\b(?:please|pls|plz|(?:can|could|would|will) (?:you|u))\b")
_ASKING = rf"(?:{_COURTESY} )*(?:(?:can|could|would|will) (?:you|u) (?:{_COURTESY} )*|go ahead and )?"
_FULL = "full|complete|entire|whole|thorough"
_THING = r"(?:pr|pull request|mr|merge request|branch|changes?|code|diff|commits?|push|updates?|version)"
_WHOSE = "(?:(?:this|the|my|our|these|those) )?(?:(?:latest|last|new|newest|current|updated) )*"
_PART = rf"(?:it|this|that|{_WHOSE}{_THING})"
_ALL = rf"(?:everything|all(?: of it)?|(?:all|the|this|my|our)(?: the)? (?:files|(?:{_FULL}) (?:thing|{_THING})))"
_DO = "(?:run|rerun|re run|start|restart|do|redo|repeat|make|give(?: me| us)?|trigger|perform)"
_WHICH = "(?:(?:a|an|the|your|another|one more|new|fresh|second) )*"
_VERB = rf"(?:(?P<full>{_FULL}) )?(?:re ?)?review(?: (?:{_PART}|(?P<all>{_ALL})))?"
_NOUN = rf"{_DO} {_WHICH}(?:(?P<full_noun>{_FULL}) )?(?:re ?)?review(?: of (?:{_PART}|(?P<all_of>{_ALL})))?"
_LOOK = rf"(?:take|have) (?:another|a new|a fresh|a second|one more) look(?: at {_PART})?"
_HOW = "(?:again|once more|one more time|anew|now|right now|(?P<fully>fully|completely|entirely|from scratch))"
_REVIEW = re.compile(rf"{_ASKING}(?:{_VERB}|{_NOUN}|{_LOOK})(?: {_HOW})*(?: {_COURTESY})*")
_FINDING = "(?:(?:the|this) )?(?:finding|issue|problem|bug)"
_FINDINGS = "(?:(?:of )?(?:the |these )?(?:open )?(?:findings|issues|problems)|of them|of these)"
_FIX = re.compile(
    rf"{_ASKING}fix(?: (?:(?P<all>{_ALL}|all(?: {_FINDINGS})?|them all)|{_PART}|{_FINDING}))?(?: {_COURTESY})*"
)
_PROPOSAL = "(?:(?:the|this) )?(?:fix|proposal|change|suggestion)"
_APPLY = re.compile(
    rf"(?:{_COURTESY} )*(?:go ahead and )?apply(?: (?:{_PART}|{_PROPOSAL}))?"
    rf"(?: `?p (?P<id>[0-9a-f]{{20}})`?)?(?: {_COURTESY})*"
)
_EXACT = re.compile(rf"(?:{_COURTESY} )*(?P<name>{'|'.join(COMMANDS)})(?: {_COURTESY})*")
_BEFORE = rf"(?:[\s.,!:;–—{_EMOJI}-]|{_COURTESY}(?![\w'’-]))*+"
_TAKING = "|".join(row.name.replace(" ", r"\s+") for row in COMMANDS.values() if row.takes)
_WITH_REST = re.compile(rf"{_BEFORE}(?P<name>{_TAKING})(?::|\s)(?P<rest>.*)\Z", re.DOTALL)
_QUESTION = re.compile(rf"[?？؟⸮‽](?:[\s.,!{_EMOJI}]|{_COURTESY})*+\Z")
_SPACE = re.compile(rf"[\s.,!:;–—{_EMOJI}-]+")
_ASKED = re.compile(r"[?？؟⸮‽]")
_AROUND = re.compile(rf"\A(?:{_COURTESY} )+|(?: {_COURTESY})+\Z")
_WORD = re.compile(r"[a-z]{2,24}(?: [a-z]{2,24})?")
_LIKE = 0.7  # how much of two words must be the same for one to stand for the other
_SMILE = re.compile(r":[a-z0-9_+-]+:|[:;]'?-?[()dp](?!\w)")
_SKIN = range(0x1F3FB, 0x1F400)


@dataclass(frozen=True)
class Command:
    """A command. `rest` is the text after a command that takes one, in its own letters."""

    name: str
    rest: str = ""


@dataclass(frozen=True)
class UnknownCommand:
    """A word that is no command, and the closest command."""

    word: str
    closest: str


def command(line: CommentLine) -> Command | None:
    """The command in a line that mentions us, None where there is none.

    Courtesy, case and the punctuation at the end do not count. A review can be requested in many words, and politely
    as a question; any other question is no command.
    """
    if line.mentioned_at is None:
        return None
    text = _folded(line.text)
    words, asks = _spaced(_ASKED.sub(" ", text)), _QUESTION.search(text) is not None
    found = _REVIEW.fullmatch(words)
    if found and (not asks or _POLITE.search(words)):
        is_full = any(found[part] for part in ("full", "full_noun", "all", "all_of", "fully"))
        return Command("full review" if is_full else "review")
    if (found := _FIX.fullmatch(words)) and (not asks or _POLITE.search(words)):
        return Command("fix all" if found["all"] else "fix")
    if asks:
        return None
    if found := _APPLY.fullmatch(words):
        return Command("apply", f"P-{found['id']}" if found["id"] else "")
    if exact := _EXACT.fullmatch(words):
        return Command(exact["name"])
    found = _WITH_REST.match(text)
    if found is None or found.start("name") < line.mentioned_at:
        return None
    return Command(" ".join(found["name"].split()), line.text[found.start("rest") :].strip())


def unknown_command(line: CommentLine) -> UnknownCommand | None:
    """The word or two after a mention at the beginning of a line, if they are close to a command and are none."""
    is_mentioned = line.mentioned_at is not None and is_a_greeting(line.text[: line.mentioned_at])
    if not is_mentioned or _ASKED.search(line.text):
        return None
    words = _AROUND.sub("", _spaced(_folded(line.text)))
    if not _WORD.fullmatch(words):
        return None
    close = difflib.get_close_matches(words, [*COMMANDS, *_SUGGESTED], n=1, cutoff=_LIKE)
    return UnknownCommand(words, _SUGGESTED.get(close[0], close[0])) if close else None


def _spaced(text: str) -> str:
    """The words of a folded text with one space between them, without punctuation."""
    return _SPACE.sub(" ", text).strip()


def _folded(text: str) -> str:
    """The text in lowercase, each emoji as one sign and each invisible character as a space; no position changes."""
    return _SMILE.sub(lambda smile: _EMOJI * len(smile[0]), "".join(map(_fold, text)))


def _fold(char: str) -> str:
    category = unicodedata.category(char)
    if category == "So" or ord(char) in _SKIN:
        return _EMOJI
    if category in ("Cf", "Cc", "Me", "Zs", "Zl", "Zp") or char in "\ufe0e\ufe0f":
        return " "
    small = char.lower()
    return small if len(small) == 1 else char
