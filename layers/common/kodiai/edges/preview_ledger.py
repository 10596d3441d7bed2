"""The ledger as a preview sees it: no review of the pull request came before, and none that comes notices it."""

from kodiai.core.findings.known import KnownFinding
from kodiai.core.outcome import Outcome
from kodiai.core.plan.unposted import UnpostedReview
from kodiai.core.review.run import PendingReview, Run
from kodiai.edges.ledger import DynamoLedger


class PreviewLedger(DynamoLedger):
    """Has a state of its own, with a lease of its own; answers that are paid for, and what was spent, are shared."""

    _STATE = "PREVIEW"
    _KEPT_AS = "preview"

    def under_way(self) -> Run | None:
        """Read the run that is under way, None if there is none."""
        state = self._get(self._STATE)
        return self.run(state["running"]) if "running" in state else None

    def findings(self) -> tuple[KnownFinding, ...]:
        """There are none: nothing was reported before."""
        return ()

    def keep_unposted(self, owner: str, run_id: str, unposted: UnpostedReview) -> None:
        """Store nothing: each preview starts over, with the answers that there are."""

    def keep(self, owner: str, run: Run, staged: PendingReview) -> None:
        """Complete a run, and note that its preview is done, so that no redelivery makes another one."""
        done = Outcome("completed", "the review is kept", {"run": run.id})
        self._transact([*self._keeping(owner, run, staged), self._preview(run.delivery, done)])
