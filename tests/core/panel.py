"""A model that tests script by who is asked, and a ledger of its answers, both in memory."""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kodiai.core.config.spending import Spending
from kodiai.core.errors import Overloaded
from kodiai.core.json_object import JsonObject
from kodiai.core.model.messages import ModelAnswer, ModelRequest, StopReason, Text, Usage

Json = dict[str, Any]
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


def texts(question: ModelRequest) -> list[str]:
    """The texts of the first message."""
    return [block.text for block in question.messages[0].blocks if isinstance(block, Text)]


def is_extract(question: ModelRequest) -> bool:
    """Whether a report is to be turned into data."""
    return texts(question)[-1].startswith("<report>")


def who(question: ModelRequest) -> str:
    """The role that is asked: a reviewer's name, "judge" or "extract"."""
    if is_extract(question):
        return "extract"
    return texts(question)[-1].removeprefix("# Your part: ").partition("\n")[0]


def said(text: str, stop_reason: StopReason = "end_turn", **usage: int) -> ModelAnswer:
    """An answer in text."""
    spent = Usage(**{"calls": 1, "input_tokens": 100, "output_tokens": 10, **usage})
    return ModelAnswer("claude-sonnet-5-5", (Text(text),), stop_reason, spent)


Step = ModelAnswer | str | Exception


@dataclass
class Panel:
    """A model that answers by who is asked: the steps in order, the last one for ever.

    Prose of findings is data already: the extraction gives it back, unless a test says otherwise.
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
            at = sum(who(each) == name for each in self.asked)
            self.asked.append(question)
        if question.model in self.overloaded:
            raise Overloaded("no room")
        steps = self.steps.get(name) or [data_of(question) if name == "extract" else "NOTHING TO REPORT"]
        step = steps[min(at, len(steps) - 1)]
        if isinstance(step, Exception):
            raise step
        return replace(said(step) if isinstance(step, str) else step, model=question.model)

    def times(self, name: str) -> int:
        """The number of questions to a role."""
        return sum(who(each) == name for each in self.asked)

    def shown_to(self, name: str, nth: int = 0) -> list[str]:
        """The material of the n-th question to a role."""
        return texts([each for each in self.asked if who(each) == name][nth])


def data_of(question: ModelRequest) -> str:
    """The JSON in the report that a question quotes."""
    lines = texts(question)[0].split("\n")
    data = [line.removeprefix("| ") for line in lines if line.startswith("| {")]
    return data[-1] if data else json.dumps(report())


def report(*findings: JsonObject, **more: Any) -> Json:
    """A report as data."""
    return {"what_changed": "", "strengths": [], "suggestions": [], "findings": list(findings), **more}


def prose(*findings: JsonObject, **more: Any) -> str:
    """A report with a heading for each finding, and all of it as data on its last line."""
    numbered = [{**finding, "number": number} for number, finding in enumerate(findings, 1)]
    headings = [f"### Finding {number}\n{finding['title']}\n" for number, finding in enumerate(findings, 1)]
    return "\n".join([*headings, json.dumps(report(*numbered, **more))])
