"""Replies that are understood as a whole: one short table of them, and of courtesies without meaning."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Literal

from kodiai.core.conversation.mention import HIDDEN, CommentLine

Meaning = Literal["wont_fix", "by_design", "acknowledged", "false_positive", "done", "disagrees", "reopen"]
"""The meaning of a reply for the finding of its thread.

`done` is a claim that the code has to confirm, `disagrees` an argument, `reopen` takes a decision back.
"""

MEANING_IN_WORDS: Mapping[Meaning, str] = {
    "wont_fix": "won't fix",
    "by_design": "by design",
    "acknowledged": "acknowledged",
    "false_positive": "a false positive",
    "done": "done",
    "disagrees": "disagrees",
    "reopen": "reopen",
}

_REPLIES: Mapping[Meaning, tuple[str, ...]] = {
    "wont_fix": ("wont fix", "wontfix", "will not fix", "wont fix this", "not fixing this", "wont do"),
    "by_design": (
        "by design",
        "this is by design",
        "wont fix by design",
        "as designed",
        "intended",
        "intentional",
        "this is intentional",
        "on purpose",
        "works as intended",
        "working as intended",
    ),
    "acknowledged": ("acknowledged", "ack", "noted", "known issue", "accepted risk", "out of scope"),
    "false_positive": ("false positive", "this is a false positive", "false alarm", "not a bug"),
    "done": ("done", "all done", "fixed", "fixed now", "addressed", "resolved"),
    "reopen": ("reopen", "re open"),
}
_TABLE: Mapping[str, Meaning] = {reply: meaning for meaning, replies in _REPLIES.items() for reply in replies}
_COURTESIES = (
    *("thanks", "thank you", "thx", "ty", "cheers", "many thanks", "thanks a lot", "thank you so much"),
    *("thank you very much", "thanks again", "thanks for the review", "thanks for this", "thanks for that"),
    *("hey", "hi", "hello", "please", "pls", "plz", "sorry", "ok", "okay", "yes", "yep", "+1", "lgtm"),
    *("noted", "got it", "makes sense", "no worries", "sounds good", "well done", "you are right"),
    *("cool", "excellent", "good", "great", "nice", "perfect", "good bot", "good job", "great job", "nice work"),
    *("great work", "good point", "good find", "nice find", "good catch", "great catch", "nice catch"),
)
_AROUND = "|".join(re.escape(each) for each in sorted(_COURTESIES, key=len, reverse=True))
_BEFORE, _AFTER = re.compile(rf"\A(?:(?:{_AROUND})(?: |\Z))+"), re.compile(rf"(?:(?:\A| )(?:{_AROUND}))+\Z")
_APOSTROPHES = "'’‘‛ʼ′´`＇"
# Questions, quotes and check boxes say nothing by themselves.
_NOT_PLAIN = re.compile('[?‽؟⸮"“”„«»\\[\\]]')
_SMILE = re.compile(r":[a-z0-9_+-]+:|[:;]'?-?[()dp](?!\w)", re.IGNORECASE)


def whole_reply(lines: Iterable[CommentLine]) -> Meaning | None:
    """The meaning of a reply that is in the table as a whole, None where it is not.

    Case, punctuation, emoji, courtesy, and lines that only quote or show something make no difference. A question,
    quotation marks and code within a line are never in the table.
    """
    own = [line for line in lines if line.text.strip(f"{HIDDEN} ")]
    if any(HIDDEN in line.text or any(piece.kind == "code" for piece in line.pieces) for line in own):
        return None
    text = " ".join(line.text for line in own)
    if not _is_plain(text):
        return None
    plain = _words(text)
    return _TABLE.get(plain) or _TABLE.get(_without_courtesy(plain))


def is_courtesy(text: str) -> bool:
    """Whether a text is nothing but courtesy or emoji."""
    return _is_plain(text) and not _without_courtesy(_words(text))


def _is_plain(text: str) -> bool:
    return _NOT_PLAIN.search(unicodedata.normalize("NFKC", text)) is None


def _without_courtesy(words: str) -> str:
    """Take the courtesies off both ends."""
    return _AFTER.sub("", _BEFORE.sub("", words, count=1), count=1)


def _words(text: str) -> str:
    """The words of a text in small letters, without punctuation, apostrophes, emoji and invisible characters."""
    text = _SMILE.sub(" ", text.translate(dict.fromkeys(map(ord, _APOSTROPHES))))
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(map(_sign, folded)).split())


def _sign(char: str) -> str:
    category = unicodedata.category(char)
    if category in ("Mn", "Me", "Cf"):
        return ""
    return char if char == "+" or category[0] in "LNM" else " "
