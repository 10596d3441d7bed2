"""Remember: store the result of the run, and complete it."""

from dataclasses import replace

from kodiai.core.outcome import Outcome, OutcomeStatus
from kodiai.core.pull_request import PullRequestSnapshot
from kodiai.core.review.reconcile import with_resolved_threads
from kodiai.core.review.review import PendingReview, PostedReview
from kodiai.core.review.thread_actions import resolved_by_us
from kodiai.flows.review.session import ReviewSession
from kodiai.ports import GitHub

_READS = ("GET ", "POST /app/", "POST /graphql query ")


def remember(
    session: ReviewSession,
    pending: PendingReview,
    posted: PostedReview | None,
    resolved: frozenset[str],
    on_github: PullRequestSnapshot,
    github: GitHub,
) -> None:
    """Store the findings, the new state of the earlier ones, and what the run took; `resolved` is from `publish`."""
    resolved |= resolved_by_us(pending.updates, on_github.threads, session.bot_login)
    calls = github.calls()
    requests = {
        "calls": sum(calls.values()),
        "writes": sum(times for route, times in calls.items() if not route.startswith(_READS)),
        "by_route": dict(calls),
    }
    facts = {**pending.facts, "threads_resolved": sorted(resolved), "github": requests}
    record = replace(pending, facts=facts, updates=with_resolved_threads(pending.updates, resolved))
    status: OutcomeStatus = "unchanged" if facts["mode"] == "unchanged" else "completed"
    session.complete(record, posted, Outcome(status, facts["reason"], {"run": session.run.id, **facts}))
