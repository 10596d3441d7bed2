"""Reading what is posted as GitHub reads it: its blocks, each with the folds and the headings above it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape

from markdown_it import MarkdownIt
from markdown_it.token import Token

OPENING = re.compile(r"<details><summary>([^<]+)</summary>")
CLOSING = "</details>"
GRAVE = frozenset({"CRITICAL", "MAJOR"})

_SEVERITY = r"\[(?P<severity>CRITICAL|MAJOR|MEDIUM|MINOR)\]"
_HREF = r"https?://[^\s()]+/(?:blob/[0-9a-f]{40}/[^\s()]+\?plain=1#L[0-9]+(?:-L[0-9]+)?|pull/[0-9]+#discussion_r[0-9]+)"
_LINES = r" \([1-9][0-9]*(?:-[1-9][0-9]*)?\)"
OUR_LINK = re.compile(_HREF)
"""The targets of our links: lines at a commit, or a thread."""
_LINKED = re.compile(rf"\[(?P<label>[^\[\]\n]+)\]\({_HREF}\)")


def unlinked(text: str) -> str:
    """A text with the labels of our links in their place."""
    return _LINKED.sub(r"\g<label>", text)


def _told(lines: str) -> str:
    """A finding's line: its severity, its path, linked where there is something to lead to, its title."""

    def path(ticks: str) -> str:
        return rf"(?>(?P<{ticks}>`+)(?!`).+?(?<!`)(?P={ticks})(?!`)|[^\s`:\[\]]+)"

    return rf"{_SEVERITY} (?:\[{path('linked')}{lines}\]\({_HREF}\)|{path('plain')}{lines}):(?: .*)?"


PLACED = _told(_LINES)
"""A finding with its lines."""
NAMED = _told("")
"""A finding without its lines."""
SEEN = _told(rf"(?:{_LINES})?")
"""A finding outside of the folds: with its lines, unless something is missing."""
OF_A_RULE = rf"{SEEN[: -len('(?: .*)?')]} (?:Rule [a-z0-9-]+|Not done)\\?:…?(?: .*)?"
"""The failure of a rule of the team, or of what a linked issue asks for."""
_MOST_NESTED = 150  # enough for every word that we post; behind its limit a parser reads nothing more
_LIKE_A_FINDING = re.compile(rf"\s*(?::[\w+-]+:\s*)*{_SEVERITY}")


@dataclass(frozen=True)
class Block:
    """A token with where it stands: the folds around it, and its section."""

    token: Token
    folds: tuple[str, ...]
    section: str
    is_heading: bool

    @property
    def first_line(self) -> str:
        """Its first line, which has a finding."""
        return self.token.content.partition("\n")[0]

    @property
    def is_text(self) -> bool:
        """Whether it holds words, and is no heading."""
        return self.token.type in {"inline", "fence", "code_block"} and not self.is_heading

    @property
    def is_paragraph(self) -> bool:
        """Whether it is a paragraph that stands in no list and no quotation."""
        return self.token.type == "inline" and self.token.level == 1 and not self.is_heading

    @property
    def looks_like_findings(self) -> list[str]:
        """Its lines that a reader takes for findings."""
        lines = self.token.content.split("\n") if self.token.type == "inline" and not self.is_heading else []
        return [line for line in lines if _LIKE_A_FINDING.match(line)]


def parse(text: str) -> list[Token]:
    """Read Markdown with HTML, tables and struck-out text, as GitHub does; escapes stay apart from other text."""
    reader = MarkdownIt("commonmark", {"html": True, "maxNesting": _MOST_NESTED}).enable(["table", "strikethrough"])
    reader.disable("text_join")
    return reader.parse(text)


def everything(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens with all that stands in them."""
    for token in tokens:
        yield token
        yield from everything(token.children or ())


def html(tokens: Sequence[Token]) -> list[Token]:
    """Every tag and every comment."""
    return [token for token in everything(tokens) if token.type in {"html_block", "html_inline"}]


def is_suggestion(token: Token) -> bool:
    """Whether GitHub offers it as a change for one click."""
    return token.type == "fence" and token.info.split()[:1] == ["suggestion"]


def blocks(tokens: Sequence[Token]) -> list[Block]:
    """Say of every token where it stands; a tag that opens or closes a fold stands in it."""
    found = []
    folds: tuple[str, ...] = ()
    section = heading = ""
    for token in tokens:
        tag = token.content.strip() if token.type == "html_block" else ""
        opened = OPENING.fullmatch(tag)
        folds = (*folds, opened[1]) if opened else folds
        section = token.content if token.type == "inline" and heading == "h2" else section
        found.append(Block(token, folds, section, is_heading=bool(heading)))
        heading = token.tag if token.type == "heading_open" else ""
        folds = folds[:-1] if tag == CLOSING else folds
        section = section if folds else ""
    return found


def is_optional(text: str) -> bool:
    """Whether a text says first that it is optional; its first letter is escaped where a bot might obey its line."""
    return unescape(text).startswith("Optional:")


def severity(line: str, form: str) -> str | None:
    """The severity of a finding in this form, None for any other line."""
    told = re.fullmatch(form, line)
    return told["severity"] if told else None
