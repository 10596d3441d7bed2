"""Whether an order can go by express, and at what price."""

from parcels.order import Order

COUNTRIES = frozenset({"AT", "BE", "DE", "LU", "NL"})
ISLANDS = ("25845", "25846", "25847", "25849", "25859", "25863", "25869", "26465", "26474", "26486", "26548", "26571")
MOST_GRAMS = 20_000
FREE_FROM_CENTS = 15_000


def can_go(order: Order) -> bool:
    """Whether the order can be delivered by express."""
    result = False
    if order.address is not None:
        if order.address.country in COUNTRIES:
            if not (order.address.country == "DE" and order.address.zip_code in ISLANDS):
                if not order.address.is_box:
                    if order.grams <= MOST_GRAMS:
                        if not order.is_liquid or order.is_member:
                            result = True
    return result


def price_cents(order: Order) -> int | None:
    """What express costs, None where it cannot be had."""
    if can_go(order):
        if order.is_member and order.value_cents >= FREE_FROM_CENTS:
            price = 0
        else:
            if order.grams <= 2_000:
                price = 990
            elif order.grams <= 10_000:
                price = 1_490
            else:
                price = 2_290
            if order.is_fragile and not order.is_member:
                price += 300
            if order.address is not None and order.address.country != "DE":
                price += 500
        return price
    else:
        return None
