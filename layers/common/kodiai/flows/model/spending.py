"""Spending: whether the limits on it allow a review to begin."""

from kodiai.core.config.keys import BudgetConfig
from kodiai.core.config.settings import SpendingCaps
from kodiai.core.config.spending import Spending, lowest, spending_limits
from kodiai.core.errors import Refused
from kodiai.core.words.spending import refused
from kodiai.ports.ledger import Ledger


def check_spending(ledger: Ledger, budget: BudgetConfig, caps: SpendingCaps) -> Spending:
    """Check that there is money left, and give what was spent. Raises Refused if a limit is used up, which it names."""
    spending = ledger.spending()
    limit, left = lowest(spending_limits(budget, caps), spending)
    if left <= 0:
        raise Refused(refused(limit, spending))
    return spending
