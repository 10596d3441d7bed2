"""Signs that nobody sees, signs that are written as entities, and signs that stand for what stays as it is."""

import html
import re
from dataclasses import dataclass, field

ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")

_EMOJI = (
    r"[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u297f\u2b00-\u2bff"
    r"\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    r"\u180b-\u180f\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff"
    r"\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    rf"|(?<!{_EMOJI})\ufe0f(?!\u20e3)"
    rf"|\u200d(?!{_EMOJI})|(?<!{_EMOJI})(?<!{_EMOJI}\ufe0f)\u200d"
)
_SEPARATORS = re.compile(r"[\u2028\u2029]")
_AS_TEXT = {"`": "'", "\n": " ", "[": "(", "]": ")"}

# Signs of plane 16, which no text that we read holds, stand for what stays as it is: code, and other pieces.
_CODE, _OTHER, _MOST_KEPT = 0x100000, 0x108000, 0x8000
_OURS = re.compile("[\U00100000-\U0010ffff]")
_CODE_KEPT = re.compile("[\U00100000-\U00107fff]")


def visible(text: str) -> str:
    """Take from a text, code or not, the signs that nobody sees, or that turn its direction; emoji stay whole."""
    return without_ours(_seen(text))


def without_ours(text: str) -> str:
    """Take from a text the signs that may stand for something else."""
    return _OURS.sub("", text)


def decoded(text: str) -> str:
    """Decode a text's entities once; no sign that was written as one means anything to Markdown."""
    return _seen(ENTITY.sub(_as_text, _seen(text)))


def code_in(text: str) -> str:
    """The signs in a text that stand for code."""
    return "".join(_CODE_KEPT.findall(text))


@dataclass
class Kept:
    """Pieces that stay as they are, in order; each is one sign in the text around them."""

    pieces: list[str] = field(default_factory=list)

    def keep(self, piece: str, *, is_code: bool = False) -> str:
        """Put a piece away, and give the sign that stands for it."""
        if not piece or len(self.pieces) == _MOST_KEPT:
            return ""
        self.pieces.append(piece)
        return chr((_CODE if is_code else _OTHER) + len(self.pieces) - 1)

    def put_back(self, text: str) -> str:
        """Put every piece where its sign stands."""
        return _OURS.sub(lambda sign: self.pieces[ord(sign.group()) % _MOST_KEPT], text)


def _seen(text: str) -> str:
    return _SEPARATORS.sub(" ", _UNSEEN.sub("", text))


def _as_text(found: re.Match[str]) -> str:
    sign = html.unescape(found.group())
    if sign == found.group():  # no such entity
        return f"& {sign[1:]}"
    return _AS_TEXT.get(sign, without_ours(sign))
