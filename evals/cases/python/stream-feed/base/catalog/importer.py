"""The nightly import."""

import logging
from collections.abc import Callable, Iterable
from pathlib import Path

from catalog.feed import Product, read_feed
from catalog.store import Store

log = logging.getLogger(__name__)


def run(store: Store, supplier: str, path: Path, read: Callable[[Path], Iterable[Product]] = read_feed) -> int:
    """Take over one supplier's feed. Returns how many products were written."""
    products = read(path)
    skus = {product.sku for product in products}
    written = store.upsert(supplier, products)
    retired = store.retire_all_but(supplier, skus)
    log.info("%s: %s written, %s retired", supplier, written, retired)
    return written
