"""Turns: whether one more answer may be begun; it is counted, and its money set aside, before anything is asked."""

from kodiai.core.config import BudgetConfig
from kodiai.core.conversation.decision import TurnLimits
from kodiai.core.model.usage import Usage, cost_usd
from kodiai.core.settings import Models
from kodiai.core.words import conversation as words
from kodiai.flows.mention.load import MentionContext
from kodiai.flows.model.budget import allowance, budget_refusal
from kodiai.ports import ConversationStore, Ledger

MOST_INPUT_TOKENS = 20_000
"""What all questions of one answer hold together, where the budget of characters is the default."""

ANSWER_TOKENS = 3_000
"""How long an answer may be."""


def begin_turn(
    context: MentionContext, thread: int | None, conversation: ConversationStore, ledger: Ledger, models: Models
) -> str | None:
    """Begin an answer in a thread, or in the conversation (None). None where that is allowed.

    Else what is said about the limit: once for each limit, "" after that.
    """
    budget = context.config.budget
    place = f"thread-{thread}" if thread else "conversation"
    limits = TurnLimits(
        turns=context.config.mention.conversation.max_turns_per_pr,
        pull_request_usd=budget.per_pull_request,
        month_usd=budget.per_repository_per_month,
        reserve_usd=_reserve_usd(models, budget),
    )
    refusal = None if budget == BudgetConfig() else budget_refusal(models, budget, ledger.spending())
    if refusal is not None:
        what, line = "money", refusal
    else:
        match conversation.begin(context.key, place, limits):
            case None:
                return None
            case "turns":
                what, line = "turns", words.too_many_turns(limits.turns)
            case "pace":
                what, line = f"pace-{place}", words.TOO_FAST
            case "pull request's budget":
                what, line = "money", words.over_budget("budget.perPullRequest")
            case "month's budget":
                what, line = "money", words.over_budget("budget.perRepositoryPerMonth")
    return line if conversation.is_first_to_post(what, context.key) else ""


def left_usd(ledger: Ledger, models: Models, budget: BudgetConfig) -> float | None:
    """What this answer may cost, in US dollars: what is left, and what was set aside for it; None without a limit."""
    left = allowance(ledger, budget)
    return None if left is None else left + _reserve_usd(models, budget)


def _reserve_usd(models: Models, budget: BudgetConfig) -> float:
    """What is set aside for an answer, in US dollars: the most that it may cost; nothing where nothing limits it."""
    if budget == BudgetConfig():
        return 0.0
    most = Usage(cache_write_tokens=MOST_INPUT_TOKENS, output_tokens=ANSWER_TOKENS)
    return cost_usd({models.reviewer: most}, models.prices) or 0.0
