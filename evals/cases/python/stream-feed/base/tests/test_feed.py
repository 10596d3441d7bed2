from decimal import Decimal

import pytest
from catalog.feed import FeedError, Product, read_feed

HEADER = "sku,name,price,stock\n"


def test_a_feed_is_read(tmp_path):
    path = tmp_path / "feed.csv"
    path.write_text(HEADER + "M-1,Mug,4.50,12\n")

    assert read_feed(path) == [Product("M-1", "Mug", Decimal("4.50"), 12)]


def test_a_bad_line_is_named(tmp_path):
    path = tmp_path / "feed.csv"
    path.write_text(HEADER + "M-1,Mug,4.50,12\nB-1,Bowl,cheap,3\n")

    with pytest.raises(FeedError, match="line 3"):
        read_feed(path)
