"""Reads pages as a browser would, without a script: elements by id, by tag and class, and their text."""

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Self

import httpx

_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())


class Element:
    """An element of a page."""

    def __init__(self, tag: str, attributes: dict[str, str]) -> None:
        self.tag = tag
        self.attributes = attributes
        self.children: list[Element | str] = []

    def __getitem__(self, name: str) -> str:
        return self.attributes[name]

    @property
    def text(self) -> str:
        """All its text, each run of white space as one space."""
        return " ".join("".join(self._texts()).split())

    def _texts(self) -> Iterator[str]:
        for child in self.children:
            yield from [child] if isinstance(child, str) else child._texts()

    def walk(self) -> Iterator["Element"]:
        """Itself and everything in it, in order."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def all(self, tag: str = "", class_: str = "", **attributes: str) -> list["Element"]:
        """The elements in it with that tag, that class and those attributes."""
        return [
            each
            for each in self.walk()
            if tag in ("", each.tag)
            and (not class_ or class_ in each.attributes.get("class", "").split())
            and all(each.attributes.get(name) == value for name, value in attributes.items())
        ]

    def one(self, tag: str = "", class_: str = "", **attributes: str) -> "Element":
        """The only one of these."""
        found = self.all(tag, class_, **attributes)
        assert len(found) == 1, (tag, class_, attributes, [each.text for each in found])
        return found[0]

    def values(self, tag: str, attribute: str) -> list[str]:
        """The value of an attribute of each of these that has it."""
        return [each[attribute] for each in self.all(tag) if attribute in each.attributes]

    def texts(self, tag: str = "", class_: str = "") -> list[str]:
        """The text of each of these."""
        return [each.text for each in self.all(tag, class_)]


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("page", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(made)
        if tag not in _VOID:
            self.open.append(made)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def parsed(html: str) -> Element:
    """A page, in which every element is closed."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    assert len(builder.open) == 1, [each.tag for each in builder.open]
    return builder.open[0]


class Page(Element):
    """One page that was served, with its status."""

    def __init__(self, response: httpx.Response) -> None:
        super().__init__("page", {})
        self.status = response.status_code
        self.size = len(response.content)
        self.children = parsed(response.text).children
        named = [each for each in self.walk() if "id" in each.attributes]
        self.ids = [each["id"] for each in named]
        self._by_id = dict(zip(self.ids, named, strict=True))

    def by_id(self, name: str) -> Element:
        """The element of that id."""
        return self._by_id[name]


class Reader:
    """A browser without a script, at one repository's pages."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._http = httpx.Client(base_url=url, trust_env=False, verify=False, timeout=30)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def become(self, login: str, role: str) -> None:
        """Look as somebody else from now on."""
        self.send("/-/viewer", login=login, role=role)

    def get(self, address: str) -> httpx.Response:
        """The response, as it is."""
        return self._http.get(address)

    def read(self, address: str) -> Page:
        """The page at an address."""
        return Page(self.get(address))

    def send(self, address: str, **form: str) -> httpx.Response:
        """Send a form from a page of the site."""
        return self._http.post(address, data=form, headers={"Origin": self._url})
