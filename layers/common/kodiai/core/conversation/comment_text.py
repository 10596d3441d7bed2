"""What a person says in a comment: its text without what is only shown, quoted or added by a mail program."""

import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

SHOWN = "§"  # stands where code, an address or quoted speech is shown within a sentence

Kind = Literal["words", "sign", "link", "code", "shown", "break", "end"]


class Piece(NamedTuple):
    """A part of what a comment says, in its own letters.

    Words may be written out as an escape or an entity, a `sign`, or be the text of a `link`. `code` stands within a
    sentence; what else is `shown` does not speak and has no text. A `break` ends a line, an `end` a paragraph as well.
    """

    kind: Kind
    text: str


_ENDS = {
    "softbreak": Piece("break", "\n"),
    "hardbreak": Piece("break", "\n\n"),
    "heading_close": Piece("end", "\n\n"),
    "paragraph_close": Piece("end", "\n\n"),
}
_WRITTEN: Mapping[str, Kind] = {"text": "words", "text_special": "sign"}
# The text of a piece stays one token for each way in which it is written.
_MARKDOWN = MarkdownIt("commonmark").enable("strikethrough").disable("text_join")
_ADDED_BY_MAIL = re.compile(
    r"^(?:-- ?$|_{8,}$|-{2,} ?Original Message|From:.*\n(?:Sent|Date|To):|Sent from my |Get Outlook )",
    re.MULTILINE | re.IGNORECASE,
)
_QUOTES_FOLLOW = re.compile(r"^On .{1,200}(?:\n.{1,200})?\bwrote:[ \t]*$", re.MULTILINE | re.IGNORECASE)
_SILENT_TAG = re.compile(r"<(/?)(?:blockquote|code|del|kbd|pre|q|s|samp|strike|tt)\b", re.IGNORECASE)
_SHOWING_TAG = re.compile(r"<(?:img|picture|video)\b", re.IGNORECASE)
_ANCHOR = re.compile(r"<(/?)a\b", re.IGNORECASE)
_HTML_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def pieces(text: str) -> Iterator[Piece]:
    """Take a comment in GitHub's Markdown apart.

    Quotes, struck-out text, comments and tags are silent, what a mail program added or quotes is left out.
    """
    quotes = tags = links = 0
    for token in _tokens(_without_mail(text)):
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
    """Give the words of a comment that are its author's own: what is quoted, shown or struck out is left out."""
    return "".join(piece.text for piece in pieces(text))


def _pieces_of(token: Token, *, is_silent: bool, is_link: bool) -> Iterator[Piece]:
    match token.type:
        case "softbreak" | "hardbreak" | "heading_close" | "paragraph_close":
            ends = _ENDS[token.type]
            yield Piece(ends.kind, "") if is_silent else ends
        case "fence" | "code_block":
            yield from (Piece("shown", ""), Piece("end", ""))
        case "html_block" | "html_inline" | "image":
            if token.type == "image" or _SHOWING_TAG.search(token.content):
                yield Piece("shown", "")
            if token.type == "html_block":
                yield Piece("end", "")
        case "text" | "text_special" | "code_inline" if is_silent:
            yield Piece("shown", "")
        case "text" | "text_special":
            yield Piece("link" if is_link else _WRITTEN[token.type], token.content)
        case "code_inline":
            yield Piece("code", f"{token.markup}{token.content}{token.markup}")


def _without_mail(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n").rstrip()
    return _QUOTES_FOLLOW.sub("", _ADDED_BY_MAIL.split(text, maxsplit=1)[0]).rstrip()


def _tokens(text: str) -> Iterator[Token]:
    for token in _MARKDOWN.parse(text):
        yield from token.children or [token]


def _opened(html: str) -> int:
    """How many tags whose text is no speech are opened more often than closed."""
    found = _SILENT_TAG.findall(_HTML_COMMENT.sub("", html))
    return len(found) - 2 * found.count("/")
