from dataclasses import replace

import pytest
from parcels.express import can_go, price_cents
from parcels.order import Address, Order

HOME = Address("DE", "50667")
BOOK = Order(HOME, grams=800, value_cents=2_500)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (BOOK, True),
        (replace(BOOK, address=None), False),
        (replace(BOOK, address=Address("FR", "75001")), False),
        (replace(BOOK, address=Address("NL", "25845")), True),
        (replace(BOOK, address=Address("DE", "25845")), False),
        (replace(BOOK, address=Address("DE", "50667", is_box=True)), False),
        (replace(BOOK, grams=20_000), True),
        (replace(BOOK, grams=20_001), False),
        (replace(BOOK, is_liquid=True), False),
        (replace(BOOK, is_liquid=True, is_member=True), True),
        (replace(BOOK, is_member=True), True),
    ],
)
def test_what_can_go_by_express(order, expected):
    assert can_go(order) is expected


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (BOOK, 990),
        (replace(BOOK, grams=2_000), 990),
        (replace(BOOK, grams=2_001), 1_490),
        (replace(BOOK, grams=10_001), 2_290),
        (replace(BOOK, grams=20_001), None),
        (replace(BOOK, is_fragile=True), 1_290),
        (replace(BOOK, is_fragile=True, is_member=True), 990),
        (replace(BOOK, value_cents=15_000), 990),
        (replace(BOOK, value_cents=15_000, is_member=True), 0),
        (replace(BOOK, value_cents=14_999, is_member=True), 990),
        (replace(BOOK, address=Address("NL", "1011"), is_fragile=True), 1_790),
        (replace(BOOK, address=None), None),
    ],
)
def test_what_express_costs(order, expected):
    assert price_cents(order) == expected
