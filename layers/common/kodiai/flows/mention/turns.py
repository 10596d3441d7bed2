"""Turns: whether one more answer may be begun; it is counted, and its money set aside, before anything is asked."""

from kodiai.core.config import BudgetConfig
from kodiai.core.conversation.decision import TurnLimits
from kodiai.core.model.usage import Usage, cost_usd
from kodiai.core.words import talk as words
from kodiai.flows.mention.heard import Heard
from kodiai.flows.model.budget import allowance, budget_refusal
from kodiai.flows.world import World

MOST_INPUT_TOKENS = 20_000
"""What all questions of one answer hold together, where the budget of characters is the default."""

ANSWER_TOKENS = 3_000
"""How long an answer may be."""


def begin_turn(world: World, heard: Heard, place: str) -> str | None:
    """Begin an answer in a thread or in the conversation; what is said where a limit does not allow it, else None.

    That is said once for each limit, "" is nothing.
    """
    budget, conversation = heard.config.budget, heard.config.mention.conversation
    if budget != BudgetConfig():
        why = budget_refusal(world.settings.models, budget, world.ledger.spending())
        if why is not None:
            return _once(world, heard, "money", why)
    limits = TurnLimits(
        turns=conversation.max_turns_per_pr,
        pull_request_usd=budget.per_pull_request,
        month_usd=budget.per_repository_per_month,
        reserve_usd=reserved_usd(world, budget),
    )
    match world.talk.begin(heard.key, place, limits):
        case None:
            return None
        case "turns":
            return _once(world, heard, "turns", words.too_many_turns(limits.turns))
        case "pace":
            return _once(world, heard, f"pace-{place}", words.TOO_FAST)
        case "pull request's budget":
            return _once(world, heard, "money", words.no_money("budget.perPullRequest"))
        case "month's budget":
            return _once(world, heard, "money", words.no_money("budget.perRepositoryPerMonth"))


def reserved_usd(world: World, budget: BudgetConfig) -> float:
    """What is set aside for an answer, in US dollars: the most that it may cost; nothing where nothing limits it."""
    if budget == BudgetConfig():
        return 0.0
    most = Usage(cache_write_tokens=MOST_INPUT_TOKENS, output_tokens=ANSWER_TOKENS)
    return cost_usd({world.settings.models.reviewer: most}, world.settings.models.prices) or 0.0


def left_usd(world: World, budget: BudgetConfig) -> float | None:
    """What this answer may cost, in US dollars: what is left, and what was set aside for it; None without a limit."""
    left = allowance(world.ledger, budget)
    return None if left is None else left + reserved_usd(world, budget)


def _once(world: World, heard: Heard, what: str, line: str) -> str:
    return line if world.talk.tells(what, heard.key) else ""
