"""Renders Markdown as GitHub does in comments: the one way in which words that we did not write come onto a page.

The Markdown is read by markdown-it, HTML in it is taken apart by `tags`, and the whole is cleaned by `clean`, whose
docstring says why in this order. Pictures are links to them, diagrams are their code.

GitHub's Markdown: https://github.github.com/gfm/ and https://docs.github.com/en/get-started/writing-on-github
"""

import re
from collections.abc import Sequence
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

from local.rendering.addresses import read_addresses
from local.rendering.clean import clean, coloured, ours
from local.rendering.code import coloured_fence, coloured_file
from local.rendering.tags import Tags, heading
from local.rendering.visible import visible, visible_line
from local.rendering.words import dressed, with_emoji

_KEPT = 1024  # texts; a page is made anew at whatever happens, and most of it has not changed
_CODE_SPAN = re.compile(r"`([^`]+)`")
_SAFE_LINK = re.compile(r"(?:https?|mailto):|#|/(?!/)", re.IGNORECASE)
_DRAWN = {"geojson": "GeoJSON", "math": "Math", "mermaid": "Mermaid", "stl": "STL", "topojson": "TopoJSON"}
_LONGEST_LABEL = 100  # characters


def as_html(
    text: str,
    *,
    below: int = 3,
    path: str = "",
    original: Sequence[str] = (),
    on_site: bool = True,
) -> Markup:
    """Render a text of a pull request; its second-level headings come one level below `below`.

    `original` are the lines of the file at `path` that the text is about, which a suggestion in it would replace.
    Not `on_site`, links to places of the site lead nowhere.
    """
    return _rendered(text, below, path, tuple(original), on_site)


def title_as_html(text: str) -> Markup:
    """Render a title: text on one line, in which only code spans and emoji mean anything."""
    parts = _CODE_SPAN.split(visible_line(text))
    return Markup().join(
        Markup("<code>{}</code>").format(part) if number % 2 else escape(with_emoji(part))
        for number, part in enumerate(parts)
    )


@lru_cache(_KEPT)
def _rendered(text: str, below: int, path: str, original: Sequence[str], on_site: bool) -> Markup:
    name = blake2s(text.encode("utf-8", "replace"), digest_size=4).hexdigest()
    shown = _Text(Tags(below), below, path, original, name)
    made = _markdown().render(visible(text.replace("\r\n", "\n")), {"text": shown})
    return clean(made, on_site=on_site)


@dataclass(frozen=True)
class _Text:
    """What the rules of the renderer know of the text that they render; `name` tells its footnotes from others'."""

    tags: Tags
    below: int
    path: str
    original: Sequence[str]
    name: str


class _Markdown(MarkdownIt):
    """GitHub's Markdown, as in comments: a line that ends is a line that ends."""

    def __init__(self) -> None:
        super().__init__("commonmark", {"html": True, "xhtmlOut": False, "breaks": True})
        self.use(gfm_plugin)
        read_addresses(self)
        self.renderer = _Renderer(self)  # after the plugins, which bring rules for what they read
        self.inline.ruler.at("footnote_ref", _read_footnote)
        self.core.ruler.disable("text_join")  # what is escaped stays apart: it is neither emoji nor mention

    def validateLink(self, url: str) -> bool:  # noqa: N802 - the parser's own name
        """Let a link lead to the web, to a mailbox, or to a place on this site."""
        return bool(_SAFE_LINK.match(url))


def _read_footnote(state: StateInline, silent: bool) -> bool:
    """Inline rule: the plugin's own, which without an end would look for it in the rest of the text each time."""
    return state.src.find("]", state.pos, state.pos + _LONGEST_LABEL) > 0 and footnote_ref(state, silent)


@cache
def _markdown() -> MarkdownIt:
    return _Markdown()


class _Renderer(RendererHTML):
    """The parser's own renderer, with rules for what is ours; it keeps nothing between two texts."""

    def text(self, tokens: Sequence[Token], idx: int, _: object, env: Any) -> str:
        token = tokens[idx]
        escaped = str(escape(token.content))
        return escaped if token.info == "auto" else dressed(escaped, linked=bool(env["text"].tags.links))

    def text_special(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        return str(escape(tokens[idx].content))

    def html_inline(self, tokens: Sequence[Token], idx: int, _: object, env: Any) -> str:
        return str(env["text"].tags.read(tokens[idx].content))

    def html_block(self, tokens: Sequence[Token], idx: int, options: object, env: Any) -> str:
        return self.html_inline(tokens, idx, options, env)

    def link_open(self, tokens: Sequence[Token], idx: int, _: object, env: Any) -> str:
        env["text"].tags.links += 1
        return f'<a href="{escape(tokens[idx].attrs.get("href", ""))}">'

    def link_close(self, _tokens: object, _idx: int, _: object, env: Any) -> str:
        env["text"].tags.links -= 1
        return "</a>"

    def image(self, tokens: Sequence[Token], idx: int, _: object, env: Any) -> str:
        token = tokens[idx]
        return str(env["text"].tags.picture(str(token.attrs.get("src", "")), _words(token.children or ())))

    def heading_open(self, tokens: Sequence[Token], idx: int, _: object, env: Any) -> str:
        return f"<{heading(int(tokens[idx].tag[1]), env['text'].below)}>"

    def heading_close(self, tokens: Sequence[Token], idx: int, _: object, env: Any) -> str:
        return f"</{heading(int(tokens[idx].tag[1]), env['text'].below)}>\n"

    def th_open(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        token = tokens[idx]
        side = str(token.attrs.get("style", "")).removeprefix("text-align:")
        return f"<{token.tag}{ours(f'to-the-{side}' if side else '')}>"

    td_open = th_open

    def list_item_open(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        done = tokens[idx].meta.get("checked")
        if done is None:
            return "<li>"
        state = 'checked aria-label="done"' if done else 'aria-label="to do"'
        return f'<li{ours("task")}><input type="checkbox" disabled {state}>'

    def alert_open(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        return f"<div{ours(f'alert {tokens[idx].info.lower()}')}>\n"

    def alert_title_open(self, *_: object) -> str:
        return f"<p{ours('alert-title')}>"

    def fence(self, tokens: Sequence[Token], idx: int, _: object, env: Any) -> str:
        token, text = tokens[idx], env["text"]
        language = next(iter(token.info.split()), "")
        lines = token.content.removesuffix("\n").split("\n")
        if language == "suggestion":
            return _suggestion(text.path, text.original, lines if token.content else [])
        code = _pre(coloured(Markup("\n").join(coloured_fence(language, lines))))
        if language in _DRAWN:
            return f"<figure{ours('drawing')}><figcaption>{_DRAWN[language]}, as code</figcaption>{code}</figure>\n"
        return code

    def code_block(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        return _pre(str(escape(tokens[idx].content)))

    def footnote_ref(self, tokens: Sequence[Token], idx: int, _: object, env: Any) -> str:
        number, name = _footnote(tokens[idx], env)
        again = tokens[idx].meta["subId"]
        return f'<sup><a{ours(name=f"from-{name}-{again}")} href="#{name}">{number}</a></sup>'

    def footnote_block_open(self, *_: object) -> str:
        return f"<div{ours('footnotes')}>\n<ol>\n"

    def footnote_block_close(self, *_: object) -> str:
        return "</ol>\n</div>\n"

    def footnote_open(self, tokens: Sequence[Token], idx: int, _: object, env: Any) -> str:
        return f"<li{ours(name=_footnote(tokens[idx], env)[1])}>"

    def footnote_close(self, *_: object) -> str:
        return "</li>\n"

    def footnote_anchor(self, tokens: Sequence[Token], idx: int, _: object, env: Any) -> str:
        return f' <a href="#from-{_footnote(tokens[idx], env)[1]}-{tokens[idx].meta["subId"]}">↩\ufe0e</a>'


def _footnote(token: Token, env: Any) -> tuple[int, str]:
    """The number of a footnote, from 1, and the name of its element."""
    number = token.meta["id"] + 1
    return number, f"footnote-{env['text'].name}-{number}"


def _words(tokens: Sequence[Token]) -> str:
    """The words in a picture's description, without what they are marked up with."""
    return "".join(
        _words(token.children or ()) if token.type == "image" else " " if token.tag == "br" else token.content
        for token in tokens
    )


def _pre(code: str) -> str:
    return f'<pre tabindex="0"><code>{code}</code></pre>\n'


def _suggestion(path: str, original: Sequence[str], lines: Sequence[str]) -> str:
    rows = [("del", "-", line) for line in coloured_file(path, original)]
    rows += [("add", "+", line) for line in coloured_file(path, lines)]
    shown = "".join(
        f"<div{ours(f'row {kind}')}><span{ours('mark')}>{mark}</span><code>{coloured(line)}</code></div>"
        for kind, mark, line in rows
    )
    figure = f"<figcaption>Suggested change</figcaption><div{ours('code')}>{shown}</div>"
    return f"<figure{ours('suggestion')}>{figure}</figure>\n"
