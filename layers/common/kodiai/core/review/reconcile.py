"""Reconcile: what has become of earlier findings, and what the pull request comes to with the new ones."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.scope import Scope
from kodiai.core.changes.snapshot import Snapshot
from kodiai.core.findings.delta import Delta, delta
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.judgement import Judgement
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.lifecycle import FindingUpdate, Observation, follow
from kodiai.core.findings.locate import places, stands
from kodiai.core.findings.source import ReadLines
from kodiai.core.review.input import ReviewInput
from kodiai.core.review.plan import ReviewPlan
from kodiai.core.review.reports import Reports

TAKEN_BACK = "the change that it was about was taken back"


@dataclass(frozen=True)
class Reconciliation:
    """What became of each earlier finding, and what all findings come to.

    `scope` is what was read, without the files that a reviewer could not read; `seen` is remembered of it.
    """

    updates: tuple[FindingUpdate, ...]
    changes: Delta
    scope: Scope
    seen: Snapshot


def reconcile(
    plan: ReviewPlan, reports: Reports, judgement: Judgement, read_lines: ReadLines, *, offline: bool
) -> Reconciliation:
    """Say what has become of each finding that is not posted again, and where it stands now.

    `offline` is whether only checks ran, and no model read the change.
    """
    review_input = plan.input
    asked = {each.id for each in plan.asked_back}
    posted_again = {kept.id for kept in judgement.kept}
    files = {file.path: file for file in review_input.files}
    updates = []
    for known in review_input.known:
        if known.id in posted_again:
            continue
        reported = judgement.repeated.get(known.id)
        observed = replace(
            _observation(plan, known),
            was_asked=known.id in asked,
            answered=reports.earlier.get(known.id) if known.id in asked else None,
            resolved=judgement.resolved.get(known.id),
            reported=reported,
        )
        each = follow(plan.at_head(known), observed, read_lines)
        place = _place(review_input, each.known, reported, read_lines, files) if each.is_open else each.known
        updates.append(replace(each, known=place, before=known))
    scope = plan.scope.without(reports.unread)
    seen = review_input.snapshot.read_as(scope)
    changes = delta(judgement.kept, updates, seen.coverage, review_input.coverage_before, offline=offline)
    return Reconciliation(tuple(updates), changes, scope, seen)


def carry_over(plan: ReviewPlan, read_lines: ReadLines | None, *, offline: bool) -> Reconciliation:
    """Say the same where nothing is new, so that nobody is asked: people's decisions, and what was taken back.

    `read_lines` gives the files at the head, None where `may_have_moved` says that no finding needs them.
    """
    review_input = plan.input
    updates = []
    for known in review_input.known:
        each = replace(follow(plan.at_head(known), _observation(plan, known), read_lines or _no_lines), before=known)
        if (
            each.is_open
            and read_lines
            and _was_taken_back(review_input, known)
            and not stands(each.finding.quote, each.finding.path, read_lines)
        ):
            gone = replace(each.known, status="fixed")
            each = replace(each, known=gone, transition="resolved", why=TAKEN_BACK)
        updates.append(each)
    seen = review_input.snapshot.read_as(plan.scope)
    changes = delta((), updates, seen.coverage, review_input.coverage_before, offline=offline)
    return Reconciliation(tuple(updates), changes, plan.scope, seen)


def may_have_moved(review_input: ReviewInput) -> bool:
    """Whether code of an earlier finding may be gone, or back, though nothing is new."""
    return any(_was_taken_back(review_input, known) or review_input.is_back(known) for known in review_input.known)


def with_threads(updates: Collection[FindingUpdate], resolved: Collection[str]) -> tuple[FindingUpdate, ...]:
    """Note whose threads we resolved: only a person opens those again."""
    return tuple(
        replace(each, known=replace(each.known, resolved_thread=True)) if each.id in resolved else each
        for each in updates
    )


def _was_taken_back(review_input: ReviewInput, known: KnownFinding) -> bool:
    """Whether the hunk of an open finding is gone."""
    return known.status == "open" and known.hunk is not None and review_input.is_touched(known)


def _observation(plan: ReviewPlan, known: KnownFinding) -> Observation:
    """What is known of a finding before anybody is asked about it."""
    thread = plan.input.threads.get(known.id)
    # What was decided since then may have resolved a thread that was read before.
    decided_since = known.decided_at is not None and known.decided_at >= int(plan.input.began)
    return Observation(
        stance=plan.stances[known.id],
        is_back=plan.input.is_back(known),
        is_unresolved=thread is not None and not thread.is_resolved and not decided_since,
    )


def _no_lines(path: str) -> list[str] | None:  # noqa: ARG001 - it stands in for a tree
    return None


def _place(
    review_input: ReviewInput,
    known: KnownFinding,
    reported: Finding | None,
    read_lines: ReadLines,
    files: Mapping[str, ChangedFile],
) -> KnownFinding:
    """Note the lines and the hunk where it stands now, by its own quote or by that of the report that repeats it.

    Where its code is not there any more, note the last head that had it: what changed since then may resolve it.
    """
    candidates = [known.finding]
    if reported is not None:
        names = ("path", "quote", "start_line", "end_line")
        candidates.append(known.finding.model_copy(update={name: getattr(reported, name) for name in names}))
    for candidate in candidates:
        found = places(candidate.quote, candidate.path, read_lines)
        if found:
            near = min(found, key=lambda place: abs(place.start_line - candidate.start_line))
            file = files.get(candidate.path)
            hunk = file.hunk_at(near.start_line, near.end_line) if file else None
            stands_at = candidate.model_copy(update={"start_line": near.start_line, "end_line": near.end_line})
            return replace(known, finding=stands_at, hunk=hunk.key if hunk else None, stood_at=None)
    return replace(known, stood_at=known.stood_at or review_input.previous_head)
