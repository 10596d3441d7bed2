"""Sends the payouts that are due."""

import logging

from sqlalchemy import select
from sqlalchemy.orm import Session

from payouts.bank import Bank, BankError
from payouts.models import Booking, Payout, Seller

log = logging.getLogger(__name__)


def run_pending(db: Session, bank: Bank) -> int:
    """Send every pending payout and book it. Returns how many were sent."""
    sent = 0
    for payout in db.scalars(select(Payout).where(Payout.status == "pending").order_by(Payout.id)).all():
        seller = db.get_one(Seller, payout.seller_id)
        try:
            reference = bank.transfer(
                account=seller.account,
                amount_cents=payout.amount_cents,
                idempotency_key=f"payout-{payout.id}",
            )
        except BankError as error:
            log.warning("payout %s failed: %s", payout.id, error)
            payout.status = "failed"
            db.commit()
            continue
        payout.status = "sent"
        payout.reference = reference
        seller.balance_cents -= payout.amount_cents
        db.add(Booking(payout_id=payout.id, amount_cents=payout.amount_cents))
        db.commit()
        sent += 1
    return sent
