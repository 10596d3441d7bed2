"""Renders a review's Markdown as HTML in which nothing but our own tags can stand."""

import re
from collections.abc import Sequence
from typing import Any

from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape

from cli.report.markdown import ReviewMarkdown
from local.rendering.code import coloured_fence, coloured_file
from local.rendering.visible import visible_line

_DEEPEST = 6
_CODE_SPAN = re.compile(r"`([^`]+)`")


def as_html(text: str, *, below: int = 3, open_first: bool = False) -> Markup:
    """Render a review's body; its second-level headings come one level below `below`.

    `open_first` lets its first details stand open.
    """
    tokens = ReviewMarkdown().read(text)
    if open_first and (first := next((one for one in tokens if one.type == "details_open"), None)):
        first.attrSet("open", "")
    return _render(tokens, {"below": below})


def title_as_html(text: str) -> Markup:
    """Render a title: text on one line, in which only code spans mean anything."""
    parts = _CODE_SPAN.split(visible_line(text))
    return Markup().join(
        Markup("<code>{}</code>").format(part) if number % 2 else escape(part) for number, part in enumerate(parts)
    )


def comment_as_html(text: str, path: str, original: Sequence[str]) -> Markup:
    """Render an inline comment about these lines of a file."""
    return _render(ReviewMarkdown().read(text, original), {"below": 4, "path": path})


def _render(tokens: Sequence[Token], env: dict[str, Any]) -> Markup:
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1:]) - 1 + env['below'], _DEEPEST)}"
        if "style" in token.attrs:  # a table's alignment, which our content security policy forbids as a style
            token.attrs = {"class": str(token.attrs["style"]).replace("text-align:", "to-the-")}
    made = _Renderer().render(tokens, ReviewMarkdown().options, env)
    return Markup(made)  # noqa: S704 - every rule escapes what it did not write


class _Renderer(RendererHTML):
    """The parser's own renderer, with rules for what is ours."""

    def severity(self, tokens: Sequence[Token], index: int, *_: object) -> str:
        token = tokens[index]
        return str(Markup('<span class="severity {}">{}</span>').format(token.tag, token.content))

    def link_open(self, tokens: Sequence[Token], index: int, *_: object) -> str:
        href = tokens[index].attrs.get("href", "")
        return str(Markup('<a href="{}" rel="noopener noreferrer nofollow">').format(href))

    def fence(self, tokens: Sequence[Token], index: int, _: object, env: Any) -> str:
        token = tokens[index]
        lines = token.content.removesuffix("\n").split("\n")
        language = token.info.strip().split(" ")[0]
        if language == "suggestion":
            return _suggestion(env.get("path", ""), token.meta["original"], lines if token.content else [])
        return _pre(Markup("\n").join(coloured_fence(language, lines)))

    def code_block(self, tokens: Sequence[Token], index: int, *_: object) -> str:
        return _pre(escape(tokens[index].content))


def _pre(code: Markup) -> str:
    return f'<pre tabindex="0"><code>{code}</code></pre>\n'


_SUGGESTED = Markup('<div class="row {}"><span class="mark">{}</span><code>{}</code></div>')


def _suggestion(path: str, original: Sequence[str], lines: Sequence[str]) -> str:
    rows = [_SUGGESTED.format("del", "-", line) for line in coloured_file(path, original)]
    rows += [_SUGGESTED.format("add", "+", line) for line in coloured_file(path, lines)]
    title = Markup('<figcaption>Suggested change</figcaption><div class="code">{}</div>')
    return f'<figure class="suggestion">{title.format(Markup().join(rows))}</figure>\n'
