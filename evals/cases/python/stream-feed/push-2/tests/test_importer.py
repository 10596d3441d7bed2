import sqlite3
from decimal import Decimal
from pathlib import Path

from catalog import importer
from catalog.feed import Product
from catalog.store import Store

MUG = Product("M-1", "Mug", Decimal("4.50"), 12)
BOWL = Product("B-1", "Bowl", Decimal("7.00"), 3)


def test_what_is_no_longer_in_the_feed_is_retired():
    db = sqlite3.connect(":memory:")
    store = Store(db)
    importer.run(store, "acme", Path("feed.csv"), lambda _: [MUG, BOWL])

    assert importer.run(store, "acme", Path("feed.csv"), lambda _: [MUG]) == 1

    assert db.execute("SELECT sku, retired FROM products ORDER BY sku").fetchall() == [("B-1", 1), ("M-1", 0)]


def test_a_feed_that_is_streamed_is_written(tmp_path):
    path = tmp_path / "feed.csv"
    path.write_text("sku,name,price,stock\nM-1,Mug,4.50,12\n")

    assert importer.run(Store(sqlite3.connect(":memory:")), "acme", path) == 1
