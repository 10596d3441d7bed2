"""Finds bare URLs in Markdown, as GitHub does.

The parser's plugin for them reads everything before a colon, and everything after it, again at each colon: a comment
of colons would take it minutes. What counts as a URL: https://github.github.com/gfm/#autolinks-extension-
"""

import re
from html import unescape

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

_LONGEST = 2000  # characters
_URL = re.compile(rf"(?<![^\s*_~(])(?:https?://|www\.)[^\W_][^\s<]{{0,{_LONGEST}}}+(?![^\s<])")
_SCHEMES = ("https", "http")
_TRAILING = "?!.,:*_~'\"[]"
_ENTITY = re.compile(r"&[A-Za-z0-9]+;\Z")
RULES = ("gfm_autolink_www", "gfm_autolink_protocol")
"""The plugin's rules for bare URLs."""


def use_own_autolinks(parser: MarkdownIt) -> None:
    """Replace the rules of the plugin for autolinks by our own."""
    for name in RULES:
        parser.inline.ruler.at(name, _read)


def _read(state: StateInline, silent: bool) -> bool:
    """Inline rule: a URL that starts here with "www.", or whose scheme was read just before."""
    if silent or state.linkLevel:
        return False
    scheme = next((scheme for scheme in _SCHEMES if state.pending.endswith(scheme)), "")
    start = state.pos - len(scheme) if state.src[state.pos] == ":" else state.pos
    found = _URL.match(state.src, start, state.posMax)
    if found is None or (start == state.pos and state.src[start] != "w"):
        return False
    url = _trimmed(found[0])
    shown = unescape(url)
    href = state.md.normalizeLink(shown if start < state.pos else f"http://{shown}")
    if not state.md.validateLink(href):
        return False
    state.pending = state.pending[: len(state.pending) - (state.pos - start)]
    state.push("link_open", "a", 1).attrs = {"href": href}
    text = state.push("text", "", 0)
    text.content, text.info = shown, "auto"
    state.push("link_close", "a", -1)
    state.pos = start + len(url)
    return True


def _trimmed(url: str) -> str:
    """Leave out what ends the sentence around a URL: punctuation, and brackets that do not open in it."""
    while True:
        shorter = _ENTITY.sub("", url.rstrip(_TRAILING)).removesuffix(";")
        if shorter.endswith(")") and shorter.count(")") > shorter.count("("):
            shorter = shorter[:-1]
        if shorter == url:
            return url
        url = shorter
