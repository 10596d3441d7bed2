"""The model of the trials: it reads a file, reports two findings, and says the same however often it is asked."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from local.model import Answer, Request, filled, is_extract, text, tool_use, tools
from tests.specs.scripts import a_finding, a_report

INLINE = a_finding()
OFF_THE_DIFF = a_finding(
    path="src/stock.py",
    start_line=1,
    end_line=1,
    severity="MEDIUM",
    title="Stock is counted twice",
    explanation="An order of one takes two from the shelf once a discount is given.",
    quote="def left(shelf):",
)


SLOW_SECONDS = 2.8


@dataclass
class Reviewer:
    """Answers by the pull request's number: those in `slow` late, those in `before` after doing something once."""

    before: dict[int, Callable[[], None]] = field(default_factory=dict)
    slow: set[int] = field(default_factory=set)
    slow_seconds: float = SLOW_SECONDS

    def answer(self, request: Request) -> Answer:
        if is_extract(request):
            return filled(a_report(INLINE, OFF_THE_DIFF))
        number = _number(request)
        if first := self.before.pop(number, None):
            first()
        reads = len(request["messages"]) == 1
        found = tools(tool_use("read_file", path="src/stock.py")) if reads else text("The discount is added.")
        return found.delayed(self.slow_seconds if number in self.slow else 0)


def _number(request: Mapping[str, Any]) -> int:
    """The pull request that a question is about, from the facts that it is told."""
    facts = request["messages"][0]["content"][0]["text"]
    return int(json.loads(facts[facts.index("{") :])["number"])
