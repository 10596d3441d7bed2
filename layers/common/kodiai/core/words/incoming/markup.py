"""HTML without what nobody sees: comments, and all of a tag but its name and its address."""

import html
import re
from collections.abc import Callable, Iterator

from kodiai.core.words.incoming.signs import code_in

LONGEST_ADDRESS = 2_000
_MOST_TAGS = 400
_VALUE = r"""(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)"""
_ATTRIBUTES = rf"""(?:[\s/]++|[^\s/>=]++(?:\s*+=\s*+{_VALUE})?+)*+"""
_MARKUP = (
    r"<!--(?:-?>|.*?--!?>|(?P<comment>.*+))"
    r"|<(?:[!?]|/(?![A-Za-z]))[^>]*+>"
    rf"|<(?P<close>/?)(?P<name>[A-Za-z][^\s/>\U00100000-\U0010ffff]*+)(?P<attributes>{_ATTRIBUTES})(?:=\s*+)?>"
)
_IN_TEXT = re.compile(_MARKUP, re.DOTALL)
_IN_HTML = re.compile(
    rf"""{_MARKUP}|(?P<quote></?[A-Za-z][^\s/>]*+{_ATTRIBUTES}\s*+=\s*+["'].*+)|<[!?/A-Za-z].*+""", re.DOTALL
)
_ATTRIBUTE = re.compile(rf"(?P<name>[^\s/>=]++)(?:\s*+=\s*+(?P<value>{_VALUE}))?+")
_NOT_IN_ADDRESS = re.compile(r"""[\s"'<>`\\()\[\]\x00-\x1f\U00100000-\U0010ffff]""")
_TAGS = frozenset(
    "a abbr b bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure"
    " g-emoji h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p picture pre q rp rt ruby s samp section small source span"
    " strike strong sub summary sup table tbody td tfoot th thead time tr tt ul var video wbr".split()
)


def shown_html(text: str, keep: Callable[[str], str]) -> tuple[str, bool]:
    """Cut from HTML what nobody sees; `keep` gives what stands for a tag.

    The second value says whether it ends within a comment or an attribute: then what follows is hidden too.
    """
    last: re.Match[str] | None = None

    def shown(found: re.Match[str]) -> str:
        nonlocal last
        last = found
        is_known = found["name"] and found["name"].lower() in _TAGS
        return (keep(_tag(found)) if is_known else gap(text, *found.span())) + breaks(found.group())

    cut = _IN_HTML.sub(shown, text)
    return cut, last is not None and (last["comment"] is not None or last["quote"] is not None)


def shown_text(text: str) -> str:
    """Cut from prose what would be hidden if it were HTML; a tag becomes text, and code that is kept in it stays."""

    def shown(found: re.Match[str]) -> str:
        code = code_in(found.group())
        told = f"< {_tag(found)[1:]}{code}" if found["name"] else code or gap(text, *found.span())
        return told + breaks(found.group())

    return (_IN_TEXT if text.count("<") <= _MOST_TAGS else _IN_HTML).sub(shown, text)


def gap(text: str, start: int, stop: int) -> str:
    """What stands where a piece was cut out: what it kept apart stays apart."""
    around = text[max(0, start - 1) : start], text[stop : stop + 1]
    return " " if all(each and not each.isspace() for each in around) else ""


def breaks(text: str) -> str:
    """The ends of lines in a text."""
    return "\n" * text.count("\n")


def _tag(found: re.Match[str]) -> str:
    address = "" if found["close"] else "".join(_addresses(found["attributes"]))
    return f"<{found['close']}{found['name']}{address}>"


def _addresses(attributes: str) -> Iterator[str]:
    for found in _ATTRIBUTE.finditer(attributes):
        if found["name"].lower() in ("href", "src") and found["value"]:
            value = html.unescape(found["value"].strip("\"'").strip())
            if 0 < len(value) <= LONGEST_ADDRESS and not _NOT_IN_ADDRESS.search(value):
                yield f' {found["name"].lower()}="{value}"'
