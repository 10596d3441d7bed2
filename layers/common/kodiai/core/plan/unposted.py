"""An unposted review: what a run read and decided about a head that moved on before anything was posted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kodiai.core.changes.snapshot import Snapshot
from kodiai.core.findings.known import Evidence
from kodiai.core.findings.report import EarlierAnswer, Summary
from kodiai.core.plan.candidate import JudgeDecision
from kodiai.core.plan.reviewers import Reviewer
from kodiai.core.plan.update import FindingUpdate


@dataclass(frozen=True)
class UnpostedAnswer:
    """A model's answer about a finding of an earlier review, and its result.

    `evidence` is the code that resolves the finding, None if it was not resolved.
    """

    said: EarlierAnswer
    update: FindingUpdate
    evidence: Evidence | None


@dataclass(frozen=True)
class UnpostedReview:
    """The review that the next run continues, so that nothing is paid for twice.

    `after_run` is the run that had completed before, None if none had: another one since makes this worthless.
    `snapshot` is what was read up to `head`, `decisions` are those about everything that was reported.
    `answers` are about findings of earlier reviews. `reports` sum up; `reviewers` read it.
    """

    head: str
    after_run: str | None
    snapshot: Snapshot
    decisions: tuple[JudgeDecision, ...] = ()
    answers: tuple[UnpostedAnswer, ...] = ()
    reports: tuple[Summary, ...] = ()
    reviewers: tuple[Reviewer, ...] = ()

    def continues(self, completed_run: str | None, config: str) -> bool:
        """Whether a run after this completed one, with settings of this key, may go on from it."""
        return (self.after_run, self.snapshot.config) == (completed_run, config)


def unposted_answers(said: Mapping[str, EarlierAnswer], updates: Sequence[FindingUpdate]) -> tuple[UnpostedAnswer, ...]:
    """The answers about earlier findings, by finding id, with what came of them."""
    return tuple(
        UnpostedAnswer(said[each.id], each, each.known.evidence if each.transition == "resolved" else None)
        for each in updates
        if each.id in said
    )
