"""What a model wrote, before we post it: it calls nobody, leads nowhere new, and gives no secret away.

What GitHub makes of Markdown: https://github.github.com/gfm/
"""

import html
import re
from collections.abc import Collection, Iterator

from kodiai.core.words import markdown
from kodiai.core.words.addresses import Places, defined_elsewhere, led_nowhere, places_of
from kodiai.core.words.finding import BODY_LIMIT
from kodiai.core.words.incoming import visible
from kodiai.core.words.literal import ESCAPED, Kept, cleared, masked
from kodiai.core.words.secrets import high_entropy_token, secret_in

CUT = "*This answer was too long; the rest of it was cut.*"

_ROOM = BODY_LIMIT - 600
_MOST_READ = 4 * BODY_LIMIT
_ROUNDS = 4
_FENCE = re.compile(r"[ \t]*(?P<ticks>`{3,}|~{3,})[^`]*")
_WORD = re.compile("[A-Za-z0-9_]")


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
    places = places_of(known)
    told = _capped(text[:_MOST_READ], handles, places)
    _give_no_secret_away(told)
    return told


def _give_no_secret_away(text: str) -> None:
    """Look at a text as it is written, and as it is read."""
    read = html.unescape(visible(text.replace("\r", "\n")))
    for form in (text, read, ESCAPED.sub(r"\1", read)):
        if name := secret_in(form):
            raise Withheld(f"The answer holds what looks like {name}.")
        if high_entropy_token(form):
            raise Withheld("The answer holds a long random string, which may be a secret.")


def _capped(text: str, handles: frozenset[str], places: Places) -> str:
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


def _settled(text: str, handles: frozenset[str], places: Places) -> str:
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


def _cleaned(text: str, handles: frozenset[str], places: Places) -> str:
    kept = Kept()
    lines = [(line if is_code else masked(line, kept), is_code) for line, is_code in _lines(cleared(text))]
    defined = defined_elsewhere((line for line, is_code in lines if not is_code), places)
    told = [
        line if is_code else _calling_nobody(led_nowhere(line, defined, places), handles) for line, is_code in lines
    ]
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
