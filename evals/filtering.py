"""What the engine made of recorded reports: which of the findings, by their labels, it let through."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from evals.metrics import Counts
from evals.scoring import Scored
from evals.sheet import Fate


@dataclass(frozen=True)
class FateRow:
    """How many recorded findings were meant to end in this way, and how many of them were told."""

    fate: Fate
    said: int
    told: int


def fates(scored: Iterable[Scored]) -> list[FateRow]:
    """Count the recorded findings of all pull requests by what they were meant to come to."""
    said: Counter[Fate] = Counter()
    told: Counter[Fate] = Counter()
    for one in scored:
        for push in one.result.pushes:
            said.update(finding.fate for finding in push.said)
            told.update(finding.fate for finding in push.said if finding.told)
    return [FateRow(fate, number, told[fate]) for fate, number in said.most_common()]


def unfiltered(scored: Iterable[Scored]) -> Counts:
    """What the recorded reports would have come to if everything in them had been told, by their labels."""
    sums = Counts()
    for one in scored:
        findings = [finding for push in one.result.pushes for finding in push.said]
        found = {finding.expects for finding in findings if finding.label and finding.expects is not None}
        honest = sum(finding.label and finding.expects is None for finding in findings)
        clean = one.case.sheet.clean
        sums += Counts(
            pull_requests=1,
            told=len(findings),
            true=len(found),
            false=len(findings) - len(found) - honest,
            missed=len(one.hits) + len(one.misses) - len(found),
            clean=clean,
            silent=clean and not findings,
        )
    return sums
