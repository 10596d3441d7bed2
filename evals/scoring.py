"""Scoring: what a run told, held against what had to be told, as the public benchmarks do it.

A finding and an expected problem are candidates where they stand in the same file and near in lines; a judge says
whether they mean the same; then each finding tells at most one problem, and each problem is told at most once.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Literal

from evals.case import Case
from evals.judge import Judge
from evals.matching import NEAR_LINES, distance, match
from evals.result import CaseResult, PushResult, RunResult, Told
from evals.sheet import Expected, Forbidden, Place

FalseKind = Literal["wrong", "forbidden", "duplicate", "repeated"]
"""Why a finding is a false positive.

`forbidden`: the case says that this would be wrong. `duplicate`: the same push told the problem already.
`repeated`: an earlier push did.
"""
_RESOLVED = "resolved"
_STATUS = {"open": "still_open", "fixed": _RESOLVED}
_JUDGES = 8


@dataclass(frozen=True)
class Hit:
    """An expected problem that was told. `late` is how many pushes after the one that brings it."""

    expected: Expected
    told: Told
    push: int
    late: int


@dataclass(frozen=True)
class Miss:
    """An expected problem that was not told; `push` is the one that brings it, from 0."""

    expected: Expected
    push: int


@dataclass(frozen=True)
class FalsePositive:
    """A finding that tells nothing that had to be told."""

    told: Told
    push: int
    kind: FalseKind
    mechanism: str | None = None


@dataclass(frozen=True)
class StatusCheck:
    """What a later push had to say of a problem that was told, and what it said."""

    id: str
    push: int
    wanted: str
    got: str

    @property
    def is_right(self) -> bool:
        """Whether it said so."""
        return self.got == self.wanted


@dataclass(frozen=True)
class Scored:
    """One pull request, scored; `accepted` are findings that are right, and that nobody has to make."""

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
    """Which findings of a pull request may tell which problems, by the judge's word."""

    case: Case
    judge: Judge
    problems: Sequence[_Problem]
    told: Sequence[tuple[int, Told]]
    wishes: dict[int, list[_Problem]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for at, (push, told) in enumerate(self.told):
            near = [(gap, one) for one in self.problems if (gap := self._gap(one, push, told)) is not None]
            near.sort(key=lambda pair: (not pair[1].required, pair[0]))
            self.wishes[at] = [one for apart, one in near if self.judge.same(one.expected.mechanism, told, apart)]

    def _gap(self, problem: _Problem, push: int, told: Told) -> int | None:
        """How far a finding is from a problem that is there after this push, None where it is too far."""
        if push < problem.push or self._is_resolved(problem, push):
            return None
        places = (problem.expected, *problem.expected.also)
        gaps = [gap(self.case, place, problem.push, push, told) for place in places]
        return min((one for one in gaps if one is not None), default=None)

    def _is_resolved(self, problem: _Problem, push: int) -> bool:
        later = self.case.pushes[problem.push + 1 : push + 1]
        return any(one.statuses.get(problem.expected.id) == _RESOLVED for one in later)


def gap(case: Case, place: Place, push: int, to: int, told: Told) -> int | None:
    """How many lines a finding of a push is from a place of that push or an earlier one, None where it is not near.

    A place without a path is just near enough to everything, one without lines to the whole file.
    """
    if place.path is None:
        return NEAR_LINES
    path, lines = case.later(place.path, place.lines or (1, 1), push, to)
    if path != told.path:
        return None
    there = (told.start_line, max(told.start_line, told.end_line))
    between = distance(lines, there) if place.lines else NEAR_LINES
    return between if between <= NEAR_LINES else None


def score_run(cases: Sequence[Case], run: RunResult, judge: Judge) -> list[Scored]:
    """Score each pull request of a run; those of cases that are not given are left out. Raises JudgeFailed."""
    known = {case.slug: case for case in cases}
    results = [result for result in run.results if result.case in known]
    with ThreadPoolExecutor(_JUDGES) as pool:
        return list(pool.map(lambda result: score(known[result.case], result, judge), results))


def score(case: Case, result: CaseResult, judge: Judge) -> Scored:
    """Score one pull request. Raises JudgeFailed."""
    problems = [_Problem(one, at) for at, push in enumerate(case.pushes) for one in push.expected]
    problems += [_Problem(one, at, required=False) for at, push in enumerate(case.pushes) for one in push.accepted]
    told = [(at, one) for at, push in enumerate(result.pushes) for one in push.told]
    pairs = _Pairs(case, judge, problems, told)
    matched = match(pairs.wishes)
    paired = [
        (problem.required, Hit(problem.expected, told[at][1], told[at][0], told[at][0] - problem.push))
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
            _false(pairs, at, {hit.expected.id: hit for _, hit in paired}) for at in pairs.wishes if at not in matched
        ),
        statuses=tuple(_statuses(case, result.pushes, hits)),
    )


def _false(pairs: _Pairs, at: int, hits: dict[str, Hit]) -> FalsePositive:
    """Say of a finding that tells nothing why it is one too many."""
    push, told = pairs.told[at]
    for problem in pairs.wishes[at]:
        hit = hits.get(problem.expected.id)
        if hit is not None:
            kind: FalseKind = "repeated" if hit.push < push else "duplicate"
            return FalsePositive(told, push, kind, problem.expected.mechanism)
    forbidden = next((one for one in _forbidden(pairs, push, told)), None)
    if forbidden is not None:
        return FalsePositive(told, push, "forbidden", forbidden.mechanism)
    return FalsePositive(told, push, "wrong")


def _forbidden(pairs: _Pairs, push: int, told: Told) -> Iterator[Forbidden]:
    for at, before in enumerate(pairs.case.pushes[: push + 1]):
        for one in before.forbidden:
            apart = gap(pairs.case, one, at, push, told)
            if apart is not None and pairs.judge.same(one.mechanism, told, apart):
                yield one


def _statuses(case: Case, pushes: Sequence[PushResult], hits: Sequence[Hit]) -> Iterator[StatusCheck]:
    """Check what later pushes say of problems that had been told by then."""
    for at, push in enumerate(case.pushes):
        for hit in hits:
            wanted = push.statuses.get(hit.expected.id)
            if wanted is not None and hit.push < at:
                standing = pushes[at].standing.get(hit.told.id, "gone") if at < len(pushes) else "not reviewed"
                yield StatusCheck(hit.expected.id, at, wanted, _STATUS.get(standing, standing))
