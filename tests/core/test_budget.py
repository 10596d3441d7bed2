"""Budgets: a review is not begun once a repository has paid what it wants to pay."""

import json

import pytest

from kodiai.core.config import BudgetConfig
from kodiai.core.review.run import Spending
from kodiai.core.settings import Models
from kodiai.flows.model.budget import budget_refusal

PRICE = dict.fromkeys(("input", "output", "cache_read", "cache_write"), 1.0)


def models(*priced: str) -> Models:
    prices = json.dumps(dict.fromkeys(priced, PRICE))
    names = {"models/reviewer": "large", "models/extractor": "small"}
    return Models.model_validate({**names, "models/prices": prices, "models/tiers": "{}"})


def test_without_a_budget_nothing_stops() -> None:
    """Nor does a missing price."""
    assert budget_refusal(models(), BudgetConfig(), Spending(1_000.0, 1_000.0)) is None


def test_a_budget_that_is_not_used_up_lets_the_review_begin() -> None:
    """Both kinds."""
    budget = BudgetConfig(per_pull_request=2.0, per_repository_per_month=50.0)

    assert budget_refusal(models("large", "small"), budget, Spending(1.99, 49.99)) is None


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        (BudgetConfig(per_pull_request=2.0), "`budget.perPullRequest` is used up: $2.50 of $2.00 were spent."),
        (
            BudgetConfig(per_repository_per_month=30.0),
            "`budget.perRepositoryPerMonth` is used up: $30.00 of $30.00 were spent.",
        ),
    ],
)
def test_a_budget_that_is_used_up_is_refused_with_its_sums(budget: BudgetConfig, said: str) -> None:
    """The sentence is what the check run shows."""
    assert budget_refusal(models("large", "small"), budget, Spending(2.5, 30.0)) == said


def test_a_budget_that_cannot_be_watched_is_refused() -> None:
    """What restricts fails closed."""
    refused = budget_refusal(models("large"), BudgetConfig(per_pull_request=2.0), Spending(0.0, 0.0))

    assert refused == "`budget.perPullRequest` is set, but this deployment has no price for small."
