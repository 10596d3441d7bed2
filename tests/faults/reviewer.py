"""The model of the trials: it reads a file, reports what it is shown, and says the same however often it is asked."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from local.model import (
    Answer,
    Request,
    filled,
    is_answer,
    is_extract,
    is_verdicts,
    is_verify,
    part,
    text,
    tool_use,
    tools,
)
from local.model.offline.earlier import Earlier, read_earlier
from tests.specs.scripts import a_finding, a_report, an_answer, confirmed

INLINE = a_finding()
OFF_THE_DIFF = a_finding(
    path="src/stock.py",
    start_line=1,
    end_line=1,
    severity="MEDIUM",
    title="Stock is counted twice",
    explanation="An order of one takes two from the shelf once a discount is given.",
    quote="def left(shelf):",
    cause={"path": "src/orders.py", "quote": "return sum(prices) + discount"},
)
NEW = a_finding(
    path="src/tills.py",
    title="A coin is lost",
    explanation="Of every payment one is not counted.",
    quote="return total - 1",
)
MENDED = "return sum(prices) - discount"

CONCEDES = "Right, no discount is ever above zero.\n\nCONCEDED"

SLOW_SECONDS = 2.8
_FIRST = ("generalist", "correctness")


@dataclass
class Reviewer:
    """Answers by the pull request's number: those in `slow` late, those in `before` after doing something once."""

    before: dict[int, Callable[[], None]] = field(default_factory=dict)
    slow: set[int] = field(default_factory=set)
    slow_seconds: float = SLOW_SECONDS

    def answer(self, request: Request) -> Answer:
        shown = [block["text"] for block in request["messages"][0]["content"]]
        if is_extract(request):
            return filled(_reported(shown[0]))
        if is_verify(request) or is_verdicts(request):
            return confirmed(request)
        if is_answer(request):
            return text(CONCEDES)
        number = _number(shown[0])
        if first := self.before.pop(number, None):
            first()
        reads = len(request["messages"]) == 1
        if part(request) not in _FIRST:
            return text("NOTHING TO REPORT")
        found = tools(tool_use("read_file", path="src/stock.py")) if reads else text(_report(shown))
        return found.delayed(self.slow_seconds if number in self.slow else 0)


def _number(facts: str) -> int:
    """The pull request that a question is about, from the facts that it is told."""
    return int(json.loads(facts[facts.index("{") :])["number"])


def _report(shown: list[str]) -> str:
    """What there is to say, already as data: the changes are the second block of a question."""
    changes, earlier = shown[1], read_earlier(shown)
    found = [INLINE, OFF_THE_DIFF] if INLINE["quote"] in changes else []
    found += [NEW] if NEW["quote"] in changes else []
    if not found and not earlier:
        return "NOTHING TO REPORT"
    answers = {"earlier": [_answer(each, changes) for each in earlier]} if earlier else {}
    return json.dumps(a_report(*found, **answers))


def _answer(earlier: Earlier, changes: str) -> Mapping[str, Any]:
    """Mended where the changes show the code that mends it; else it still stands, for a reason."""
    if earlier.path == INLINE["path"] and MENDED in changes:
        return an_answer(earlier.finding, quote=MENDED)
    return an_answer(
        earlier.finding, "NOT_ADDRESSED", path=earlier.path, quote=earlier.quote, why="An order of 100 still costs 105."
    )


def _reported(report: str) -> Mapping[str, Any]:
    """What the report that is to be put into data said, which is data already; nothing where it says so."""
    line = next((line for line in report.split("\n") if line.startswith("| {")), None)
    found: Mapping[str, Any] = json.loads(line.removeprefix("| ")) if line else a_report()
    return found
