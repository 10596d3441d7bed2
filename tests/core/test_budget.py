"""Budgets: nothing more is spent once a repository has spent what its settings allow."""

import json
from dataclasses import dataclass
from typing import Any, cast

import pytest

from kodiai.core.config import BudgetConfig
from kodiai.core.review.review import Spending
from kodiai.core.settings import Models
from kodiai.flows.model.budget import budget_refusal

PRICE = dict.fromkeys(("input", "output", "cache_read", "cache_write"), 1.0)
BOTH = BudgetConfig(per_pull_request=2.0, per_repository_per_month=50.0)


@dataclass
class Books:
    """A ledger of what was spent, None where it must not be asked."""

    spent: Spending | None

    def spending(self) -> Spending:
        assert self.spent is not None
        return self.spent


def models(*priced: str) -> Models:
    prices = json.dumps(dict.fromkeys(priced, PRICE))
    names = {"models/reviewer": "large", "models/extractor": "small"}
    return Models.model_validate({**names, "models/prices": prices, "models/tiers": "{}"})


@pytest.mark.parametrize(
    ("budget", "priced", "spent", "refusal"),
    [
        (BudgetConfig(), [], None, None),
        (BOTH, ["large", "small"], Spending(1.99, 49.99), None),
        (
            BOTH,
            ["large", "small"],
            Spending(2.5, 30.0),
            "`budget.perPullRequest` is used up: $2.50 of $2.00 were spent.",
        ),
        (
            BOTH,
            ["large", "small"],
            Spending(1.0, 50.0),
            "`budget.perRepositoryPerMonth` is used up: $50.00 of $50.00 were spent.",
        ),
        (
            BOTH,
            ["large"],
            Spending(0, 0),
            "`budget.perPullRequest` is set, but this deployment has no price for small.",
        ),
    ],
)
def test_a_budget_refuses_what_is_over_it_or_cannot_be_priced(
    budget: BudgetConfig, priced: list[str], spent: Spending | None, refusal: str | None
) -> None:
    """The sentence is what the check run shows; without a budget the ledger is not asked."""
    assert budget_refusal(cast(Any, Books(spent)), models(*priced), budget) == refusal
