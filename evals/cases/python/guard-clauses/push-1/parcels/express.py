"""Whether an order can go by express, and at what price."""

from parcels.order import Address, Order

COUNTRIES = frozenset({"AT", "BE", "DE", "LU", "NL"})
ISLANDS = ("25845", "25846", "25847", "25849", "25859", "25863", "25869", "26465", "26474", "26486", "26548", "26571")
MOST_GRAMS = 20_000
FREE_FROM_CENTS = 15_000
ABROAD_CENTS = 500
FRAGILE_CENTS = 300


def can_go(order: Order) -> bool:
    """Whether the order can be delivered by express."""
    address = order.address
    if address is None or not _is_reached(address):
        return False
    if order.grams > MOST_GRAMS:
        return False
    return order.is_member or not order.is_liquid


def price_cents(order: Order) -> int | None:
    """What express costs, None where it cannot be had."""
    if not can_go(order):
        return None
    if order.is_member and order.value_cents >= FREE_FROM_CENTS:
        return 0
    price = _by_weight(order.grams)
    if order.is_fragile and not order.is_member:
        price += FRAGILE_CENTS
    # can_go has made sure of the address
    if order.address.country != "DE":
        price += ABROAD_CENTS
    return price


def _is_reached(address: Address) -> bool:
    if address.country not in COUNTRIES or address.is_box:
        return False
    return address.country != "DE" or address.zip_code not in ISLANDS


def _by_weight(grams: int) -> int:
    if grams > 10_000:
        return 2_290
    if grams > 2_000:
        return 1_490
    return 990
