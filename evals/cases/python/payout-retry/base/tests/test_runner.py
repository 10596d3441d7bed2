import pytest
from payouts.bank import BankError
from payouts.models import Base, Booking, Payout, Seller
from payouts.runner import run_pending
from sqlalchemy import create_engine, select
from sqlalchemy.orm import Session


class FakeBank:
    def __init__(self, *answers):
        self.answers = list(answers)
        self.calls = []

    def transfer(self, **call):
        self.calls.append(call)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def db():
    engine = create_engine("sqlite://")
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        session.add(Seller(id=1, account="DE00 1", balance_cents=9_000))
        session.add(Payout(id=7, seller_id=1, amount_cents=4_000))
        session.commit()
        yield session


def test_a_sent_payout_is_booked(db):
    assert run_pending(db, FakeBank("T-1")) == 1

    assert db.get_one(Payout, 7).reference == "T-1"
    assert db.get_one(Seller, 1).balance_cents == 5_000
    assert db.scalars(select(Booking.amount_cents)).all() == [4_000]


def test_a_refused_payout_is_marked(db):
    assert run_pending(db, FakeBank(BankError("account closed"))) == 0

    assert db.get_one(Payout, 7).status == "failed"
    assert db.get_one(Seller, 1).balance_cents == 9_000
