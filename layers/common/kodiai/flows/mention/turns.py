"""Turns: whether one more answer may begin; it is counted, and its money is reserved, before anything is asked."""

from kodiai.core.config import BudgetConfig
from kodiai.core.conversation.decision import TurnLimits
from kodiai.core.model.messages import Usage, cost_usd
from kodiai.core.settings import Models
from kodiai.core.words import conversation as words
from kodiai.flows.mention.load import MentionContext
from kodiai.flows.model.budget import allowance, budget_refusal
from kodiai.ports import ConversationStore, Ledger

MOST_INPUT_TOKENS = 20_000
"""How many tokens all questions of one answer have together, with the default budget of characters."""

ANSWER_TOKENS = 3_000
"""How long an answer may be."""


def begin_turn(
    context: MentionContext, thread: int | None, conversation: ConversationStore, ledger: Ledger
) -> str | None:
    """Begin an answer in a thread, or in the conversation (None); None if the limits allow it.

    Otherwise the line about the limit, "" if that line was posted before.
    """
    budget, models = context.config.budget, context.settings.models
    place = f"thread-{thread}" if thread else "conversation"
    limits = TurnLimits(
        turns=context.config.mention.conversation.max_turns_per_pr,
        pull_request_usd=budget.per_pull_request,
        month_usd=budget.per_repository_per_month,
        reserve_usd=_reserve_usd(models, budget),
    )
    refusal = budget_refusal(ledger, models, budget)
    reached = conversation.begin(context.key, place, limits) if refusal is None else None
    match reached:
        case None:
            what, line = "money", refusal
        case "turns":
            what, line = "turns", words.too_many_turns(limits.turns)
        case "pace":
            what, line = f"pace-{place}", words.TOO_FAST
        case "pull request's budget":
            what, line = "money", words.over_budget("budget.perPullRequest")
        case "month's budget":
            what, line = "money", words.over_budget("budget.perRepositoryPerMonth")
    if line is None:
        return None
    return line if conversation.is_first_to_post(what, context.key) else ""


def left_usd(context: MentionContext, ledger: Ledger) -> float | None:
    """What this answer may cost, in US dollars: what is left, and what was reserved for it; None without a limit."""
    left = allowance(ledger, context.config.budget)
    return None if left is None else left + _reserve_usd(context.settings.models, context.config.budget)


def _reserve_usd(models: Models, budget: BudgetConfig) -> float:
    """The most that an answer may cost, in US dollars, which is reserved for it; nothing without a limit."""
    if budget == BudgetConfig():
        return 0.0
    most = Usage(cache_write_tokens=MOST_INPUT_TOKENS, output_tokens=ANSWER_TOKENS)
    return cost_usd({models.reviewer: most}, models.prices) or 0.0
