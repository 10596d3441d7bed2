"""The offline reviewer's report: written so that reading it back can find nothing in it but what was written.

Every value is one line of JSON in ASCII, so that no code, quote mark, line end or label in it can end its field.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from local.model.offline.earlier import Outcome
from local.model.offline.problem import Problem
from local.model.shape import shaped

TITLE = "# Offline review"
_FINDING = re.compile(r"### Finding (\d+)")
_EARLIER = re.compile(r"### Earlier finding (\d+)")
_FIELD = re.compile(r"- ([a-z_]+): (.+)")
_END = re.compile(r"End of the offline review: findings (\d+), earlier (\d+)")
FIELDS = (
    *("severity", "category", "kind", "path", "start_line", "end_line"),
    *("title", "explanation", "quote", "replacement"),
)
EARLIER_FIELDS = ("finding", "answer", "path", "quote", "why", "severity", "concedes")


class NotOurs(ValueError):
    """The text is no whole report of the offline reviewer."""


@dataclass(frozen=True)
class OfflineReport:
    """What the offline reviewer has to say of a change, as the extraction asks for it."""

    what_changed: str
    strengths: Sequence[str] = ()
    findings: Sequence[dict[str, Any]] = field(default_factory=list)
    earlier: Sequence[dict[str, Any]] = field(default_factory=list)

    def as_answer(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Give what the extraction's schema asks for, and nothing else."""
        findings = [
            {"number": number, **finding, "cause": None, "pre_existing": False}
            for number, finding in enumerate(self.findings, 1)
        ]
        report = {
            "what_changed": self.what_changed,
            "strengths": list(self.strengths),
            "suggestions": [],
            "findings": findings,
            "earlier": list(self.earlier),
        }
        answer: dict[str, Any] = shaped(report, schema)
        return answer


def write_report(
    what_changed: str, strengths: Sequence[str], problems: Sequence[Problem], earlier: Sequence[Outcome] = ()
) -> str:
    """Write the report as Markdown."""
    lines = [TITLE, "", "## What changed", f"- text: {json.dumps(what_changed)}", ""]
    if strengths:
        lines += ["## Strengths", *(f"- text: {json.dumps(strength)}" for strength in strengths), ""]
    lines += ["## Findings", ""]
    for number, problem in enumerate(problems, 1):
        lines += [show_problem(number, problem), ""]
    if earlier:
        lines += ["## Earlier findings", ""]
    for number, outcome in enumerate(earlier, 1):
        lines += [show_outcome(number, outcome), ""]
    return "\n".join([*lines, f"End of the offline review: findings {len(problems)}, earlier {len(earlier)}"])


def show_problem(number: int, problem: Problem) -> str:
    """Write one finding."""
    return _entry(f"### Finding {number}", FIELDS, problem.as_finding())


def show_outcome(number: int, outcome: Outcome) -> str:
    """Write the answer about one earlier finding."""
    return _entry(f"### Earlier finding {number}", EARLIER_FIELDS, outcome.as_entry())


def _entry(title: str, fields: Sequence[str], values: Mapping[str, object]) -> str:
    return "\n".join([title, *(f"- {name}: {json.dumps(values[name])}" for name in fields)])


def read_report(text: str) -> OfflineReport:
    """Read a report back, word for word; raises NotOurs for any other text, and for one that was cut short."""
    lines = [line for line in text.strip().split("\n") if line]
    end = _END.fullmatch(lines[-1]) if lines else None
    if not lines or lines[0] != TITLE or end is None:
        raise NotOurs
    sections = dict(_sections(lines[1:-1]))
    findings = [_read(body, FIELDS) for title, body in sections.items() if _FINDING.fullmatch(title)]
    earlier = [_read(body, EARLIER_FIELDS) for title, body in sections.items() if _EARLIER.fullmatch(title)]
    described = _texts(sections.get("## What changed"))
    if [len(findings), len(earlier)] != [int(count) for count in end.groups()] or len(described) != 1:
        raise NotOurs
    return OfflineReport(described[0], _texts(sections.get("## Strengths")), findings, earlier)


def _sections(lines: Sequence[str]) -> Iterator[tuple[str, list[tuple[str, Any]]]]:
    title, body = "", list[tuple[str, Any]]()
    for line in lines:
        if line.startswith("#"):
            if title:
                yield title, body
            title, body = line, []
        elif match := _FIELD.fullmatch(line):
            body.append((match[1], _value(match[2])))
        else:
            raise NotOurs
    if title:
        yield title, body


def _value(written: str) -> Any:
    try:
        return json.loads(written)
    except ValueError as error:
        raise NotOurs from error


def _texts(body: list[tuple[str, Any]] | None) -> list[str]:
    return [str(value) for name, value in body or [] if name == "text"]


def _read(body: list[tuple[str, Any]], fields: tuple[str, ...]) -> dict[str, Any]:
    if tuple(name for name, _ in body) != fields:
        raise NotOurs
    return dict(body)
