"""What goes into a review: the pull request as it is now, and what was seen and said of it before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.scope import Mode
from kodiai.core.changes.snapshot import Coverage, Difference, Snapshot
from kodiai.core.config import Config
from kodiai.core.conversation.comment import Thread
from kodiai.core.conversation.stance import ThreadReader
from kodiai.core.events.job import Trigger
from kodiai.core.findings.known import KnownFinding
from kodiai.core.pull_request import PullRequest, PullRequestSnapshot


@dataclass(frozen=True)
class ReviewInput:
    """The pull request with its files, as they are now and as the last completed run saw them.

    `known` are the findings of earlier reviews, `threads` their review threads by finding id, which `reader` reads.
    `restored` are the ids of the findings that the ledger does not have.
    `difference` is None where there is nothing to compare with. `began` is before any of it was read, in seconds
    since the epoch. `problems` say what could not be read or followed.
    """

    trigger: Trigger
    on_github: PullRequestSnapshot
    config: Config
    files: Sequence[ChangedFile]
    snapshot: Snapshot
    previous_head: str | None
    previous_snapshot: Snapshot | None
    difference: Difference | None
    known: Sequence[KnownFinding]
    threads: Mapping[str, Thread]
    reader: ThreadReader
    problems: Sequence[str]
    began: float = 0.0
    restored: frozenset[str] = frozenset()

    @property
    def pull_request(self) -> PullRequest:
        """The pull request as it is now."""
        return self.on_github.pull_request

    @property
    def mode_and_reason(self) -> tuple[Mode, str]:
        """How much is read, and why."""
        if self.trigger == "full_review":
            return "full", "requested"
        if self.previous_head is None:
            return "full", "no-prior-review"
        if self.previous_snapshot is None or self.difference is None:
            return "full", "snapshot-missing"
        if self.snapshot.config != self.previous_snapshot.config:
            return "full", "config-changed"
        is_unchanged = not self.difference.is_new and not self.snapshot.waits
        return "unchanged" if is_unchanged else "incremental", f"since-{self.previous_head[:7]}"

    @property
    def is_unchanged(self) -> bool:
        """Whether every change was reviewed before."""
        return self.mode_and_reason[0] == "unchanged"

    @property
    def coverage_before(self) -> Coverage | None:
        """How much the last completed run left read and unread, None where that is not known."""
        return self.previous_snapshot.coverage if self.previous_snapshot else None

    def path_now(self, path: str) -> str:
        """Where a file of the last run stands now."""
        return self.difference.path_now(path) if self.difference else path

    def path_then(self, path: str) -> str:
        """Where a file of today stood at the last run."""
        renamed = self.difference.renamed if self.difference else {}
        return next((then for then, now in renamed.items() if now == path), path)

    def previous_hunks(self, path: str) -> tuple[str, ...]:
        """The keys of the hunks that the last run saw in a file of today, none where it saw none."""
        return self.previous_snapshot.hunks(self.path_then(path)) if self.previous_snapshot else ()

    def is_touched(self, known: KnownFinding) -> bool:
        """Whether the code that a finding is about is not what the last run saw."""
        return self.difference is not None and self.difference.touches(known.finding.path, known.hunk)

    def is_back(self, known: KnownFinding) -> bool:
        """Whether the change that a fixed finding was about is there again, and was not there at the last run."""
        if known.hunk is None or known.status != "fixed" or self.previous_snapshot is None:
            return False
        then = self.previous_snapshot.hunks(known.finding.path)
        now = self.snapshot.hunks(self.path_now(known.finding.path))
        return bool(then) and known.hunk in now and known.hunk not in then
