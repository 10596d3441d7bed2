"""Restore: read what the ledger has lost of earlier reviews from our own markers on GitHub."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.conversation.stance import Listener
from kodiai.core.conversation.thread import Thread
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.restored import ended, restored
from kodiai.core.pull_request import OwnReview, PullRequestSnapshot
from kodiai.core.review.run import PullRequestState, UnreadableFindings
from kodiai.core.words.finding import counted
from kodiai.ports import Ledger


@dataclass(frozen=True)
class EarlierFindings:
    """The findings of earlier reviews; `restored` are the ids of those that the ledger has lost."""

    known: tuple[KnownFinding, ...]
    restored: frozenset[str] = frozenset()
    problems: tuple[str, ...] = ()

    def as_ended(self, threads: Mapping[str, Thread], listener: Listener) -> tuple[KnownFinding, ...]:
        """The findings, with those closed that we closed before they were lost; what people decided counts."""

        def undecided(known: KnownFinding) -> bool:
            stance = listener.stance(known, threads.get(known.id))
            decided = stance.reopened_by is not None or stance.settles not in (None, "dismissed")
            return known.id in self.restored and not decided

        return tuple(ended(each, threads.get(each.id), listener.us) if undecided(each) else each for each in self.known)


def as_github_shows(state: PullRequestState, reviews: Sequence[OwnReview]) -> PullRequestState:
    """The state with the newest review that has our marker, if the ledger knows no review.

    The snapshot of that review is lost: `completed_run` stays None.
    """
    newest = _newest(reviews)
    if state.completed_run is not None or newest is None:
        return state
    return replace(state, completed_head=newest.head, completed_at=newest.submitted)


def earlier_findings(
    ledger: Ledger, on_github: PullRequestSnapshot, state: PullRequestState, files: Sequence[ChangedFile]
) -> EarlierFindings:
    """The ledger's findings, with those on GitHub that it lacks if it has lost a review or cannot be read."""
    known: tuple[KnownFinding, ...] = ()
    unreadable = None
    try:
        known = ledger.findings()
    except UnreadableFindings as why:
        unreadable = str(why)
    if unreadable is None and state.completed_run is not None:
        return EarlierFindings(known)
    newest, ids = _newest(on_github.reviews), {each.id for each in known}
    found = restored(on_github.threads, newest.listed if newest else {}, files)
    lost = tuple(each for each in found if each.id not in ids)
    if not lost:
        return EarlierFindings(known, problems=(f"{unreadable}: something may be posted twice",) if unreadable else ())
    why_lost = unreadable or "the earlier reviews are not in the ledger"
    problem = f"{why_lost}: {counted(len(lost), 'finding')} restored from GitHub"
    return EarlierFindings((*known, *lost), frozenset(each.id for each in lost), (problem,))


def _newest(reviews: Sequence[OwnReview]) -> OwnReview | None:
    return max(reversed(reviews), key=lambda review: review.submitted, default=None)
