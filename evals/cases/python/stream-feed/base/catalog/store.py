"""The shop's products."""

import sqlite3
from collections.abc import Iterable, Set

from catalog.feed import Product

SCHEMA = """
CREATE TABLE IF NOT EXISTS products (
    supplier TEXT, sku TEXT, name TEXT, price TEXT, stock INTEGER, retired INTEGER DEFAULT 0,
    PRIMARY KEY (supplier, sku)
)
"""


class Store:
    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._db.execute(SCHEMA)

    def upsert(self, supplier: str, products: Iterable[Product]) -> int:
        """Write the products, new or known. Returns how many."""
        rows = [(supplier, each.sku, each.name, str(each.price), each.stock) for each in products]
        with self._db:
            self._db.executemany(
                "INSERT INTO products (supplier, sku, name, price, stock) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT (supplier, sku) DO UPDATE SET name = excluded.name, price = excluded.price,"
                " stock = excluded.stock, retired = 0",
                rows,
            )
        return len(rows)

    def retire_all_but(self, supplier: str, skus: Set[str]) -> int:
        """Retire what the supplier no longer has. Returns how many."""
        known = {sku for (sku,) in self._db.execute("SELECT sku FROM products WHERE supplier = ?", (supplier,))}
        gone = [(supplier, sku) for sku in known - skus]
        with self._db:
            self._db.executemany("UPDATE products SET retired = 1 WHERE supplier = ? AND sku = ?", gone)
        return len(gone)
