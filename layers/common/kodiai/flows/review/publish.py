"""Publish: one atomic review, and a check run that says where it stands."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from kodiai.core.findings.judge import Kept
from kodiai.core.words import check as words
from kodiai.flows.world import World
from kodiai.ports import Annotation, Check, Posted, PullRequest, Review, Run, Staged, Unplaceable

# GitHub takes 64 KB, and a character may be four bytes.
_LONGEST_NOTE = 16_000

Conclusion = Literal["success", "neutral", "failure"]


def open_check(world: World, run: Run, pull_request: PullRequest, *, resumed: bool) -> Run:
    """Show that the work has begun; a check that an earlier try opened is found again, not opened twice."""
    if _only_shows(world) or run.check_id is not None:
        return run
    external_id = f"{pull_request.repository}#{pull_request.number}@{run.id}"
    check_id = world.github.start_check(run.head, external_id, Check(*words.STARTED), look_first=resumed)
    if check_id is None:
        return run
    world.ledger.note_check(run.id, check_id)
    return replace(run, check_id=check_id)


def close_check(
    world: World, run: Run, said: tuple[str, str], conclusion: Conclusion = "neutral", off_diff: Sequence[Kept] = ()
) -> None:
    """Show how it ended, with notes on the findings that no inline comment can carry."""
    if run.check_id is not None:
        notes = tuple(_annotation(kept) for kept in off_diff)
        world.github.update_check(run.check_id, Check(*said, conclusion=conclusion, annotations=notes))


def publish(world: World, run: Run, staged: Staged, *, resumed: bool) -> Posted | None:
    """Post what is staged, unless an earlier try has posted it; None where this deployment only shows."""
    if _only_shows(world) or staged.review is None:
        return None
    found = world.github.find_review(run.id) if resumed else None
    posted = found or _post(world, run.head, staged.review)
    findings = [kept.finding for kept in staged.findings]
    off_diff = [kept for kept in staged.findings if not kept.inline]
    close_check(world, run, words.reviewed(findings), "neutral" if findings else "success", off_diff)
    return posted


def _post(world: World, head: str, review: Review) -> Posted:
    """Post it; where GitHub takes a line for off the diff, without comments: the body lists every finding too."""
    try:
        return world.github.post_review(head, review)
    except Unplaceable:
        return world.github.post_review(head, replace(review, comments=()))


def _only_shows(world: World) -> bool:
    return world.settings.github.publish == "dry-run"


def _annotation(kept: Kept) -> Annotation:
    finding = kept.finding
    return Annotation(
        path=finding.path,
        start_line=finding.start_line,
        end_line=finding.end_line,
        level="warning" if finding.blocks else "notice",
        title=f"[{finding.severity}] {finding.title}"[:255],
        message=finding.explanation[:_LONGEST_NOTE],
    )
