"""What the address of a page of diffs asks for; nothing else remembers it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from urllib.parse import quote, urlencode

_EVERYTHING = "all"


@dataclass(frozen=True)
class Choice:
    """Whether both sides stand side by side, and the paths of the files that are shown however large they are."""

    split: bool = False
    show: tuple[str, ...] = ()

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Self:
        """Read it from an address: `diff=split`, and `show` with a path on each line, or "all"."""
        return cls(query.get("diff") == "split", tuple(filter(None, query.get("show", "").split("\n"))))

    def shows(self, path: str) -> bool:
        """Whether a file was asked for."""
        return path in self.show or self.shows_all

    @property
    def shows_all(self) -> bool:
        """Whether every file was asked for."""
        return _EVERYTHING in self.show

    def address(self, **more: str) -> str:
        """The query that asks for the same, and for more."""
        asked = {"diff": "split" if self.split else "", "show": "\n".join(self.show)} | more
        return "?" + urlencode({name: value for name, value in asked.items() if value}, quote_via=quote, safe="/")

    def showing(self, path: str) -> str:
        """The query that shows one more file."""
        return self.address(show="\n".join(dict.fromkeys((*self.show, path))))

    @property
    def all(self) -> str:
        """The query that shows every file."""
        return self.address(show=_EVERYTHING)

    @property
    def unified(self) -> str:
        """The query that shows everything in one column."""
        return self.address(diff="")

    @property
    def side_by_side(self) -> str:
        """The query that shows both sides."""
        return self.address(diff="split")
