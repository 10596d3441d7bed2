"""Text that others wrote, as its readers see it: nothing in it is hidden, and its code is as it was."""

import html
import re
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from kodiai.core.text.comment_text import LONGEST_TEXT
from kodiai.core.text.html_tags import ATTRIBUTE, MARKUP
from kodiai.core.text.rewritten import MOST_NESTED, code_span, parsed, rewritten

_EMOJI = (
    r"[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u297f\u2b00-\u2bff"
    r"\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    r"\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff"
    r"\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    rf"|(?<!{_EMOJI})\ufe0f(?!\u20e3)"
    rf"|\u200d(?!{_EMOJI})|(?<!{_EMOJI})(?<!{_EMOJI}\ufe0f)\u200d"
)
"""A character that nobody sees, or that ends a line for some language and not for GitHub: U+2028, NEL, form feed."""

_LANGUAGE = re.compile(r"[A-Za-z0-9+#.-]{1,20}(?=\s|\Z)")
ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
"""A character that is written as an entity."""

_COMMENT = re.compile(r"<!--(?:.*?-->|(?P<open>.*+))")
_ENCODED = 4  # how often a text may be encoded
_LONGEST_ADDRESS = 500

_NOT_IN_ADDRESS = re.compile(r"""[\s"'<>`\\()\[\]\x00-\x1f]""")
_TAGS = frozenset(
    "a abbr b bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure"
    " g-emoji h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p picture pre q rp rt ruby s samp section small source span"
    " strike strong sub summary sup table tbody td tfoot th thead time tr tt ul var video wbr".split()
)
_MARKDOWN = MarkdownIt("commonmark", {"maxNesting": MOST_NESTED}).enable(["table", "strikethrough"])


def incoming(text: str) -> str:
    """A text as its readers see it: without comments, invisible signs, hidden attributes, titles and definitions.

    It is read up to LONGEST_TEXT. Code stays to the letter; only what a fence says next to its language goes. Entities
    and escapes are decoded.
    """
    return rewritten(_seen_tokens(text[:LONGEST_TEXT]), _inline, _language, _shown_html)


def visible(text: str) -> str:
    """Remove from a text, code or not, the invisible characters and those that turn its direction; emoji stay whole."""
    return UNSEEN.sub("", text.replace("\u2028", " ").replace("\u2029", " "))


def written_out(text: str) -> str:
    """A text, such as code, with its invisible characters by their numbers in Python's way; emoji stay whole."""
    return UNSEEN.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def _seen_tokens(text: str) -> Iterator[Token]:
    """The blocks of a text up to HTML that hides what follows."""
    for token in parsed(_MARKDOWN, text):
        yield token
        if token.type == "html_block" and _hides_what_follows(token.content):
            return


def _inline(tokens: Sequence[Token]) -> str:
    parts: list[str] = []
    links: list[str] = []
    for token in tokens:
        match token.type:
            case "text":
                parts.append(_prose(token.content))
            case "code_inline":
                parts.append(code_span(token))
            case "softbreak" | "hardbreak":
                parts.append("\n")
            case "html_inline":
                parts.append(_shown_html(token.content))
            case "image":
                parts.append(f"![]({_address(token, 'src')})")
            case "link_open":
                links.append("" if token.markup == "autolink" else f"]({_address(token, 'href')})")
                parts.append(links[-1] and "[")
            case "link_close":
                parts.append(links.pop())
            case _:
                parts.append(token.markup)
    return "".join(parts)


def _prose(text: str) -> str:
    """Text without invisible characters and comments, also those that are written with entities or never closed."""
    for _ in range(_ENCODED):
        text = ENTITY.sub(lambda found: html.unescape(found.group()), text)
    return _COMMENT.sub(_without_comment, visible(text))


def _without_comment(found: re.Match[str]) -> str:
    """Nothing; a comment that its line does not close hides the rest of the text only if it is on the last line."""
    return "" if found["open"] is None or found.end() == len(found.string) else found.group()


def _language(info: str) -> str:
    found = _LANGUAGE.match(info)
    return found.group() if found else ""


def _address(token: Token, name: str) -> str:
    address = str(token.attrs[name])
    return address if len(address) <= _LONGEST_ADDRESS else "…"


def _shown_html(text: str) -> str:
    """Cut from HTML what nobody sees: comments, and all of a tag but its name and its address."""
    return _prose(MARKUP.sub(_shown_tag, text))


def _hides_what_follows(text: str) -> bool:
    """Whether HTML ends within a comment or an attribute."""
    return any(found["comment"] is not None or found["quote"] is not None for found in MARKUP.finditer(text))


def _shown_tag(found: re.Match[str]) -> str:
    name = found["name"] or ""
    if name.lower() not in _TAGS:
        return ""
    return f"<{found['close']}{name}{'' if found['close'] else ''.join(_addresses(found['attributes']))}>"


def _addresses(attributes: str) -> Iterator[str]:
    for found in ATTRIBUTE.finditer(attributes):
        if found["name"].lower() in ("href", "src") and found["value"]:
            value = html.unescape(found["value"].strip("\"'").strip())
            if 0 < len(value) <= _LONGEST_ADDRESS and not _NOT_IN_ADDRESS.search(value):
                yield f' {found["name"].lower()}="{value}"'


# Where a cut text may end, and how much of the room it has to fill for that: else too much text would be lost.
_ENDS = ((re.compile(r"\n[ \t\r]*\n"), 2 / 3), (re.compile(r"\n"), 2 / 3), (re.compile(r"\s"), 1 / 2))


def cut(text: str, characters: int) -> str:
    """A text as it is, or the beginning of one with more characters, which says that it is cut."""
    return text if len(text) <= characters else f"{beginning(text, characters)}\n[cut here]"


def beginning(text: str, characters: int) -> str:
    """The beginning of a text, in at most this number of characters.

    It ends with a paragraph if one ends in the last third of the room, else with a line, else with a word.
    Only a text without white space in half of the room, such as Chinese, ends at the last character that fits.
    """
    if len(text) <= characters:
        return text
    room = text[: characters + 1]
    for end, kept in _ENDS:
        starts = [found.start() for found in end.finditer(room, int(characters * kept))]
        if starts:
            return room[: starts[-1]].rstrip()
    return text[:characters]
