"""Spending: what the models cost so far, and the limits on it, of the repository and of the deployment."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kodiai.core.config.keys import BudgetConfig
from kodiai.core.config.settings import SpendingCaps


@dataclass(frozen=True)
class Spending:
    """The cost of the models so far, in US dollars; days and months are those of UTC.

    Of this pull request, of its repository today and this month, and of all repositories of its owner this month.
    """

    pull_request_usd: float
    repository_day_usd: float
    repository_month_usd: float
    owner_month_usd: float


@dataclass(frozen=True)
class SpendingLimit:
    """The most that may be spent, in US dollars: `name` is its setting, `counts` is what of the spending it limits."""

    name: str
    usd: float
    counts: Literal["pull_request_usd", "repository_day_usd", "repository_month_usd", "owner_month_usd"]

    def left(self, spending: Spending) -> float:
        """The rest of it in US dollars; below 0 if more was spent."""
        used: float = getattr(spending, self.counts)
        return self.usd - used


def spending_limits(
    budget: BudgetConfig, caps: SpendingCaps, *, is_for_commit: bool = False
) -> tuple[SpendingLimit, ...]:
    """All limits that hold for a pull request: the deployment's caps, and the budgets that its repository sets.

    For a proposal that is for a commit those of a pull request do not hold: there is none that ends.
    """
    limits = [
        SpendingLimit("spending/per-pull-request-usd", caps.per_pull_request, "pull_request_usd"),
        SpendingLimit("spending/per-repository-per-day-usd", caps.per_repository_per_day, "repository_day_usd"),
        SpendingLimit("spending/per-owner-per-month-usd", caps.per_owner_per_month, "owner_month_usd"),
    ]
    if budget.per_pull_request is not None:
        limits.append(SpendingLimit("budget.perPullRequest", budget.per_pull_request, "pull_request_usd"))
    if budget.per_repository_per_month is not None:
        month = budget.per_repository_per_month
        limits.append(SpendingLimit("budget.perRepositoryPerMonth", month, "repository_month_usd"))
    return tuple(each for each in limits if not (is_for_commit and each.counts == "pull_request_usd"))


def lowest(limits: Sequence[SpendingLimit], spending: Spending) -> tuple[SpendingLimit, float]:
    """The limit that leaves the least, and what it leaves, in US dollars."""
    return min(((limit, limit.left(spending)) for limit in limits), key=lambda each: each[1])
