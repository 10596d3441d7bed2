"""Budget: whether the repository's budgets allow another review or answer, and how much it may cost."""

from collections.abc import Iterator

from kodiai.core.config import BudgetConfig
from kodiai.core.errors import Refused
from kodiai.core.settings import Models
from kodiai.ports import Ledger


def budget_refusal(ledger: Ledger, models: Models, budget: BudgetConfig) -> str | None:
    """Why nothing more may be spent: a budget is used up, or cannot be checked because a model has no price."""
    unpriced = [model for model in models.in_use if model not in models.prices]
    for name, limit, used in _limits(ledger, budget):
        if unpriced:
            return f"`{name}` is set, but this deployment has no price for {unpriced[0]}."
        if used >= limit:
            return f"`{name}` is used up: ${used:.2f} of ${limit:.2f} were spent."
    return None


def allowance(ledger: Ledger, budget: BudgetConfig) -> float | None:
    """What may still be spent, in US dollars, None if there is no limit."""
    return min((max(limit - used, 0.0) for _, limit, used in _limits(ledger, budget)), default=None)


def begin_spending(ledger: Ledger, models: Models, budget: BudgetConfig, *, is_resumed: bool) -> float | None:
    """What a review may spend, in US dollars, None if there is no limit.

    Raises Refused if no review may begin; what a resumed review has spent itself is no reason to give it up.
    """
    refusal = None if is_resumed else budget_refusal(ledger, models, budget)
    if refusal is not None:
        raise Refused(refusal)
    return allowance(ledger, budget)


def _limits(ledger: Ledger, budget: BudgetConfig) -> Iterator[tuple[str, float, float]]:
    """Each limit that is set: its name, how much it is, and what of it was spent."""
    if budget == BudgetConfig():
        return
    spent = ledger.spending()
    if budget.per_pull_request is not None:
        yield "budget.perPullRequest", budget.per_pull_request, spent.pull_request_usd
    if budget.per_repository_per_month is not None:
        yield "budget.perRepositoryPerMonth", budget.per_repository_per_month, spent.repository_month_usd
