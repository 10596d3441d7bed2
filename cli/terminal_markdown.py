"""Renders a review's Markdown in a terminal: folds are open, suggestions are small diffs."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console
from rich.markdown import Markdown
from rich.theme import Theme

from cli.results import Finding
from kodiai.core.findings.finding import SEVERITIES
from local.rendering.autolinks import RULES
from local.rendering.inline import SEVERITY, with_emoji
from local.rendering.markdown import GitHubMarkdown, readable
from local.rendering.visible import visible, visible_line

CODE_THEME = "ansi_dark"
_HIDDEN = re.compile(r"<!--.*?-->|</?details(?: open)?>", re.DOTALL | re.IGNORECASE)
_SUMMARY = re.compile(r"<summary>(.*?)</summary>", re.DOTALL | re.IGNORECASE)
_THEME = Theme(
    {
        "markdown.critical": "bold white on red",
        "markdown.major": "bold red",
        "markdown.medium": "bold yellow",
        "markdown.minor": "bold cyan",
        "markdown.code": "cyan",
        **dict.fromkeys(("markdown.h1", "markdown.h2"), "bold"),
        **dict.fromkeys(("markdown.h3", "markdown.h4"), "bold italic"),
        "markdown.item.bullet": "dim",
    }
)


def review_colors(console: Console) -> AbstractContextManager[object]:
    """Lend the console the colors of `ReviewText`."""
    return console.use_theme(_THEME)


def severity(finding: Finding) -> tuple[str, str]:
    """The severity in brackets, and its style among the `review_colors`."""
    name = visible_line(finding.severity)
    return f"[{name}]", f"markdown.{name.lower()}" if name in SEVERITIES else ""


class ReviewText(Markdown):
    """A review's or a comment's text, to be printed on a console with `review_colors`.

    `original` are the lines that a suggestion in it would replace.
    """

    inlines = Markdown.inlines | {name.lower() for name in SEVERITIES}

    def __init__(self, text: str, original: Sequence[str] = ()) -> None:
        super().__init__("", code_theme=CODE_THEME, hyperlinks=False)
        self.parsed = list(_blocks(_parser().parse(readable(text)), original))


@cache
def _parser() -> MarkdownIt:
    """GitHub's Markdown, without what a terminal shows better as it is written: alerts, footnotes and bare URLs."""
    parser = GitHubMarkdown()
    parser.options["alerts"] = False
    return parser.disable(["footnote_def", "footnote_ref", *RULES])


def _blocks(tokens: Iterable[Token], original: Sequence[str]) -> Iterator[Token]:
    """Give tokens that rich knows: the titles of folds as headings, suggestions as diffs, all other HTML as text."""
    task = ""
    for token in tokens:
        if token.type == "html_block":
            yield from _html(token.content)
            continue
        if token.type == "fence" and token.info.strip() == "suggestion":
            removed = "".join(f"- {visible(line.rstrip())}\n" for line in original)
            token.info, token.content = "diff", removed + re.sub("^(?=.)", "+ ", token.content, flags=re.MULTILINE)
        if token.type == "list_item_open" and token.meta.get("checked") is not None:
            task = "☑ " if token.meta["checked"] else "☐ "
        if token.children is not None:
            token.children = [_text(task), *(new for old in token.children for new in _inline(old))]
            task = ""
        yield token


def _html(html: str) -> Iterator[Token]:
    for number, part in enumerate(_SUMMARY.split(_HIDDEN.sub("", html))):
        kind, tag, mark = ("heading", "h2", "▾ ") if number % 2 else ("paragraph", "p", "")
        if part.strip():
            children = _parser().parseInline(part.strip())[0].children or ()
            yield Token(f"{kind}_open", tag, 1)
            yield Token("inline", "", 0, children=[_text(mark), *(new for old in children for new in _inline(old))])
            yield Token(f"{kind}_close", tag, -1)


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
