"""What of a text in Markdown a reader sees: neither comments nor badges.

What GitHub makes of Markdown: https://github.github.com/gfm/
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import accumulate

from kodiai.core.changes.page import Page, lines_of

_MARK = re.compile(r"\\[!-/:-@\[-`{-~]|`+|<!--|\[!\[|!\[|<(?:a|img)\b", re.IGNORECASE)
_HIDDEN_DEFINITION = re.compile(r" {0,3}\[(?://|comment)\]:\s*(?:#|<>)")
_ADDRESS = r"""[^()\s"'<>]{0,1500}"""
_IMAGE = rf'!\[[^\]\n]{{0,200}}\]\((?P<url>{_ADDRESS})(?:[ \t]+"[^"\n]{{0,200}}")?\)'
_IMAGES = (
    re.compile(rf"\[{_IMAGE}\]\({_ADDRESS}\)"),
    re.compile(_IMAGE),
    re.compile(
        r"(?P<link><a\b[^<>]{0,1500}>\s{0,10})?<img\b[^<>]{0,500}?"
        rf"""\ssrc=["'](?P<url>{_ADDRESS})["'][^<>]{{0,500}}>(?(link)\s{{0,10}}</a>)""",
        re.IGNORECASE,
    ),
)
_OF_A_BADGE = re.compile(r"shields\.io|badge|/button", re.IGNORECASE)
_WRITTEN = frozenset({"inline", "html_block"})


def shown(text: str) -> str:
    """Give a text without its comments and badges; code stays as it is. The result is never longer."""
    page = Page(text)
    starts = [0, *accumulate(map(len, page.lines))]
    written = {lines_of(token): token.type == "html_block" for token in page.tokens if token.type in _WRITTEN}
    defining = set(page.all).difference(page.code, *written)
    cuts = [range(starts[at], starts[at + 1]) for at in defining if _HIDDEN_DEFINITION.match(page.lines[at])]
    for lines, is_html in written.items():
        if lines.start not in page.code:
            first, last = starts[lines.start], starts[lines.stop]
            cuts += [range(first + cut.start, first + cut.stop) for cut in _unseen(text[first:last], is_html=is_html)]
    return _without(text, cuts)


def _without(text: str, cuts: Iterable[range]) -> str:
    """Cut pieces out of a text; what a piece kept apart stays apart."""
    parts = []
    at = 0
    for cut in sorted(cuts, key=lambda cut: cut.start):
        parts.append(text[at : cut.start])
        at = cut.stop
        around = text[max(0, cut.start - 1) : cut.start], text[at : at + 1]
        if all(each and not each.isspace() for each in around):
            parts.append(" ")
    return "".join([*parts, text[at:]])


def _unseen(text: str, *, is_html: bool) -> Iterator[range]:
    """Where in a block comments and badges stand; in Markdown what is escaped, or code within a line, is neither."""
    ticks: dict[int, list[int]] = defaultdict(list)
    for run in re.finditer("`+", text):
        ticks[len(run.group())].append(run.start())
    at = 0
    while found := _MARK.search(text, at):
        mark, start = found.group(), found.start()
        at = found.end()
        if mark == "<!--":
            end = text.find("-->", start + 2)
            if end >= 0 or is_html:
                at = end + 3 if end >= 0 else len(text)
                yield range(start, at)
        elif mark[0] in "\\`":
            runs = ticks[len(mark)]
            following = bisect_right(runs, start)
            if is_html:
                at = start + 1
            elif mark[0] == "`" and following < len(runs):
                at = runs[following] + len(mark)
        elif badge := _badge(text, start):
            at = badge.stop
            yield badge
        else:
            at = start + 1


def _badge(text: str, start: int) -> range | None:
    """The badge that begins there: an image of one, or a drawing that is a link, as buttons are."""
    found = next((found for image in _IMAGES if (found := image.match(text, start))), None)
    if found is None:
        return None
    is_button = found.group().startswith("[") and ".svg" in found["url"]
    return range(*found.span()) if is_button or _OF_A_BADGE.search(found["url"]) else None
