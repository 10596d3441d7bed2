"""The words of a comment's author: its text without code, quotes, and what a mail program adds."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from kodiai.core.text.html_tags import ATTRIBUTE, MARKUP
from kodiai.core.text.mail import mail_header

SHOWN = "§"  # stands where code, an address or quoted speech is shown within a sentence


class CommentPiece(NamedTuple):
    """A part of a comment, in its own letters.

    `words` are text; a `sign` is written as an escape or an entity; a `link` is the text of one. `code` stands within
    a sentence; anything else that is only `shown` has no text. A `break` ends a line, an `end` a paragraph as well.
    """

    kind: Literal["words", "sign", "link", "code", "shown", "break", "end"]
    text: str


# The text of a piece stays one token for each way in which it is written.
_MARKDOWN = MarkdownIt("commonmark").enable("strikethrough").disable("text_join")
_ADDED_BY_MAIL = re.compile(
    r"^(?:-- ?$|_{8,}$|-{2,} ?Original Message|-{4,}+ ?[^\W\d_][^|\n]*+(?<=---[ -])$|From:.*\n(?:Sent|Date|To):"
    r"|Sent from my |Get Outlook )",
    re.MULTILINE | re.IGNORECASE,
)
LONGEST_TEXT = 65_536
"""The most characters that GitHub takes in a text, and that are read of one."""
# What is only shown within these is no speech of the author. A browser shows nothing of the others, or not as written;
# GitHub takes most of them out: https://github.com/gjtorikian/html-pipeline/blob/main/lib/html_pipeline/sanitization_filter.rb
_SILENT_TAGS = frozenset(
    "blockquote code del kbd pre q s samp strike tt"
    " applet audio bdo canvas datalist dialog fencedframe frameset head iframe math meter noembed noframes noscript"
    " object optgroup option plaintext portal progress rp script select selectedcontent style svg template textarea"
    " title video xmp".split()
)
_EMPTY_TAGS = frozenset("area base br col embed hr img input link meta source track wbr".split())
_HIDING_ATTRIBUTES = frozenset({"hidden", "style"})
_CODE = ("fence", "code_block")
_SHOWING_TAG = re.compile(r"<(?:img|picture|video)\b", re.IGNORECASE)
_ANCHOR = re.compile(r"<(/?)a\b", re.IGNORECASE)
# A footnote is shown in another place, if at all. The parser knows none: an escape keeps it from reading an address.
_FOOTNOTE = re.compile(r"^( {0,3})(\[\^[^\]\s]+\]:)", re.MULTILINE)
_ESCAPED_FOOTNOTE = re.compile(r"\\\[\^[^\]\s]+\]:")


def pieces(text: str) -> Iterator[CommentPiece]:
    """Split a comment in GitHub's Markdown.

    Quotes, struck-out text, HTML comments and tags are only shown, and so is what GitHub hides; what a mail program
    adds or quotes is left out.
    """
    quotes = links = 0
    silent_tags: Counter[str] = Counter()
    for token in _tokens(_plain(text[:LONGEST_TEXT])):
        match token.type:
            case "blockquote_open" | "blockquote_close" | "s_open" | "s_close":
                quotes += token.nesting
            case "link_open" | "link_close":
                links += token.nesting
            case "html_block" | "html_inline":
                _count_silent(token.content, silent_tags)
                links = max(0, links + sum(-1 if closes else 1 for closes in _ANCHOR.findall(token.content)))
            case "heading_open" | "paragraph_open":
                links = 0
        yield from _pieces_of(token, is_silent=bool(quotes or silent_tags.total()), is_link=bool(links))


def own_words(text: str) -> str:
    """The words that are the author's own, without anything quoted, shown as code or struck out."""
    return "".join(piece.text for piece in pieces(text))


def _pieces_of(token: Token, *, is_silent: bool, is_link: bool) -> Iterator[CommentPiece]:
    match token.type:
        case "softbreak" | "hardbreak":
            yield CommentPiece("break", "" if is_silent else "\n")
        case "heading_close" | "paragraph_close":
            yield CommentPiece("end", "" if is_silent else "\n\n")
        case "fence" | "code_block":
            yield from (CommentPiece("shown", ""), CommentPiece("end", ""))
        case "html_block" | "html_inline" | "image":
            if token.type == "image" or _SHOWING_TAG.search(token.content):
                yield CommentPiece("shown", "")
            if token.type == "html_block":
                yield CommentPiece("end", "")
        case "text" | "text_special" | "code_inline" if is_silent:
            yield CommentPiece("shown", "")
        case "text" | "text_special" if is_link:
            yield CommentPiece("link", token.content)
        case "text":
            yield CommentPiece("words", token.content)
        case "text_special":
            yield CommentPiece("sign", token.content)
        case "code_inline":
            yield CommentPiece("code", f"{token.markup}{token.content}{token.markup}")


def _plain(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n").rstrip()
    return _FOOTNOTE.sub(r"\1\\\2", _ADDED_BY_MAIL.split(text, maxsplit=1)[0].rstrip())


def _tokens(text: str) -> Iterator[Token]:
    """The tokens of a text, without footnotes, and up to the message that a mail answers unless that is marked."""
    quotes, env = 0, dict[str, object]()
    tokens = _MARKDOWN.parse(text, env)
    for at, token in enumerate(tokens):
        quotes += token.nesting if token.type.startswith("blockquote") else 0
        is_text = token.type == "inline"
        below = "".join(each.type for each in tokens[at + 1 + is_text : at + 2 + is_text])
        # Some programs indent the header, which makes it code.
        header = mail_header(token.content) if not quotes and (is_text or token.type == "code_block") else None
        if header is not None and not header.has_sender and (not is_text or (header.ends and below in _CODE)):
            header = None
        if not is_text:
            yield token
        elif header is not None:
            own = "\n".join(token.content.split("\n")[: header.first])
            yield from _MARKDOWN.parseInline(own, env)[0].children or ()
        elif not _ESCAPED_FOOTNOTE.match(token.content):
            yield from token.children or ()
        if header is not None and not (header.ends and below == "blockquote_open"):
            return


def _count_silent(html: str, silent: Counter[str]) -> None:
    """Count the tags around text that is only shown, by their names: which are opened more often than closed."""
    for found in MARKUP.finditer(html):
        name = (found["name"] or "").lower()
        if found["comment"] is not None or found["quote"] is not None:
            silent["<"] += 1  # which nothing closes
        elif found["close"]:
            silent[name] -= silent[name] > 0
        elif name not in _EMPTY_TAGS and (name in _SILENT_TAGS or silent[name] or _hides(found["attributes"] or "")):
            silent[name] += 1


def _hides(attributes: str) -> bool:
    return any(each["name"].lower() in _HIDING_ATTRIBUTES for each in ATTRIBUTE.finditer(attributes))
