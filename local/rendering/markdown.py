"""Renders Markdown as GitHub does in comments: the only way in which user text gets onto a page.

markdown-it reads the Markdown, `raw_html` reads the HTML in it, and `sanitize` sanitizes the whole; its docstring says
why in this order. Images are shown as links to them, diagrams as their source.

GitHub's Markdown: https://github.github.com/gfm/ and https://docs.github.com/en/get-started/writing-on-github
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import blake2s
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markupsafe import Markup, escape
from mdit_py_plugins.footnote.index import footnote_ref
from mdit_py_plugins.gfm import gfm_plugin

from local.rendering.autolinks import use_own_autolinks
from local.rendering.highlight import highlight_fence, highlight_file
from local.rendering.inline import decorated, with_emoji
from local.rendering.raw_html import RawHtml, heading
from local.rendering.sanitize import sanitized, sealed
from local.rendering.visible import visible, visible_line

_CACHED = 1024  # texts; a page is rendered again after every event, and most of it has not changed
_CODE_SPAN = re.compile(r"`([^`]+)`")
_SAFE_LINK = re.compile(r"(?:https?|mailto):|#|/(?!/)", re.IGNORECASE)
_DIAGRAMS = {"geojson": "GeoJSON", "math": "Math", "mermaid": "Mermaid", "stl": "STL", "topojson": "TopoJSON"}
_LONGEST_LABEL = 100  # characters


def as_html(
    text: str,
    *,
    below: int = 3,
    path: str = "",
    original: Sequence[str] = (),
    on_site: bool = True,
) -> Markup:
    """Render a text of a pull request; its highest headings become elements of the level `below`.

    `original` are the lines of the file at `path` that the text is about, which a suggestion in it would replace.
    Unless the page is `on_site`, links to places of the site have no target.
    """
    return _rendered(text, below, path, tuple(original), on_site)


def title_as_html(text: str) -> Markup:
    """Render a title: text on one line, with code spans and emoji as its only markup."""
    parts = _CODE_SPAN.split(visible_line(text))
    return Markup().join(
        Markup("<code>{}</code>").format(part) if number % 2 else escape(with_emoji(part))
        for number, part in enumerate(parts)
    )


@lru_cache(_CACHED)
def _rendered(text: str, below: int, path: str, original: Sequence[str], on_site: bool) -> Markup:
    name = blake2s(text.encode("utf-8", "replace"), digest_size=4).hexdigest()
    env = {"source": _Source(RawHtml(below), below, path, original), "docId": name}
    return sanitized(_parser().render(readable(text), env), on_site=on_site)


def readable(text: str) -> str:
    """Give a text as the parser shall see it: nothing in it acts invisibly."""
    return visible(text.replace("\r\n", "\n"))


@dataclass(frozen=True)
class _Source:
    """The facts that the rules of the renderer know about the text that they render."""

    tags: RawHtml
    below: int
    path: str
    original: Sequence[str]


class GitHubMarkdown(MarkdownIt):
    """A parser of GitHub's Markdown, as in comments: a line end is a line break."""

    def __init__(self) -> None:
        options = {"html": True, "xhtmlOut": False, "breaks": True}
        super().__init__("commonmark", options, renderer_cls=_Renderer)
        self.use(gfm_plugin)
        use_own_autolinks(self)
        self.inline.ruler.at("footnote_ref", _read_footnote)
        self.core.ruler.disable("text_join")  # escaped text stays separate: it is neither emoji nor mention
        rules = self.renderer.rules  # type: ignore[attr-defined]
        rules |= {name: _sealing(rule) for name, rule in rules.items() if name.startswith("footnote_")}

    def validateLink(self, url: str) -> bool:  # noqa: N802 - the parser's own name
        """Allow links to the web, to a mailbox, or to a place on this site."""
        return bool(_SAFE_LINK.match(url))


def _sealing(rule: Callable[..., str]) -> Callable[..., str]:
    """Let a plugin's rule of the renderer seal what it renders."""
    return lambda *arguments: sealed(rule(*arguments))


def _read_footnote(state: StateInline, silent: bool) -> bool:
    """Inline rule: the plugin's own, which would look for a missing end in the rest of the text each time."""
    return state.src.find("]", state.pos, state.pos + _LONGEST_LABEL) > 0 and footnote_ref(state, silent)


@cache
def _parser() -> MarkdownIt:
    return GitHubMarkdown()


class _Renderer(RendererHTML):
    """The parser's own renderer, with rules for our own elements; it keeps no state between two texts."""

    def text(self, tokens: Sequence[Token], idx: int, _: object, env: Any) -> str:
        token = tokens[idx]
        escaped = str(escape(token.content))
        return escaped if token.info == "auto" else decorated(escaped, linked=bool(env["source"].tags.links))

    text_special = RendererHTML.text

    def html_inline(self, tokens: Sequence[Token], idx: int, _: object, env: Any) -> str:
        return str(env["source"].tags.read(tokens[idx].content))

    def html_block(self, tokens: Sequence[Token], idx: int, options: object, env: Any) -> str:
        return self.html_inline(tokens, idx, options, env)

    def link_open(self, tokens: Sequence[Token], idx: int, _: object, env: Any) -> str:
        env["source"].tags.links += 1
        return f'<a href="{escape(tokens[idx].attrs.get("href", ""))}">'

    def link_close(self, _tokens: object, _idx: int, _: object, env: Any) -> str:
        env["source"].tags.links -= 1
        return "</a>"

    def image(self, tokens: Sequence[Token], idx: int, _: object, env: Any) -> str:
        token = tokens[idx]
        return str(env["source"].tags.image(str(token.attrs.get("src", "")), _plain(token.children or ())))

    def heading_open(self, tokens: Sequence[Token], idx: int, _: object, env: Any) -> str:
        element = heading(int(tokens[idx].tag[1]), env["source"].below)
        return f"<{element}>" if tokens[idx].nesting > 0 else f"</{element}>\n"

    heading_close = heading_open

    def td_open(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        token = tokens[idx]
        side = str(token.attrs.get("style", "")).removeprefix("text-align:")
        return f'<{token.tag} align="{side}">' if side else f"<{token.tag}>"

    th_open = td_open

    def list_item_open(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        done = tokens[idx].meta.get("checked")
        if done is None:
            return "<li>"
        state = 'checked aria-label="done"' if done else 'aria-label="to do"'
        return sealed(f'<li class="task"><input type="checkbox" disabled {state}>')

    def renderToken(self, *arguments: Any) -> str:  # noqa: N802 - the parser's own name
        return sealed(super().renderToken(*arguments))

    def fence(self, tokens: Sequence[Token], idx: int, _: object, env: Any) -> str:
        token, source = tokens[idx], env["source"]
        language = next(iter(token.info.split()), "")
        lines = token.content.removesuffix("\n").split("\n")
        if language == "suggestion":
            return _suggestion(source.path, source.original, lines if token.content else [])
        code = _pre(Markup("\n").join(highlight_fence(language, lines)))
        if language not in _DIAGRAMS:
            return code
        caption = f"<figcaption>{_DIAGRAMS[language]}, as code</figcaption>"
        return sealed('<figure class="diagram">') + f"{caption}{code}</figure>\n"

    def code_block(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        return _pre(escape(tokens[idx].content))


def _plain(tokens: Sequence[Token]) -> str:
    """The text of an image's description, without its markup."""
    return "".join(
        _plain(token.children or ()) if token.type == "image" else " " if token.tag == "br" else token.content
        for token in tokens
    )


def _pre(code: Markup) -> str:
    return sealed(f'<pre tabindex="0"><code>{code}</code></pre>\n')


def _suggestion(path: str, original: Sequence[str], lines: Sequence[str]) -> str:
    rows = [("del", "-", line) for line in highlight_file(path, original)]
    rows += [("add", "+", line) for line in highlight_file(path, lines)]
    shown = "".join(
        f'<div class="row {kind}"><span class="mark">{mark}</span><code>{line}</code></div>'
        for kind, mark, line in rows
    )
    figure = f'<figcaption>Suggested change</figcaption><div class="code">{shown}</div>'
    return sealed(f'<figure class="suggestion">{figure}</figure>\n')
