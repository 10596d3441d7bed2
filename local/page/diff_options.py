"""The options in the URL of a page of diffs; nothing else remembers them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from urllib.parse import quote, urlencode

ALL = "all"


@dataclass(frozen=True)
class DiffOptions:
    """Whether the diffs are split, and the paths of the files that are loaded however large they are."""

    split: bool = False
    show: tuple[str, ...] = ()

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Self:
        """Read them from a URL: `diff=split`, and `show` with a path on each line, or "all"."""
        return cls(query.get("diff") == "split", tuple(filter(None, query.get("show", "").split("\n"))))

    def shows(self, path: str) -> bool:
        """Whether a file was asked for."""
        return path in self.show or ALL in self.show

    def query(self, **changes: str) -> str:
        """The query that asks for the same, apart from the changes."""
        asked = {"diff": "split" if self.split else "", "show": "\n".join(self.show)} | changes
        return "?" + urlencode({name: value for name, value in asked.items() if value}, quote_via=quote, safe="/")

    def showing(self, path: str) -> str:
        """The query that loads one more file, or all."""
        return self.query(show="\n".join(dict.fromkeys((*self.show, path))))
