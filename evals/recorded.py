"""Recorded answers: a model that says of each case what was written down for it, push by push."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evals.asking import ALL, Asking, Course, Json, Where, understand
from evals.case import Case
from evals.sheet import RecordedFinding, RecordedPush, RecordedVerdict
from local.model import Answer, Request, filled, text

NOTHING = "NOTHING TO REPORT"
_ENTRY = "Data: "
_FIELDS = (
    *("severity", "category", "kind", "path", "start_line", "end_line"),
    *("title", "explanation", "quote", "replacement", "cause"),
)


class RecordedAnswers:
    """Answers the three kinds of requests of a review from the cases' recordings.

    The case is known by the pull request's title, the push by the course. A request of a pull request that is not on
    the course, or whose case has no recording, gets no answer.
    """

    def __init__(self, cases: Iterable[Case], course: Course) -> None:
        self._cases = {case.slug: case for case in cases}
        self._course = course

    def answer(self, request: Request) -> Answer | None:
        """Answer one request by what it asks."""
        asking = understand(request)
        if asking.kind == "extract":
            return filled(_as_data(asking))
        where = self._course.where(asking.title)
        case = self._cases.get(where.case) if where else None
        if where is None or case is None or case.recording is None:
            return None
        if asking.kind == "verify":
            return text(_verdicts(case, asking.to_verify))
        return text(_report(case, where, asking))

    def said(self, where: Where, reviewers: Iterable[str]) -> list[RecordedFinding]:
        """What those reviewers said of a push."""
        recording = self._cases[where.case].recording
        if recording is None or where.push >= len(recording.pushes):
            return []
        return [one for reviewer in reviewers for one in _findings(recording.pushes[where.push], reviewer)]


def _report(case: Case, where: Where, asking: Asking) -> str:
    """A report in prose, with each finding under a heading of its own, and in a line of data below it."""
    recording = case.recording
    push = recording.pushes[where.push] if recording and where.push < len(recording.pushes) else RecordedPush()
    findings = list(_findings(push, asking.part))
    earlier = list(_earlier(case, push, asking.earlier))
    if not findings and not earlier:
        return NOTHING
    lines = [f"The pull request is about this: {case.sheet.title}", ""]
    for number, finding in enumerate(findings, 1):
        entry = {"number": number, **{name: finding.model_dump()[name] for name in _FIELDS}}
        place = f"`{finding.path}`, lines {finding.start_line} to {finding.end_line}"
        words = f"In {place}: {_line(finding.title)}. {_line(finding.explanation)}"
        lines += [f"### Finding {number}", "", words, "", _data("findings", entry), ""]
    for answer in earlier:
        lines += [f"Earlier: {answer['answer']}. {_line(answer['why'])}", "", _data("earlier", answer), ""]
    return "\n".join(lines)


def _findings(push: RecordedPush, part: str) -> Iterator[RecordedFinding]:
    for reviewer, findings in push.reports.items():
        if part in (ALL, reviewer):
            yield from findings


def _earlier(case: Case, push: RecordedPush, asked: Iterable[Json]) -> Iterator[Json]:
    """The answers about those findings that are asked back and that the recording knows, by title and by problem."""
    problems = {
        finding.title: finding.expects
        for before in (case.recording.pushes if case.recording else ())
        for findings in before.reports.values()
        for finding in findings
        if finding.expects is not None
    }
    answers = {answer.id: answer for answer in push.earlier}
    for finding in asked:
        answer = answers.get(problems.get(finding.get("title", "")) or "")
        if answer is not None:
            yield {"finding": finding["finding"], **answer.model_dump(exclude={"id"})}


def _verdicts(case: Case, to_verify: Sequence[Json]) -> str:
    """The verdicts on those findings that the recording has one for, by path and title."""
    known = {
        (finding.path, finding.title): finding.verdict
        for push in (case.recording.pushes if case.recording else ())
        for findings in push.reports.values()
        for finding in findings
    }
    lines: list[str] = []
    for finding in to_verify:
        verdict = known.get((finding.get("path", ""), finding.get("title", "")))
        if verdict is not None:
            number = finding["number"]
            lines += [f"### Finding {number}", "", f"Because: {_line(verdict.why)}", ""]
            lines += [_data("verdicts", {"number": number, **_rulings(verdict)}), ""]
    return "\n".join(lines) or NOTHING


def _rulings(verdict: RecordedVerdict) -> Json:
    proof = {"path": verdict.path, "quote": verdict.quote, "why": verdict.why}
    answers = verdict.model_dump(include={"valid", "actionable", "specific", "valuable"})
    return {name: {"yes": yes, **proof} for name, yes in answers.items()}


def _data(kind: str, entry: Mapping[str, Any]) -> str:
    """One line that can be read back, whatever is in it: JSON in ASCII."""
    return f"{_ENTRY}{json.dumps({kind: entry})}"


def _line(words: str) -> str:
    """Words on one line, which therefore is no heading and no data."""
    return " ".join(words.split())


def _as_data(asking: Asking) -> Json:
    """Read a report of ours back into the fields that the schema has."""
    entries = [json.loads(line.removeprefix(_ENTRY)) for line in asking.report.split("\n") if line.startswith(_ENTRY)]
    schema = asking.schema or {}
    answer: Json = {"what_changed": "", "strengths": [], "suggestions": []}
    for kind in ("findings", "earlier", "verdicts"):
        answer[kind] = [_fitting(entry[kind], schema, kind) for entry in entries if kind in entry]
    return {name: answer[name] for name in schema.get("properties", {}) if name in answer}


def _fitting(entry: Json, schema: Mapping[str, Any], kind: str) -> Json:
    """Leave those fields that the schema of the list's entries has."""
    items = schema.get("properties", {}).get(kind, {}).get("items", {})
    if "$ref" in items:
        items = schema.get("$defs", {}).get(items["$ref"].rpartition("/")[2], {})
    return {name: value for name, value in entry.items() if name in items.get("properties", entry)}
