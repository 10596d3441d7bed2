"""Reply: post one comment, with the model's answer if one is needed."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from kodiai.core.errors import Broken, KodiaiError
from kodiai.core.model.messages import Text, Usage
from kodiai.core.plan.material import part_block
from kodiai.core.repository.tree import VisibleTree
from kodiai.core.repository.view import RepositoryView
from kodiai.core.text.character_budget import clipped
from kodiai.core.text.incoming import incoming
from kodiai.core.text.layout import joined
from kodiai.core.text.outgoing import Withheld, outgoing
from kodiai.core.words import conversation as words
from kodiai.flows.mention.decisions import MentionResult
from kodiai.flows.mention.draft import Drafted
from kodiai.flows.mention.load import MentionContext
from kodiai.flows.mention.permit import Commenter
from kodiai.flows.mention.shown import show_conversation, show_thread
from kodiai.flows.mention.turns import ANSWER_TOKENS, MOST_INPUT_TOKENS
from kodiai.flows.mention.understand import Intent
from kodiai.flows.model.answers import ModelAnswers, OverBudget
from kodiai.flows.model.conversation import Reader, TokenBudget, converse
from kodiai.ports import GitHub, Ledger, Model
from kodiai.prompts.load import load

_SHOWN_TOKENS = 3_000
_TOOL_TURNS = 4
_LONGEST_QUESTION = 4_000
_LONGEST_DESCRIPTION = 4_000
_CONCEDED = "CONCEDED"


@dataclass(frozen=True)
class MentionAnswer:
    """The model's answer as it is posted, and its usage, by model.

    `conceded` is whether the model takes its finding back. `warnings` say what it could not be shown.
    """

    text: str
    usage: Mapping[str, Usage]
    conceded: bool = False
    warnings: tuple[str, ...] = ()


def reply(
    context: MentionContext,
    commenter: Commenter,
    intent: Intent,
    result: MentionResult,
    drafted: Drafted,
    github: GitHub,
    ledger: Ledger,
    model: Model,
) -> tuple[tuple[str, ...], MentionAnswer | None]:
    """Have the model answer if it has to, and post everything in one comment, once.

    Gives our own lines, and the model's answer, None if it was not asked or the budget is used up. A locked
    conversation takes neither.
    """
    lines, given = (*result.lines, *drafted.lines), None
    if context.pull_request.is_locked:
        return lines, None
    if result.needs_answer:
        try:
            given = _answer(context, intent, github, ledger, model)
        except OverBudget as why:
            lines = (*lines, words.over_budget(why.limit.name))
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
        return [given.text, words.dismissed_after_argument(commenter.login)]
    return [given.text]


def _post(key: str, text: str, context: MentionContext, intent: Intent, github: GitHub) -> None:
    """Post it once under this key, in the thread or conversation of the comment."""
    github.answer(key, text, thread=intent.thread, since=context.comment.at)


def _answer(context: MentionContext, intent: Intent, github: GitHub, ledger: Ledger, model: Model) -> MentionAnswer:
    """Ask the model, with tools that only read, and clean its answer. Raises OverBudget, Retry, Broken."""
    config, models, limits = context.config, context.settings.models, context.settings.limits
    tree = VisibleTree(partial(github.tree, context.pull_request.head, limits.archive_bytes), config.review.skip_paths)
    if intent.discussion is None:
        shown, texts, warnings = show_conversation(context, github, ledger)
    else:
        shown, texts, warnings = show_thread(context, intent.discussion, RepositoryView(tree, context.parser))
    answers = ModelAnswers(model, ledger, context.settings, context.deadline, budget=context.config.budget)
    reader = Reader(
        answers,
        *models.role("answer"),
        tree,
        min(limits.tool_turns, _TOOL_TURNS),
        briefs=("answer",),
        most_tokens=ANSWER_TOKENS,
        token_budget=TokenBudget(MOST_INPUT_TOKENS, _SHOWN_TOKENS),
    )
    question = clipped(incoming(context.comment.text), _LONGEST_QUESTION)
    asked = json.dumps({"by": context.mention.sender, "said": question}, ensure_ascii=False)
    part = part_block("answer", [load("answer_part"), f"# Said to you\n\n{asked}"])
    reply = converse(reader, [Text(shown), part], not_in_key=())
    given = MentionAnswer(words.UNANSWERED, answers.use.by_model, warnings=warnings)
    if reply.stop_reason == "refusal" or not reply.text.strip():
        return given
    text, conceded = _without_concession(reply.text)
    try:
        cleaned = outgoing(text, context.handles, (*texts, question))
    except Withheld as why:
        return replace(given, text=words.withheld(str(why)))
    return replace(given, text=cleaned or words.UNANSWERED, conceded=conceded)


def _without_concession(text: str) -> tuple[str, bool]:
    """The text without the last line by which the model takes its finding back, and whether there was one."""
    body, _, last = text.strip().rpartition("\n")
    return (body.strip(), True) if last.strip() == _CONCEDED else (text.strip(), False)
