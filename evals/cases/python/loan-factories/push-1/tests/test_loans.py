from datetime import date

import pytest
from library.loans import NotRenewable, fine_cents, renew

LAST_DAY = date(2025, 3, 24)


@pytest.mark.parametrize(
    ("today", "due"),
    [(date(2025, 3, 20), date(2025, 4, 10)), (LAST_DAY, date(2025, 4, 14))],
    ids=["before", "on the last day"],
)
def test_a_loan_is_renewed_from_today(make_loan, today, due):
    renewed = renew(make_loan(), today)

    assert (renewed.due, renewed.renewals) == (due, 1)


@pytest.mark.parametrize(
    ("changed", "today", "why"),
    [
        ({"reserved_by": ("r-2",)}, date(2025, 3, 20), "somebody else is waiting"),
        ({"renewals": 2}, date(2025, 3, 20), "renewed too often"),
        ({}, date(2025, 3, 25), "overdue"),
    ],
)
def test_some_loans_cannot_be_renewed(make_loan, changed, today, why):
    loan = make_loan(**changed)

    with pytest.raises(NotRenewable, match=f"^{why}$"):
        renew(loan, today)


@pytest.mark.parametrize(
    ("today", "cents"),
    [
        (date(2025, 3, 4), 0),
        (LAST_DAY, 0),
        (date(2025, 3, 25), 20),
        (date(2025, 6, 30), 1_000),
    ],
)
def test_a_late_book_costs_a_fine(make_loan, today, cents):
    assert fine_cents(make_loan(), today) == cents
