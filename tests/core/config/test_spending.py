"""Limits on spending: the lowest of the deployment's caps and the repository's budgets counts."""

from typing import Any, cast

import pytest

from kodiai.core.config.keys import BudgetConfig
from kodiai.core.config.spending import Spending, lowest, spending_limits
from kodiai.core.errors import Refused
from kodiai.flows.model.spending import check_spending
from tests.core.panel import Books
from tests.core.review_inputs import SETTINGS
from tests.tables import each_row

CAPS = SETTINGS.spending
NO_BUDGET = BudgetConfig()


@each_row(
    ("spending", "budget", "name", "left"),
    [
        (Spending(0, 0, 0, 0), NO_BUDGET, "spending/per-pull-request-usd", 5),
        (Spending(1, 48, 48, 48), NO_BUDGET, "spending/per-repository-per-day-usd", 2),
        (Spending(1, 2, 48, 499), NO_BUDGET, "spending/per-owner-per-month-usd", 1),
        (Spending(1, 2, 3, 4), BudgetConfig(per_pull_request=3), "budget.perPullRequest", 2),
        (Spending(1, 2, 3, 4), BudgetConfig(per_pull_request=9), "spending/per-pull-request-usd", 4),
        (Spending(1, 2, 7, 8), BudgetConfig(per_repository_per_month=6), "budget.perRepositoryPerMonth", -1),
    ],
)
def test_the_lowest_limit_counts(spending: Spending, budget: BudgetConfig, name: str, left: float) -> None:
    """A repository can lower what the deployment allows, and never raise it."""
    limit, rest = lowest(spending_limits(budget, CAPS), spending)

    assert (limit.name, rest) == (name, left)


@pytest.mark.parametrize(
    ("caps", "budget", "sentence"),
    [
        (
            {},
            BudgetConfig(per_pull_request=2),
            "The budget `budget.perPullRequest` is used up: $2.50 of $2.00 were spent.",
        ),
        (
            {"per_pull_request": 0},
            NO_BUDGET,
            "The deployment's cap `spending/per-pull-request-usd` is used up: $2.50 of $0.00 were spent.",
        ),
        ({"per_owner_per_month": 2}, NO_BUDGET, "The deployment's cap `spending/per-owner-per-month-usd` is used up."),
    ],
)
def test_nothing_begins_when_a_limit_is_used_up(caps: dict[str, float], budget: BudgetConfig, sentence: str) -> None:
    """The check run shows the sentence; it does not show what the owner's other repositories cost."""
    books = cast(Any, Books(spent=2.5))
    check_spending(books, NO_BUDGET, CAPS)

    with pytest.raises(Refused) as refused:
        check_spending(books, budget, CAPS.model_copy(update=caps))

    assert str(refused.value) == sentence
