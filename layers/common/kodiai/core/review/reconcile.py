"""Reconcile: the new state of each earlier finding, and the changes from the last review to this one."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from kodiai.core.changes.changed_file import Skipped
from kodiai.core.changes.scope import Scope
from kodiai.core.changes.snapshot import Snapshot
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.locate import code_exists
from kodiai.core.findings.report import EarlierAnswer
from kodiai.core.findings.source import ReadLines
from kodiai.core.judge.candidates import Reports
from kodiai.core.judge.delta import Delta, delta
from kodiai.core.judge.judgement import Judgement
from kodiai.core.plan.earlier import nearest_place
from kodiai.core.plan.input import ReviewInput
from kodiai.core.plan.plan import ReviewPlan
from kodiai.core.plan.update import FindingUpdate
from kodiai.core.review.lifecycle import Observation, follow
from kodiai.core.review.thread_actions import is_confirmed

_JUDGED_AGAIN = "a finding in it has to be judged again"
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
    """Determine the new state of each finding that is not posted again, and where it is now.

    If every change was reviewed before, files at the head are read only if a change was taken back, or is back.
    `offline` is whether only checks ran, and no model read the change.
    """
    review_input = plan.input
    team_rules = judgement.team_rules
    answers = {**reports.earlier, **team_rules.answers}
    asked = {each.id for each in plan.rechecked} | plan.answered.keys() | team_rules.answers.keys()
    posted_again = {kept.id for kept in judgement.kept}
    updates = []
    for known in review_input.known:
        if known.id in posted_again:
            continue
        now, reported = plan.at_head(known), judgement.repeated.get(known.id)
        if known.finding.rule is not None and reported is not None:
            now = _as_ruled(now, reported)
        thread = review_input.threads.get(known.id)
        # A decision after the run began may have resolved a thread that was read before it.
        decided_since = known.decided_at is not None and known.decided_at >= int(review_input.began)
        answered = answers.get(known.id) if known.id in asked else None
        observed = Observation(
            stance=plan.stances[known.id],
            was_asked=known.id in asked,
            answered=answered,
            resolved=judgement.resolved.get(known.id),
            reported=reported,
            is_back=known.finding.rule is None and review_input.is_back(known),
            is_changed=_is_changed(review_input, known, answered),
            is_tried=known.stood_at is None and _was_edited(review_input, known, now.finding, read_lines),
            is_answered=thread is not None and is_confirmed(thread, plan.stances[known.id].reply),
            is_unresolved=thread is not None and not thread.is_resolved and not decided_since,
        )
        each = follow(now, observed, read_lines)
        if each.is_open and not review_input.is_unchanged:
            each = replace(each, known=_placed(review_input, each.known, reported, read_lines))
        elif each.is_open and _was_taken_back(review_input, known, each.finding, read_lines):
            each = replace(each, known=replace(each.known, status="fixed"), transition="resolved", why=TAKEN_BACK)
        updates.append(replace(each, before=known))
    scope = plan.scope.without((*_to_judge_again(plan, judgement), *reports.unread))
    before, seen = review_input.previous_snapshot, review_input.snapshot.read_as(scope)
    if not review_input.is_unchanged:
        seen = replace(seen, rulings=team_rules.rulings)
    read_before, ci = before.coverage if before else None, review_input.on_github.ci
    changes = delta(judgement.kept, updates, seen.coverage, read_before, offline=offline, ci=ci)
    return Reconciliation(tuple(updates), changes, scope, seen)


def _as_ruled(known: KnownFinding, ruled: Finding) -> KnownFinding:
    """The finding of a rule with its level and its words of now."""
    words = ruled.model_dump(include={"severity", "title", "explanation", "problem", "looked_at"})
    return replace(known, finding=known.finding.model_copy(update=words))


def _to_judge_again(plan: ReviewPlan, judgement: Judgement) -> Iterator[Skipped]:
    """The files of undecided findings, or of their causes; if the pull request changes neither, all that were read."""
    for finding in judgement.undecided:
        own = finding.paths & plan.input.by_path.keys()
        for path in sorted(own) or [file.path for file in plan.scope.files]:
            yield Skipped(path, _JUDGED_AGAIN)


def _is_changed(review_input: ReviewInput, known: KnownFinding, answer: EarlierAnswer | None) -> bool:
    """Whether the hunk of a finding, or the file that the answer about it shows, is not as the last run saw it."""
    path = answer.path if answer is not None and answer.path else review_input.path_now(known.finding.path)
    return review_input.is_touched(known) or bool(review_input.new_hunks(path))


def _was_edited(review_input: ReviewInput, known: KnownFinding, now: Finding, read_lines: ReadLines) -> bool:
    """Whether a push changed the hunk of an open finding, and the code that it quotes is gone."""
    is_touched = known.status == "open" and not known.finding.is_missing and review_input.is_touched(known)
    return is_touched and not code_exists(now.quote, now.path, read_lines)


def _was_taken_back(review_input: ReviewInput, known: KnownFinding, now: Finding, read_lines: ReadLines) -> bool:
    """Whether a push took back the hunk of an open finding: the finding had one, and it was edited away."""
    return known.hunk is not None and _was_edited(review_input, known, now, read_lines)


def with_resolved_threads(updates: Collection[FindingUpdate], resolved: Collection[str]) -> tuple[FindingUpdate, ...]:
    """The updates with a note on those whose threads we resolved: only a person opens those again."""
    named = frozenset(resolved)
    return tuple(
        replace(each, known=replace(each.known, resolved_thread=True)) if each.id in named else each for each in updates
    )


def _placed(
    review_input: ReviewInput, known: KnownFinding, reported: Finding | None, read_lines: ReadLines
) -> KnownFinding:
    """The finding with the lines and the hunk of its own quote, or of the quote of the report that repeats it.

    If its code is gone, the last head that had it is noted: what changed since then may resolve it.
    """
    if known.finding.is_missing:
        return known
    candidates = [known.finding]
    if reported is not None:
        place = reported.model_dump(include={"path", "quote", "start_line", "end_line"})
        candidates.append(known.finding.model_copy(update=place))
    for candidate in candidates:
        near = nearest_place(candidate, read_lines)
        if near is not None:
            file = review_input.by_path.get(candidate.path)
            hunk = file.section_at(near.start_line, near.end_line) if file else None
            placed = candidate.model_copy(update={"start_line": near.start_line, "end_line": near.end_line})
            return replace(known, finding=placed, hunk=hunk.key if hunk else None, stood_at=None)
    return replace(known, stood_at=review_input.stood_at(known))
