"""Sanitizes the HTML that Markdown became: what may be on a page, and which classes and ids are our own.

User HTML and our own are one text here, because a user's element may be open on one line and closed ten lines and
three of our elements further on: only the whole can be read as a browser would read it. So nh3 sanitizes it once, as
a whole, at the end; its output is balanced whatever came in. Our own attributes carry a seal, a word that nobody
outside this process can know: a class or an id without it is removed, and the seal is taken off ours. Nothing is
inserted after the sanitizing.

What GitHub allows: https://github.com/gjtorikian/html-pipeline/blob/main/lib/html_pipeline/sanitization_filter.rb
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
_ALIGNED = ("div", "p", "td", "th", "tr", "h1", "h2", "h3", "h4", "h5", "h6")

_SEAL = secrets.token_hex(16)
_OWN = re.compile(r' (?:class|id)="')
_SCHEMES = {"http", "https", "mailto"}
_SITE_PATH = re.compile(r"/(?![/\\])[^\s\\]*|/|#\S*")
_THIS_MACHINE = re.compile(r"https?://(?:127\.0\.0\.1|localhost|\[::1\])[:/]", re.IGNORECASE)


def sealed(html: str) -> str:
    """Mark the classes and ids of our own HTML, so that they survive the sanitizing; user text in it is escaped."""
    return _OWN.sub(rf"\g<0>{_SEAL} ", html)


def sanitized(html: str, *, on_site: bool) -> Markup:
    """Sanitize a piece of HTML; `on_site` allows links to other places of the site that the page belongs to.

    A page that belongs to no site outlives the servers of this machine, so no link leads to them.
    """
    return Markup(visible((_ON_SITE if on_site else _STANDALONE).clean(html)))  # noqa: S704 - this is what makes it safe


def _own(_tag: str, attribute: str, value: str) -> str | None:
    """Keep a class or an id that is our own, without its seal."""
    if attribute not in {"class", "id"}:
        return value
    seal, _, given = value.partition(" ")
    return given if seal == _SEAL else None


def _own_and_lasting(tag: str, attribute: str, value: str) -> str | None:
    """The same, without links to this machine."""
    return None if attribute == "href" and _THIS_MACHINE.match(value) else _own(tag, attribute, value)


def _site_path(url: str) -> str | None:
    """Keep a relative URL that certainly leads to the same site."""
    return url if _SITE_PATH.fullmatch(url) else None


def _fragment(url: str) -> str | None:
    return url if url.startswith("#") else None


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
            **{tag: {"align": {"left", "center", "right"}} for tag in _ALIGNED},
            "pre": {"tabindex": {"0"}},
            "input": {"type": {"checkbox"}, "disabled": {""}, "aria-label": {"done", "to do"}},
        },
        set_tag_attribute_values={"input": {"type": "checkbox", "disabled": ""}},
        attribute_filter=_own if on_site else _own_and_lasting,
        url_schemes=_SCHEMES,
        url_relative=_site_path if on_site else _fragment,
        link_rel="noopener noreferrer nofollow",
    )


_ON_SITE = _cleaner(on_site=True)
_STANDALONE = _cleaner(on_site=False)
