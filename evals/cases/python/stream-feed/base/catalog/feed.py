"""Reads a supplier's feed."""

import csv
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path


class FeedError(ValueError):
    """The feed cannot be read; the text names the line."""


@dataclass(frozen=True)
class Product:
    sku: str
    name: str
    price: Decimal
    stock: int


def read_feed(path: Path) -> list[Product]:
    """Read a feed. Raises FeedError."""
    products = []
    with path.open(newline="", encoding="utf-8-sig") as file:
        for number, row in enumerate(csv.DictReader(file), start=2):
            try:
                products.append(Product(row["sku"], row["name"], Decimal(row["price"]), int(row["stock"])))
            except (KeyError, TypeError, ValueError, InvalidOperation) as error:
                raise FeedError(f"line {number}: {error!r}") from error
    return products
