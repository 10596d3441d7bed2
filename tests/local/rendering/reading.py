"""Reads rendered Markdown as a browser would, and holds it against the closed list of what may be on a page."""

import re
from html.parser import HTMLParser

VOID = frozenset({"br", "hr", "input", "wbr"})
ELEMENTS = frozenset(
    "a abbr b blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i"
    " input ins kbd li mark ol p pre q rp rt ruby s samp small span strike strong sub summary sup table tbody td tfoot"
    " th thead tr tt u ul var wbr".split()
)
ALIGNED = dict.fromkeys(["div", "p", "td", "th", "tr", "h1", "h2", "h3", "h4", "h5", "h6"], "left|center|right")
CLASSES = {
    "a": "image|footnote-backref",
    "div": r"markdown-alert markdown-alert-(note|tip|important|warning|caution)|code|row (add|del)",
    "figure": "suggestion|diagram",
    "hr": "footnotes-sep",
    "li": "task|footnote-item",
    "ol": "footnotes-list|contains-task-list",
    "p": "markdown-alert-title",
    "span": r"severity (critical|major|medium|minor)|mark|co|kw|st|nu|fu|cl|de|bu",
    "strong": "mention",
    "sup": "footnote-ref",
    "ul": "contains-task-list",
}
NAMES = {"a": r"fnref-[0-9a-f]{8}-\d+(:\d+)?", "li": r"fn-[0-9a-f]{8}-\d+"}
VALUES: dict[tuple[str, str], str] = {
    ("a", "href"): r"https?:\S*|mailto:\S*|#\S*|/(?![/\\])[^\s\\]*",
    ("a", "rel"): "noopener noreferrer nofollow",
    ("details", "open"): ".*",
    ("ol", "start"): ".*",
    ("ol", "reversed"): ".*",
    ("pre", "tabindex"): "0",
    ("input", "type"): "checkbox",
    ("input", "disabled"): "",
    ("input", "checked"): "",
    ("input", "aria-label"): "done|to do",
    **{(cell, span): ".*" for cell in ("td", "th") for span in ("colspan", "rowspan")},
    **{(tag, "align"): values for tag, values in ALIGNED.items()},
    **{(tag, "class"): values for tag, values in CLASSES.items()},
    **{(tag, "id"): values for tag, values in NAMES.items()},
}


class Reading(HTMLParser):
    """A piece of a page; raises AssertionError where anything is in it that may not, or nests wrongly.

    `elements` are those that were opened, with their attributes, `text` is what a reader sees.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(str(html))
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ELEMENTS
        given = {name: value or "" for name, value in attrs}
        assert len(given) == len(attrs)
        for name, value in given.items():
            assert (tag, name) in VALUES, f"<{tag} {name}>"
            assert re.fullmatch(VALUES[tag, name], value, re.DOTALL), f'<{tag} {name}="{value}">'
        if tag == "input":
            assert {"type", "disabled"} <= given.keys()
        self.elements.append((tag, given))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)

    def handle_pi(self, data: str) -> None:
        raise AssertionError(data)

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(data)

    def classes(self) -> list[str]:
        """The classes there, in their order."""
        return [given["class"] for _, given in self.elements if "class" in given]

    def links(self) -> list[str]:
        """The addresses that links lead to."""
        return [given["href"] for _, given in self.elements if "href" in given]
