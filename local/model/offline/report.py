"""The offline reviewer's report: written so that reading it back can find nothing in it but what was written.

Every value is one line of JSON in ASCII, so that no code, quote mark, line end or label in it can end its field.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from local.model.offline.problem import Problem

TITLE = "# Offline review"
_FINDING = re.compile(r"### Finding (\d+)")
_FIELD = re.compile(r"- ([a-z_]+): (.+)")
_END = re.compile(r"End of the offline review: findings (\d+)")
FIELDS = (
    *("severity", "category", "kind", "path", "start_line", "end_line"),
    *("title", "explanation", "quote", "replacement"),
)


class NotOurs(ValueError):
    """The text is no whole report of the offline reviewer."""


@dataclass(frozen=True)
class OfflineReport:
    """What the offline reviewer has to say of a change, as the extraction asks for it."""

    what_changed: str
    strengths: Sequence[str] = ()
    findings: Sequence[dict[str, Any]] = field(default_factory=list)

    def as_answer(self) -> dict[str, Any]:
        """Give the fields that the extraction's schema has."""
        return {
            "what_changed": self.what_changed,
            "strengths": list(self.strengths),
            "suggestions": [],
            "findings": list(self.findings),
        }


def write_report(what_changed: str, strengths: Sequence[str], problems: Sequence[Problem]) -> str:
    """Write the report as Markdown."""
    lines = [TITLE, "", "## What changed", f"- text: {json.dumps(what_changed)}", ""]
    if strengths:
        lines += ["## Strengths", *(f"- text: {json.dumps(strength)}" for strength in strengths), ""]
    lines += ["## Findings", ""]
    for number, problem in enumerate(problems, 1):
        lines += [show_problem(number, problem), ""]
    return "\n".join([*lines, f"End of the offline review: findings {len(problems)}"])


def show_problem(number: int, problem: Problem) -> str:
    """Write one finding."""
    values = problem.as_finding()
    return "\n".join([f"### Finding {number}", *(f"- {name}: {json.dumps(values[name])}" for name in FIELDS)])


def read_report(text: str) -> OfflineReport:
    """Read a report back, word for word; raises NotOurs for any other text, and for one that was cut short."""
    lines = [line for line in text.strip().split("\n") if line]
    end = _END.fullmatch(lines[-1]) if lines else None
    if not lines or lines[0] != TITLE or end is None:
        raise NotOurs
    sections = dict(_sections(lines[1:-1]))
    findings = [_finding(body) for title, body in sections.items() if _FINDING.fullmatch(title) and body is not None]
    described = _texts(sections.get("## What changed"))
    if len(findings) != int(end[1]) or len(described) != 1:
        raise NotOurs
    return OfflineReport(described[0], _texts(sections.get("## Strengths")), findings)


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


def _finding(body: list[tuple[str, Any]]) -> dict[str, Any]:
    if tuple(name for name, _ in body) != FIELDS:
        raise NotOurs
    return dict(body)
