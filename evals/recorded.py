"""Recorded answers: a fake model that answers with each case's recording, push by push."""

from collections.abc import Iterable, Iterator
from typing import Any

from evals.case import Case
from evals.case_files import RecordedFinding, RecordedPush
from evals.progress import Position, Progress
from evals.tape import ALL
from local.model import Answer, ModelRequest, Request, a_report, a_ruling, reporting
from local.model import ruling as ruled

Json = dict[str, Any]
_NO_PROOF = {"path": "", "quote": "", "why": "Nothing was recorded of it."}
_FATES = {"kept": "keep", "below-floor": "keep"}
_FIELDS = (
    *("severity", "category", "kind", "path", "start_line", "end_line"),
    *("title", "explanation", "quote", "replacement", "cause", "pre_existing"),
)


class RecordedAnswers:
    """Answers the requests of readers and of the judge from the cases' recordings.

    The pull request's title identifies the case, and `progress` the push. A request of a pull request that is not in
    `progress`, or whose case has no recording, gets no answer.
    """

    def __init__(self, cases: Iterable[Case], progress: Progress) -> None:
        self._cases = {case.slug: case for case in cases}
        self._progress = progress

    def answer(self, request: Request) -> Answer | None:
        """Answer one request, depending on its kind."""
        asked = ModelRequest(request)
        position = self._progress.get(asked.title)
        case = self._cases.get(position.case) if position else None
        if position is None or case is None or case.recording is None:
            return None
        if asked.turns_taken:  # something was refused: it stays as it is
            return reporting()
        if asked.kind == "judge":
            return ruled(_judged(case, position, asked))
        return reporting(_report(case, position, asked)) if asked.kind == "find" else None

    def has(self, slug: str) -> bool:
        """Whether it answers for this case."""
        return slug in self._cases

    def findings(self, position: Position, reviewers: Iterable[str]) -> list[RecordedFinding]:
        """The recorded findings of those reviewers for a push."""
        case = self._cases.get(position.case)
        recording = case.recording if case else None
        if recording is None or position.push >= len(recording.pushes):
            return []
        return [one for reviewer in reviewers for one in _findings(recording.pushes[position.push], reviewer)]


def _report(case: Case, position: Position, asked: ModelRequest) -> Json:
    push = _push(case, position.push)
    findings = [finding.model_dump(include=set(_FIELDS)) for finding in _findings(push, asked.part or ALL)]
    earlier = list(_earlier(case, push, asked.earlier))
    return a_report("", findings, earlier)


def _push(case: Case, at: int) -> RecordedPush:
    pushes = case.recording.pushes if case.recording else ()
    return pushes[at] if at < len(pushes) else RecordedPush()


def _findings(push: RecordedPush, part: str) -> Iterator[RecordedFinding]:
    for reviewer, findings in push.reports.items():
        if part in (ALL, reviewer):
            yield from findings


def _earlier(case: Case, push: RecordedPush, shown: Iterable[Json]) -> Iterator[Json]:
    """The recorded verdicts on the findings that are to be rechecked."""
    answers = {answer.id: answer for answer in push.earlier}
    for finding in shown:
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


def _judged(case: Case, position: Position, asked: ModelRequest) -> Json:
    """The rulings on the recorded candidates, and a resolution for each finding that a reviewer calls resolved."""
    push = _push(case, position.push)
    if asked.let_go:
        return {"confirmations": [*_confirmations(push, asked)]}
    kept: dict[str | None, int] = {}
    for one in (*asked.kept_already, *asked.candidates):
        finding = _recorded(push, one)
        if finding is not None and finding.is_kept:
            kept |= dict.fromkeys((*finding.titles, finding.expects), one["number"])
    found = [(one["number"], _recorded(push, one)) for one in asked.candidates]
    rulings = [ruling(number, finding, kept.get(finding.same_as)) for number, finding in found if finding is not None]
    return {"rulings": rulings, "resolutions": [_resolution(case, push, one) for one in asked.claimed_resolutions]}


def _confirmations(push: RecordedPush, asked: ModelRequest) -> Iterator[Json]:
    """The second rulings: they agree, unless a person says that what the judge calls wrong is true."""
    shown = {one["number"]: _recorded(push, one) for one in asked.candidates}
    for row in asked.let_go:
        finding = shown[row["number"]]
        if finding is not None:
            agrees = finding.fate != "wrong" or not finding.label
            yield {"number": row["number"], "confirmed": agrees, "why": finding.ruling.why}


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

    A duplicate is kept if the other finding was not reported; `same_as` is then None.
    """
    fate = "kept" if finding.fate == "same-as" and same_as is None else finding.fate
    candidate = {**finding.model_dump(), "number": number, "mechanism": finding.explanation}
    own = {name: value for name, value in finding.ruling.model_dump().items() if value}
    pre_existing = finding.pre_existing
    return a_ruling(candidate, fate=_FATES.get(fate, fate), same_as=same_as, pre_existing=pre_existing, **own)
