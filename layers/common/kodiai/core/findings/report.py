"""Reading the model's structured answer: what fits is taken, what does not is counted."""

import json
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from kodiai.core.findings.finding import Finding


class Report(BaseModel):
    """What a batch came to, in the model's words; the schema that it is asked to fill."""

    model_config = ConfigDict(frozen=True)

    what_changed: str
    strengths: tuple[str, ...]
    suggestions: tuple[str, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class ReadReport:
    """A report, and how many of its findings could not be read."""

    report: Report
    unreadable: int


class UnreadableReport(ValueError):
    """The answer is not the JSON object that was asked for."""


def read_report(text: str) -> ReadReport:
    """Read an answer; one bad finding does not cost the others. Raises UnreadableReport.

    Halves of surrogate pairs, which JSON can name and no request can carry, become question marks.
    """
    try:
        data = json.loads(json.dumps(json.loads(text), ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise UnreadableReport("the model's answer is not JSON") from error
    if not isinstance(data, dict) or not isinstance(data.get("findings"), list):
        raise UnreadableReport("the model's answer has no list of findings")
    findings = [_read_finding(entry) for entry in data["findings"]]
    readable = tuple(finding for finding in findings if finding is not None)
    report = Report(
        what_changed=_text(data.get("what_changed")),
        strengths=_texts(data.get("strengths")),
        suggestions=_texts(data.get("suggestions")),
        findings=readable,
    )
    return ReadReport(report, unreadable=len(findings) - len(readable))


def _read_finding(entry: Any) -> Finding | None:
    try:
        return Finding.model_validate(entry)
    except ValidationError:
        return None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(text for text in value if isinstance(text, str) and text.strip()) if isinstance(value, list) else ()
