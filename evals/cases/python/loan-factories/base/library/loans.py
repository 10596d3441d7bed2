"""Loans of one book to one reader."""

from dataclasses import dataclass, field, replace
from datetime import date, timedelta

PERIOD = timedelta(days=21)
MOST_RENEWALS = 2
FINE_CENTS_A_DAY = 20
HIGHEST_FINE_CENTS = 1_000


class NotRenewable(Exception):
    """The loan cannot be renewed; the text says why."""


@dataclass(frozen=True)
class Loan:
    reader: str
    book: str
    taken: date
    due: date
    renewals: int = 0
    reserved_by: tuple[str, ...] = field(default=())


def renew(loan: Loan, today: date) -> Loan:
    """Renew a loan for another period from today. Raises NotRenewable."""
    if loan.reserved_by:
        raise NotRenewable("somebody else is waiting")
    if loan.renewals >= MOST_RENEWALS:
        raise NotRenewable("renewed too often")
    if today > loan.due:
        raise NotRenewable("overdue")
    return replace(loan, due=today + PERIOD, renewals=loan.renewals + 1)


def fine_cents(loan: Loan, today: date) -> int:
    """What is to be paid if the book came back today."""
    days = max((today - loan.due).days, 0)
    return min(days * FINE_CENTS_A_DAY, HIGHEST_FINE_CENTS)
