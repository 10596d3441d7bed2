"""Reply: post one comment, with the model's answer if one is needed."""

from contextlib import suppress

from kodiai.core.errors import Broken, KodiaiError
from kodiai.core.words import conversation as words
from kodiai.core.words.finding import joined
from kodiai.flows.mention.answer import MentionAnswer, answer
from kodiai.flows.mention.decisions import MentionResult
from kodiai.flows.mention.load import MentionContext
from kodiai.flows.mention.permit import Commenter
from kodiai.flows.mention.understand import Intent
from kodiai.flows.model.answers import OverBudget
from kodiai.ports import GitHub, Ledger, Model


def reply(
    context: MentionContext,
    commenter: Commenter,
    intent: Intent,
    result: MentionResult,
    github: GitHub,
    ledger: Ledger,
    model: Model,
) -> tuple[tuple[str, ...], MentionAnswer | None]:
    """Have the model answer if it has to, and post everything in one comment, once.

    Gives our own lines, and the model's answer, None if it was not asked or the budget is used up.
    """
    lines, given = result.lines, None
    if result.needs_answer:
        try:
            given = answer(context, intent, github, ledger, model)
        except OverBudget:
            lines = (*lines, words.over_budget("budget"))
        except KodiaiError as why:
            if isinstance(why, Broken) or context.deadline.attempt.is_last:
                with suppress(KodiaiError):
                    _post(f"{context.key}-failed", words.FAILED, context, intent, github)
            raise
    text = joined(*lines, *_answered(context, commenter, given))
    if text:
        _post(context.key, text, context, intent, github)
    return lines, given


def _answered(context: MentionContext, commenter: Commenter, given: MentionAnswer | None) -> list[str]:
    """The model's answer, and what it means for the finding if the model concedes."""
    if given is None:
        return []
    finding = context.finding
    if given.conceded and finding is not None and not commenter.may_decide(finding.finding):
        return [given.text, words.STILL_OPEN]
    if given.conceded and finding is not None and context.can_be_decided(finding):
        return [given.text, words.conceded(commenter.login)]
    return [given.text]


def _post(key: str, text: str, context: MentionContext, intent: Intent, github: GitHub) -> None:
    """Post it once under this key, in the thread or conversation of the comment."""
    github.answer(key, text, thread=intent.thread, since=context.comment.at)
