"""What a model wrote, before we post it: it calls nobody, leads nowhere new, and gives no secret away.

What GitHub makes of Markdown: https://github.github.com/gfm/
"""

import html
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from string import punctuation
from urllib.parse import urlsplit

from kodiai.core.words import markdown
from kodiai.core.words.finding import BODY_LIMIT
from kodiai.core.words.incoming import visible
from kodiai.core.words.secrets import high_entropy_token, secret_in

REMOVED = "(link removed)"
CUT = "*This answer was too long; the rest of it was cut.*"

_ROOM = BODY_LIMIT - 600
_MOST_READ = 4 * BODY_LIMIT
_ROUNDS = 4

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_FENCE = re.compile(r"[ \t]*(?P<ticks>`{3,}|~{3,})[^`]*")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_FREE = frozenset("/.:@#")  # `markdown.prose` escapes these where they do something

# Signs of plane 16, which no text holds, stand for what must come out of `markdown.prose` as it went in.
_FIRST, _MOST_KEPT = 0x100000, 0xFF00
_LITERAL = {char: chr(0x10FF00 + ord(char)) for char in punctuation}
_LESS, _AND = "\U0010fff0", "\U0010fff1"
_WRITTEN = {sign: f"\\{char}" for char, sign in _LITERAL.items()} | {_LESS: "&lt;", _AND: "&amp;"}
_OURS = re.compile("[\U00100000-\U0010ffff]")

_EMAIL = (
    r"(?<![A-Za-z0-9._%+@/:-])(?!www\.)[A-Za-z0-9](?:[A-Za-z0-9._%+-]{0,63}[A-Za-z0-9_])?"
    r"@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+"
)
_SIGN = re.compile(rf"\\[{re.escape(punctuation)}]|`+|~|{_ENTITY.pattern}|{_EMAIL}")
_ADDRESS = re.compile(r"(?:\b[a-z][a-z0-9+.-]{1,20}://|\bwww\.)[^\s<>\U00100000-\U0010ffff]*", re.IGNORECASE)
_AUTOLINK = re.compile(r"<([a-z][a-z0-9+.-]{1,20}:[^\s<>]*)>", re.IGNORECASE)
_LINK = re.compile(
    r"(?P<image>!?)\[(?P<text>[^\[\]]*)\]"
    r"\([ \t]*(?:<(?P<angled>[^<>]*)>|(?P<plain>[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*))"
    r"""(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*\)"""
)
_DEFINITION = re.compile(r"[ \t>]*\[(?P<label>[^\[\]]+)\]:[ \t]*<?(?P<address>[^\s<>]+)>?[^\n]*")
_REFERENCE = re.compile(r"!?\[(?P<text>[^\[\]]*)\](?:\[(?P<label>[^\[\]]*)\])?")
_WORD = re.compile("[A-Za-z0-9_]")
_TRAILING = ".,;:!?'\"`*_)]}"


class Withheld(Exception):
    """An answer is not posted; `reason` tells people why, without what must not be told."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def outgoing(text: str, handles: frozenset[str], known: Collection[str]) -> str:
    """Make a model's answer fit to be posted, in at most 64,936 characters.

    `handles` are our own logins, in small letters, without "@" and "[bot]": none of them is called. Nobody else is
    called either. Addresses stay, as text, where a text of `known` holds them. Code stays as it is. What comes out
    is safe as `markdown.prose` says, and comes out again as it is.

    Raises `Withheld` where the text holds what looks like a secret.
    """
    _give_no_secret_away(text)
    places = _places(known)
    told = _capped(text[:_MOST_READ], handles, places)
    _give_no_secret_away(told)
    return told


def _give_no_secret_away(text: str) -> None:
    """Look at a text as it is written, and as it is read."""
    read = html.unescape(visible(text.replace("\r", "\n")))
    for form in (text, read, re.sub(rf"\\([{re.escape(punctuation)}])", r"\1", read)):
        if name := secret_in(form):
            raise Withheld(f"The answer holds what looks like {name}.")
        if high_entropy_token(form):
            raise Withheld("The answer holds a long random string, which may be a secret.")


def _capped(text: str, handles: frozenset[str], places: "_Places") -> str:
    told = _settled(text, handles, places)
    if len(told) <= _ROOM:
        return told
    room = _ROOM - len(CUT) - 2
    if cut := _first_paragraphs(told, room):
        return f"{cut}\n\n{CUT}"
    for part in (2, 4, 8, 16):  # one paragraph that is too long
        told = _settled(f"{text[: _ROOM // part]}…", handles, places)
        if len(told) <= room:
            break
    return f"{told}\n\n{CUT}"


def _settled(text: str, handles: frozenset[str], places: "_Places") -> str:
    """Clean a text until cleaning changes nothing any more."""
    for _ in range(_ROUNDS):
        cleaned = _cleaned(text, handles, places)
        if cleaned == text:
            return text
        text = cleaned
    plain = " ".join(re.sub(r"[^\w\s.,;:!?()-]", " ", text).split())
    return _cleaned(plain, handles, places)


def _first_paragraphs(text: str, room: int) -> str:
    """As many paragraphs as there is room for; a fence that is too long is cut at a line, and closed."""
    at = last = 0
    fence = ""
    for line in text.split("\n"):
        end = at + len(line)
        if end + len(fence) + 1 > room:
            break
        found = re.match(r"`{3,}", line)
        if fence and line == fence:
            fence, last = "", end
        elif not fence and found and "`" not in line[found.end() :]:
            fence = found.group()
        elif not fence and not line.strip():
            last = at
        at = end + 1
    if fence and (not last or at - last > room // 2):
        return f"{text[: at - 1]}\n{fence}"
    return text[:last].rstrip()


@dataclass
class _Kept:
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


def _cleaned(text: str, handles: frozenset[str], places: "_Places") -> str:
    text = _OURS.sub("\ufffd", _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))
    kept = _Kept()
    lines = [(line, is_code) for line, is_code in _lines(text)]
    masked = [line if is_code else _masked(visible(line), kept) for line, is_code in lines]
    defined = {
        found["label"].casefold()
        for line, (_, is_code) in zip(masked, lines, strict=True)
        if not is_code and (found := _DEFINITION.fullmatch(line)) and not places.are_known(found["address"])
    }
    told = []
    for line, (_, is_code) in zip(masked, lines, strict=True):
        told.append(line if is_code else _calling_nobody(_led_nowhere(line, defined, places), handles))
    return kept.put_back(markdown.prose("\n".join(told)))


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """The lines of a text, and whether each belongs to a fence, as `markdown.prose` sees it."""
    closing = None
    for line in text.split("\n"):
        if closing is not None:
            yield line, True
            if closing.fullmatch(line):
                closing = None
        elif opening := _FENCE.fullmatch(line):
            yield line, True
            closing = re.compile(rf"\s*{opening['ticks']}{opening['ticks'][0]}*\s*")
        else:
            yield line, False


def _masked(line: str, kept: _Kept) -> str:
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
    return "".join([*parts, line[at:]])


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


def _led_nowhere(line: str, defined: set[str], places: "_Places") -> str:
    """Take from a line the links, images and addresses that nobody else has spoken of."""
    found = _DEFINITION.fullmatch(line)
    if found and found["label"].casefold() in defined:
        return ""
    before = None
    while before != line:  # a badge is an image within a link
        before = line
        line = _LINK.sub(places.as_text, line)
    line = _REFERENCE.sub(
        lambda ref: ref["text"] if (ref["label"] or ref["text"]).casefold() in defined else ref.group(), line
    )
    return _ADDRESS.sub(places.as_known, _AUTOLINK.sub(lambda found: found[1], line))


def _calling_nobody(line: str, handles: frozenset[str]) -> str:
    """Take the "@" from our own names; `markdown.prose` sees to those of others."""
    if not handles:
        return line
    names = "|".join(re.escape(name) for name in sorted(handles, key=len, reverse=True))
    call = rf"(?<![@＠﹫])[@＠﹫]++(?=\*{{0,3}}(?:{names})(?![A-Za-z0-9_]|-+[A-Za-z0-9_]))"
    return re.sub(call, _uncalled, line, flags=re.IGNORECASE)


def _uncalled(found: re.Match[str]) -> str:
    """A single "@" behind a letter is that of an address, not of a call."""
    is_address = len(found.group()) == 1 and _WORD.match(found.string[max(0, found.start() - 1) : found.start()])
    return found.group() if is_address else ""


@dataclass(frozen=True)
class _Places:
    """The addresses of a conversation: whole, and without what follows the path."""

    whole: frozenset[str]
    paths: frozenset[str]

    def are_known(self, address: str) -> bool:
        return _path_of(address) in self.paths

    def as_known(self, found: re.Match[str]) -> str:
        """An address as the conversation has it, and the punctuation behind it."""
        address, behind = _split(found.group())
        if address in self.whole:
            return f"{address}{behind}"
        if self.are_known(address):
            return f"{re.split('[?#]', address, maxsplit=1)[0]}{behind}"
        return f"{REMOVED}{behind}"

    def as_text(self, found: re.Match[str]) -> str:
        """The words of a link, and its address where it is known."""
        address = found["angled"] if found["angled"] is not None else found["plain"]
        text = found["text"]
        if not self.are_known(address):
            return "" if found["image"] else text
        return f"{text} ({address})" if text and _path_of(text) != _path_of(address) else address


def _places(known: Collection[str]) -> _Places:
    whole = {_split(found)[0] for text in known for found in _ADDRESS.findall(text)}
    return _Places(frozenset(whole), frozenset(_path_of(address) for address in whole))


def _split(address: str) -> tuple[str, str]:
    """Part an address from the punctuation behind it; a bracket that it opens belongs to it."""
    end = len(address)
    while end and address[end - 1] in _TRAILING:
        if address[end - 1] == ")" and address.count("(", 0, end) >= address.count(")", 0, end):
            break
        end -= 1
    return address[:end], address[end:]


def _path_of(address: str) -> str:
    """Scheme, host and path; empty for what is no address."""
    bare, _ = _split(address)
    try:
        parts = urlsplit(bare if not bare.lower().startswith("www.") else f"http://{bare}")
    except ValueError:
        return "-"
    return f"{parts.scheme.lower()}://{parts.netloc.lower()}{parts.path.rstrip('/')}" if parts.netloc else "-"
