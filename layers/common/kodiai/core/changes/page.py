"""A text in Markdown, line by line: its blocks, and the lines that are left out of it.

What GitHub makes of Markdown: https://github.github.com/gfm/
"""

import re
from collections.abc import Collection
from itertools import accumulate

from markdown_it import MarkdownIt
from markdown_it.token import Token

LIST_MARKER = re.compile(r"[ \t>]*(?:[-*+]|[0-9]{1,9}[.)])(?:\s|\Z)")
"""What begins an item of a list."""

_MARKDOWN = MarkdownIt("commonmark").enable("table").disable("inline")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_PREFORMATTED = re.compile(r"\s*<pre\b", re.IGNORECASE)


class Page:
    """A text in lines (0-based, with their ends), its blocks as Markdown has them, and the lines that are left out."""

    def __init__(self, text: str) -> None:
        self.lines: list[str] = _LINE.findall(text)
        self.tokens = [token for token in _MARKDOWN.parse(text) if token.map]
        self.code_blocks = [lines_of(token) for token in self.tokens if is_code(token)]
        self.code = frozenset(line for block in self.code_blocks for line in block)
        self.tables = [lines_of(token) for token in self.tokens if token.type == "table_open"]
        self.rules = frozenset(lines_of(token).start for token in self.tokens if token.type == "hr" and not token.level)
        self.gone: set[int] = set()

    def code_of(self, block: range) -> str:
        """A block of code as it is compared."""
        return "\n".join(line.strip() for line in self.lines[block.start : block.stop])

    @property
    def all(self) -> range:
        """All lines."""
        return range(len(self.lines))

    def count_said(self, silent: Collection[int]) -> list[int]:
        """How many lines above each one are there and not blank, without the silent ones."""
        return [0, *accumulate(self.says(line) and line not in silent for line in self.all)]

    def says(self, line: int) -> bool:
        """Whether a line is there, and not a blank one."""
        return line not in self.gone and bool(self.lines[line].strip())

    def __str__(self) -> str:
        """What is left, with one blank line where there were several, or something that is gone."""
        rows = {line for table in self.tables for line in table[1:]}
        parts: list[str] = []
        blank, gap = "", ""
        for at, line in enumerate(self.lines):
            if at in self.gone:
                gap = gap or end_of(line)
            elif at not in self.code and not line.strip():
                blank = blank or end_of(line)
            else:
                is_one_of_many = at in rows or LIST_MARKER.match(line)
                between = blank or ("" if is_one_of_many else gap)
                parts += [between] if parts and not LIST_MARKER.fullmatch(parts[-1].rstrip()) else []
                parts.append(line)
                blank, gap = "", ""
        return "".join(parts).rstrip("\r\n")


def lines_of(token: Token) -> range:
    """The lines of a block, from 0."""
    start, end = token.map or (0, 0)
    return range(start, end)


def end_of(line: str) -> str:
    """The end of a line: what says that another one follows."""
    return line[len(line.rstrip("\r\n")) :]


def is_code(token: Token) -> bool:
    """Whether a block is code, which stays as it is."""
    preformatted = token.type == "html_block" and _PREFORMATTED.match(token.content)
    return token.type in ("fence", "code_block") or bool(preformatted)
