"""A person who opens pages and presses the button on each, without a browser."""

from html.parser import HTMLParser
from urllib.parse import urljoin

import httpx


class Form(HTMLParser):
    """The first form of a page: where it goes, and what its fields hold."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.action: str | None = None
        self.fields: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form":
            self.action = given.get("action") or ""
        elif tag == "input" and given.get("name"):
            self.fields[given["name"] or ""] = given.get("value") or ""


def press_buttons(url: str) -> str:
    """Open a page, send its form, and so on until a page has none; the text of that one."""
    with httpx.Client(follow_redirects=True, trust_env=False, timeout=30) as client:
        page = client.get(url)
        while (form := Form(page.text)).action is not None:
            page = client.post(urljoin(str(page.url), form.action), data=form.fields)
            page.raise_for_status()
        return page.text
