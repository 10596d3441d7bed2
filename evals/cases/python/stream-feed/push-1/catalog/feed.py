"""Reads a supplier's feed."""

import csv
import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TextIO


class FeedError(ValueError):
    """The feed cannot be read; the text names the line."""


@dataclass(frozen=True, slots=True)
class Product:
    sku: str
    name: str
    price: Decimal
    stock: int


def read_feed(path: Path) -> Iterator[Product]:
    """Read a feed line by line, packed or not. Raises FeedError."""
    with _open(path) as file:
        for number, row in enumerate(csv.DictReader(file), start=2):
            try:
                yield _product(row)
            except (KeyError, TypeError, ValueError, InvalidOperation) as error:
                raise FeedError(f"line {number}: {error!r}") from error


@contextmanager
def _open(path: Path) -> Iterator[TextIO]:
    """Open a feed; those that end in .gz are unpacked on the way."""
    if path.suffix == ".gz":
        with gzip.open(path, "rt", newline="", encoding="utf-8-sig") as file:
            yield file
    else:
        with path.open(newline="", encoding="utf-8-sig") as file:
            yield file


def _product(row: dict[str, str]) -> Product:
    return Product(row["sku"], row["name"], Decimal(row["price"]), int(row["stock"]))
