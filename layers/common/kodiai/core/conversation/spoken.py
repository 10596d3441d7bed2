"""What a person says in a comment: its text without what is only shown, quoted or added by a mail program."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
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
_SAME_SIGNS = str.maketrans(dict.fromkeys("’‘‛ʼ′´`＇", "'") | dict.fromkeys("“”„‟«»＂", '"') | {"‽": "?"})
_GOES_ON = re.compile(r"([^\n]{60}|n't|\b(?:an?|are|be|i|is|never|no|not|the|to|was|we|were)) ?\n(?!\n)")
_SPACES = re.compile(" {2,}")
_NOT_WORDS = re.compile(r"[:;]'?-?[()DdPp](?!\w)|:[a-z0-9_+-]+:|\[x\]")
_UNTICKED = re.compile(r"^\[ \].*", re.MULTILINE)
_SHOWN = re.compile(r'(?:https?://|www\.)\S+|"[^"\n]*"')
_WRITTEN_OUT = (
    (re.compile(r"(?<=\w)-(?=\w)"), " "),
    (re.compile(r"\bwo'?n'?t ?fix"), "will not fix"),
    (re.compile(r"\bwon'?t\b"), "will not"),
    (re.compile(r"\b(?:can'?t|cannot)\b"), "can not"),
    (re.compile(r"\b(are|could|did|do|does|had|has|have|is|need|should|was|were|would)n'?t\b"), r"\1 not"),
    (re.compile(r"\blet'?s\b"), "let us"),
    (re.compile(r"\bim\b|\bi'm\b"), "i am"),
    (re.compile(r"\b(it|that|there)'?s\b|'s\b"), r"\1 is"),
    (re.compile(r"'ll\b"), " will"),
    (re.compile(r"'re\b"), " are"),
    (re.compile(r"'ve\b"), " have"),
    (re.compile(r"'d\b"), " would"),
    (re.compile(r"\bfollowup"), "follow up"),
    (re.compile(r"\bgonna\b"), "going to"),
)


def as_spoken(said: Iterable[Piece]) -> str:
    """Give what is said in small letters, contractions written out, emoji and invisible signs left out.

    Code, addresses and quoted speech within a sentence are one sign. A line break ends a thought, except where a mail
    program broke a long line or the line cannot end there.
    """
    words = _SPACES.sub(" ", "".join(map(_voice, said)))
    words = _GOES_ON.sub(r"\1 ", words)
    words = _SHOWN.sub(SHOWN, _NOT_WORDS.sub(" ", _UNTICKED.sub("", words)))
    for contraction, written_out in _WRITTEN_OUT:
        words = contraction.sub(written_out, words)
    return _SPACES.sub(" ", words)


def _voice(piece: Piece) -> str:
    match piece.kind:
        case "code":
            return SHOWN
        case "words" | "sign" | "link":
            return _normal(piece.text)
    return piece.text


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


def _normal(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text.translate(_SAME_SIGNS)).casefold()
    return "".join(_sign(char) for char in folded)


def _sign(char: str) -> str:
    """Drop marks and invisible characters; emoji and control characters are spaces."""
    category = unicodedata.category(char)
    if category in ("Mn", "Me", "Cf"):
        return ""
    return " " if category in ("So", "Sk", "Cc", "Zs", "Zl", "Zp") else char
