"""The words of a comment's author: its text without code, quotes, and what a mail program adds."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

SHOWN = "§"  # stands where code, an address or quoted speech is shown within a sentence


class Piece(NamedTuple):
    """A part of a comment, in its own letters.

    `words` are text; a `sign` is written as an escape or an entity; a `link` is the text of one. `code` stands within
    a sentence; anything else that is only `shown` has no text. A `break` ends a line, an `end` a paragraph as well.
    """

    kind: Literal["words", "sign", "link", "code", "shown", "break", "end"]
    text: str


# The text of a piece stays one token for each way in which it is written.
_MARKDOWN = MarkdownIt("commonmark").enable("strikethrough").disable("text_join")
_ADDED_BY_MAIL = re.compile(
    r"^(?:-- ?$|_{8,}$|-{2,} ?Original Message|From:.*\n(?:Sent|Date|To):|Sent from my |Get Outlook )",
    re.MULTILINE | re.IGNORECASE,
)
LONGEST_TEXT = 65_536
"""The most characters that GitHub takes in a text, and that are read of one."""
_QUOTES_FOLLOW = re.compile(r"^On .{1,200}(?:\n.{1,200})?\bwrote:[ \t]*$", re.MULTILINE | re.IGNORECASE)
_SILENT_TAG = re.compile(r"<(/?)(?:blockquote|code|del|kbd|pre|q|s|samp|strike|tt)\b", re.IGNORECASE)
_SHOWING_TAG = re.compile(r"<(?:img|picture|video)\b", re.IGNORECASE)
_ANCHOR = re.compile(r"<(/?)a\b", re.IGNORECASE)
_HTML_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def pieces(text: str) -> Iterator[Piece]:
    """Split a comment in GitHub's Markdown.

    Quotes, struck-out text, HTML comments and tags are only shown; what a mail program adds or quotes is left out.
    """
    quotes = tags = links = 0
    for token in _tokens(_without_mail(text[:LONGEST_TEXT])):
        match token.type:
            case "blockquote_open" | "blockquote_close" | "s_open" | "s_close":
                quotes += token.nesting
            case "link_open" | "link_close":
                links += token.nesting
            case "html_block" | "html_inline":
                tags = max(0, tags + _opened(token.content))
                links = max(0, links + sum(-1 if closes else 1 for closes in _ANCHOR.findall(token.content)))
            case "heading_open" | "paragraph_open":
                links = 0
        yield from _pieces_of(token, is_silent=bool(quotes or tags), is_link=bool(links))


def own_words(text: str) -> str:
    """The words that are the author's own, without anything quoted, shown as code or struck out."""
    return "".join(piece.text for piece in pieces(text))


def _pieces_of(token: Token, *, is_silent: bool, is_link: bool) -> Iterator[Piece]:
    match token.type:
        case "softbreak" | "hardbreak":
            yield Piece("break", "" if is_silent else "\n")
        case "heading_close" | "paragraph_close":
            yield Piece("end", "" if is_silent else "\n\n")
        case "fence" | "code_block":
            yield from (Piece("shown", ""), Piece("end", ""))
        case "html_block" | "html_inline" | "image":
            if token.type == "image" or _SHOWING_TAG.search(token.content):
                yield Piece("shown", "")
            if token.type == "html_block":
                yield Piece("end", "")
        case "text" | "text_special" | "code_inline" if is_silent:
            yield Piece("shown", "")
        case "text" | "text_special" if is_link:
            yield Piece("link", token.content)
        case "text":
            yield Piece("words", token.content)
        case "text_special":
            yield Piece("sign", token.content)
        case "code_inline":
            yield Piece("code", f"{token.markup}{token.content}{token.markup}")


def _without_mail(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n").rstrip()
    return _QUOTES_FOLLOW.sub("", _ADDED_BY_MAIL.split(text, maxsplit=1)[0]).rstrip()


def _tokens(text: str) -> Iterator[Token]:
    for token in _MARKDOWN.parse(text):
        yield from token.children or [token]


def _opened(html: str) -> int:
    """How many tags around text that is only shown are opened more often than closed."""
    found = _SILENT_TAG.findall(_HTML_COMMENT.sub("", html))
    return len(found) - 2 * found.count("/")
