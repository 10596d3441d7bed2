"""Conversation: the model reads and uses its tools until it writes its answer."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

from kodiai.core.config.settings import DeploymentSettings
from kodiai.core.model.messages import (
    Block,
    CacheLifetime,
    Message,
    ModelAnswer,
    ModelRequest,
    StopReason,
    Text,
    ToolResult,
    user_message,
)
from kodiai.core.model.prices import Effort
from kodiai.core.plan.cache_lifetime import cache_lifetime
from kodiai.core.plan.plan import ReviewPlan
from kodiai.core.repository.view import RepositoryView
from kodiai.core.text.tokens import estimated_tokens, first_tokens
from kodiai.flows.model.answers import ModelAnswers
from kodiai.flows.model.look_up import look_up
from kodiai.flows.model.look_up_tools import LOOK_UPS
from kodiai.flows.model.tool_tokens import LEAST_SHOWN, Subject
from kodiai.prompts.load import load

MOST_TOKENS = 16_000
_MOST_MARKS = 3
_ASKED_TOKENS = 1_000
_CUT = "\n(cut: look at fewer lines)"
_GO_ON = "Your report was cut off there. Continue where it stops, and repeat nothing."


@dataclass(frozen=True)
class TokenBudget:
    """The limits of a conversation, in tokens: of all its questions together, and of what one turn of tools shows."""

    input_tokens: int
    shown_tokens: int


@dataclass(frozen=True)
class Reader:
    """A model with its effort, the files at the head, and the number of turns in which it may use its tools.

    `cached_for` is how long the cache keeps what its questions begin with.
    `briefs` name the prompts that make the system prompt, `most_tokens` is the limit of its last answer.
    """

    answers: ModelAnswers
    model: str
    effort: Effort
    view: RepositoryView
    tool_turns: int
    briefs: tuple[str, ...] = ("shared", "reviewer")
    most_tokens: int = MOST_TOKENS
    token_budget: TokenBudget | None = None
    cached_for: CacheLifetime = "5m"


def readers(
    answers: ModelAnswers, plan: ReviewPlan, view: RepositoryView, settings: DeploymentSettings
) -> tuple[Reader, Reader]:
    """The reader of the changes of a plan, and the one who judges, by the models of its tier."""
    tier, models, limits = plan.scope.tier, settings.models, settings.limits
    reading, judging = models.reader(tier), models.judge(tier)
    lifetime: CacheLifetime = "5m"
    if judging.model == reading.model:  # another one reads nothing of this cache
        lifetime = cache_lifetime(plan.batches, limits.parallel_calls, models.price(tier))
    reader = Reader(answers, *reading, view, limits.tool_turns, cached_for=lifetime)
    return reader, replace(reader, model=judging.model, effort=judging.effort)


def converse(
    reader: Reader,
    blocks: Sequence[Text],
    not_in_key: tuple[str, ...],
    is_usable: Callable[[str], bool] = lambda _: True,
    *,
    about: Subject | None = None,
) -> ModelAnswer:
    """Show the blocks, look up what the model asks for, and give its last answer; one that is cut off continues once.

    `not_in_key` are the texts among the blocks that do not make another question of it. A last answer that is not
    usable is not kept, so that asking again gives another one. Conversations `about` the same share what tools may
    show, and none of them shows more alone. Raises OverBudget and OutOfTime.
    """

    def leads_on(answer: ModelAnswer) -> bool:
        return _leads_on(answer) and (bool(answer.tool_uses) or _is_cut(answer) or is_usable(answer.text))

    messages: tuple[Message, ...] = (Message("user", tuple(blocks)),)
    limits = reader.token_budget
    tool_tokens = reader.answers.tool_tokens
    left, sent, turn = tool_tokens.most(about), 0, 0
    while True:
        question = ModelRequest(
            model=reader.model,
            system="\n\n".join(load(each).strip() for each in reader.briefs),
            messages=messages,
            answer_tokens=reader.most_tokens,
            effort=reader.effort,
            tools=LOOK_UPS,
            tools_allowed=turn < reader.tool_turns and left >= LEAST_SHOWN,
            not_in_key=not_in_key,
            cached_for=reader.cached_for,
        )
        if limits is not None:
            size = _tokens(question)
            # After a turn of tools there must be room for another question, with the tools' results.
            has_room = sent + 2 * size + limits.shown_tokens + _ASKED_TOKENS <= limits.input_tokens
            question = replace(question, tools_allowed=question.tools_allowed and has_room)
            sent += size
        answer = reader.answers.to(question, usable=leads_on, about=about)
        if not answer.tool_uses:
            is_whole = limits is not None or not _is_cut(answer)
            return answer if is_whole else _continued(reader, question, answer, is_usable)
        results = [look_up(reader.view, use) for use in answer.tool_uses]
        results = _shortened(results, left if limits is None else min(left, limits.shown_tokens))
        shown = sum(estimated_tokens(result.text) for result in results)
        left -= shown
        tool_tokens.add(about, shown)
        results[-1] = replace(results[-1], ends_prefix=True)
        messages = _with_last_marks((*messages, Message("assistant", answer.blocks), Message("user", tuple(results))))
        turn += 1


def _is_cut(answer: ModelAnswer) -> bool:
    return answer.stop_reason == "max_tokens" and bool(answer.text.strip())


def _continued(
    reader: Reader, question: ModelRequest, answer: ModelAnswer, is_usable: Callable[[str], bool]
) -> ModelAnswer:
    """The answer with its continuation; if the model refuses to continue, the answer stays cut off."""
    messages = (*question.messages, Message("assistant", answer.blocks), user_message(_GO_ON))
    question = replace(question, messages=messages, tools_allowed=False)
    rest = reader.answers.to(question, usable=lambda rest: _leads_on(rest) and is_usable(answer.text + rest.text))
    stop_reason: StopReason = "max_tokens" if rest.stop_reason == "refusal" else rest.stop_reason
    return replace(rest, blocks=(Text(answer.text + rest.text),), stop_reason=stop_reason)


def _tokens(question: ModelRequest) -> int:
    """The size of a question in tokens, estimated."""
    whole = asdict(question)
    return estimated_tokens(json.dumps([whole["system"], whole["messages"], whole["tools"]], ensure_ascii=False))


def _shortened(results: Sequence[ToolResult], tokens: int) -> list[ToolResult]:
    """The results, the longest ones cut so that all have room together; their ends say so."""
    sizes = [estimated_tokens(result.text) for result in results]
    share = left = tokens
    for others, size in zip(range(len(sizes), 0, -1), sorted(sizes), strict=True):
        share = max(left // others, 0)
        if size > share:
            break
        left -= size
    most = max(share - estimated_tokens(_CUT), 0)
    return [
        result if size <= share else replace(result, text=first_tokens(result.text, most) + _CUT)
        for result, size in zip(results, sizes, strict=True)
    ]


def _with_last_marks(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages with the last three of their cache marks.

    The API takes four, one of them after the system prompt. The last turn but one keeps its mark because the API looks
    for a known prefix at most twenty blocks back.
    """
    marks = sum(getattr(block, "ends_prefix", False) for message in messages for block in message.blocks)
    ended = iter(range(marks))

    def marked(block: Block) -> Block:
        if not isinstance(block, Text | ToolResult) or not block.ends_prefix:
            return block
        return replace(block, ends_prefix=next(ended) >= marks - _MOST_MARKS)

    return tuple(replace(message, blocks=tuple(map(marked, message.blocks))) for message in messages)


def _leads_on(answer: ModelAnswer) -> bool:
    """Whether an answer is worth keeping: after a refusal or an empty answer asking again may give another one."""
    return answer.stop_reason != "refusal" and bool(answer.tool_uses or answer.text.strip())
