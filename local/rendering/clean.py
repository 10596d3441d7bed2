"""Cleans the HTML that came of Markdown: what may stand on a page, and which of it is ours.

People's HTML and ours are one text here, because theirs may be open on one line and closed ten lines and three of our
elements further on: only the whole can be read as a browser would read it. So it is cleaned once, as a whole, at the
end, by nh3, whose output is balanced whatever came in. Ours carries a seal, a word that nobody outside this process
can know: a class or an id without it goes, and from ours it is taken away. Nothing is put in after the cleaning.

What GitHub lets stand: https://github.com/gjtorikian/html-pipeline/blob/main/lib/html_pipeline/sanitization_filter.rb
"""

import re
import secrets

import nh3
from markupsafe import Markup

from local.rendering.visible import visible

TAGS = frozenset(
    "a abbr b blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i"
    " input ins kbd li mark ol p pre q rp rt ruby s samp small span strike strong sub summary sup table tbody td tfoot"
    " th thead tr tt u ul var wbr".split()
)
BLOCKS = ("div", "p", "td", "th", "tr", "h1", "h2", "h3", "h4", "h5", "h6")

_SEAL = secrets.token_hex(16)
_SCHEMES = {"http", "https", "mailto"}
_ON_SITE = re.compile(r"/(?![/\\])[^\s\\]*|/|#\S*")

_THIS_MACHINE = re.compile(r"https?://(?:127\.0\.0\.1|localhost|\[::1\])[:/]", re.IGNORECASE)


def ours(classes: str = "", name: str = "") -> str:
    """Give the attributes of an element of ours, its classes and its id, so that they outlive the cleaning."""
    given = (("class", classes), ("id", name))
    return "".join(f' {attribute}="{_SEAL} {value}"' for attribute, value in given if value)


def coloured(code: Markup) -> str:
    """Seal the spans of coloured code, in which everything else is escaped."""
    return str(code).replace('<span class="', f'<span class="{_SEAL} ')


def clean(html: str, *, on_site: bool) -> Markup:
    """Clean a piece of HTML; `on_site` lets links lead to other places of the site that the page stands on.

    A page that is on no site outlives the servers of this machine, so no link leads to them.
    """
    cleaned = (_ON_THE_SITE if on_site else _ALONE).clean(html)
    return Markup(visible(cleaned))  # noqa: S704 - this is what makes it safe


def _kept(_tag: str, attribute: str, value: str) -> str | None:
    """Let a class and an id stand where they are ours, without their seal."""
    if attribute not in {"class", "id"}:
        return value
    seal, _, given = value.partition(" ")
    return given if seal == _SEAL else None


def _lasting(tag: str, attribute: str, value: str) -> str | None:
    """The same, without links to this machine."""
    return None if attribute == "href" and _THIS_MACHINE.match(value) else _kept(tag, attribute, value)


def _place(address: str) -> str | None:
    """Let an address without a scheme stand that leads to the same site for certain."""
    return address if _ON_SITE.fullmatch(address) else None


def _fragment(address: str) -> str | None:
    return address if address.startswith("#") else None


def _cleaner(*, on_site: bool) -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=TAGS,
        attributes={
            "*": {"class", "id"},
            "a": {"href"},
            "td": {"colspan", "rowspan"},
            "th": {"colspan", "rowspan"},
            "ol": {"start", "reversed"},
            "details": {"open"},
            "input": {"checked"},
        },
        tag_attribute_values={
            **{tag: {"align": {"left", "center", "right"}} for tag in BLOCKS},
            "pre": {"tabindex": {"0"}},
            "input": {"type": {"checkbox"}, "disabled": {""}, "aria-label": {"done", "to do"}},
        },
        set_tag_attribute_values={"input": {"type": "checkbox", "disabled": ""}},
        attribute_filter=_kept if on_site else _lasting,
        url_schemes=_SCHEMES,
        url_relative=_place if on_site else _fragment,
        link_rel="noopener noreferrer nofollow",
    )


_ON_THE_SITE = _cleaner(on_site=True)
_ALONE = _cleaner(on_site=False)
