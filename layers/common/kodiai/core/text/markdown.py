"""Putting text that we did not write into Markdown that we do write.

A parser reads the text, which decodes its entities and escapes; what nobody sees goes; then everything is escaped that
Markdown or GitHub would act on. So a text that is cleaned twice stays as it was cleaned once.
What GitHub makes of Markdown: https://github.github.com/gfm/
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from kodiai.core.text.incoming import visible
from kodiai.core.text.rewritten import MOST_NESTED, code_span, longest_ticks, parsed, rewritten

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_OPENING = re.compile(
    r"([0-9]{1,9})(?=[.)](?:\s|\Z))"  # a numbered list
    r"|(?=>|[+*-](?:\s|\Z)"  # a quote, a list
    r"|\#{1,6}(?:\s|\Z)|[-=|:][-=|:\s]*\Z"  # a heading, a rule or a table
    r"|(?::[\w+-]+:\s*)*\[(?:CRITICAL|MAJOR|MEDIUM|MINOR)\])"  # a finding that is none of ours
)
_STAR = re.compile(r"(?<!\s)\*|\*(?!\s)")
_ACTIVE = re.compile(
    r"[\\`~]"  # escapes, code that is never closed, struck-out text
    r"|(?<![^\W_])_|_(?![^\W_])"  # emphasis, as in __init__; within a word it is none
    r"|<|&(?=\#?\w+;)"  # tags, comments, entities
    r"|\](?=[(\[:])"  # links, images, footnotes, and what defines them
    r"|(?<=:)/(?=/)|(?<=www)\."  # addresses, which GitHub makes links of
    r"|(?<![A-Za-z0-9_])@(?=[A-Za-z0-9])|(?<=[\w.-])\#(?=[0-9])",  # people, teams, issues of other repositories
    re.VERBOSE,
)
_ENTITIES = {"<": "&lt;", "&": "&amp;"}
_WORD_JOINER = "\u2060"
_LANGUAGE = re.compile(r"[A-Za-z0-9+#_.-]+")
_DRAWN = frozenset({"suggestion", "mermaid", "math", "geojson", "topojson", "stl"})
_PLAIN_PATH = re.compile(r"(?!www\.)\.?[A-Za-z0-9]+(?:(?:/\.?|[-._])[A-Za-z0-9]+)*")


_PASSES = 8
_CACHED = 512  # a review is composed again and again until it fits
_MARKDOWN = MarkdownIt("commonmark", {"html": False, "maxNesting": MOST_NESTED}).disable(
    ["heading", "lheading", "reference", "link", "image", "autolink"]
)


Cleaner = Callable[[str], str]


class Piece(NamedTuple):
    """A piece of a paragraph: text, which is not yet escaped, or Markdown."""

    is_text: bool
    content: str


@lru_cache(maxsize=_CACHED)
def prose(text: str) -> str:
    """Keep a text's paragraphs, lists, emphasis and code, and disarm everything else.

    The result opens no tag, comment, heading, table or link, loads no image, mentions nobody, and leaves no fence open.
    Code spans and fenced blocks are left as they are, but a fence offers no change and draws nothing.
    """
    text = _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return settled(text, lambda each: rewritten(parsed(_MARKDOWN, each), _inline, language).strip())


def first_block(text: str) -> str:
    """The type of the parser's token that opens a text of `prose`, which is not empty."""
    return parsed(_MARKDOWN, text)[0].type


@lru_cache(maxsize=_CACHED)
def line(text: str) -> str:
    """The same, on one line."""
    return settled(_CONTROLS.sub("", " ".join(text.split())), _written_line)


def _written_line(text: str) -> str:
    (block,) = _MARKDOWN.parseInline(text)
    return " ".join(_inline(block.children or ()).split())


def settled(text: str, clean: Cleaner) -> str:
    """Clean a text until it stays as it is: what was removed may have kept two marks of Markdown apart."""
    for _ in range(_PASSES):
        text, before = clean(text), text
        if text == before:
            break
    return text


def _inline(tokens: Sequence[Token]) -> str:
    return written(map(piece_of, tokens), escaped)


def piece_of(token: Token) -> Piece:
    """A token as a piece, if it is no link or image. Underscores are no emphasis: names such as __init__ have them."""
    match token.type:
        case "text":
            return Piece(True, token.content)
        case "code_inline":
            return Piece(False, code_span(token))
        case "softbreak" | "hardbreak":
            return Piece(False, "\n")
    return Piece("_" in token.markup, token.markup)


def written(pieces: Iterable[Piece], harmless: Callable[[str], str]) -> str:
    """Write the pieces of a paragraph, text as `harmless` writes what is seen of it; no line opens a block."""
    grouped = ((is_text, "".join(each.content for each in group)) for is_text, group in groupby(pieces, key=_is_text))
    text = "".join(harmless(visible(content)) if is_text else content for is_text, content in grouped)
    return "\n".join(_opening_nothing(line.strip()) for line in text.split("\n"))


def _is_text(piece: Piece) -> bool:
    return piece.is_text


def _opening_nothing(line: str) -> str:
    """Escape the beginning of a line, so that it opens no list, quote or other block."""
    opening = _OPENING.match(line)
    return f"{line[: opening.end()]}\\{line[opening.end() :]}" if opening else line


def as_meant(text: str) -> str:
    """Undo the escapes of `prose` and `line`; code stays as it is."""
    return rewritten(parsed(_MARKDOWN, text), _read, str)


def _read(tokens: Sequence[Token]) -> str:
    return visible("".join(piece_of(token).content for token in tokens))


def path(name: str) -> str:
    """Show a path as it is; one with Markdown in it is a code span."""
    if _PLAIN_PATH.fullmatch(name):
        return name
    printable = "".join(char if char.isprintable() else "�" for char in name)
    ticks = "`" * (longest_ticks(printable) + 1)
    padding = " " if printable.strip(" `") != printable or not printable else ""
    return f"{ticks}{padding}{printable}{padding}{ticks}"


def folded(summary: str, body: str) -> str:
    """A section that opens on a click."""
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def language(info: str) -> str:
    """The language of a fence; GitHub draws or applies a few that are none."""
    name = (info.split() or [""])[0]
    return name if _LANGUAGE.fullmatch(name) and name.lower() not in _DRAWN else ""


def escaped(text: str) -> str:
    """Escape all Markdown within a line of text, emphasis too."""
    return _STAR.sub(r"\\*", _ACTIVE.sub(_disarmed, text))


def _disarmed(found: re.Match[str]) -> str:
    character = found.group()
    if character in "@#":
        return f"{character}{_WORD_JOINER}"
    return _ENTITIES.get(character, f"\\{character}")
