"""Reply: post one comment, with the model's answer if one is needed."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from kodiai.core.errors import Broken, KodiaiError
from kodiai.core.model.messages import Text, Usage
from kodiai.core.plan.material import part_block
from kodiai.core.repository.view import RepositoryView
from kodiai.core.text.character_budget import clipped
from kodiai.core.text.incoming import incoming
from kodiai.core.text.layout import joined
from kodiai.core.text.outgoing import Withheld, outgoing
from kodiai.core.words import conversation as words
from kodiai.flows.mention.permit import Heard
from kodiai.flows.mention.result import Acted
from kodiai.flows.mention.session import MentionSession
from kodiai.flows.mention.shown import show_conversation, show_thread, visible_tree
from kodiai.flows.mention.turns import ANSWER_TOKENS, MOST_INPUT_TOKENS
from kodiai.flows.mention.understand import Understood
from kodiai.flows.model.answers import OverBudget
from kodiai.flows.model.conversation import Reader, TokenBudget, converse
from kodiai.prompts.load import load

_SHOWN_TOKENS = 3_000
_TOOL_TURNS = 4
_LONGEST_QUESTION = 4_000
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


@dataclass(frozen=True)
class Replied:
    """A comment with our own lines in reply, and with the model's answer, None if it gave none."""

    acted: Acted
    lines: tuple[str, ...]
    answer: MentionAnswer | None = None


def reply(acted: Acted, session: MentionSession) -> Replied:
    """Have the model answer if it has to, unless the budget is used up, and post everything in one comment, once.

    A locked conversation takes neither.
    """
    understood, context = acted.understood, acted.understood.heard.context
    replied = Replied(acted, (*acted.result.lines, *acted.drafted.lines))
    if context.pull_request.is_locked:
        return replied
    if acted.result.needs_answer:
        try:
            replied = replace(replied, answer=_answer(understood, session))
        except OverBudget as why:
            replied = replace(replied, lines=(*replied.lines, words.over_budget(why.limit.name)))
        except KodiaiError as why:
            if isinstance(why, Broken) or session.ports.deadline.attempt.is_last:
                with suppress(KodiaiError):
                    _post(f"{session.key}-failed", words.FAILED, understood, session)
            raise
    text = joined(*replied.lines, *_answered(understood.heard, replied.answer, session))
    if text:
        _post(session.key, text, understood, session)
    return replied


def _answered(heard: Heard, given: MentionAnswer | None, session: MentionSession) -> list[str]:
    """The model's answer, and what it means for the finding if the model concedes."""
    if given is None:
        return []
    finding = heard.context.finding
    if given.conceded and finding is not None and not heard.commenter.may_decide(finding.finding):
        return [given.text, words.STILL_OPEN]
    if given.conceded and finding is not None and session.can_decide(finding):
        return [given.text, words.dismissed_after_argument(heard.commenter.login)]
    return [given.text]


def _post(key: str, text: str, understood: Understood, session: MentionSession) -> None:
    """Post it once under this key, in the thread or conversation of the comment."""
    session.ports.github.answer(key, text, thread=understood.thread, since=session.comment.at)


def _answer(understood: Understood, session: MentionSession) -> MentionAnswer:
    """Ask the model, with tools that only read, and clean its answer. Raises OverBudget, Retry, Broken."""
    context, ports = understood.heard.context, session.ports
    view = RepositoryView(visible_tree(context, session), ports.parser, time_left=ports.deadline.left)
    if understood.discussion is None:
        shown, texts, warnings = show_conversation(context, session)
    else:
        shown, texts, warnings = show_thread(context, understood.discussion, view, session)
    answers = session.model_answers(context.config)
    reader = Reader(
        answers,
        *ports.settings.models.role("answer"),
        view,
        min(ports.settings.limits.tool_turns, _TOOL_TURNS),
        briefs=("answer",),
        most_tokens=ANSWER_TOKENS,
        token_budget=TokenBudget(MOST_INPUT_TOKENS, _SHOWN_TOKENS),
    )
    question = clipped(incoming(session.comment.text), _LONGEST_QUESTION)
    asked = json.dumps({"by": session.mention.sender, "said": question}, ensure_ascii=False)
    part = part_block("answer", [load("answer_part"), f"# Said to you\n\n{asked}"])
    reply = converse(reader, [Text(shown), part])
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
