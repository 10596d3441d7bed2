import sqlite3

import pytest
from sales.report import BadQuery, page_of, report


@pytest.fixture
def db():
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE sales_by_product (sku TEXT PRIMARY KEY, sold INTEGER, turnover_cents INTEGER)")
    db.executemany(
        "INSERT INTO sales_by_product VALUES (?, ?, ?)",
        [("bowl", 3, 2_100), ("mug", 12, 5_400), ("plate", 7, 9_100)],
    )
    return db


def test_products_come_by_their_number(db):
    assert [row.sku for row in report(db, {})] == ["bowl", "mug", "plate"]


def test_a_page_after_the_last_is_empty(db):
    assert report(db, {"page": "2"}) == []


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "", "x", "10000"])
def test_no_other_page_is_taken(text):
    with pytest.raises(BadQuery):
        page_of({"page": text})
