import gzip
from decimal import Decimal

import pytest
from catalog.feed import FeedError, Product, read_feed

HEADER = "sku,name,price,stock\n"
MUG = "M-1,Mug,4.50,12\n"


def test_a_feed_is_read(tmp_path):
    path = tmp_path / "feed.csv"
    path.write_text(HEADER + MUG)

    assert list(read_feed(path)) == [Product("M-1", "Mug", Decimal("4.50"), 12)]


def test_a_packed_feed_is_read(tmp_path):
    path = tmp_path / "feed.csv.gz"
    path.write_bytes(gzip.compress((HEADER + MUG).encode()))

    assert [product.sku for product in read_feed(path)] == ["M-1"]


def test_a_bad_line_is_named(tmp_path):
    path = tmp_path / "feed.csv"
    path.write_text(HEADER + MUG + "B-1,Bowl,cheap,3\n")

    with pytest.raises(FeedError, match="line 3"):
        list(read_feed(path))


def test_what_stands_before_a_bad_line_comes_out(tmp_path):
    path = tmp_path / "feed.csv"
    path.write_text(HEADER + MUG + "B-1,Bowl,cheap,3\n")
    feed = read_feed(path)

    assert next(feed).sku == "M-1"
