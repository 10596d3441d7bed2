"""Sends the payouts that are due."""

import logging
import time
from collections.abc import Callable

from sqlalchemy import select
from sqlalchemy.orm import Session

from payouts.bank import Bank, BankError, BankTimeout
from payouts.models import Booking, Payout, Seller

log = logging.getLogger(__name__)

ATTEMPTS = 3
FIRST_PAUSE = 2.0


def run_pending(db: Session, bank: Bank, sleep: Callable[[float], None] = time.sleep) -> int:
    """Send every pending payout and book it. Returns how many were sent.

    A payout whose last attempt timed out stays pending, for the next run.
    """
    sent = 0
    for payout in db.scalars(select(Payout).where(Payout.status == "pending").order_by(Payout.id)).all():
        seller = db.get_one(Seller, payout.seller_id)
        try:
            reference = _transfer(bank, payout, seller.account, sleep)
        except BankTimeout:
            log.warning("payout %s: no answer after %s attempts, left for the next run", payout.id, ATTEMPTS)
            continue
        except BankError as error:
            log.warning("payout %s failed: %s", payout.id, error)
            payout.status = "failed"
            db.commit()
            continue
        _book(db, payout, seller, reference)
        sent += 1
    return sent


def _transfer(bank: Bank, payout: Payout, account: str, sleep: Callable[[float], None]) -> str:
    """Send one payout; after a timeout it is tried again, with growing pauses."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return bank.transfer(
                account=account,
                amount_cents=payout.amount_cents,
                idempotency_key=f"payout-{payout.id}-{attempt}",
            )
        except BankTimeout:
            if attempt == ATTEMPTS:
                raise
            sleep(FIRST_PAUSE * 2 ** (attempt - 1))
    raise AssertionError("unreachable")


def _book(db: Session, payout: Payout, seller: Seller, reference: str) -> None:
    """Write down that the money has left; the reference first, so that it is never lost."""
    payout.status = "sent"
    payout.reference = reference
    db.commit()
    seller.balance_cents -= payout.amount_cents
    db.add(Booking(payout_id=payout.id, amount_cents=payout.amount_cents))
    db.commit()
