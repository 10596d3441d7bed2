"""The blocks of a text: paragraphs, headings, HTML, tables and code, line by line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from kodiai.core.words.incoming.inline import References, inline, read
from kodiai.core.words.incoming.markup import shown_html
from kodiai.core.words.incoming.signs import Kept

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_PREFIX = re.compile(r"[ \t>]*+(?:(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t]++|\Z)[ \t>]*+)*+")
_HASHES = re.compile(r"#{1,6}[ \t]*")
_LANGUAGE = re.compile(r"[A-Za-z0-9+#.-]{1,20}(?=\s|\Z)")
_OPENS_BLOCK = re.compile(r"[-#>+*=|:_]")
_DEEPEST = re.compile(r"^(?:[ \t]*>){17}|^(?:[ \t]*(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t])){17}", re.MULTILINE)
_PARSER = MarkdownIt("commonmark").enable("table").disable("inline")


@dataclass(frozen=True)
class _Block:
    """Lines of a text that belong together, 0-based, and what they say without what stands before them."""

    first: int
    stop: int
    kind: Literal["code", "rule", "html", "row", "text"]
    contents: tuple[str, ...] = ()  # the cells of a row, or a block of HTML
    info: str = ""
    markup: str = ""


def is_too_deep(text: str) -> bool:
    """Whether a text is nested beyond what the parser reads."""
    return _DEEPEST.search(text) is not None


def told(text: str) -> str:
    """Clean every block of a text once."""
    lines = _LINE.findall(text)
    references = References(2 * len(text))
    out: list[str] = []
    at = 0
    end_of_html = -1
    for block in _blocks(_PARSER.parse(text, references.env)):
        out += [_bare(line) for line in lines[at : block.first]]
        mine, at = lines[block.first : block.stop], block.stop
        if block.kind == "html":
            shown, is_open = _html(block, mine)
            out += shown
            if is_open:
                return "".join(out)
            end_of_html = block.stop
        elif block.kind == "code":
            # What is left of a comment's last line is a paragraph, which would take in code that is indented.
            out += ["\n"] if block.first == end_of_html and out[-1].strip() else []
            out += _code(block, mine)
        elif block.kind == "rule":
            out += [_said(line) + _ending(line) for line in mine]
        else:
            out += (_row if block.kind == "row" else _paragraph)(block, mine, references)
    return "".join([*out, *(_bare(line) for line in lines[at:])])


def _blocks(tokens: list[Token]) -> Iterator[_Block]:
    """The blocks of a text that say something, in order; the cells of a row are one."""
    cells: list[str] = []
    row = 0
    for before, token in zip([None, *tokens], tokens, strict=False):
        start, stop = token.map or (0, 0)
        opener = before.type if before else ""
        if token.type in ("fence", "code_block"):
            yield _Block(start, stop, "code", info=token.info.strip(), markup=token.markup)
        elif token.type == "hr":
            yield _Block(start, stop, "rule")
        elif token.type == "html_block":
            yield _Block(start, stop, "html", (token.content,))
        elif token.type == "tr_open":
            cells, row = [], start
        elif token.type == "inline" and opener in ("th_open", "td_open"):
            cells.append(token.content)
        elif token.type == "tr_close":
            yield _Block(row, row + 1, "row", tuple(cells))
        elif token.type == "thead_close":
            yield _Block(row + 1, row + 2, "rule")
        elif token.type == "inline" and before:
            start, stop = before.map or (0, 0)  # of a heading, its underline too
            yield _Block(start, stop, "text", markup=before.markup)


def _said(line: str) -> str:
    return line.rstrip("\r\n")


def _ending(line: str) -> str:
    return line[len(_said(line)) :]


def _prefix(line: str) -> str:
    """What stands before a line's words: its indentation, and the marks of quotes and lists."""
    found = _PREFIX.match(line)
    return found.group() if found else ""


def _bare(line: str) -> str:
    """A line that no block holds: it is blank, or defines what links may refer to, which nobody sees."""
    return (_prefix(_said(line)) if line.strip() else "") + _ending(line)


def _code(block: _Block, lines: list[str]) -> list[str]:
    """Code as it is; a fence keeps of its first line the language alone."""
    language = _LANGUAGE.match(block.info)
    if not block.info or (language and language.group() == block.info):
        return lines
    opening, fence, _ = lines[0].partition(block.markup)
    return [f"{opening}{fence}{language.group() if language else ''}{_ending(lines[0])}", *lines[1:]]


def _row(block: _Block, lines: list[str], references: References) -> list[str]:
    """A row of a table, without the cells that it has too many."""
    cells = []
    for cell in block.contents:
        kept = Kept()
        cells.append(kept.put_back(inline(cell, references, kept)).strip().replace("|", "\\|"))
    while cells[1:] and not cells[-1]:
        cells.pop()
    return [f"{_prefix(lines[0])}| {' | '.join(cells)} |{_ending(lines[0])}"]


def _paragraph(block: _Block, lines: list[str], references: References) -> list[str]:
    """A paragraph or a heading; a line in which everything was hidden is gone."""
    underline = [_said(lines[-1]) + _ending(lines[-1])] if block.markup in ("=", "-") else []
    befores, old = [], []
    for line in map(_said, lines[: len(lines) - len(underline)]):
        before = _prefix(line)
        hashes = _HASHES.match(line, len(before)) if block.markup.startswith("#") else None
        befores.append(line[: hashes.end()] if hashes else before)
        old.append(line[len(befores[-1]) :])
    kept = Kept()
    new = inline("\n".join(old), references, kept).split("\n")
    rows = zip(befores, old, new, map(_ending, lines), strict=False)
    shown = [f"{before}{_as_text(was, now, kept)}{ending}" for before, was, now, ending in rows if now.strip()]
    return [*shown, *underline]


def _as_text(was: str, now: str, kept: Kept) -> str:
    """Let a line that begins otherwise than it did open no block; what is kept is put back into it."""
    shown = kept.put_back(now)
    if shown[:2] == was[:2]:
        return shown
    shown = shown.lstrip()
    return f"\\{shown}" if _OPENS_BLOCK.match(shown) else shown


def _html(block: _Block, lines: list[str]) -> tuple[list[str], bool]:
    """A block of HTML, and whether it hides what follows: it ends within a comment or an attribute."""
    old = [words.lstrip(" ") for words in block.contents[0].removesuffix("\n").split("\n")]
    befores = [_said(line)[: max(0, len(_said(line)) - len(words))] for words, line in zip(old, lines, strict=False)]
    kept = Kept()
    masked, is_open = shown_html("\n".join(old), kept.keep)
    new = read(masked).split("\n")
    out = [
        f"{before}{_as_text(was, now, kept) if now.strip() else ''}"
        for before, was, now in zip(befores, old, new, strict=True)
    ]
    return ["\n".join(out) + _ending(lines[-1])], is_open
