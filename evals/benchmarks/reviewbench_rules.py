"""ReviewBench's rules of scoring.

Source: https://github.com/review-bench/ReviewBench, docs/METHODOLOGY.md, sections 6.2 (matching) and 7 (scoring).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from pathlib import Path

from evals.benchmarks.reviewbench import Candidate, Golden, IgnoringExtra, Label, read
from evals.judge import Judge
from evals.matching import distance
from evals.result import PostedFinding

Stratum = tuple[str, str]
"""("overall", ""), ("severity", "high"), ("category", "security")."""

OVERALL: Stratum = ("overall", "")
_UNCLASSIFIED = "unclassified"


@dataclass(frozen=True)
class Decision:
    """A judge's decision on a candidate.

    `covers` are all golden findings that it matches, by index; `claims` is the one that it counts for, None if none is
    left. Then `label`, `severity` and `category` are the judge's own.
    """

    covers: tuple[int, ...]
    claims: int | None
    label: Label = "fp"
    severity: str = _UNCLASSIFIED
    category: str = _UNCLASSIFIED


@dataclass(frozen=True)
class Tally:
    """The counts of section 7: of candidates that were matched, of the others, and of golden true positives."""

    matched: int = 0
    matched_tp: int = 0
    unmatched_tp: int = 0
    unmatched_fp: int = 0
    golden_tp: int = 0
    covered_tp: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(*(one + two for one, two in zip(astuple(self), astuple(other), strict=True)))

    @property
    def candidates(self) -> int:
        """All findings that were scored."""
        return self.matched + self.unmatched_tp + self.unmatched_fp

    @property
    def measures(self) -> dict[str, float | None]:
        """The four measures and the yield of new ones; None where there is nothing to divide by."""
        return {
            "grounded_precision": _share(self.matched_tp, self.matched),
            "grounded_recall": _share(self.covered_tp, self.golden_tp),
            "augmented_precision": _share(self.matched_tp + self.unmatched_tp, self.candidates),
            "augmented_recall": _share(self.covered_tp + self.unmatched_tp, self.golden_tp + self.unmatched_tp),
            "novel_tp_yield": _share(self.unmatched_tp, self.candidates),
        }


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


@dataclass(frozen=True)
class Score:
    """The tallies of one pull request, by stratum."""

    key: str
    tallies: Mapping[Stratum, Tally] = field(default_factory=dict)


def decide(golden: Sequence[Golden], candidates: Sequence[Candidate], judge: Judge) -> list[Decision]:
    """Match candidates, in order, with golden findings of the same file that mean the same; raises JudgeFailed.

    A candidate claims the first of the golden findings that it covers and that no other has claimed. One without a
    claim is unmatched and counts as false: the benchmark's own judge checks those in the repository, ours cannot.
    """
    claimed: set[int] = set()
    decisions = []
    for candidate in candidates:
        finding = as_posted(candidate)
        there = (candidate.start_line, max(candidate.start_line, candidate.end_line))
        covers = tuple(
            at
            for at, one in enumerate(golden)
            if one.file == candidate.file
            and judge.same(one.message, finding, distance((one.start_line, max(one.start_line, one.end_line)), there))
        )
        claims = next((at for at in covers if at not in claimed), None)
        claimed |= {claims} if claims is not None else set()
        decisions.append(Decision(covers, claims))
    return decisions


def as_posted(candidate: Candidate) -> PostedFinding:
    """A candidate as a posted finding; it has one message for both title and explanation."""
    title = candidate.message.split(". ", 1)[0]
    return PostedFinding(
        id="",
        severity="MEDIUM",
        category="correctness",
        kind="impact",
        path=candidate.file,
        start_line=candidate.start_line,
        end_line=candidate.end_line,
        title=title,
        explanation=candidate.message,
    )


def score(key: str, golden: Sequence[Golden], decisions: Sequence[Decision]) -> Score:
    """Count one pull request, as a whole and by severity and category: of the golden finding, else of the judge."""
    covered = {at for decision in decisions for at in decision.covers}
    tallies: dict[Stratum, Tally] = {OVERALL: Tally()}

    def count(severity: str, category: str, tally: Tally) -> None:
        for stratum in (OVERALL, ("severity", severity), ("category", category)):
            tallies[stratum] = tallies.get(stratum, Tally()) + tally

    for at, one in enumerate(golden):
        is_tp = one.tp_fp == "tp"
        count(one.severity, one.category, Tally(golden_tp=is_tp, covered_tp=is_tp and at in covered))
    for decision in decisions:
        if decision.claims is not None:
            one = golden[decision.claims]
            count(one.severity, one.category, Tally(matched=1, matched_tp=one.tp_fp == "tp"))
        else:
            is_tp = decision.label == "tp"
            count(decision.severity, decision.category, Tally(unmatched_tp=is_tp, unmatched_fp=not is_tp))
    return Score(key, tallies)


def micro(scores: Iterable[Score]) -> dict[Stratum, dict[str, float | None]]:
    """Add the counts up before dividing."""
    sums: dict[Stratum, Tally] = {}
    for one in scores:
        for stratum, tally in one.tallies.items():
            sums[stratum] = sums.get(stratum, Tally()) + tally
    return {stratum: tally.measures for stratum, tally in sums.items()}


def macro(scores: Iterable[Score]) -> dict[Stratum, dict[str, float | None]]:
    """Take the mean over those pull requests that have a value for a measure."""
    each: dict[Stratum, list[dict[str, float | None]]] = {}
    for one in scores:
        for stratum, tally in one.tallies.items():
            each.setdefault(stratum, []).append(tally.measures)
    return {
        stratum: {name: _mean(one[name] for one in all_of) for name in all_of[0]} for stratum, all_of in each.items()
    }


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


class _Detail(IgnoringExtra):
    matched_golden_index: int | None = None
    covered_golden_indices: tuple[int, ...] = ()
    classifier_tp_fp: Label = "fp"
    classifier_severity: str = _UNCLASSIFIED
    classifier_category: str = _UNCLASSIFIED

    @property
    def covers(self) -> tuple[int, ...]:
        """All golden findings that it matches; older files name only the one that it counts for."""
        one = () if self.matched_golden_index is None else (self.matched_golden_index,)
        return self.covered_golden_indices or one


class _Details(IgnoringExtra):
    pr_key: str
    candidate_findings: tuple[_Detail, ...]


def details(file: Path) -> Iterator[tuple[str, list[Decision]]]:
    """Read the decisions of the benchmark's own judge, by pull request. Raises NotReviewBench."""
    for one in read(file, list[_Details]):
        yield (
            one.pr_key,
            [
                Decision(
                    covers=detail.covers,
                    claims=detail.matched_golden_index,
                    label=detail.classifier_tp_fp,
                    severity=detail.classifier_severity,
                    category=detail.classifier_category,
                )
                for detail in one.candidate_findings
            ],
        )
