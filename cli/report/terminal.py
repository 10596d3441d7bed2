"""Renders a review's Markdown in a terminal: folds stand open, suggestions are small diffs."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import ClassVar

from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement, TextElement
from rich.text import Text
from rich.theme import Theme

from cli.report.markdown import ReviewMarkdown
from kodiai.core.findings.finding import SEVERITIES

_THEME = Theme(
    {
        "markdown.critical": "bold white on red",
        "markdown.major": "bold red",
        "markdown.medium": "bold yellow",
        "markdown.minor": "bold cyan",
        "markdown.code": "cyan",
        "markdown.h2": "bold",
        "markdown.item.bullet": "dim",
    }
)


def in_colours(console: Console) -> AbstractContextManager[object]:
    """Lend the console the colours that `Body` is written in."""
    return console.use_theme(_THEME)


class Body(Markdown):
    """A review's or a comment's text, to be printed on a console `in_colours`.

    `original` are the lines that a suggestion in it would replace.
    """

    elements: ClassVar[dict[str, type[MarkdownElement]]]
    inlines = Markdown.inlines | {name.lower() for name in SEVERITIES}

    def __init__(self, text: str, original: Sequence[str] = ()) -> None:
        super().__init__("", code_theme="ansi_dark", hyperlinks=False)
        self.parsed = ReviewMarkdown().read(text, original)
        for child in (child for token in self.parsed for child in token.children or ()):
            if child.type == "severity":
                child.content = f"[{child.content}]"


class _Title(Heading):
    """A heading on the left, in bold; the highest ones apart from what is above."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Give the heading as one line."""
        self.text.justify = "left"
        self.text.stylize("bold" if self.tag in {"h1", "h2"} else "bold italic")
        yield self.text


class _Fold(TextElement):
    """The title of a details section, whose content follows."""

    style_name = "markdown.h2"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Give the title as one line."""
        yield Text("▾ ", "magenta").append_text(self.text)


class _Fence(CodeBlock):
    """A fenced block; a suggestion as what goes and what comes."""

    def __init__(self, lexer_name: str, theme: str, token: Token) -> None:
        super().__init__(lexer_name, theme)
        self._suggestion = lexer_name == "suggestion"
        self._token = token

    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> "_Fence":
        """Make the block of a fence token."""
        return cls(token.info.strip().partition(" ")[0] or "text", markdown.code_theme, token)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Give the lines, marked and coloured."""
        if not self._suggestion:
            yield from super().__rich_console__(console, options)
            return
        content = self._token.content
        rows = [("-", "red", line) for line in self._token.meta["original"]]
        rows += [("+", "green", line) for line in content.removesuffix("\n").split("\n") if content]
        for mark, colour, line in rows:
            yield Text(f"{mark} {line}", colour)


Body.elements = Markdown.elements | {"heading_open": _Title, "summary_open": _Fold, "fence": _Fence}
