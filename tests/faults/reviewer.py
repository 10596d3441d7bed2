"""The model of the trials: it reads a file, reports what it is shown, and says the same however often it is asked."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from local.model import Answer, ModelRequest, Request, json_reply, refusal, reporting, text, tool_use, tools
from tests.faults.calls import is_asked_once_more
from tests.specs.scripts import Ruling, a_finding, a_report, an_answer, decision, reading, rules

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
TWIN = a_finding(
    title="Whoever has a discount pays more",
    explanation="The more is taken off, the more is to be paid.",
)
WISH = a_finding(
    severity="MINOR",
    start_line=1,
    end_line=1,
    title="The total is not documented",
    explanation="Nobody can tell what it is of.",
    quote="def total(prices, discount):",
)
NEW = a_finding(
    path="src/tills.py",
    title="A coin is lost",
    explanation="Of every payment one is not counted.",
    quote="return total - 1",
)
MISQUOTED = a_finding(
    path="src/fees.py",
    title="A fee is free",
    explanation="A fee of one comes to nothing.",
    quote="return fee - 1",
)
REFUTED = a_finding(
    path="src/fees.py",
    title="A fee is charged twice",
    explanation="Who pays twice is charged twice.",
    quote="return fee - 1",
)
MENDED = "return sum(prices) - discount"
HALF_MENDED = "return sum(prices) - discount * 2"
PARTLY = "return sum(prices) + max(discount, 0)"
LEFT = {"title": "A positive discount is added", "problem": "An order of 100 costs 105 with a discount of 5."}
TRIED = "return total - 2"

RULES = """\
  linkedIssue: warning
  check: {failOn: rules}
  rules:
    - {id: no-plus, text: Discounts are taken off., paths: [src/orders.py], level: error}
    - {id: has-notes, text: Every change of src/ has a note in notes/., paths: [src/]}
    - {id: is-named, text: Every function has a name., paths: [src/], level: note}
"""
"""Settings under "review:" with a rule that fails by a line, one that fails by what is missing, and one that passes."""
LOOKED = {"looked_at": ["src/orders.py"]}
ASKED_FOR = {"An invoice shows the discount": "fail", "The total takes a discount": "pass"}
"""The criteria of the linked issue, and the rulings on them."""

ARGUMENT = "A discount is never above zero here."
DECISION = "Das lassen wir so."
CONCEDES = "Right, no discount is ever above zero.\n\nCONCEDED"

DRAFT = {
    "description": "Subtract the discount",
    "changes": [{"what": "The discount is subtracted", "why": "An order of 100 cost 105"}],
    "edits": [{"path": "src/orders.py", "old": INLINE["quote"], "new": MENDED}],
}

SLOW_SECONDS = 2.8
_FIND_SOMETHING, _SECOND = ("generalist", "behavior"), "promises"


@dataclass
class Reviewer:
    """Answers by the pull request's number: those in `slow` late, those in `before` after doing something once.

    Those in `declined` the second reviewer does not read.
    """

    before: dict[int, Callable[[], None]] = field(default_factory=dict)
    slow: set[int] = field(default_factory=set)
    declined: set[int] = field(default_factory=set)
    slow_seconds: float = SLOW_SECONDS

    def answer(self, request: Request) -> Answer:
        asked = ModelRequest(request)
        match asked.kind:
            case "judge":
                return _judged(asked)
            case "read":
                said = {ARGUMENT: "disagrees", f"@kodiai {ARGUMENT}": "disagrees", DECISION: "wont_fix"}
                return reading(request, said)
            case "answer":
                return text(CONCEDES)
            case "draft":
                return json_reply(DRAFT)
            case "proposal":
                return json_reply({"checks": ["src/orders.py:2 subtracts"], "decision": "approve", "notes": ""})
        return self._find(asked)

    def _find(self, asked: ModelRequest) -> Answer:
        """Read a file, then report."""
        number = int(asked.facts["number"])
        if first := self.before.pop(number, None):
            first()
        if number in self.declined and asked.part == _SECOND:
            return refusal()
        if asked.part not in _FIND_SOMETHING:
            return reporting()
        found = (
            reporting(_report(asked))
            if asked.turns_taken
            else tools(tool_use("read_files", files=[{"path": "src/stock.py"}]))
        )
        return found.delayed(self.slow_seconds if number in self.slow else 0)


def _report(asked: ModelRequest) -> Mapping[str, Any]:
    """The report: of code that the changes add."""
    changes, earlier = "\n".join(line for each in asked.changes for line in each.added.values()), asked.earlier
    found = [INLINE, TWIN, OFF_THE_DIFF, WISH] if INLINE["quote"] in changes else []
    found += [each for each in (NEW, MISQUOTED, REFUTED) if each["quote"] in changes]
    answers = [_answer(each, changes) for each in earlier]
    return a_report(*found, earlier=answers, rulings=[*_rulings_on_rules(asked, changes)])


def _rulings_on_rules(asked: ModelRequest, changes: str) -> Iterator[Mapping[str, Any]]:
    """Rule on what is asked: the discount breaks a rule until a push fixes it, and there are never any notes."""
    names = {}
    for row in asked.rows("# Rules of the team"):
        names[row.get("issue_asks_for")] = row["rule"]
        match row["rule"]:
            case "no-plus" if MENDED in changes:
                yield {"rule": "no-plus", "result": "pass", "why": "It is off", "path": INLINE["path"], "quote": MENDED}
            case "no-plus":
                place = {"path": INLINE["path"], "quote": INLINE["quote"]}
                yield {"rule": "no-plus", "result": "fail", "why": "The discount is on top", **place}
            case "has-notes":
                yield {"rule": "has-notes", "result": "fail", "why": "The folder of notes is empty", **LOOKED}
            case "is-named":
                yield {"rule": "is-named", "result": "pass", "why": "All have one", **LOOKED}
    if asked.facts.get("closes"):
        for criterion, result in ASKED_FOR.items():
            ruled = {"rule": names.get(criterion, "issue"), "criterion": criterion, "result": result}
            yield {**ruled, "why": "The code says so", **LOOKED}


def _judged(asked: ModelRequest) -> Answer:
    """Rule after a look at a file: nothing is resolved by what only half mends it."""
    if not asked.turns_taken:
        return tools(tool_use("read_files", files=[{"path": "src/orders.py"}]))
    resolves = not any(HALF_MENDED in each for each in asked.texts)
    return decision(asked.body, *_rulings(asked), resolves=resolves, confirms=True)


def _rulings(asked: ModelRequest) -> Iterator[Ruling]:
    """Drop the wish and what is refuted, know the twin, and quote a line well only if it is asked for once more."""
    for row in asked.candidates:
        match row["title"]:
            case title if title == WISH["title"]:
                yield rules(row["number"], fate="not-worth-it", why="Its name says what it is of.")
            case title if title == TWIN["title"] and row["presumed"]:
                yield rules(row["number"], fate="known", known=row["presumed"])
            case title if title == TWIN["title"]:
                yield rules(row["number"], fate="same-as", same_as=INLINE["title"])
            case title if title == REFUTED["title"]:
                yield rules(row["number"], fate="wrong", quote="def charged(fee):", why="It is called once.")
            case title if title == MISQUOTED["title"] and not is_asked_once_more(asked.body):
                yield rules(row["number"], quote="return fee - 2")


def _answer(earlier: Mapping[str, Any], changes: str) -> Mapping[str, Any]:
    """Fixed, or partly so, where the changes show the code that is meant to do so; else it stands, for a reason."""
    if earlier["path"] == INLINE["path"] and PARTLY in changes:
        return an_answer(earlier["finding"], "PARTIAL", quote=PARTLY, why="None is below zero now.", **LEFT)
    meant = next((code for code in (HALF_MENDED, MENDED) if code in changes), None)
    if earlier["path"] == INLINE["path"] and meant is not None:
        return an_answer(earlier["finding"], quote=meant)
    is_tried = earlier["path"] == NEW["path"] and TRIED in changes
    place = {"path": earlier["path"], "quote": TRIED if is_tried else earlier["quote"]}
    return an_answer(earlier["finding"], "NOT_ADDRESSED", **place, why="An order of 100 still costs 105.")
