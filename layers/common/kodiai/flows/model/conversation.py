"""Conversation: the model reads and looks around with its tools until it writes what it has to say."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

from kodiai.core.errors import Broken
from kodiai.core.model.messages import (
    Message,
    ModelAnswer,
    ModelRequest,
    StopReason,
    Text,
    ToolResult,
    user_message,
)
from kodiai.core.repository.tree import Tree
from kodiai.core.settings import Effort
from kodiai.core.tokens import estimated_tokens, first_tokens
from kodiai.flows.model.answers import ModelAnswers
from kodiai.flows.model.look_up import TOOLS, look_up
from kodiai.prompts.load import load

MOST_TOKENS = 16_000
_MOST_SHOWN = 1_000_000  # characters
_ASKED_TOKENS = 1_000
_CUT = "\n(cut: look at fewer lines)"
_GO_ON = "Your report was cut off there. Continue where it stops, and repeat nothing."


@dataclass(frozen=True)
class TokenBudget:
    """What a conversation makes do with, in tokens: for all its questions, and for what one turn of tools shows."""

    input_tokens: int
    shown_tokens: int


@dataclass(frozen=True)
class Reader:
    """Who reads: a model with its effort, the files at the head, and in how many turns it may use its tools.

    `brief` is the system prompt, `most_tokens` how long what it says may be.
    """

    answers: ModelAnswers
    model: str
    effort: Effort | None
    tree: Tree
    tool_turns: int
    brief: str = "shared"
    most_tokens: int = MOST_TOKENS
    thrift: TokenBudget | None = None


@dataclass(frozen=True)
class PlainText:
    """What a conversation came to: the report in prose, and why it ended."""

    text: str
    stop_reason: StopReason


def converse(
    reader: Reader, blocks: Sequence[Text], not_in_key: str, is_usable: Callable[[str], bool] = lambda _: True
) -> PlainText:
    """Show the blocks, look up what the model asks for, and give what it says; a report that is cut off goes on once.

    `not_in_key` is the text among them that makes no other question of it. What is not usable as a last answer is not
    kept, so that asking again gives another one. Raises OverBudget and OutOfTime.
    """

    def leads_on(answer: ModelAnswer) -> bool:
        return _leads_on(answer) and (bool(answer.tool_uses) or _is_cut(answer) or is_usable(answer.text))

    messages: tuple[Message, ...] = (Message("user", tuple(blocks)),)
    shown = sent = 0
    for turn in range(reader.tool_turns + 1):
        may_look_up = turn < reader.tool_turns and shown < _MOST_SHOWN
        question = _question(reader, messages, not_in_key, may_look_up=may_look_up)
        if reader.thrift is not None:
            size = _tokens(question)
            question = replace(question, tools_allowed=may_look_up and _leaves_room(reader.thrift, sent, size))
            sent += size
        answer = reader.answers.to(question, usable=leads_on)
        if not answer.tool_uses:
            return _said(reader, question, answer, is_usable)
        results = [look_up(reader.tree, use) for use in answer.tool_uses]
        if reader.thrift is not None:
            results = _shortened(results, reader.thrift.shown_tokens)
        shown += sum(len(result.text) for result in results)
        results[-1] = replace(results[-1], ends_prefix=True)
        messages = (
            *map(_uncached_results, messages[:-1]),
            messages[-1],
            Message("assistant", answer.blocks),
            Message("user", tuple(results)),
        )
    raise Broken("the model used tools after it was told that there are none left")


def _is_cut(answer: ModelAnswer) -> bool:
    return answer.stop_reason == "max_tokens" and bool(answer.text.strip())


def _said(reader: Reader, question: ModelRequest, answer: ModelAnswer, is_usable: Callable[[str], bool]) -> PlainText:
    if not _is_cut(answer) or reader.thrift is not None:
        return PlainText(answer.text, answer.stop_reason)
    further = (*question.messages, Message("assistant", answer.blocks), user_message(_GO_ON))

    def completes(rest: ModelAnswer) -> bool:
        return _leads_on(rest) and is_usable(answer.text + rest.text)

    rest = reader.answers.to(replace(question, messages=further, tools_allowed=False), usable=completes)
    # A refusal to go on does not take back what was said before it.
    stop_reason: StopReason = "max_tokens" if rest.stop_reason == "refusal" else rest.stop_reason
    return PlainText(answer.text + rest.text, stop_reason)


def _question(reader: Reader, messages: tuple[Message, ...], not_in_key: str, *, may_look_up: bool) -> ModelRequest:
    return ModelRequest(
        model=reader.model,
        system=load(reader.brief),
        messages=messages,
        max_tokens=reader.most_tokens,
        tools=TOOLS,
        tools_allowed=may_look_up,
        effort=reader.effort,
        not_in_key=(not_in_key,),
    )


def _tokens(question: ModelRequest) -> int:
    """What a question may hold, in tokens."""
    whole = asdict(question)
    return estimated_tokens(json.dumps([whole["system"], whole["messages"], whole["tools"]], ensure_ascii=False))


def _leaves_room(thrift: TokenBudget, sent: int, size: int) -> bool:
    """Whether a turn of tools after this question leaves room for another one, with what they are asked and show."""
    return sent + 2 * size + thrift.shown_tokens + _ASKED_TOKENS <= thrift.input_tokens


def _shortened(results: Sequence[ToolResult], tokens: int) -> list[ToolResult]:
    """Cut what tools show, each to its share; the end says so."""
    share = max(tokens // len(results) - estimated_tokens(_CUT), 0)
    return [
        result
        if estimated_tokens(result.text) <= share
        else replace(result, text=first_tokens(result.text, share) + _CUT)
        for result in results
    ]


def _uncached_results(message: Message) -> Message:
    """Take the cache mark off older tool results.

    The API takes four in all: behind the pull request, behind its changes, and behind the last two turns' results.
    The last but one is kept because the API looks for a known prefix twenty blocks back and no further.
    """
    blocks = (replace(each, ends_prefix=False) if isinstance(each, ToolResult) else each for each in message.blocks)
    return replace(message, blocks=tuple(blocks))


def _leads_on(answer: ModelAnswer) -> bool:
    """Whether an answer is worth keeping: a refusal or an empty one may be another one next time."""
    return answer.stop_reason != "refusal" and bool(answer.tool_uses or answer.text.strip())
