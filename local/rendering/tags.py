"""Takes the HTML that people wrote into Markdown apart, before it is cleaned: GitHub's rules, and ours on top."""

import re
from html import unescape
from typing import Final

from markupsafe import escape

from local.rendering.clean import TAGS, ours
from local.rendering.words import dressed

_VALUE = r"""[^\s"'=<>`]++|'[^']*+'|"[^"]*+\""""
_ATTRIBUTE = rf"\s++([A-Za-z_:][\w:.-]*+)(?:\s*+=\s*+({_VALUE}))?+"
_PIECE = re.compile(
    r"(?P<hidden><!--(?:-?>|.*?--!?>)|<(?:!(?!--)|\?)[^>]*+>)"
    r"|(?P<unended><[!?].*)"
    rf"|<(?P<closing>/?)(?P<name>[A-Za-z][A-Za-z0-9-]*+)(?P<attributes>(?:{_ATTRIBUTE})*+)\s*+/?>",
    re.ASCII | re.DOTALL,
)
_ATTRIBUTES = re.compile(_ATTRIBUTE, re.ASCII)
_HEADING = re.compile("h[1-6]")

_THEIRS = TAGS - {"input"}
_SHOWN = frozenset("iframe noembed noframes plaintext script style textarea title xmp".split())
# What a browser opens anew in every block that follows: with attributes there is no end to how often.
_REOPENED = frozenset("b code em i s small strike strong tt u".split())
_CODE = frozenset({"code", "kbd", "pre", "samp", "tt"})
_VOID = frozenset({"br", "hr", "wbr"})
_DEEPEST_HEADING = 6
_DEEPEST = 60  # elements within elements; beyond it tags are shown


def heading(level: int, below: int) -> str:
    """Name the element of a heading; the highest, level 1, comes at `below`."""
    return f"h{min(level - 1 + below, _DEEPEST_HEADING)}"


class Tags:
    """The tags of one text, in their order: in code there are no emoji, in links there are no links.

    `below` as for `as_html`, `links` counts those that are open.
    """

    def __init__(self, below: int) -> None:
        self._below: Final = below
        self._depth = 0
        self._code = 0
        self.links = 0

    def read(self, html: str) -> str:
        """Give a piece of HTML of nothing but whole tags that may stand: GitHub's filter shows some of the others.

        No tag, comment or value is left open, so that nothing that we write after it can become part of it, and no
        browser's rule for a tag that may not stand, which can take away all that follows, ever comes into play.
        The filter: https://github.github.com/gfm/#disallowed-raw-html-extension-
        """
        made, at = [], 0
        for piece in _PIECE.finditer(html):
            made += [self._text(html[at : piece.start()]), self._piece(piece)]
            at = piece.end()
        return "".join([*made, self._text(html[at:])])

    def picture(self, source: str, words: str) -> str:
        """Show a picture as a link to it; where a link stands around it already, as its words."""
        shown = escape(words.strip() or source.rpartition("/")[2] or "picture")
        return str(shown) if self.links else f'<a{ours("picture")} href="{escape(source)}">{shown}</a>'

    def _text(self, text: str) -> str:
        escaped = text.replace("<", "&lt;").replace(">", "&gt;")
        return escaped if self._code else dressed(escaped, linked=bool(self.links))

    def _piece(self, piece: re.Match[str]) -> str:
        if piece["hidden"]:
            return ""
        if piece["unended"]:
            return str(escape(piece[0]))
        name, closing = piece["name"].lower(), bool(piece["closing"])
        if name == "img" and not closing:
            given = self._attributes(piece["attributes"])
            return self.picture(given.get("src", ""), given.get("alt", ""))
        if name in _SHOWN or (name in _THEIRS and not closing and self._depth >= _DEEPEST):
            return str(escape(piece[0]))
        if name not in _THEIRS:
            return ""
        if name not in _VOID:
            self._count(name, -1 if closing else 1)
        return self._closed(name) if closing else self._opened(name, piece["attributes"])

    def _count(self, name: str, by: int) -> None:
        self._depth = max(0, self._depth + by)
        self._code = max(0, self._code + by * (name in _CODE))
        self.links = max(0, self.links + by * (name == "a"))

    def _closed(self, name: str) -> str:
        return f"</{self._named(name)}>"

    def _opened(self, name: str, attributes: str) -> str:
        return f"<{self._named(name)}{'' if name in _REOPENED else attributes}>"

    def _named(self, name: str) -> str:
        return heading(int(name[1]), self._below) if _HEADING.fullmatch(name) else name

    @staticmethod
    def _attributes(written: str) -> dict[str, str]:
        """Read a tag's attributes; of two of one name a browser takes the first."""
        found = [(name.lower(), value) for name, value in _ATTRIBUTES.findall(written)]
        return {name: unescape(value.strip("\"'")) for name, value in reversed(found)}
