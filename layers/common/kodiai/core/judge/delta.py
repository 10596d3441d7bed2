"""The findings of a review against those of the last one, and the verdict on them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from kodiai.core.changes.snapshot import Coverage
from kodiai.core.findings.finding import Finding, rank
from kodiai.core.github.ci import NO_CI, CiResults
from kodiai.core.judge.judgement import KeptFinding
from kodiai.core.plan.update import FindingUpdate

ReviewVerdict = Literal[
    "address-before-merging",
    "not-fully-reviewed",
    "nothing-to-read",
    "nothing-blocking",
    "minor-items",
    "ready",
    "no-verdict",
    "ci-red",
]
"""The verdict on the findings; there is none if only checks ran and no model read the change.

Where something changed that nobody can read, such as a binary file, the best one is that nothing blocks in the rest.
"""

LETS_MERGE: frozenset[ReviewVerdict] = frozenset({"nothing-blocking", "minor-items", "ready"})
"""The verdicts that do not stand over a required check that failed."""

WHOLE = Coverage(read=1, unread=0)
"""Something was read, and nothing is left to read."""

Update = Literal[
    "new-blockers",
    "blockers-still-open",
    "not-fully-reviewed",
    "nothing-to-read",
    "nothing-blocking",
    "blockers-resolved",
    "fully-reviewed",
    "still-ready",
    "no-verdict",
    "ci-red",
]


@dataclass(frozen=True)
class Delta:
    """The findings of a run, each in one of four lists, the most severe first.

    `dismissed` are those that people decided about since the last review.
    `verdict_before` is the verdict after the last review. `coverage` is how much of the pull request was read so far,
    `coverage_before` how much of it had been read after the last review.
    `offline` is True if only checks ran, and no model read it. `ci` is what other Apps say of the head.
    """

    new: tuple[KeptFinding, ...]
    resolved: tuple[FindingUpdate, ...]
    still_open: tuple[FindingUpdate, ...]
    dismissed: tuple[FindingUpdate, ...]
    verdict_before: ReviewVerdict
    coverage: Coverage
    coverage_before: Coverage
    offline: bool
    ci: CiResults = NO_CI

    @cached_property
    def open_findings(self) -> tuple[Finding, ...]:
        """All open findings, new and earlier ones."""
        new = [kept.finding for kept in self.new]
        return tuple(sorted([*new, *(followed.finding for followed in self.still_open)], key=rank))

    @cached_property
    def findings_verdict(self) -> ReviewVerdict:
        """The verdict on everything that is open, as far as the pull request was read, whatever other Apps say."""
        return verdict(self.open_findings, self.coverage, offline=self.offline)

    @property
    def verdict(self) -> ReviewVerdict:
        """The same, unless it would let the pull request be merged over a required check that failed."""
        found = self.findings_verdict
        return "ci-red" if found in LETS_MERGE and self.ci.failed_required else found

    @property
    def new_blockers(self) -> int:
        """The number of findings that block now and did not before: new ones, and those that became more severe."""
        return sum(kept.finding.blocks for kept in self.new) + self.earlier_blockers - self.unchanged_blockers

    @property
    def raised(self) -> int:
        """The number of earlier findings that became more severe."""
        return sum(each.transition == "raised" for each in self.still_open)

    @property
    def earlier_blockers(self) -> int:
        """The number of earlier findings that block now."""
        return sum(each.finding.blocks for each in self.still_open)

    @property
    def unchanged_blockers(self) -> int:
        """The number of earlier findings that block as they did before."""
        return sum(each.finding.blocks and each.before.finding.blocks for each in self.still_open)

    @property
    def update(self) -> Update:
        """The movement of the verdict, over everything that is still open."""
        if self.verdict == "no-verdict":
            return self.verdict
        if self.new_blockers:
            return "new-blockers"
        if self.earlier_blockers:
            return "blockers-still-open"
        if self.verdict in ("not-fully-reviewed", "nothing-to-read", "nothing-blocking", "ci-red"):
            return self.verdict
        if self.verdict_before == "address-before-merging":
            return "blockers-resolved"
        return "still-ready" if self.coverage_before.is_whole else "fully-reviewed"

    @property
    def counts(self) -> dict[str, int]:
        """The number of findings in each list."""
        return {
            "new": len(self.new),
            "resolved": len(self.resolved),
            "still_open": len(self.still_open),
            "settled": len(self.dismissed),
        }

    @property
    def is_news(self) -> bool:
        """Whether there is news: a finding that is new or resolved, or another verdict on the findings.

        If nothing is open, the verdict counts as another one only if the coverage became whole, or ceased to be, and if
        something could be read for the first time.
        """
        now, before = self.coverage, self.coverage_before
        is_other = now.is_whole != before.is_whole or (not now.unread and bool(now.read) != bool(before.read))
        return bool(
            self.new or self.resolved or is_other or (self.still_open and self.findings_verdict != self.verdict_before)
        )


def delta(
    new: Sequence[KeptFinding],
    followed: Sequence[FindingUpdate],
    coverage: Coverage = WHOLE,
    coverage_before: Coverage | None = None,
    *,
    offline: bool = False,
    ci: CiResults = NO_CI,
) -> Delta:
    """Sort new and earlier findings into their lists; without `coverage_before` it is taken to be `coverage`."""
    coverage_before = coverage_before or coverage
    ranked = sorted(followed, key=lambda each: rank(each.finding))
    return Delta(
        new=tuple(new),
        resolved=tuple(each for each in ranked if each.transition == "resolved"),
        still_open=tuple(each for each in ranked if each.is_open),
        dismissed=tuple(each for each in ranked if each.transition == "dismissed"),
        verdict_before=verdict(
            (each.before.finding for each in ranked if each.before.status == "open"), coverage_before, offline=offline
        ),
        coverage=coverage,
        coverage_before=coverage_before,
        offline=offline,
        ci=ci,
    )


def verdict(findings: Iterable[Finding], coverage: Coverage = WHOLE, *, offline: bool = False) -> ReviewVerdict:
    """Sum up: a blocking finding has to be addressed, others are minor; without any it is ready if read whole."""
    if offline:
        return "no-verdict"
    found = list(findings)
    if any(finding.blocks for finding in found):
        return "address-before-merging"
    if coverage.unread or coverage.hidden:
        return "not-fully-reviewed"
    if not coverage.is_whole:
        return "nothing-blocking" if coverage.read else "nothing-to-read"
    return "minor-items" if found else "ready"
