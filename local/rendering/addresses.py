"""Finds bare addresses of the web in Markdown, as GitHub does.

The parser's plugin for them reads everything before a colon, and everything after it, anew at each: a comment of
colons would take it minutes. What counts as an address: https://github.github.com/gfm/#autolinks-extension-
"""

import re
from html import unescape

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

_LONGEST = 2000  # characters
_ADDRESS = re.compile(rf"(?<![^\s*_~(])(?:https?://|www\.)[^\W_][^\s<]{{0,{_LONGEST}}}+(?![^\s<])")
_SCHEMES = ("https", "http")
_AFTER = "?!.,:*_~'\"[]"
_ENTITY = re.compile(r"&[A-Za-z0-9]+;\Z")


def read_addresses(markdown: MarkdownIt) -> None:
    """Let a parser with the plugin for autolinks find addresses by our rule."""
    markdown.inline.ruler.at("gfm_autolink_www", _read)
    markdown.inline.ruler.at("gfm_autolink_protocol", _read)


def _read(state: StateInline, silent: bool) -> bool:
    """Inline rule: an address that begins here with "www.", or whose scheme was read just before."""
    if silent or state.linkLevel:
        return False
    scheme = next((scheme for scheme in _SCHEMES if state.pending.endswith(scheme)), "")
    begin = state.pos - len(scheme) if state.src[state.pos] == ":" else state.pos
    found = _ADDRESS.match(state.src, begin, state.posMax)
    if found is None or (begin == state.pos and state.src[begin] != "w"):
        return False
    address = _trimmed(found[0])
    shown = unescape(address)
    href = state.md.normalizeLink(shown if begin < state.pos else f"http://{shown}")
    if not state.md.validateLink(href):
        return False
    state.pending = state.pending[: len(state.pending) - (state.pos - begin)]
    state.push("link_open", "a", 1).attrs = {"href": href}
    text = state.push("text", "", 0)
    text.content, text.info = shown, "auto"
    state.push("link_close", "a", -1)
    state.pos = begin + len(address)
    return True


def _trimmed(address: str) -> str:
    """Leave out what ends the sentence around an address: signs, and brackets that do not open in it."""
    while True:
        shorter = _ENTITY.sub("", address.rstrip(_AFTER)).removesuffix(";")
        if shorter.endswith(")") and shorter.count(")") > shorter.count("("):
            shorter = shorter[:-1]
        if shorter == address:
            return address
        address = shorter
