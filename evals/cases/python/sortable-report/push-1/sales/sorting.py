"""By what a report is sorted."""

import re
from dataclasses import dataclass
from typing import Final

# What the address may say, and the column that stands for it. Nothing else ever reaches a statement.
_COLUMNS: Final = {
    "product": "sku",
    "sold": "sold",
    "turnover": "turnover_cents",
    "average": "CASE sold WHEN 0 THEN 0 ELSE turnover_cents * 1.0 / sold END",
}
_SORT = re.compile(r"(?P<sign>-?)(?P<name>[a-z]+)")


class BadSort(ValueError):
    """Something by which nothing can be sorted."""


@dataclass(frozen=True)
class Sort:
    """A column of `sales_by_product`, or an expression over it, and a direction; both are SQL."""

    column: str
    direction: str

    @property
    def clause(self) -> str:
        """The ORDER BY clause; products that are equal come by their number, so that pages do not overlap."""
        return f"ORDER BY {self.column} {self.direction}, sku"


def read_sort(text: str) -> Sort:
    """Read "sold" or, falling, "-sold". Raises BadSort for what is not in the table above."""
    match = _SORT.fullmatch(text)
    if match is None or match["name"] not in _COLUMNS:
        raise BadSort(text)
    return Sort(_COLUMNS[match["name"]], "DESC" if match["sign"] else "ASC")
