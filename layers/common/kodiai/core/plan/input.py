"""The input of a review: the pull request as it is now, and what earlier runs and people said about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.patch import Hunk
from kodiai.core.changes.scope import Mode
from kodiai.core.changes.snapshot import NO_DIFFERENCE, Difference, Snapshot
from kodiai.core.changes.team_ruling import TeamRuling
from kodiai.core.config.keys import Config
from kodiai.core.conversation.stance import ThreadReader
from kodiai.core.events.job import Trigger
from kodiai.core.findings.identity import normalized_title, titles
from kodiai.core.findings.known import KnownFinding
from kodiai.core.github.comment import Thread
from kodiai.core.github.pull_request import PullRequest
from kodiai.core.plan.snapshot import PullRequestSnapshot
from kodiai.core.plan.unposted import UnpostedAnswer, UnpostedReview

AwaitsCi = Literal["approval", "ready"]
"""The part that a head gets once CI is green: our approval, or only the conclusion of its check run."""


@dataclass(frozen=True)
class ReviewInput:
    """The pull request with its files, as they are now and as the last completed run saw them.

    `known` are the findings of earlier reviews, `threads` their review threads by finding id; `listener` reads those.
    `restored` are the ids of the findings that the ledger has lost.
    `difference` is None if there is nothing to compare with. `unposted` is what a run read since that was not posted,
    None if there is none; `since` is what neither that nor the last completed run saw.
    `began` is before any of it was read, in seconds since the epoch. `problems` say what could not be read or followed.
    `awaits_ci` is what the last completed run withheld because a required check failed.
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
    unposted: UnpostedReview | None = None
    since: Difference = NO_DIFFERENCE
    awaits_ci: AwaitsCi | None = None

    @property
    def pull_request(self) -> PullRequest:
        """The pull request as it is now."""
        return self.on_github.pull_request

    @cached_property
    def by_path(self) -> Mapping[str, ChangedFile]:
        """The changed files by path."""
        return {file.path: file for file in self.files}

    @cached_property
    def mode_and_reason(self) -> tuple[Mode, str]:
        """The extent of the review, with the reason."""
        if self.trigger == "full_review":
            return "full", "requested"
        if self.unposted is not None and self.difference is None:
            return "incremental", f"since-{self.unposted.head[:7]}"
        if self.previous_head is None:
            return "full", "no-prior-review"
        if self.previous_snapshot is None or self.difference is None:
            return "full", "snapshot-missing"
        if self.is_given_later:
            return "unchanged", "ci-green"
        if self.trigger == "decided":
            return "unchanged", "decided"
        if self.snapshot.config != self.previous_snapshot.config:
            return "full", "config-changed"
        is_back = any(each.status == "fixed" and self.is_reported_by_code(each) for each in self.known)
        is_unchanged = not self.difference.is_new and not self.snapshot.waits and not is_back
        return "unchanged" if is_unchanged else "incremental", f"since-{self.previous_head[:7]}"

    @cached_property
    def new_files(self) -> Sequence[ChangedFile]:
        """The files with changes that no run has read: all in a full review."""
        if self.mode_and_reason[0] == "full":
            return self.files
        new = {*self.since.changed, *self.snapshot.left_out}
        return [file for file in self.files if file.path in new]

    @cached_property
    def earlier_rulings(self) -> Mapping[str, TeamRuling]:
        """The last rulings on the team's rules and the linked issues' criteria, posted or not, by their ids."""
        last = self.unposted.snapshot if self.unposted is not None else self.previous_snapshot
        return {each.rule: each for each in last.rulings} if last is not None else {}

    @property
    def last_read_head(self) -> str | None:
        """The head up to which the changes were read, whether that was posted or not; None if none was."""
        return self.unposted.head if self.unposted is not None else self.previous_head

    def stood_at(self, known: KnownFinding) -> str | None:
        """The last reviewed head that had the code of a finding; None if none is known."""
        return known.stood_at or self.previous_head

    @property
    def is_unchanged(self) -> bool:
        """Whether every change was reviewed before."""
        return self.mode_and_reason[0] == "unchanged"

    @property
    def is_given_later(self) -> bool:
        """Whether all that is new of the reviewed head is that CI is green: what was withheld is given unread."""
        is_same = self.previous_head == self.pull_request.head and self.trigger != "edited"
        return is_same and self.awaits_ci is not None and self.on_github.ci.is_green

    @property
    def unposted_answers(self) -> Sequence[UnpostedAnswer]:
        """The answers about earlier findings that were not posted."""
        return self.unposted.answers if self.unposted else ()

    def is_reported_by_code(self, known: KnownFinding) -> bool:
        """Whether code alone finds it in its file as it is now."""
        file = self.by_path.get(self.path_now(known.finding.path))
        now = {normalized_title(alarm.title) for alarm in file.alarms} if file else set()
        return not now.isdisjoint(titles(known.finding))

    def path_now(self, path: str) -> str:
        """The path that a file of the last run has now."""
        return self.difference.path_now(path) if self.difference else path

    def path_then(self, path: str) -> str:
        """The path that a file of today had at the last run."""
        return self.difference.path_then(path) if self.difference else path

    def is_as_before(self, path: str) -> bool:
        """Whether a file, by its path at the last run, has the content that the last run saw."""
        seen = self.previous_snapshot.blob(path) if self.previous_snapshot else ""
        file = self.by_path.get(self.path_now(path))
        return file is not None and file.status != "removed" and file.blob == seen != ""

    def new_hunks(self, path: str) -> list[Hunk]:
        """The hunks of a file that the last run did not see, none if the pull request does not change the file."""
        seen = frozenset(self.previous_snapshot.hunks(self.path_then(path)) if self.previous_snapshot else ())
        return [hunk for hunk in self.by_path[path].sections if hunk.key not in seen] if path in self.by_path else []

    def is_touched(self, known: KnownFinding) -> bool:
        """Whether the code of a finding is not what the last run saw."""
        return self.difference is not None and self.difference.touches(known.finding.path, known.hunk)

    def is_back(self, known: KnownFinding) -> bool:
        """Whether the change that a fixed finding was about is there again, and was not there at the last run."""
        if known.hunk is None or known.status != "fixed" or self.previous_snapshot is None:
            return False
        then, path = self.previous_snapshot, known.finding.path
        is_there = self.snapshot.has_hunk(self.path_now(path), known.hunk)
        return is_there and bool(then.hunks(path)) and not then.has_hunk(path, known.hunk)
