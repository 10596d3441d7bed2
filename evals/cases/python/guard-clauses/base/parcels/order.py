"""What is to be delivered, and where."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Address:
    country: str
    zip_code: str
    is_box: bool = False


@dataclass(frozen=True)
class Order:
    address: Address | None
    grams: int
    value_cents: int
    is_fragile: bool = False
    is_liquid: bool = False
    is_member: bool = False
