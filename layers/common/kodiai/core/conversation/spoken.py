"""What a person says in a comment: its text without what is only shown, quoted or added by a mail program."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

SHOWN = "§"  # stands where code, an address or quoted speech is shown within a sentence

_STANDS_FOR = {
    "code_inline": SHOWN,
    "softbreak": "\n",
    "hardbreak": "\n\n",
    "heading_close": "\n\n",
    "paragraph_close": "\n\n",
}
_MARKDOWN = MarkdownIt("commonmark").enable("strikethrough")
_ADDED_BY_MAIL = re.compile(
    r"^(?:-- ?$|_{8,}$|-{2,} ?Original Message|From:.*\n(?:Sent|Date|To):|Sent from my |Get Outlook )",
    re.MULTILINE | re.IGNORECASE,
)
_QUOTES_FOLLOW = re.compile(r"^On .{1,200}(?:\n.{1,200})?\bwrote:[ \t]*$", re.MULTILINE | re.IGNORECASE)
_SILENT_TAG = re.compile(r"<(/?)(?:blockquote|code|del|kbd|pre|q|s|samp|strike|tt)\b", re.IGNORECASE)
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


def spoken(text: str) -> str:
    """Give what a comment says, in small letters, contractions written out, emoji and invisible signs left out.

    `text` is GitHub's Markdown. Quotes, code, struck-out text, comments, tags and addresses do not speak.
    A line break ends a thought, except where a mail program broke a long line or the line cannot end there.
    """
    words = _SPACES.sub(" ", "".join(_said(_tokens(_without_mail(text)))))
    words = _GOES_ON.sub(r"\1 ", words)
    words = _SHOWN.sub(SHOWN, _NOT_WORDS.sub(" ", _UNTICKED.sub("", words)))
    for contraction, written_out in _WRITTEN_OUT:
        words = contraction.sub(written_out, words)
    return _SPACES.sub(" ", words)


def _without_mail(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    return _QUOTES_FOLLOW.sub("", _ADDED_BY_MAIL.split(text, maxsplit=1)[0]).strip()


def _tokens(text: str) -> Iterator[Token]:
    for token in _MARKDOWN.parse(text):
        yield from token.children or [token]


def _said(tokens: Iterable[Token]) -> Iterator[str]:
    """Take the text of tokens as long as no quote, struck-out text or tag of code is open."""
    quotes = tags = 0
    for token in tokens:
        match token.type:
            case "blockquote_open" | "blockquote_close" | "s_open" | "s_close":
                quotes += token.nesting
            case "html_block" | "html_inline":
                tags = max(0, tags + _opened(token.content))
            case kind if not quotes and not tags:
                yield _normal(token.content) if kind == "text" else _STANDS_FOR.get(kind, "")


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
