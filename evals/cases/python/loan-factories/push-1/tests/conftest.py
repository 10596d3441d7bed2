from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from library.loans import PERIOD, Loan

TAKEN = date(2025, 3, 3)


@pytest.fixture(scope="session")
def make_loan() -> Callable[..., Loan]:
    """Make a loan that was taken on 3 March 2025 and is due on 24 March; loans are frozen."""

    def make(reserved_by: tuple[str, ...] = (), **other: Any) -> Loan:
        ordinary = {"reader": "r-1", "book": "b-1", "taken": TAKEN, "due": TAKEN + PERIOD}
        return Loan(**{**ordinary, **other}, reserved_by=reserved_by)

    return make
