"""The sales report."""

import re
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from sales.sorting import BadSort, read_sort

PAGE = 50
_PAGE = re.compile(r"[1-9][0-9]{0,3}")


@dataclass(frozen=True)
class Row:
    sku: str
    sold: int
    turnover_cents: int


def report(db: sqlite3.Connection, query: Mapping[str, str]) -> list[Row]:
    """Give one page of the report, as the query string asks for it. Raises BadQuery."""
    page = page_of(query)
    try:
        sort = read_sort(query.get("sort", "product"))
    except BadSort as error:
        raise BadQuery(f"not sorted by {error}") from error
    rows = db.execute(
        f"SELECT sku, sold, turnover_cents FROM sales_by_product {sort.clause} LIMIT ? OFFSET ?",
        (PAGE, (page - 1) * PAGE),
    )
    return [Row(*row) for row in rows]


class BadQuery(ValueError):
    """A query string that asks for what is not there."""


def page_of(query: Mapping[str, str]) -> int:
    """Read the page, 1 for the first."""
    text = query.get("page", "1")
    if not _PAGE.fullmatch(text):
        raise BadQuery(f"no page {text!r}")
    return int(text)
