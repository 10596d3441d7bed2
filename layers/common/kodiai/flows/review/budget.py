"""Budget: whether the repository still wants to pay for this."""

from kodiai.core.config import BudgetConfig
from kodiai.core.errors import Refused
from kodiai.core.settings import Models
from kodiai.ports import Spending


def stop_at_budget(models: Models, budget: BudgetConfig, spent: Spending) -> None:
    """Raise Refused where a budget is used up, or cannot be watched because a model has no price."""
    limits = (
        ("budget.perPullRequest", budget.per_pull_request, spent.pull_request_usd),
        ("budget.perRepositoryPerMonth", budget.per_repository_per_month, spent.repository_month_usd),
    )
    for name, limit, used in limits:
        if limit is None:
            continue
        unpriced = [model for model in (models.reviewer, models.extractor) if model not in models.prices]
        if unpriced:
            raise Refused(f"`{name}` is set, but this deployment has no price for {unpriced[0]}.")
        if used >= limit:
            raise Refused(f"`{name}` is used up: ${used:.2f} of ${limit:.2f} were spent.")
