"""Addresses in an answer: they lead nowhere but where the conversation has been."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

REMOVED = "(link removed)"

_DEEPEST_LINK = 3  # a badge is an image within a link
_ADDRESS = re.compile(r"(?:\b[a-z][a-z0-9+.-]{1,20}://|\bwww\.)[^\s<>\U00100000-\U0010ffff]*", re.IGNORECASE)
_AUTOLINK = re.compile(r"<([a-z][a-z0-9+.-]{1,20}:[^\s<>]*)>", re.IGNORECASE)
_LINK = re.compile(
    r"(?P<image>!?)\[(?P<text>[^\[\]]*)\]"
    r"\([ \t]*(?:<(?P<angled>[^<>]*)>|(?P<plain>[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*))"
    r"""(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*\)"""
)
_DEFINITION = re.compile(r"[ \t>]*\[(?P<label>[^\[\]]+)\]:[ \t]*<?(?P<address>[^\s<>]+)>?[^\n]*")
_REFERENCE = re.compile(r"!?\[(?P<text>[^\[\]]*)\](?:\[(?P<label>[^\[\]]*)\])?")
_TRAILING = ".,;:!?'\"`*_)]}"


@dataclass(frozen=True)
class Places:
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


def places_of(known: Collection[str]) -> Places:
    """Find every address in the texts of a conversation."""
    whole = {_split(found)[0] for text in known for found in _ADDRESS.findall(text)}
    return Places(frozenset(whole), frozenset(_path_of(address) for address in whole))


def defined_elsewhere(lines: Iterable[str], places: Places) -> set[str]:
    """The labels, in small letters, that lines define for links to where the conversation has not been."""
    found = (_DEFINITION.fullmatch(line) for line in lines)
    return {each["label"].casefold() for each in found if each and not places.are_known(each["address"])}


def led_nowhere(line: str, defined: Collection[str], places: Places) -> str:
    """Take from a line the links, images and addresses that nobody else has spoken of."""
    found = _DEFINITION.fullmatch(line)
    if found and found["label"].casefold() in defined:
        return ""
    for _ in range(_DEEPEST_LINK):
        line = _LINK.sub(places.as_text, line)
    line = _REFERENCE.sub(
        lambda ref: ref["text"] if (ref["label"] or ref["text"]).casefold() in defined else ref.group(), line
    )
    return _ADDRESS.sub(places.as_known, _AUTOLINK.sub(lambda found: found[1], line))


def _split(address: str) -> tuple[str, str]:
    """Part an address from the punctuation behind it; a bracket that it opens belongs to it."""
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
    return f"{parts.scheme.lower()}://{parts.netloc.lower()}{parts.path.rstrip('/')}" if parts.netloc else ""
