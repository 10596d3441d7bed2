"""The findings that a run takes for known if the ledger has lost them."""

from dataclasses import replace
from typing import Any, cast

from kodiai.core.findings.known import KnownFinding
from kodiai.core.github.comment import Opening, Thread
from kodiai.core.plan.snapshot import OwnReview, PullRequestSnapshot
from kodiai.core.review.run import PullRequestState, UnreadableFindings
from kodiai.core.words.finding import comment_body
from kodiai.flows.review.admit import as_github_shows
from kodiai.flows.review.load import earlier_findings
from tests.builders import HEAD, LINKS, a_file, a_finding, a_known, a_thread, kept
from tests.core.review_inputs import PULL_REQUEST

ID, OTHER = "F-0123456789ab", "F-ba9876543210"
EMPTY, COMPLETED = PullRequestState(None, None, None), PullRequestState(None, "run1", "1" * 40, completed_at=7.0)
OLD = OwnReview("PRR_1", "run1", False, True, "2" * 40, 100.0, {OTHER: a_finding(title="Fixed since")})
NEW = OwnReview("PRR_2", "run2", False, False, HEAD, 200.0, {ID: a_finding(title="Off the diff")})
FILES = [a_file(patch="@@ -12 +12 @@\n-a\n+return total")]


class Ledger:
    """The findings that a ledger has, None where they cannot be read."""

    def __init__(self, known: tuple[KnownFinding, ...] | None = ()) -> None:
        self.known = known

    def findings(self) -> tuple[KnownFinding, ...]:
        if self.known is None:
            raise UnreadableFindings("they cannot be read")
        return self.known


def reviewed(*reviews: OwnReview) -> PullRequestSnapshot:
    return PullRequestSnapshot(PULL_REQUEST, None, (), reviews)


def told(ledger: Ledger, state: PullRequestState, *threads: Thread, reviews: tuple[OwnReview, ...] = ()) -> Any:
    return earlier_findings(cast(Any, ledger), PullRequestSnapshot(PULL_REQUEST, None, threads, reviews), state, FILES)


def a_told_thread(**given: Any) -> Thread:
    opening = Opening(comment_body(kept(a_finding()), LINKS), "src/app.py", (12, 12), (12, 12), "@@\n+return total")
    return a_thread(finding=ID, opening=opening, **given)


def test_the_newest_review_counts_where_the_ledger_knows_none() -> None:
    """By when it was submitted, of two at once the later; a completed run of the ledger's counts more."""
    shown = as_github_shows(EMPTY, reviewed(NEW, OLD))
    twin = replace(NEW, head="3" * 40)

    assert shown == replace(EMPTY, completed_head=HEAD, completed_at=200.0)
    assert as_github_shows(EMPTY, reviewed(NEW, twin)).completed_head == twin.head
    assert as_github_shows(COMPLETED, reviewed(NEW, OLD)) is COMPLETED
    assert as_github_shows(EMPTY, reviewed()) is EMPTY


def test_findings_are_restored_where_there_is_no_completed_run() -> None:
    """From the threads and from the newest review's list, never from an older one's; the ledger's own come first."""
    mine = a_known(a_finding(title="Mine"), id=ID)

    lost = told(Ledger(), EMPTY, a_told_thread(), reviews=(OLD, NEW))
    some = told(Ledger((mine,)), EMPTY, a_told_thread(), reviews=(replace(NEW, listed=OLD.listed),))

    known, restored, problems = lost
    assert ([each.id for each in known], restored) == ([ID], {ID})
    assert problems == ("the earlier reviews are not in the ledger: 1 finding restored from GitHub",)
    known, restored, _ = some
    assert ([each.finding.title for each in known], restored) == (["Mine", "Fixed since"], {OTHER})
    assert told(Ledger(), EMPTY) == ((), frozenset(), ())


def test_the_ledger_alone_is_believed_after_a_completed_run() -> None:
    """Unless it cannot be read: then it is said what that means."""
    cannot, twice = "they cannot be read", "something may be posted twice"

    assert told(Ledger(), COMPLETED, a_told_thread(), reviews=(NEW,)) == ((), frozenset(), ())
    assert told(Ledger(None), COMPLETED, a_told_thread())[1:] == ({ID}, (f"{cannot}: 1 finding restored from GitHub",))
    assert told(Ledger(None), COMPLETED) == ((), frozenset(), (f"{cannot}: {twice}",))
