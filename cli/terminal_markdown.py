"""Renders a review's Markdown in a terminal: folds are open, suggestions are small diffs."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import ClassVar

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement, TextElement
from rich.text import Text
from rich.theme import Theme

from kodiai.core.findings.finding import SEVERITIES
from local.rendering.autolinks import RULES
from local.rendering.inline import SEVERITY, with_emoji
from local.rendering.markdown import GitHubMarkdown, readable
from local.rendering.visible import visible

_HIDDEN = re.compile(r"<!--.*?-->|</?details(?: open)?>", re.DOTALL | re.IGNORECASE)
_SUMMARY = re.compile(r"<summary>(.*?)</summary>", re.DOTALL | re.IGNORECASE)
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


def review_colors(console: Console) -> AbstractContextManager[object]:
    """Lend the console the colors of `ReviewText`."""
    return console.use_theme(_THEME)


class ReviewText(Markdown):
    """A review's or a comment's text, to be printed on a console with `review_colors`.

    `original` are the lines that a suggestion in it would replace.
    """

    elements: ClassVar[dict[str, type[MarkdownElement]]]
    inlines = Markdown.inlines | {name.lower() for name in SEVERITIES}

    def __init__(self, text: str, original: Sequence[str] = ()) -> None:
        super().__init__("", code_theme="ansi_dark", hyperlinks=False)
        self.parsed = list(_blocks(_parser().parse(readable(text))))
        for token in self.parsed:
            token.meta["original"] = [visible(line.removesuffix("\r")) for line in original]


@cache
def _parser() -> MarkdownIt:
    """GitHub's Markdown, without what a terminal shows better as it is written: alerts, footnotes and bare URLs."""
    parser = GitHubMarkdown()
    parser.options["alerts"] = False
    return parser.disable(["footnote_def", "footnote_ref", *RULES])


def _blocks(tokens: Iterable[Token]) -> Iterator[Token]:
    """Give tokens that rich knows: the titles of folds as elements of their own, all other HTML as text."""
    task = ""
    for token in tokens:
        if token.type == "html_block":
            yield from _html(token.content)
            continue
        if token.type == "list_item_open" and token.meta.get("checked") is not None:
            task = "☑ " if token.meta["checked"] else "☐ "
        if token.children is not None:
            token.children = [_text(task), *(new for old in token.children for new in _inline(old))]
            task = ""
        yield token


def _html(html: str) -> Iterator[Token]:
    for number, part in enumerate(_SUMMARY.split(_HIDDEN.sub("", html))):
        kind = "summary" if number % 2 else "paragraph"
        if part.strip():
            yield Token(f"{kind}_open", kind, 1)
            yield Token("inline", "", 0, children=[new for old in _parse(part.strip()) for new in _inline(old)])
            yield Token(f"{kind}_close", kind, -1)


def _parse(text: str) -> Sequence[Token]:
    return _parser().parseInline(text)[0].children or ()


def _inline(token: Token) -> Iterator[Token]:
    match token.type:
        case "softbreak":
            yield Token("hardbreak", "br", 0)
        case "image":
            yield _text(token.content or str(token.attrs.get("src", "")))
        case "html_inline":
            yield _text(_HIDDEN.sub("", token.content))
        case "text_special":
            yield _text(token.content)
        case "text":
            for number, part in enumerate(SEVERITY.split(with_emoji(token.content))):
                yield Token("severity", part.lower(), 0, content=f"[{part}]") if number % 2 else _text(part)
        case _:
            yield token


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


class _Heading(Heading):
    """A heading on the left, in bold."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Give the heading as one line."""
        self.text.justify = "left"
        self.text.stylize("bold" if self.tag in {"h1", "h2"} else "bold italic")
        yield self.text


class _FoldTitle(TextElement):
    """The title of a details section, whose content follows."""

    style_name = "markdown.h2"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Give the title as one line."""
        yield Text("▾ ", "magenta").append_text(self.text)


class _Fence(CodeBlock):
    """A fenced block; a suggestion as removed and added lines."""

    def __init__(self, lexer_name: str, theme: str, token: Token) -> None:
        super().__init__(lexer_name, theme)
        self._token = token

    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> "_Fence":
        """Make the block of a fence token."""
        return cls(token.info.strip().partition(" ")[0] or "text", markdown.code_theme, token)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Give the lines, marked and colored."""
        if self.lexer_name != "suggestion":
            yield from super().__rich_console__(console, options)
            return
        content = self._token.content
        rows = [("-", "red", line) for line in self._token.meta["original"]]
        rows += [("+", "green", line) for line in content.removesuffix("\n").split("\n") if content]
        for mark, color, line in rows:
            yield Text(f"{mark} {line}", color)


ReviewText.elements = Markdown.elements | {"heading_open": _Heading, "summary_open": _FoldTitle, "fence": _Fence}
