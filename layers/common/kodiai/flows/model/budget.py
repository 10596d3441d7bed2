"""Budget: whether the repository still wants to pay for this, and how much."""

from collections.abc import Iterator

from kodiai.core.config import BudgetConfig
from kodiai.core.errors import Refused
from kodiai.core.review.run import Spending
from kodiai.core.settings import Models
from kodiai.ports import Ledger


def budget_refusal(models: Models, budget: BudgetConfig, spent: Spending) -> str | None:
    """Say why no review is begun: a budget is used up, or cannot be watched because a model has no price."""
    unpriced = [model for model in models.in_use if model not in models.prices]
    for name, limit, used in _limits(budget, spent):
        if unpriced:
            return f"`{name}` is set, but this deployment has no price for {unpriced[0]}."
        if used >= limit:
            return f"`{name}` is used up: ${used:.2f} of ${limit:.2f} were spent."
    return None


def allowance(ledger: Ledger, budget: BudgetConfig) -> float | None:
    """What may still be spent, in US dollars, None where there is no limit."""
    if budget == BudgetConfig():
        return None
    return min((max(limit - used, 0.0) for _, limit, used in _limits(budget, ledger.spending())), default=None)


def begin_spending(ledger: Ledger, models: Models, budget: BudgetConfig, *, is_resumed: bool) -> float | None:
    """What a review may spend, in US dollars, None where there is no limit.

    Raises Refused where no review is begun; what one that was begun has spent itself is no reason to give it up.
    """
    refusal = None
    if budget != BudgetConfig() and not is_resumed:
        refusal = budget_refusal(models, budget, ledger.spending())
    if refusal is not None:
        raise Refused(refusal)
    return allowance(ledger, budget)


def _limits(budget: BudgetConfig, spent: Spending) -> Iterator[tuple[str, float, float]]:
    """Each limit that is set: its name, how much it is, and what of it was spent."""
    if budget.per_pull_request is not None:
        yield "budget.perPullRequest", budget.per_pull_request, spent.pull_request_usd
    if budget.per_repository_per_month is not None:
        yield "budget.perRepositoryPerMonth", budget.per_repository_per_month, spent.repository_month_usd
