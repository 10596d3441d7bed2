"""Reads the HTML tags in user Markdown before it is sanitized: GitHub's rules, and our own on top."""

import re
from html import unescape
from typing import Final

from markupsafe import escape

from local.rendering.inline import decorated
from local.rendering.sanitize import TAGS, sealed

_VALUE = r"""[^\s"'=<>`]++|'[^']*+'|"[^"]*+\""""
_ATTRIBUTE = rf"\s++([A-Za-z_:][\w:.-]*+)(?:\s*+=\s*+({_VALUE}))?+"
_PIECE = re.compile(
    r"(?P<hidden><!--(?:-?>|.*?--!?>)|<(?:!(?!--)|\?)[^>]*+>)"
    r"|(?P<unclosed><[!?].*)"
    rf"|<(?P<closing>/?)(?P<name>[A-Za-z][A-Za-z0-9-]*+)(?P<attributes>(?:{_ATTRIBUTE})*+)\s*+/?>",
    re.ASCII | re.DOTALL,
)
_ATTRIBUTES = re.compile(_ATTRIBUTE, re.ASCII)
_HEADING = re.compile("h[1-6]")

_ALLOWED = TAGS - {"input"}
_SHOWN_AS_TEXT = frozenset("iframe noembed noframes plaintext script style textarea title xmp".split())
# A browser opens these again in every block that follows: with attributes there is no end to how often.
_REOPENED = frozenset("b code em i s small strike strong tt u".split())
_CODE = frozenset({"code", "kbd", "pre", "samp", "tt"})
_VOID = frozenset({"br", "hr", "wbr"})
_DEEPEST_HEADING = 6
_DEEPEST = 60  # elements within elements; beyond it tags are shown


def heading(level: int, below: int) -> str:
    """Name the element of a heading; the highest, level 1, comes at `below`."""
    return f"h{min(level - 1 + below, _DEEPEST_HEADING)}"


class RawHtml:
    """The HTML tags of one text, in their order: code has no emoji, links have no links in them.

    `below` as for `as_html`, `links` counts the open ones.
    """

    def __init__(self, below: int) -> None:
        self._below: Final = below
        self._depth = 0
        self._code = 0
        self.links = 0

    def read(self, html: str) -> str:
        """Reduce a piece of HTML to whole tags that are allowed; some others are shown as text, as on GitHub.

        No tag, comment or value is left open, so that nothing that we write after it can become part of it, and a
        browser never applies its rules for a forbidden tag, which can swallow all that follows.
        The filter: https://github.github.com/gfm/#disallowed-raw-html-extension-
        """
        made, at = [], 0
        for piece in _PIECE.finditer(html):
            made += [self._text(html[at : piece.start()]), self._piece(piece)]
            at = piece.end()
        return "".join([*made, self._text(html[at:])])

    def image(self, source: str, alt: str) -> str:
        """Show an image as a link to it; inside a link, as its alternative text."""
        shown = escape(alt.strip() or source.rpartition("/")[2] or "image")
        return str(shown) if self.links else sealed(f'<a class="image" href="{escape(source)}">{shown}</a>')

    def _text(self, text: str) -> str:
        escaped = text.replace("<", "&lt;").replace(">", "&gt;")
        return escaped if self._code else decorated(escaped, linked=bool(self.links))

    def _piece(self, piece: re.Match[str]) -> str:
        if piece["hidden"]:
            return ""
        if piece["unclosed"]:
            return str(escape(piece[0]))
        name, closing = piece["name"].lower(), bool(piece["closing"])
        if name == "img" and not closing:
            given = self._attributes(piece["attributes"])
            return self.image(given.get("src", ""), given.get("alt", ""))
        if name in _SHOWN_AS_TEXT or (name in _ALLOWED and not closing and self._depth >= _DEEPEST):
            return str(escape(piece[0]))
        if name not in _ALLOWED:
            return ""
        if name not in _VOID:
            self._count(name, -1 if closing else 1)
        element = heading(int(name[1]), self._below) if _HEADING.fullmatch(name) else name
        attributes = "" if closing or name in _REOPENED else piece["attributes"]
        return f"<{piece['closing']}{element}{attributes}>"

    def _count(self, name: str, by: int) -> None:
        self._depth = max(0, self._depth + by)
        self._code = max(0, self._code + by * (name in _CODE))
        self.links = max(0, self.links + by * (name == "a"))

    @staticmethod
    def _attributes(written: str) -> dict[str, str]:
        """Read a tag's attributes; of two of one name a browser takes the first."""
        found = [(name.lower(), value) for name, value in _ATTRIBUTES.findall(written)]
        return {name: unescape(value.strip("\"'")) for name, value in reversed(found)}
