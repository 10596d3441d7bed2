"""Scoring: compares the posted findings with the expected problems, as the public benchmarks do.

A finding and an expected problem are candidates for a match if they are in the same file and near in lines, and a
judge says that they mean the same. Each finding then matches at most one problem, and each problem one finding.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Literal

from evals.case import Case
from evals.case_files import Expected, Forbidden, Place
from evals.judge import Judge
from evals.matching import NEAR_LINES, distance, match
from evals.result import CaseResult, PostedFinding, PushResult, RunResult

FalseKind = Literal["wrong", "forbidden", "duplicate", "repeated"]
"""Why a finding is a false positive.

`forbidden`: the case says that this would be wrong. `duplicate`: another finding of the push matches the problem.
`repeated`: a finding of an earlier push does. `wrong`: all others.
"""
_RESOLVED = "resolved"
_STATUS = {"open": "still_open", "fixed": _RESOLVED}
_JUDGES = 8


@dataclass(frozen=True)
class Hit:
    """An expected problem and its finding. `late` is how many pushes after the problem's own push it was posted."""

    expected: Expected
    finding: PostedFinding
    push: int
    late: int


@dataclass(frozen=True)
class Miss:
    """An expected problem without a finding; `push` is the one that adds it, from 0."""

    expected: Expected
    push: int


@dataclass(frozen=True)
class FalsePositive:
    """A finding that matches no expected or accepted problem of its own."""

    finding: PostedFinding
    push: int
    kind: FalseKind
    mechanism: str | None = None


@dataclass(frozen=True)
class StatusCheck:
    """The status that a posted finding should have after a later push, and the one that it has."""

    id: str
    push: int
    wanted: str
    got: str

    @property
    def is_right(self) -> bool:
        """Whether the status is the wanted one."""
        return self.got == self.wanted


@dataclass(frozen=True)
class Scored:
    """One pull request, scored; `accepted` are findings that are right but not expected."""

    case: Case
    result: CaseResult
    hits: tuple[Hit, ...] = ()
    misses: tuple[Miss, ...] = ()
    accepted: tuple[Hit, ...] = ()
    false: tuple[FalsePositive, ...] = ()
    statuses: tuple[StatusCheck, ...] = ()


@dataclass(frozen=True)
class _Problem:
    expected: Expected
    push: int
    required: bool = True


@dataclass
class _Pairs:
    """The problems that each finding of a pull request could match, according to the judge."""

    case: Case
    judge: Judge
    problems: Sequence[_Problem]
    findings: Sequence[tuple[int, PostedFinding]]
    options: dict[int, list[_Problem]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for at, (push, finding) in enumerate(self.findings):
            near = [(apart, one) for one in self.problems if (apart := self._gap(one, push, finding)) is not None]
            near.sort(key=lambda pair: (not pair[1].required, pair[0]))
            self.options[at] = [one for apart, one in near if self.judge.same(one.expected.mechanism, finding, apart)]

    def _gap(self, problem: _Problem, push: int, finding: PostedFinding) -> int | None:
        """Return the distance in lines of a finding from a problem that exists after this push, None if too far."""
        if push < problem.push or self._is_resolved(problem, push):
            return None
        places = (problem.expected, *problem.expected.also)
        gaps = [gap(self.case, place, problem.push, push, finding) for place in places]
        return min((one for one in gaps if one is not None), default=None)

    def _is_resolved(self, problem: _Problem, push: int) -> bool:
        later = self.case.pushes[problem.push + 1 : push + 1]
        return any(one.statuses.get(problem.expected.id) == _RESOLVED for one in later)


def gap(case: Case, place: Place, push: int, to: int, finding: PostedFinding) -> int | None:
    """Return the distance in lines of a finding of push `to` from a place of push `push`, None if it is not near.

    A place without a path is just near enough to everything; one without lines is near to its whole file.
    """
    if place.path is None:
        return NEAR_LINES
    path, lines = case.locate(place.path, place.lines or (1, 1), push, to)
    if path != finding.path:
        return None
    there = (finding.start_line, max(finding.start_line, finding.end_line))
    between = distance(lines, there) if place.lines else NEAR_LINES
    return between if between <= NEAR_LINES else None


def score_run(cases: Sequence[Case], run: RunResult, judge: Judge) -> list[Scored]:
    """Score each pull request of a run; results of other cases are left out. Raises JudgeFailed."""
    known = {case.slug: case for case in cases}
    results = [result for result in run.results if result.case in known]
    with ThreadPoolExecutor(_JUDGES) as pool:
        return list(pool.map(lambda result: score(known[result.case], result, judge), results))


def score(case: Case, result: CaseResult, judge: Judge) -> Scored:
    """Score one pull request. Raises JudgeFailed."""
    problems = [_Problem(one, at) for at, push in enumerate(case.pushes) for one in push.expected]
    problems += [_Problem(one, at, required=False) for at, push in enumerate(case.pushes) for one in push.accepted]
    findings = [(at, one) for at, push in enumerate(result.pushes) for one in push.posted]
    pairs = _Pairs(case, judge, problems, findings)
    matched = match(pairs.options)
    paired = [
        (problem.required, Hit(problem.expected, findings[at][1], findings[at][0], findings[at][0] - problem.push))
        for at, problem in sorted(matched.items(), key=lambda pair: pair[0])
    ]
    hits = tuple(hit for required, hit in paired if required)
    found = {hit.expected.id for hit in hits}
    return Scored(
        case=case,
        result=result,
        hits=hits,
        misses=tuple(Miss(one.expected, one.push) for one in problems if one.required and one.expected.id not in found),
        accepted=tuple(hit for required, hit in paired if not required),
        false=tuple(
            _false(pairs, at, {hit.expected.id: hit for _, hit in paired}) for at in pairs.options if at not in matched
        ),
        statuses=tuple(_statuses(case, result.pushes, hits)),
    )


def _false(pairs: _Pairs, at: int, hits: dict[str, Hit]) -> FalsePositive:
    """Give the reason why a finding without a match is a false positive."""
    push, finding = pairs.findings[at]
    for problem in pairs.options[at]:
        hit = hits.get(problem.expected.id)
        if hit is not None:
            kind: FalseKind = "repeated" if hit.push < push else "duplicate"
            return FalsePositive(finding, push, kind, problem.expected.mechanism)
    forbidden = next((one for one in _forbidden(pairs, push, finding)), None)
    if forbidden is not None:
        return FalsePositive(finding, push, "forbidden", forbidden.mechanism)
    return FalsePositive(finding, push, "wrong")


def _forbidden(pairs: _Pairs, push: int, finding: PostedFinding) -> Iterator[Forbidden]:
    for at, before in enumerate(pairs.case.pushes[: push + 1]):
        for one in before.forbidden:
            lines_apart = gap(pairs.case, one, at, push, finding)
            if lines_apart is not None and pairs.judge.same(one.mechanism, finding, lines_apart):
                yield one


def _statuses(case: Case, pushes: Sequence[PushResult], hits: Sequence[Hit]) -> Iterator[StatusCheck]:
    """Check the statuses that later pushes give to findings that were already posted."""
    for at, push in enumerate(case.pushes):
        for hit in hits:
            wanted = push.statuses.get(hit.expected.id)
            if wanted is not None and hit.push < at:
                status = pushes[at].statuses.get(hit.finding.id, "gone") if at < len(pushes) else "not reviewed"
                yield StatusCheck(hit.expected.id, at, wanted, _STATUS.get(status, status))
