"""Kept candidates: what the judge has kept so far, of which each group is shown what may be the same as its own."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from kodiai.core.findings.finding import Finding
from kodiai.core.plan.candidate import Candidate, JudgeDecision

MOST_SHOWN = 40


class KeptCandidates:
    """The candidates of a review that are kept, in the order of the decisions about them."""

    def __init__(self) -> None:
        self._all: list[JudgeDecision] = []
        self._at: dict[str, list[int]] = defaultdict(list)

    def add(self, decisions: Iterable[JudgeDecision]) -> None:
        """Add those of these decisions that keep a candidate."""
        for decision in decisions:
            if decision.outcome == "kept":
                for path in _paths(decision.finding):
                    self._at[path].append(len(self._all))
                self._all.append(decision)

    def near(self, group: Iterable[Candidate]) -> tuple[Sequence[JudgeDecision], int]:
        """The kept candidates that a group is shown, at most 40 in their order, and how many others there are.

        Those come first that share a file with the group, their causes included, and then the latest.
        """
        total = len(self._all)
        if total <= MOST_SHOWN:
            return tuple(self._all), 0
        paths = {path for each in group for path in _paths(each.finding)}
        here = sorted({at for path in paths for at in self._at.get(path, ())[-MOST_SHOWN:]}, reverse=True)
        latest = range(total - 1, total - 1 - MOST_SHOWN, -1)
        shown = [*dict.fromkeys((*here, *latest))][:MOST_SHOWN]
        return tuple(self._all[at] for at in sorted(shown)), total - MOST_SHOWN


def _paths(finding: Finding) -> set[str]:
    return {finding.path, *([finding.cause.path] if finding.cause is not None else [])}
