"""Markdown, written again from what a parser found in it: its blocks and code stay, the caller writes the text.

What GitHub makes of Markdown: https://github.github.com/gfm/
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

MOST_NESTED = 50
"""The depth to which blocks may be nested; the parser drops what is nested deeper, and all that follows."""

_DEEPEST = MOST_NESTED - 5
_NESTING = re.compile(r"^(?:[ \t>]|[-+*](?=[ \t])|[0-9]{1,9}[.)](?=[ \t]))+", re.MULTILINE)
_TICKS = re.compile(r"`+")


@dataclass
class _Page:
    """The lines that are written so far.

    `containers` says for each open quote or list item what its next line begins with, and its further lines; `shared`
    is how many of them the last block is in too. `stop` is the line of the original after that block, 0-based.
    """

    lines: list[str] = field(default_factory=list)
    containers: list[tuple[str, str]] = field(default_factory=list)
    shared: int = 0
    stop: int = 0

    def close(self) -> None:
        """End a quote or a list item."""
        self.containers.pop()
        self.shared = min(self.shared, len(self.containers))

    def add(self, text: str, token: Token) -> None:
        """Write a block, after an empty line where the original has one."""
        if not text:
            return
        start, stop = token.map or (self.stop, self.stop)
        if self.lines and start > self.stop:
            self.lines.append("".join(further for _, further in self.containers[: self.shared]).rstrip())
        self.shared, self.stop = len(self.containers), stop
        for line in text.split("\n"):
            before = "".join(first for first, _ in self.containers)
            self.lines.append(f"{before}{line}" if line else before.rstrip())
            self.containers = [(further, further) for _, further in self.containers]


def parsed(parser: MarkdownIt, text: str) -> Sequence[Token]:
    """The blocks of a text; nesting that is too deep is taken off. The parser nests MOST_NESTED blocks."""
    tokens = parser.parse(text)
    return parser.parse(_NESTING.sub("", text)) if any(token.level >= _DEEPEST for token in tokens) else tokens


def rewritten(
    tokens: Iterable[Token],
    inline: Callable[[Sequence[Token]], str],
    language: Callable[[str], str],
    html: Callable[[str], str] = str,
) -> str:
    """Write parsed blocks again; code is as it was, line by line, in fences.

    `inline` writes the content of a paragraph, a heading or a cell, `language` what a fence says behind its first
    ticks, and `html` a block of HTML.
    """
    page = _Page()
    cells: list[str] = []
    for opener, token in pairwise([Token("", "", 0), *tokens]):
        match token.type:
            case "blockquote_open":
                page.containers.append(("> ", "> "))
            case "list_item_open":
                mark = f"{token.info}{token.markup} "
                page.containers.append((mark, " " * len(mark)))
            case "blockquote_close" | "list_item_close":
                page.close()
            case "inline" if opener.tag in ("th", "td"):
                cells.append(inline(token.children or ()).replace("|", "\\|").strip())
            case "inline":
                lines = [line.strip() for line in inline(token.children or ()).split("\n") if line.strip()]
                is_heading = opener.type == "heading_open"
                page.add(f"{'#' * int(opener.tag[1:])} {' '.join(lines)}" if is_heading else "\n".join(lines), opener)
            case "tr_open":
                row = token
            case "tr_close":
                page.add(f"| {' | '.join(cells)} |", row)
                columns, cells = len(cells), []
            case "thead_close":
                page.add("|-" * columns + "|", token)
                page.stop += 1
            case "fence" | "code_block":
                page.add(fenced(token.content, language(token.info.strip())), token)
            case "html_block":
                page.add(html(token.content).strip(), token)
            case "hr":
                page.add("___", token)
    return "\n".join(page.lines)


def code_span(token: Token) -> str:
    """A code span as it was, but for its line breaks."""
    code = token.content
    is_padded = code[:1] == "`" or code[-1:] == "`" or (code[:1] == code[-1:] == " " and code.strip() != "")
    padding = " " if is_padded else ""
    return f"{token.markup}{padding}{code}{padding}{token.markup}"


def fenced(code: str, language: str = "") -> str:
    """Put lines of code into a fence that nothing in them can close; the last one may lack its newline."""
    fence = "`" * max(3, longest_ticks(code) + 1)
    ended = code if code.endswith("\n") or not code else f"{code}\n"
    return f"{fence}{language}\n{ended}{fence}"


def longest_ticks(text: str) -> int:
    """The length of the longest run of backticks."""
    return max((len(run) for run in _TICKS.findall(text)), default=0)
