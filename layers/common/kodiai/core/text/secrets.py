"""The shapes of leaked secrets: we repeat none of them.

A secret is found as people read it: nothing that they do not see between its characters hides it, no escape, entity or
emphasis either.
"""

import base64
import binascii
import html
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kodiai.core.text.incoming import ENTITY, UNSEEN
from kodiai.core.text.secret_shapes import GLUED, SHAPES, Shape


@dataclass(frozen=True)
class Secret:
    """A secret of a known shape: its name, as in "a GitHub token", and where its value is in the text.

    `shown` is what may be shown of it.
    """

    name: str
    start: int
    end: int
    shown: str


_FILLED_WITH = re.compile(r"[\w-]{0,16}?(?:[xX]{6,}|[*.…]{3,}|0{12,})|[xX*.…]+")
_SHOWN = 4
_HIDDEN = "…"

_KEY_LINE = re.compile(r"[A-Za-z0-9+/=]{8,}+")
_TOKEN = re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/=_-]{32,}")
_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s@]*+(?!@)", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-fA-F=_/+-]+")
_WORDS = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{4,}|(?<![A-Za-z0-9])[A-Za-z]{1,3}[0-9]{0,4}(?![A-Za-z0-9])")
_PARTS = re.compile(r"[/_=+-]+")
_UNREAD = re.compile(
    rf"{UNSEEN.pattern}"
    r"|(?<=[A-Za-z0-9_-])(?:\\?[*`~])+(?=[A-Za-z0-9_-])|\\(?=[!-/:-@\[-`{-~])"  # emphasis and code in a word, escapes
    rf"|{ENTITY.pattern}"
)
"""Characters that people do not read as they are written."""

_LEAST_BITS = 3.9
_MOST_WORDS = 0.6
_LONGEST_PART = 12


def secrets_in(text: str) -> Iterator[Secret]:
    """Find the secrets of known shapes, shape by shape; some may overlap."""
    for shape in SHAPES:
        for found in shape.finds(text):
            if _is_real(shape, found["value"]):
                yield Secret(shape.name, *found.span("value"), _shown(found))


def secret_in(text: str) -> str | None:
    """The name of a secret in a text, as in "a GitHub token"; None where it holds none."""
    return next((secret.name for secret in secrets_in(_as_read(text).text)), None)


def masked(text: str) -> str:
    """Keep of every secret of a known shape its first four characters, and nothing of passwords and private keys."""
    read = _as_read(text)
    for shape in SHAPES:
        secrets = [found for found in shape.finds(read.text) if _is_real(shape, found["value"])]
        if secrets:
            read = _as_read(read.replaced((*found.span("value"), f"{_shown(found)}{_HIDDEN}") for found in secrets))
    return read.original


@dataclass(frozen=True)
class _Read:
    """A text as people read it; `ends` say where each of its characters ends in the original, None where all do."""

    original: str
    text: str
    starts: Sequence[int] | None = None
    ends: Sequence[int] | None = None

    def replaced(self, spans: Iterable[tuple[int, int, str]]) -> str:
        """The original with other text from each start to its end, which are places in the text as it is read."""
        if self.starts is None or self.ends is None:
            return _replaced(self.original, spans)
        return _replaced(self.original, [(self.starts[a], self.ends[b - 1], instead) for a, b, instead in spans])


def _as_read(text: str) -> _Read:
    if _UNREAD.search(text) is None:
        return _Read(text, text)
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for found in _UNREAD.finditer(text):
        read = html.unescape(found.group()) if found.group().startswith("&") else ""
        read = UNSEEN.sub("", read)
        parts += [text[at : found.start()], read]
        starts += [*range(at, found.start()), *[found.start()] * len(read)]
        ends += [*range(at + 1, found.start() + 1), *[found.end()] * len(read)]
        at = found.end()
    return _Read(
        text, "".join([*parts, text[at:]]), [*starts, *range(at, len(text))], [*ends, *range(at + 1, len(text) + 1)]
    )


@lru_cache(maxsize=64)  # each turn of a conversation repeats the texts of the turns before
def masked_for_model(text: str) -> str:
    """A text as a model is shown it: secrets of known shapes are masked, the same one in the same way.

    The lines stay where they are, since findings name them: of a key with several lines each is masked by itself.
    """
    return _replaced(text, ((span.start, span.end, span.shown) for span in secret_spans(text)))


def _replaced(text: str, spans: Iterable[tuple[int, int, str]]) -> str:
    """A text with other text from each start to its end; the spans are in order."""
    parts, at = [], 0
    for start, end, instead in spans:
        parts += [text[at:start], instead]
        at = end
    return "".join([*parts, text[at:]])


def secret_spans(text: str) -> list[Secret]:
    """The secrets of a text in its order, none within another, each with what a model is shown in its place."""
    found: list[Secret] = []
    end = 0
    for each in sorted(secrets_in(text), key=lambda secret: (secret.start, -secret.end)):
        if each.start >= end:
            value = text[each.start : each.end]
            shown = _KEY_LINE.sub(_HIDDEN, value) if "\n" in value else f"{each.shown}{_HIDDEN}"
            found.append(Secret(each.name, each.start, each.end, shown))
            end = each.end
    return found


def place_behind_masks(text: str, shown: str) -> tuple[int, int] | None:
    """The place of a part that a model copied from the masked text: start and end in the text as it is.

    None if it is not there exactly once, or begins or ends within a mask.
    """
    masked_text = masked_for_model(text)
    if masked_text == text or masked_text.count(shown) != 1:
        return None
    start = masked_text.index(shown)
    places = [_unmasked(text, at) for at in (start, start + len(shown))]
    return (places[0], places[1]) if places[0] is not None and places[1] is not None else None


def _unmasked(text: str, at: int) -> int | None:
    """The place in a text of a place in the masked text, None within a mask."""
    grown = 0
    for span in secret_spans(text):
        start = span.start - grown
        if at <= start:
            break
        if at < start + len(span.shown):
            return None
        grown += (span.end - span.start) - len(span.shown)
    return at + grown


def has_mask_of(text: str, written: str) -> bool:
    """Whether a text that a model wrote holds what it was shown instead of a secret of this text."""
    return any(span.shown.strip() in written for span in secret_spans(text))


def high_entropy_token(text: str) -> str | None:
    """Find a word of 32 characters or more that looks random, whatever kind of secret it is.

    Digests, UUIDs, identifiers, paths, addresses and encoded words are none.
    """
    return next((found.group() for found in _random_words(_as_read(text).text)), None)


def masked_random(text: str) -> str:
    """Keep of every word that looks random its first four characters, whatever kind of secret it is."""
    read = _as_read(text)
    return read.replaced((*found.span(), f"{found.group()[:_SHOWN]}{_HIDDEN}") for found in _random_words(read.text))


def _random_words(text: str) -> Iterator[re.Match[str]]:
    addresses = [found.span() for found in _ADDRESS.finditer(text)]
    for found in _TOKEN.finditer(text):
        if _is_random(found.group()) and not any(start <= found.start() < end for start, end in addresses):
            yield found


def _shown(found: re.Match[str]) -> str:
    """The first characters of a secret; none of a password or a private key."""
    before = found.group()[: found.start("value") - found.start()]
    return "" if "://" in before or "PRIVATE KEY" in before else found["value"][:_SHOWN]


def _is_real(shape: Shape, value: str) -> bool:
    """Whether a value is no placeholder such as `ghp_xxxx`, and behind a letter looks random."""
    return not _FILLED_WITH.fullmatch(value) and (shape is not GLUED or _is_mixed(value))


def _is_mixed(value: str) -> bool:
    """Whether a value has capital and small letters and digits, as no name does that has a token's first letters."""
    return all(re.search(kind, value) for kind in ("[a-z]", "[A-Z]", "[0-9]")) and _bits(value) >= _LEAST_BITS


def _is_random(word: str) -> bool:
    if _HEX.fullmatch(word) or not all(re.search(kind, word) for kind in ("[a-z]", "[A-Z]", "[0-9]")):
        return False
    longest = max(len(part) for part in _PARTS.split(word))
    wordy = sum(len(found) for found in _WORDS.findall(word)) / len(word)
    return longest >= _LONGEST_PART and wordy < _MOST_WORDS and _bits(word) >= _LEAST_BITS and not _says_words(word)


def _bits(word: str) -> float:
    """The Shannon entropy of a word, in bits per character."""
    counts = Counter(word).values()
    return -sum(count / len(word) * math.log2(count / len(word)) for count in counts)


def _says_words(word: str) -> bool:
    """Whether a word is readable text in base64."""
    bare = word.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        said = base64.b64decode(bare[: len(bare) // 4 * 4], validate=True)
    except binascii.Error:
        return False
    return all(char in b"\t\r\n" or 32 <= char < 127 for char in said)  # noqa: PLR2004 - printable ASCII
