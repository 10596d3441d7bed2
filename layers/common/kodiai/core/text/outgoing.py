"""The text of a model, before we post it: it mentions nobody, links to no new address, and reveals no secret."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from kodiai.core.text import markdown
from kodiai.core.text.incoming import beginning
from kodiai.core.text.layout import BODY_LIMIT
from kodiai.core.text.markdown import Piece
from kodiai.core.text.rewritten import MOST_NESTED, parsed, rewritten
from kodiai.core.text.secrets import high_entropy_token, secret_in

CUT = "*This answer was too long; the rest of it was cut.*"
REMOVED = "(link removed)"

_ROOM = BODY_LIMIT - 600
_ADDRESS = re.compile(r"(?:\b[a-z][a-z0-9+.-]{1,20}://|\bwww\.)[^\s<>]*", re.IGNORECASE)
_TRAILING = ".,;:!?'\"`*_)]}"
_MARKDOWN = MarkdownIt("commonmark", {"html": False, "maxNesting": MOST_NESTED}).disable(["heading", "lheading"])


class Withheld(Exception):
    """An answer is not posted; the message tells people why, without the secret."""


def outgoing(text: str, handles: frozenset[str], known: Collection[str]) -> str:
    """Make a model's answer fit to be posted, in at most 64,936 characters.

    `handles` are our own logins, lowercase, without "@" and "[bot]": none of them is mentioned. Nobody else is
    mentioned either. Addresses stay, as text, where a text of `known` holds them. Code stays as it is.

    Raises `Withheld` where the text holds what looks like a secret.
    """
    _check_for_secrets(text)
    addresses = _addresses_in(known)
    room = _ROOM
    posted = _cleaned(beginning(text, room), handles, addresses)
    is_cut = len(text) > room
    while len(posted) > _ROOM - is_cut * (len(CUT) + 2):
        is_cut, room = True, room * 3 // 4
        posted = _cleaned(beginning(text, room), handles, addresses)
    posted = f"{posted}\n\n{CUT}" if is_cut else posted
    _check_for_secrets(posted)
    return posted


def _check_for_secrets(text: str) -> None:
    if name := secret_in(text):
        raise Withheld(f"The answer holds what looks like {name}.")
    if high_entropy_token(text):
        raise Withheld("The answer holds a long random string, which may be a secret.")


@dataclass(frozen=True)
class _Addresses:
    """The addresses of a conversation: whole, and without what follows the path."""

    whole: frozenset[str]
    paths: frozenset[str]

    def are_known(self, address: str) -> bool:
        """Whether the conversation has an address, whatever follows the path."""
        path = _path_of(address)
        return bool(path) and path in self.paths

    def as_known(self, found: re.Match[str]) -> str:
        """An address as the conversation has it, and the punctuation behind it."""
        address, behind = _split(found.group())
        if address in self.whole:
            return found.group()
        return f"{re.split('[?#]', address, maxsplit=1)[0] if self.are_known(address) else REMOVED}{behind}"


def _addresses_in(texts: Collection[str]) -> _Addresses:
    whole = {_split(found)[0] for text in texts for found in _ADDRESS.findall(text)}
    return _Addresses(frozenset(whole), frozenset(_path_of(address) for address in whole))


def _split(address: str) -> tuple[str, str]:
    """Split an address from the punctuation behind it; a bracket that it opens belongs to it."""
    end = len(address)
    unopened = address.count(")") - address.count("(")
    while end and address[end - 1] in _TRAILING:
        if address[end - 1] == ")":
            if unopened <= 0:
                break
            unopened -= 1
        end -= 1
    return address[:end], address[end:]


def _path_of(address: str) -> str:
    """Scheme, host and path; empty for what is no address."""
    bare, _ = _split(address)
    try:
        parts = urlsplit(bare if not bare.lower().startswith("www.") else f"http://{bare}")
    except ValueError:
        return ""
    return f"{parts.scheme.lower()}://{parts.netloc.lower()}{unquote(parts.path).rstrip('/')}" if parts.netloc else ""


def _cleaned(text: str, handles: frozenset[str], addresses: _Addresses) -> str:
    inline = partial(_inline, handles=handles, addresses=addresses)
    return markdown.settled(text, lambda each: rewritten(parsed(_MARKDOWN, each), inline, markdown.language))


def _inline(tokens: Sequence[Token], handles: frozenset[str], addresses: _Addresses) -> str:
    """Write a paragraph: code and emphasis as they are, images and links as text, and no text that does anything."""
    pieces: list[Piece] = []
    links: list[tuple[int, str]] = []
    for token in tokens:
        match token.type:
            case "image" if addresses.are_known(address := str(token.attrs["src"])):
                pieces.append(Piece(True, _with_address(token.content, address)))
            case "image":
                continue
            case "link_open":
                links.append((len(pieces), str(token.attrs["href"])))
            case "link_close":
                start, address = links.pop()
                if addresses.are_known(address):
                    words = "".join(each.content for each in pieces[start:])
                    pieces.append(Piece(True, _with_address(words, address).removeprefix(words)))
            case _:
                pieces.append(markdown.piece_of(token))
    return markdown.written(pieces, partial(_harmless, handles=handles, addresses=addresses))


def _with_address(words: str, address: str) -> str:
    """The words of a link, and its address where they are another."""
    if not words:
        return address
    return words if _path_of(words) == _path_of(address) else f"{words} ({address})"


def _harmless(text: str, handles: frozenset[str], addresses: _Addresses) -> str:
    """Escape what would do anything in a text between code and emphasis; our own names lose their "@"."""
    if handles:
        names = "|".join(re.escape(name) for name in sorted(handles, key=len, reverse=True))
        ours = rf"(?<!@)(?:(?<![A-Za-z0-9_])@|@@)@*+(?=(?:{names})(?![A-Za-z0-9_]|-+[A-Za-z0-9_]))"
        text = re.sub(ours, "", text, flags=re.IGNORECASE)
    return markdown.escaped(_ADDRESS.sub(addresses.as_known, text))
