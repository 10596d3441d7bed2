"""Reads the model's answers that are data: valid entries are taken, the others are counted."""

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from kodiai.core.findings.finding import Category, Cause, Finding, Kind, Severity

_Entry = TypeVar("_Entry", bound=BaseModel)
_HEADING = re.compile(r"^ {0,3}#{1,6} Finding (\d{1,4})\b", re.MULTILINE)


class ReportedFinding(BaseModel):
    """A finding as a reviewer reports it; `number` is that of its heading in the report.

    `pre_existing` is whether the reviewer says that the problem was there before the change.
    """

    model_config = ConfigDict(frozen=True)

    number: int | None = None
    severity: Severity
    category: Category
    kind: Kind
    pre_existing: bool = False
    path: str
    start_line: int
    end_line: int
    title: str
    explanation: str
    quote: str
    replacement: str | None = None
    cause: Cause | None = None

    @property
    def finding(self) -> Finding:
        """The finding without its number."""
        return Finding(**self.model_dump(exclude={"number"}))


class FindingByCode(ReportedFinding):
    """A finding that code alone reports, and no model can."""

    by_code: Literal[True] = True


Reported = tuple[str, ReportedFinding]
"""A report of a finding, with the name of the reviewer."""


class Report(BaseModel):
    """A reviewer's report about a batch; the reviewer who sums up the change fills the other fields too."""

    model_config = ConfigDict(frozen=True)

    findings: tuple[ReportedFinding, ...]
    what_changed: str
    strengths: tuple[str, ...]
    suggestions: tuple[str, ...]


EarlierVerdict = Literal["ADDRESSED", "PARTIAL", "NOT_ADDRESSED", "CANNOT_TELL"]


class EarlierAnswer(BaseModel):
    """A reviewer's answer about one finding of an earlier review; `quote` is current code of `path` that shows it.

    `severity` is given where the problem has become more severe, `concedes` is true where an argument against it is
    right.
    """

    model_config = ConfigDict(frozen=True)

    finding: str
    answer: EarlierVerdict
    path: str
    quote: str
    why: str
    severity: Severity | None
    concedes: bool


_NO_ANSWER = {"path": "", "quote": "", "why": "", "severity": None, "concedes": False}
"""The fields that an answer may leave out."""


@dataclass(frozen=True)
class ParsedReport:
    """A report with its answers about earlier findings, and how many of each could not be read.

    `nothing` are the passages of the report that say nothing, `unaccounted` those of which nobody knows what became.
    """

    report: Report
    earlier: tuple[EarlierAnswer, ...]
    nothing: tuple[str, ...] = ()
    unaccounted: tuple[str, ...] = ()
    unreadable_findings: int = 0
    unreadable_answers: int = 0


class UnreadableReport(ValueError):
    """The answer is not the JSON object that was asked for."""


def finding_numbers(prose: str) -> tuple[int, ...]:
    """Give the numbers of the findings in a prose report, each under a heading such as "Finding 1"."""
    return tuple(dict.fromkeys(int(number) for number in _HEADING.findall(prose)))


def read_report(text: str) -> ParsedReport:
    """Read an answer; one bad finding does not cost the others. Raises UnreadableReport."""
    data = read_object(text, "findings")
    findings = valid_entries(ReportedFinding, data["findings"])
    answers = data["earlier"] if isinstance(data.get("earlier"), list) else []
    earlier = valid_entries(EarlierAnswer, [{**_NO_ANSWER, **entry} for entry in answers if isinstance(entry, dict)])
    what_changed = data.get("what_changed")
    report = Report(
        what_changed=what_changed if isinstance(what_changed, str) else "",
        strengths=_texts(data.get("strengths")),
        suggestions=_texts(data.get("suggestions")),
        findings=findings,
    )
    return ParsedReport(
        report,
        earlier,
        nothing=_texts(data.get("nothing")),
        unreadable_findings=len(data["findings"]) - len(findings),
        unreadable_answers=len(answers) - len(earlier),
    )


def read_object(text: str, entries: str) -> dict[str, Any]:
    """Read a JSON object with a list under the name `entries`, in a text that may have words around it.

    Halves of surrogate pairs, which JSON can name and no request can carry, become question marks.
    Raises UnreadableReport.
    """
    try:
        data = json.loads(json.dumps(_json_in(text), ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise UnreadableReport("the model's answer is not JSON") from error
    if not isinstance(data, dict) or not isinstance(data.get(entries), list):
        raise UnreadableReport(f"the model's answer has no list of {entries}")
    return data


def _json_in(text: str) -> Any:
    """The whole text as JSON, else the object in it: a list that holds an object is not that object."""
    try:
        return json.loads(text)
    except ValueError:
        return json.loads(object_in(text))


def object_in(text: str) -> str:
    """The JSON object in an answer that was asked for in words, and so may have words or a fence around it."""
    return text[text.find("{") : text.rfind("}") + 1]


def valid_entries(model: type[_Entry], entries: Any) -> tuple[_Entry, ...]:
    """Read the valid entries of a list; one bad entry does not cost the others."""
    found = []
    for entry in entries if isinstance(entries, list) else []:
        with suppress(ValidationError):
            found.append(model.model_validate(entry))
    return tuple(found)


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(text for text in value if isinstance(text, str) and text.strip()) if isinstance(value, list) else ()
