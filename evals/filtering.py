"""Compares the reported findings of recordings with the posted ones, by their labels."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from evals.case_files import Fate
from evals.metrics import Counts
from evals.scoring import Scored


@dataclass(frozen=True)
class FateRow:
    """The number of recorded findings with this intended fate, and the number of them that were posted."""

    fate: Fate
    reported: int
    posted: int


def fates(scored: Iterable[Scored]) -> list[FateRow]:
    """Count the recorded findings of all pull requests by the fate that they were meant to have."""
    reported: Counter[Fate] = Counter()
    posted: Counter[Fate] = Counter()
    for one in scored:
        for push in one.result.pushes:
            reported.update(finding.fate for finding in push.reported)
            posted.update(finding.fate for finding in push.reported if finding.posted)
    return [FateRow(fate, number, posted[fate]) for fate, number in reported.most_common()]


def unfiltered(scored: Iterable[Scored]) -> Counts:
    """The counts if every recorded finding had been posted, by the findings' labels."""
    sums = Counts()
    for one in scored:
        findings = [finding for push in one.result.pushes for finding in push.reported]
        found = {finding.expects for finding in findings if finding.label and finding.expects is not None}
        honest = sum(finding.label and finding.expects is None for finding in findings)
        clean = one.case.definition.clean
        sums += Counts(
            pull_requests=1,
            posted=len(findings),
            true=len(found),
            false=len(findings) - len(found) - honest,
            missed=len(one.hits) + len(one.misses) - len(found),
            clean=clean,
            silent=clean and not findings,
        )
    return sums
