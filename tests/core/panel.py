"""A model that tests script by who is asked, and a ledger of its answers, both in memory."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kodiai.core.config.spending import Spending
from kodiai.core.errors import Overloaded
from kodiai.core.json_object import JsonObject
from kodiai.core.model.messages import ModelAnswer, ModelRequest, StopReason, Text, ToolResult, ToolUse, Usage

Json = dict[str, Any]
Call = tuple[str, Json]
ANSWER_SECONDS = 240


@dataclass
class Books:
    """A ledger that keeps answers and money in memory."""

    kept: dict[str, Any] = field(default_factory=dict)
    lasting: set[str] = field(default_factory=set)
    spent: float = 0.0

    def kept_answer(self, question: str) -> Any:
        return self.kept.get(question)

    def before_question(self, question: str) -> tuple[Any, Spending]:
        return self.kept_answer(question), self.spending()

    def keep_answer(self, question: str, answer: Any, cost_usd: float, *, lasting: bool = False) -> None:
        self.kept[question] = answer
        self.lasting.update({question} if lasting else ())
        self.spent += cost_usd

    def spend(self, cost_usd: float) -> None:
        self.spent += cost_usd

    def spending(self) -> Spending:
        """Everything is of one pull request."""
        return Spending(self.spent, self.spent, self.spent, self.spent)


@dataclass
class Clock:
    time: float = 0.0

    def now(self) -> float:
        return self.time


_PART = "# Your part: "


def texts(question: ModelRequest) -> list[str]:
    """The texts of the message that gives the part: of a conversation's first one, or of a part that comes later."""
    messages = [[each.text for each in message.blocks if isinstance(each, Text)] for message in question.messages]
    return next((each for each in reversed(messages) if any(text.startswith(_PART) for text in each)), messages[0])


def who(question: ModelRequest) -> str:
    """The role that is asked: a reviewer's name or "judge"; without a part, the last text."""
    told = texts(question)
    part = next((text for text in told if text.startswith(_PART)), told[-1])
    return part.removeprefix(_PART).partition("\n")[0]


def told(question: ModelRequest) -> list[str]:
    """The results of the calls of the last turn."""
    return [each.text for each in question.messages[-1].blocks if isinstance(each, ToolResult)]


def _answer(*blocks: Text | ToolUse, stop_reason: StopReason, **usage: int) -> ModelAnswer:
    spent = Usage(**{"calls": 1, "input_tokens": 100, "output_tokens": 10, **usage})
    return ModelAnswer("claude-sonnet-5-5", blocks, stop_reason, spent)


def said(text: str, stop_reason: StopReason = "end_turn", **usage: int) -> ModelAnswer:
    """An answer in text."""
    return _answer(Text(text), stop_reason=stop_reason, **usage)


def turn(*calls: Call, stop_reason: StopReason = "tool_use", **usage: int) -> ModelAnswer:
    """A turn of tools, each with its input."""
    uses = (ToolUse(f"t{at}", name, given) for at, (name, given) in enumerate(calls))
    return _answer(*uses, stop_reason=stop_reason, **usage)


def reads(path: str) -> Call:
    """A look-up."""
    return "read_files", {"files": [{"path": path}]}


def found(finding: JsonObject) -> Call:
    """The report of a finding."""
    return "report_finding", dict(finding)


FINISH: Call = ("finish", {})


def reporting(*findings: JsonObject, earlier: Sequence[Json] = (), **summary: Any) -> ModelAnswer:
    """All reports and answers in one turn, and the end."""
    return turn(*map(found, findings), *(("answer_earlier", each) for each in earlier), ("finish", summary))


Step = ModelAnswer | Exception


@dataclass
class Panel:
    """A model that answers by who is asked: the steps in order, the last one for ever; without any it just finishes.

    Of the `overloaded` models none answers.
    """

    steps: Mapping[str, Sequence[Step]]
    overloaded: set[str] = field(default_factory=set)
    asked: list[ModelRequest] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    meanwhile: Callable[[ModelRequest], None] = lambda _: None

    def answer(self, question: ModelRequest, timeout_seconds: float) -> ModelAnswer:
        assert timeout_seconds == ANSWER_SECONDS
        self.meanwhile(question)
        with self.lock:
            name = who(question)
            at = self.times(name)
            self.asked.append(question)
        if question.model in self.overloaded:
            raise Overloaded("no room")
        steps = self.steps.get(name) or [turn(FINISH)]
        step = steps[min(at, len(steps) - 1)]
        if isinstance(step, Exception):
            raise step
        return replace(step, model=question.model)

    def to(self, name: str) -> list[ModelRequest]:
        """The questions to a role."""
        return [each for each in self.asked if who(each) == name]

    def times(self, name: str) -> int:
        """The number of questions to a role."""
        return len(self.to(name))

    def shown_to(self, name: str, nth: int = 0) -> list[str]:
        """The material of the n-th question to a role."""
        return texts(self.to(name)[nth])
