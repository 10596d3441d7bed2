"""The nightly import."""

import logging
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from catalog.feed import Product, read_feed
from catalog.store import Store

log = logging.getLogger(__name__)


def run(store: Store, supplier: str, path: Path, read: Callable[[Path], Iterable[Product]] = read_feed) -> int:
    """Take over one supplier's feed. Returns how many products were written."""
    skus: set[str] = set()
    written = store.upsert(supplier, _noting(read(path), skus))
    retired = store.retire_all_but(supplier, skus)
    log.info("%s: %s written, %s retired", supplier, written, retired)
    return written


def _noting(products: Iterable[Product], skus: set[str]) -> Iterator[Product]:
    """Pass the products on, and write down their SKUs."""
    for product in products:
        skus.add(product.sku)
        yield product
