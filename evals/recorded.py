"""Recorded answers: a model that says of each case what was written down for it, push by push."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from evals.asking import ALL, Asking, Course, Json, Where, understand
from evals.case import Case
from evals.sheet import RecordedFinding, RecordedPush
from local.model import MOST_PROBLEM_WORDS, Answer, Request, cut_text, cut_title, filled, shaped, text

NOTHING = "NOTHING TO REPORT"
_ENTRY = "Data: "
_NO_PROOF = {"path": "", "quote": "", "why": "Nothing was recorded of it."}
_FATES = {"kept": "keep", "below-floor": "keep"}
_FIELDS = (
    *("severity", "category", "kind", "path", "start_line", "end_line"),
    *("title", "explanation", "quote", "replacement", "cause", "pre_existing"),
)


class RecordedAnswers:
    """Answers the requests of reviewers, of the extraction and of the judge from the cases' recordings.

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
        if asking.kind == "judge":
            return filled(_judged(case, where, asking))
        return text(_report(case, where, asking)) if asking.kind == "find" else None

    def has(self, slug: str) -> bool:
        """Whether it is asked about this case."""
        return slug in self._cases

    def said(self, where: Where, reviewers: Iterable[str]) -> list[RecordedFinding]:
        """What those reviewers said of a push."""
        case = self._cases.get(where.case)
        recording = case.recording if case else None
        if recording is None or where.push >= len(recording.pushes):
            return []
        return [one for reviewer in reviewers for one in _findings(recording.pushes[where.push], reviewer)]


def _report(case: Case, where: Where, asking: Asking) -> str:
    """A report in prose, with each finding under a heading of its own, and in a line of data below it."""
    push = _push(case, where.push)
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


def _push(case: Case, at: int) -> RecordedPush:
    pushes = case.recording.pushes if case.recording else ()
    return pushes[at] if at < len(pushes) else RecordedPush()


def _findings(push: RecordedPush, part: str) -> Iterator[RecordedFinding]:
    for reviewer, findings in push.reports.items():
        if part in (ALL, reviewer):
            yield from findings


def _earlier(case: Case, push: RecordedPush, asked: Iterable[Json]) -> Iterator[Json]:
    """The answers about those findings that are asked back and that the recording knows, by title and by problem."""
    answers = {answer.id: answer for answer in push.earlier}
    for finding in asked:
        answer = answers.get(_problem(case, finding) or "")
        if answer is not None:
            yield {"finding": finding["finding"], **answer.model_dump(exclude={"id", "resolved"})}


def _problem(case: Case, shown: Json) -> str | None:
    """The expected problem that an earlier finding is about, by its title."""
    for push in case.recording.pushes if case.recording else ():
        for finding in _findings(push, ALL):
            if finding.expects is not None and shown.get("title") in finding.titles:
                return finding.expects
    return None


def _judged(case: Case, where: Where, asking: Asking) -> Json:
    """The rulings on those candidates that the recording has, and a resolution for all that is said to be resolved."""
    push = _push(case, where.push)
    kept: dict[str | None, int] = {}
    for one in (*asking.kept_already, *asking.candidates):
        finding = _recorded(push, one)
        if finding is not None and finding.is_kept:
            kept |= dict.fromkeys((*finding.titles, finding.expects), one["number"])
    found = [(one["number"], _recorded(push, one)) for one in asking.candidates]
    rulings = [ruling(number, finding, kept.get(finding.same_as)) for number, finding in found if finding is not None]
    return {"rulings": rulings, "resolutions": [_resolution(case, push, one) for one in asking.said_to_be_resolved]}


def _resolution(case: Case, push: RecordedPush, shown: Json) -> Json:
    problem = _problem(case, shown)
    answer = next((answer for answer in push.earlier if answer.id == problem), None)
    if answer is None:
        return {"finding": shown["finding"], "resolved": False, **_NO_PROOF}
    proof = answer.model_dump(include={"path", "quote", "why"})
    return {"finding": shown["finding"], "resolved": bool(answer.resolved), **proof}


def _recorded(push: RecordedPush, shown: Json) -> RecordedFinding | None:
    """The recorded finding that a row is about, by its path and title."""
    path, title = shown.get("path"), shown.get("title")
    return next((one for one in _findings(push, ALL) if one.path == path and title in one.titles), None)


def ruling(number: int, finding: RecordedFinding, same_as: int | None) -> Json:
    """Give the whole ruling on a candidate with that number, as the judge's schema asks for it.

    What is the same as another finding is kept where that one was not reported: `same_as` is None then.
    """
    said = finding.ruling
    fate = "kept" if finding.fate == "same-as" and same_as is None else finding.fate
    return {
        "number": number,
        "fate": _FATES.get(fate, fate),
        "same_as": same_as,
        "known": None,
        "different_from": None,
        "path": said.path or finding.path,
        "quote": said.quote or finding.quote.strip().split("\n")[0],
        "why": said.why,
        "severity": said.severity or finding.severity,
        "kind": said.kind or finding.kind,
        "pre_existing": finding.pre_existing,
        "title": said.title or cut_title(finding.title),
        "problem": said.problem or cut_text(finding.explanation, MOST_PROBLEM_WORDS),
        "fix": said.fix,
        "offer_replacement": finding.replacement is not None,
    }


def _data(kind: str, entry: Mapping[str, Any]) -> str:
    """One line that can be read back, whatever is in it: JSON in ASCII."""
    return f"{_ENTRY}{json.dumps({kind: entry})}"


def _line(words: str) -> str:
    """Words on one line, which therefore is no heading and no data."""
    return " ".join(words.split())


def _as_data(asking: Asking) -> Json:
    """Read a report of ours back into the fields that the schema has."""
    entries = [json.loads(line.removeprefix(_ENTRY)) for line in asking.report.split("\n") if line.startswith(_ENTRY)]
    found = {kind: [entry[kind] for entry in entries if kind in entry] for kind in ("findings", "earlier")}
    answer: Json = shaped({"what_changed": "", "strengths": [], "suggestions": [], **found}, asking.schema or {})
    return answer
