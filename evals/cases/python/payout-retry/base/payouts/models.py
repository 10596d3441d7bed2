"""Tables."""

from sqlalchemy import ForeignKey
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    pass


class Seller(Base):
    __tablename__ = "sellers"

    id: Mapped[int] = mapped_column(primary_key=True)
    account: Mapped[str]
    balance_cents: Mapped[int] = mapped_column(default=0)


class Payout(Base):
    __tablename__ = "payouts"

    id: Mapped[int] = mapped_column(primary_key=True)
    seller_id: Mapped[int] = mapped_column(ForeignKey("sellers.id"))
    amount_cents: Mapped[int]
    status: Mapped[str] = mapped_column(default="pending")  # pending, sent, failed
    reference: Mapped[str | None] = mapped_column(default=None)


class Booking(Base):
    __tablename__ = "bookings"

    id: Mapped[int] = mapped_column(primary_key=True)
    payout_id: Mapped[int] = mapped_column(ForeignKey("payouts.id"), unique=True)
    amount_cents: Mapped[int]
