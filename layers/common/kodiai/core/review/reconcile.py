"""Reconcile: the new state of each earlier finding, and the changes from the last review to this one."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from kodiai.core.changes.scope import Scope
from kodiai.core.changes.snapshot import Snapshot
from kodiai.core.findings.delta import Delta, delta
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.judgement import Judgement, KeptFinding
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.lifecycle import FindingUpdate, Observation, follow
from kodiai.core.findings.locate import ReadLines, places, stands
from kodiai.core.review.candidates import Reports
from kodiai.core.review.input import ReviewInput
from kodiai.core.review.plan import ReviewPlan

TAKEN_BACK = "the change that it was about was taken back"


@dataclass(frozen=True)
class Reconciliation:
    """The new state of each earlier finding, and the changes from the last review to this one.

    `scope` is what was read, without the files that a reviewer could not read; `seen` is the snapshot to keep.
    """

    updates: tuple[FindingUpdate, ...]
    changes: Delta
    scope: Scope
    seen: Snapshot


def reconcile(
    plan: ReviewPlan, reports: Reports, judgement: Judgement, read_lines: ReadLines, *, offline: bool
) -> Reconciliation:
    """Determine the new state of each finding that is not posted again, and where it stands now.

    `offline` is whether only checks ran, and no model read the change.
    """
    rechecked = {each.id for each in plan.rechecked}
    posted_again = {kept.id for kept in judgement.kept}
    updates = []
    for known in plan.input.known:
        if known.id in posted_again:
            continue
        reported = judgement.repeated.get(known.id)
        observed = replace(
            _observation(plan, known),
            was_asked=known.id in rechecked,
            answered=reports.earlier.get(known.id) if known.id in rechecked else None,
            resolved=judgement.resolved.get(known.id),
            reported=reported,
        )
        each = follow(plan.at_head(known), observed, read_lines)
        now = _placed(plan.input, each.known, reported, read_lines) if each.is_open else each.known
        updates.append(replace(each, known=now, before=known))
    return _reconciliation(plan, judgement.kept, updates, plan.scope.without(reports.unread), offline=offline)


def carry_over(plan: ReviewPlan, read_lines: ReadLines, *, offline: bool) -> Reconciliation:
    """Determine the same if nothing is new, so that nobody is asked: people's decisions, and changes taken back.

    Files at the head are read only if a change was taken back, or is back.
    """
    updates = []
    for known in plan.input.known:
        each = replace(follow(plan.at_head(known), _observation(plan, known), read_lines), before=known)
        if (
            known.status == "open"
            and each.is_open
            and known.hunk is not None
            and plan.input.is_touched(known)
            and not stands(each.finding.quote, each.finding.path, read_lines)
        ):
            each = replace(each, known=replace(each.known, status="fixed"), turn="resolved", why=TAKEN_BACK)
        updates.append(each)
    return _reconciliation(plan, (), updates, plan.scope, offline=offline)


def _reconciliation(
    plan: ReviewPlan, kept: Sequence[KeptFinding], updates: Sequence[FindingUpdate], scope: Scope, *, offline: bool
) -> Reconciliation:
    before = plan.input.previous_snapshot
    seen = plan.input.snapshot.read_as(scope)
    changes = delta(kept, updates, seen.coverage, before.coverage if before else None, offline=offline)
    return Reconciliation(tuple(updates), changes, scope, seen)


def with_resolved_threads(updates: Collection[FindingUpdate], resolved: Collection[str]) -> tuple[FindingUpdate, ...]:
    """The updates with a note on those whose threads we resolved: only a person opens those again."""
    return tuple(
        replace(each, known=replace(each.known, resolved_thread=True)) if each.id in resolved else each
        for each in updates
    )


def _observation(plan: ReviewPlan, known: KnownFinding) -> Observation:
    """What is known about a finding before anybody is asked."""
    thread = plan.input.threads.get(known.id)
    # A decision after the run began may have resolved a thread that was read before it.
    decided_since = known.decided_at is not None and known.decided_at >= int(plan.input.began)
    return Observation(
        stance=plan.stances[known.id],
        is_back=plan.input.is_back(known),
        is_unresolved=thread is not None and not thread.is_resolved and not decided_since,
    )


def _placed(
    review_input: ReviewInput, known: KnownFinding, reported: Finding | None, read_lines: ReadLines
) -> KnownFinding:
    """The finding with the lines and the hunk of its own quote, or of the quote of the report that repeats it.

    If its code is gone, the last head that had it is noted: what changed since then may resolve it.
    """
    candidates = [known.finding]
    if reported is not None:
        place = reported.model_dump(include={"path", "quote", "start_line", "end_line"})
        candidates.append(known.finding.model_copy(update=place))
    for candidate in candidates:
        found = places(candidate.quote, candidate.path, read_lines)
        if found:
            near = min(found, key=lambda place: abs(place.start_line - candidate.start_line))
            file = review_input.by_path.get(candidate.path)
            hunk = file.hunk_at(near.start_line, near.end_line) if file else None
            placed = candidate.model_copy(update={"start_line": near.start_line, "end_line": near.end_line})
            return replace(known, finding=placed, hunk=hunk.key if hunk else None, stood_at=None)
    return replace(known, stood_at=known.stood_at or review_input.previous_head)
