"""Continuing: what a message that cannot finish a review leaves to the one that goes on."""

from collections.abc import Iterator
from contextlib import contextmanager

from kodiai.core.errors import Retry
from kodiai.core.plan.plan import ReviewPlan
from kodiai.flows.model.answers import ModelAnswers
from kodiai.flows.review.session import ReviewSession
from kodiai.ports.ledger import Ledger


@contextmanager
def continuing(session: ReviewSession, plan: ReviewPlan, answers: ModelAnswers, ledger: Ledger) -> Iterator[None]:
    """Keep what was prepared if the review cannot be finished now, and note whether a question was answered."""
    try:
        yield
    except Retry:
        session.has_progressed = answers.has_new
        prepared = plan.to_keep()
        if prepared:
            ledger.keep_surroundings(session.run.id, prepared)
        raise
