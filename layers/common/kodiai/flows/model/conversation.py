"""Conversation: the model reads and uses its tools until it writes its answer, or has reported all by its tools."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace

from kodiai.core.config.settings import DeploymentSettings
from kodiai.core.findings.report import FINISH, REPORT_TOOLS
from kodiai.core.findings.team_rulings import CHECK_RULE_TOOL
from kodiai.core.judge.ruling import RULING_TOOLS
from kodiai.core.model.messages import (
    Block,
    CacheLifetime,
    Message,
    ModelAnswer,
    ModelRequest,
    StopReason,
    Text,
    Tool,
    ToolResult,
    ToolUse,
    user_message,
)
from kodiai.core.model.prices import Effort
from kodiai.core.model.tool import BadCall, Book
from kodiai.core.plan.cache_lifetime import cache_lifetime
from kodiai.core.plan.plan import ReviewPlan
from kodiai.core.repository.view import RepositoryView
from kodiai.core.text.tokens import estimated_tokens, first_tokens
from kodiai.flows.model.answers import ModelAnswers, OverBudget
from kodiai.flows.model.look_up import look_up
from kodiai.flows.model.look_up_tools import LOOK_UPS
from kodiai.flows.model.tool_tokens import LEAST_SHOWN, Subject
from kodiai.prompts.load import load

MOST_TOKENS = 16_000
REVIEW_TOOLS = (*LOOK_UPS, *REPORT_TOOLS, *RULING_TOOLS)
"""The tools of readers and of the judge: the same for all, so that the cache of one serves the others.

Only where the team has rules for a change is there one more.
"""

_RULES_TOOLS = (*LOOK_UPS, CHECK_RULE_TOOL, *(each for each in REPORT_TOOLS if each.name == FINISH))
_LOOK_UP_NAMES = frozenset(each.name for each in LOOK_UPS)
_REPORT_NAMES = frozenset(each.name for each in (*REPORT_TOOLS, *RULING_TOOLS, CHECK_RULE_TOOL))
_MOST_MARKS = 3
_ASKED_TOKENS = 1_000
_CUT = "\n(cut: look at fewer lines)"
_GO_ON = "Your answer was cut off there. Continue where it stops, and repeat nothing."
# Turns without a look-up: reports, and their corrections.
_MOST_OTHER_TURNS = 20
_NO_MORE = "Nothing more can be looked up. Report what you have found, and finish."
_NOT_READ = "What you write outside of the tools is not read. Report by the tools, then call `finish`."
_CALL_CUT = "This call was cut off. Make it again, shorter."


@dataclass(frozen=True)
class TokenBudget:
    """The limits of a conversation, in tokens: of all its questions together, and of what one turn of tools shows."""

    input_tokens: int
    shown_tokens: int


@dataclass(frozen=True)
class Reader:
    """A model with its effort, the files at the head, and the number of turns in which it may use its tools.

    `cached_for` is how long the cache keeps what its questions begin with.
    `tools` are those of a review. `briefs` name the prompts that make the system prompt, `most_tokens` is the limit of
    its last answer.
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
    tools: tuple[Tool, ...] = REVIEW_TOOLS


def readers(
    answers: ModelAnswers, plan: ReviewPlan, view: RepositoryView, settings: DeploymentSettings
) -> tuple[Reader, Reader]:
    """The reader of the changes of a plan, and the one who judges, by the models of its tier."""
    tier, models, limits = plan.scope.tier, settings.models, settings.limits
    reading, judging = models.reader(tier), models.judge(tier)
    lifetime: CacheLifetime = "5m"
    if judging.model == reading.model:  # another one reads nothing of this cache
        lifetime = cache_lifetime(plan.batches, limits.parallel_calls, models.price(tier))
    has_rules = any(batch.team_rules is not None for batch in plan.batches)
    tools = (*REVIEW_TOOLS, CHECK_RULE_TOOL) if has_rules else REVIEW_TOOLS
    reader = Reader(answers, *reading, view, limits.tool_turns, cached_for=lifetime, tools=tools)
    judge = replace(reader, model=judging.model, effort=judging.effort)
    return (replace(reader, briefs=("shared",), tools=_RULES_TOOLS) if models.is_rules_only else reader), judge


@dataclass(frozen=True)
class LookUp:
    """The text that a look-up showed."""

    use: ToolUse
    text: str


@dataclass
class Transcript:
    """A conversation so far, and what was looked up in it.

    `failed` is why the model has not finished, "" if it has, and `is_over_budget` whether that is the money.
    """

    messages: tuple[Message, ...]
    looked_up: list[LookUp] = field(default_factory=list)
    failed: str = ""
    is_over_budget: bool = False


def report(
    reader: Reader, opening: Sequence[Message], book: Book, not_in_key: tuple[str, ...], about: Subject | None
) -> Transcript:
    """Have a model look up and report until it has finished, or cannot go on, which the transcript says.

    `not_in_key` are texts of the first message that do not make another question of it. Conversations `about` the same
    share what tools may show. Raises OutOfTime.
    """
    talk = Transcript(tuple(opening))
    tool_tokens, turns, others, is_over, is_told = reader.answers.tool_tokens, 0, 0, False, False
    left = tool_tokens.most(about)
    while others < _MOST_OTHER_TURNS:
        if not is_over and (turns >= reader.tool_turns or left < LEAST_SHOWN):
            talk.messages, is_over = _with_text(talk.messages, _NO_MORE), True
        question = _question(reader, talk.messages, reader.tools, not_in_key)
        short = None if is_over else replace(question, messages=_with_text(talk.messages, _NO_MORE))

        def leads_on(answer: ModelAnswer) -> bool:
            return _leads_on(answer) and not (is_told and _is_idle(answer, is_over))  # noqa: B023 - asked at once

        try:
            answer = reader.answers.to(question, usable=leads_on, about=about, short=short)
        except OverBudget as why:
            talk.failed, talk.is_over_budget = str(why), True
            return talk
        if answer.is_short and short is not None:
            talk.messages, is_over = short.messages, True
        is_idle = _is_idle(answer, is_over)
        if is_idle and is_told and answer.tool_uses:  # told that nothing more can be looked up, it goes on
            break
        if not _leads_on(answer) or (is_idle and is_told):
            declined = answer.stop_reason == "refusal"
            talk.failed = "the model declined" if declined else f"the model gave no report ({answer.stop_reason})"
            return talk
        shown = [] if is_over else _look_ups(reader, answer, left)
        size = sum(estimated_tokens(each.text) for each in shown)
        left -= size
        tool_tokens.add(about, size)
        talk.looked_up += shown
        turns, others = turns + bool(shown), others + (not shown)
        results = _results(answer, shown, book)
        is_told = is_idle
        talk.messages = _with_last_marks(
            (
                *talk.messages,
                Message("assistant", answer.blocks),
                Message("user", results or (Text(_NOT_READ, ends_prefix=True),)),
            )
        )
        if book.is_finished:
            return talk
    talk.failed = "the model did not finish"
    return talk


def _is_idle(answer: ModelAnswer, is_over: bool) -> bool:
    """Whether no call of an answer can be of use: none reports, or looks up what may still be looked up."""
    useful = _REPORT_NAMES if is_over else _REPORT_NAMES | _LOOK_UP_NAMES
    return all(use.name not in useful for use in answer.tool_uses)


def _look_ups(reader: Reader, answer: ModelAnswer, left: int) -> list[LookUp]:
    """The look-ups that an answer asks for, together as long as the tokens that are left allow."""
    asked = [use for use in answer.tool_uses if use.name in _LOOK_UP_NAMES and use is not _cut_call(answer)]
    results = _shortened([look_up(reader.view, use) for use in asked], left)
    return [LookUp(use, result.text) for use, result in zip(asked, results, strict=True)]


def _results(answer: ModelAnswer, shown: Sequence[LookUp], book: Book) -> tuple[ToolResult, ...]:
    """The result of each call of an answer; to finish comes last, wherever it stands."""
    texts = {each.use.id: each.text for each in shown}
    found: dict[str, ToolResult] = {}
    for use in sorted(answer.tool_uses, key=lambda use: use.name == FINISH):
        error, text = _CALL_CUT if use is _cut_call(answer) else "", texts.get(use.id)
        try:
            text = text if error or use.name in _LOOK_UP_NAMES else book.take(use.name, use.input)
        except BadCall as why:
            error = str(why)
        if text is None and not error:
            error = _NO_MORE if use.name in _LOOK_UP_NAMES else f"{use.name} is no tool of yours"
        found[use.id] = ToolResult(use.id, error or text or "", is_error=bool(error))
    results = [found[use.id] for use in answer.tool_uses]
    return (*results[:-1], replace(results[-1], ends_prefix=True)) if results else ()


def _cut_call(answer: ModelAnswer) -> ToolUse | None:
    """The call at which an answer was cut off, None if it was not."""
    last = answer.blocks[-1] if answer.blocks else None
    return last if answer.stop_reason == "max_tokens" and isinstance(last, ToolUse) else None


def _with_text(messages: Sequence[Message], text: str) -> tuple[Message, ...]:
    """The messages with one more text at their end."""
    return (*messages[:-1], replace(messages[-1], blocks=(*messages[-1].blocks, Text(text))))


def _question(
    reader: Reader, messages: tuple[Message, ...], tools: tuple[Tool, ...], not_in_key: tuple[str, ...]
) -> ModelRequest:
    return ModelRequest(
        model=reader.model,
        system="\n\n".join(load(each).strip() for each in reader.briefs),
        messages=messages,
        answer_tokens=reader.most_tokens,
        effort=reader.effort,
        tools=tools,
        not_in_key=not_in_key,
        cached_for=reader.cached_for,
    )


def converse(reader: Reader, blocks: Sequence[Text], is_usable: Callable[[str], bool] = lambda _: True) -> ModelAnswer:
    """Show the blocks, look up what the model asks for, and give its last answer; one that is cut off continues once.

    A last answer that is not usable is not kept, so that asking again gives another one.
    Raises OverBudget and OutOfTime.
    """

    def leads_on(answer: ModelAnswer) -> bool:
        return _leads_on(answer) and (bool(answer.tool_uses) or _is_cut(answer) or is_usable(answer.text))

    messages: tuple[Message, ...] = (Message("user", tuple(blocks)),)
    limits, tool_tokens = reader.token_budget, reader.answers.tool_tokens
    left, sent, turn = tool_tokens.most(None), 0, 0
    while True:
        question = _question(reader, messages, LOOK_UPS, ())
        is_over = turn >= reader.tool_turns or left < LEAST_SHOWN
        if limits is not None:
            size = _tokens(question)
            # After a turn of tools there must be room for another question, with the tools' results.
            is_over = is_over or sent + 2 * size + limits.shown_tokens + _ASKED_TOKENS > limits.input_tokens
            sent += size
        last = replace(question, tools_allowed=False)
        answer = reader.answers.to(last if is_over else question, usable=leads_on, short=None if is_over else last)
        if not answer.tool_uses:
            is_whole = limits is not None or not _is_cut(answer)
            return answer if is_whole else _continued(reader, question, answer, is_usable)
        shown = left if limits is None else min(left, limits.shown_tokens)
        results = _shortened([look_up(reader.view, use) for use in answer.tool_uses], shown)
        size = sum(estimated_tokens(result.text) for result in results)
        left -= size
        tool_tokens.add(None, size)
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
