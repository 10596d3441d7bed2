"""Remember: store the result of the run, and what its findings led to, and complete it."""

from collections.abc import Iterable
from dataclasses import replace

from kodiai.core.findings.known import KnownFinding
from kodiai.core.json_object import JsonObject
from kodiai.core.outcome import Outcome, OutcomeStatus
from kodiai.core.plan.snapshot import PullRequestSnapshot
from kodiai.core.review.reconcile import with_resolved_threads
from kodiai.core.review.run import PendingReview
from kodiai.core.review.thread_actions import resolved_by_us
from kodiai.flows.memory import Memory
from kodiai.flows.pull_request_ports import PullRequestPorts
from kodiai.flows.remember_findings import remember_findings
from kodiai.flows.review.publish import Published
from kodiai.flows.review.session import ReviewSession

_READS = ("GET ", "POST /app/", "POST /graphql query ")


def remember(
    session: ReviewSession,
    pending: PendingReview,
    published: Published,
    on_github: PullRequestSnapshot,
    memory: Memory,
    ports: PullRequestPorts,
) -> None:
    """Store the findings, the new state of the earlier ones, and what the run took.

    The memory is written before the run is complete: a run that is killed in between is redelivered, and writes it.
    """
    resolved = published.resolved | resolved_by_us(pending.updates, on_github.threads, session.bot_login)
    updates = with_resolved_threads(pending.updates, resolved)
    new = (KnownFinding(each.id, each.finding, "open", None) for each in pending.findings)
    known = [*(each.known for each in pending.updates), *new]  # as the ledger will have them once the run is complete
    remembered = {} if session.is_dry_run else remember_outcomes(known, on_github, memory, ports)
    calls = ports.github.calls()
    requests = {
        "calls": sum(calls.values()),
        "writes": sum(times for route, times in calls.items() if not route.startswith(_READS)),
        "by_route": dict(calls),
    }
    facts = {
        **pending.facts,
        "memory": {**pending.facts.get("memory", {}), **remembered},
        "threads_resolved": sorted(resolved),
        "github": requests,
        **({"review_refused": published.refusal} if published.refusal is not None else {}),
    }
    if facts["mode"] != "unchanged":
        facts["review_seconds"] = round(ports.deadline.clock.now() - session.run.started, 1)
    record = replace(pending, facts=facts, updates=updates)
    status: OutcomeStatus = "unchanged" if facts["mode"] == "unchanged" else "completed"
    session.complete(record, published.review, Outcome(status, facts["reason"], {"run": session.run.id, **facts}))


def remember_outcomes(
    now: Iterable[KnownFinding], on_github: PullRequestSnapshot, memory: Memory, ports: PullRequestPorts
) -> JsonObject:
    """Bring the memory of the pull request up to date; `now` are findings that the ledger has in another state.

    Gives how many findings were written, and why not all, if so.
    """
    github, at = ports.github, int(ports.deadline.clock.now())
    written = remember_findings(now, on_github, ports.ledger, github.may_write, memory, at=at)
    return {"written": written, **({"unavailable": memory.problem} if memory.problem is not None else {})}
