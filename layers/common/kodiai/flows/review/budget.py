"""Budget: whether the repository still wants to pay for this."""

from kodiai.core.config import BudgetConfig
from kodiai.core.settings import Models
from kodiai.ports import Spending


def budget_refusal(models: Models, budget: BudgetConfig, spent: Spending) -> str | None:
    """Say why no review is begun: a budget is used up, or cannot be watched because a model has no price."""
    limits = (
        ("budget.perPullRequest", budget.per_pull_request, spent.pull_request_usd),
        ("budget.perRepositoryPerMonth", budget.per_repository_per_month, spent.repository_month_usd),
    )
    used_models = (models.reviewer, models.extractor, models.fallback)
    unpriced = [model for model in used_models if model is not None and model not in models.prices]
    for name, limit, used in limits:
        if limit is not None and unpriced:
            return f"`{name}` is set, but this deployment has no price for {unpriced[0]}."
        if limit is not None and used >= limit:
            return f"`{name}` is used up: ${used:.2f} of ${limit:.2f} were spent."
    return None
