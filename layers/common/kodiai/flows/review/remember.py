"""Remember: what the run came to is written down, and the run is done."""

from collections.abc import Mapping
from dataclasses import replace

from kodiai.core.json_object import JsonObject
from kodiai.core.outcome import Outcome, OutcomeStatus
from kodiai.core.pull_request import PullRequestSnapshot
from kodiai.core.review.reconcile import with_threads
from kodiai.core.review.review import PendingReview
from kodiai.core.review.thread_actions import resolved_by_us
from kodiai.flows.review.publish import Published
from kodiai.flows.review.session import ReviewSession
from kodiai.ports import GitHub

_READS = ("GET ", "POST /app/", "POST /graphql query ")


def remember(
    session: ReviewSession,
    pending: PendingReview,
    published: Published,
    on_github: PullRequestSnapshot,
    github: GitHub,
) -> None:
    """Write down the findings, what became of the earlier ones, and what the run took."""
    resolved = resolved_by_us(pending.followed, on_github.threads, session.bot_login) | published.resolved
    facts = {
        **pending.facts,
        "threads_resolved": sorted(resolved),
        "github": _github_facts(github.calls()),
    }
    record = replace(pending, facts=facts, followed=with_threads(pending.followed, resolved))
    status: OutcomeStatus = "unchanged" if facts["mode"] == "unchanged" else "completed"
    session.complete(record, published.review, Outcome(status, facts["reason"], {"run": session.run.id, **facts}))


def _github_facts(calls: Mapping[str, int]) -> JsonObject:
    writes = sum(times for route, times in calls.items() if not route.startswith(_READS))
    return {"calls": sum(calls.values()), "writes": writes, "by_route": dict(calls)}
