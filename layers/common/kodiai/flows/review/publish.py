"""Publish: one atomic review, and a check run that says where it stands."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Literal

from kodiai.core.errors import Refused, Retry
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.judge import Kept
from kodiai.core.words import check as words
from kodiai.core.words.markers import finding_of
from kodiai.flows.world import World
from kodiai.ports import Annotation, Check, Posted, PullRequest, Review, ReviewComment, Run, Staged, Unplaceable

# GitHub takes 64 KB, and a character may be four bytes.
_LONGEST_NOTE = 16_000

Conclusion = Literal["success", "neutral", "failure"]


def open_check(world: World, run: Run, pull_request: PullRequest, *, resumed: bool) -> Run:
    """Show that the work has begun, in the check run that an earlier try has opened or in a new one.

    On the last try the check run is closed before the work: should this one be killed too, nobody is left to do it.
    """
    said = Check(*words.LAST_TRY, conclusion="neutral") if world.turn.is_last else Check(*words.STARTED)
    if resumed:
        run = find_check(world, run, pull_request)
    if _only_shows(world):
        return run
    if run.check_id is None:
        check_id = world.github.start_check(run.head, _external_id(run, pull_request), said)
        return _noted(world, run, check_id)
    with suppress(Refused):  # who may not show it may still review
        world.github.update_check(run.check_id, said)
    return run


def find_check(world: World, run: Run, pull_request: PullRequest) -> Run:
    """Know the check run of a run: it may have been opened without having been written down."""
    if run.check_id is not None or _only_shows(world):
        return run
    return _noted(world, run, world.github.find_check(run.head, _external_id(run, pull_request)))


def _noted(world: World, run: Run, check_id: str | None) -> Run:
    if check_id is None:
        return run
    world.ledger.note_check(run.id, check_id)
    return replace(run, check_id=check_id)


def _external_id(run: Run, pull_request: PullRequest) -> str:
    return f"{pull_request.repository}#{pull_request.number}@{run.id}"


def close_check(
    world: World, run: Run, said: tuple[str, str], conclusion: Conclusion = "neutral", off_diff: Sequence[Kept] = ()
) -> None:
    """Show how it ended, with notes on the findings that no inline comment can carry."""
    if run.check_id is not None:
        notes = tuple(_annotation(kept) for kept in off_diff)
        world.github.update_check(run.check_id, Check(*said, conclusion=conclusion, annotations=notes))


def find_review(world: World, run: Run) -> Posted | None:
    """The review that an earlier try has posted, though it may not have lived to write that down."""
    return None if _only_shows(world) else world.github.find_review(run.id)


def publish(world: World, run: Run, staged: Staged, posted: Posted | None) -> Posted | None:
    """Post what is staged, unless it stands already; None where this deployment only shows."""
    if _only_shows(world) or staged.review is None:
        return None
    posted = posted or _post(world, run.head, staged.review)
    findings = [kept.finding for kept in staged.findings]
    meant = {finding_of(comment.body) for comment in staged.review.comments}
    off_diff = [kept for kept in staged.findings if not kept.inline or kept.id in meant - posted.comment_ids.keys()]
    _close_after_review(world, run, findings, off_diff)
    return posted


def _close_after_review(world: World, run: Run, findings: Sequence[Finding], off_diff: Sequence[Kept]) -> None:
    """Close the check of a review that stands: where that is refused twice the review is remembered without."""
    try:
        close_check(world, run, words.reviewed(findings), "neutral" if findings else "success", off_diff)
    except Refused as why:
        if world.turn.attempt == 1:
            raise Retry(f"the check run could not be closed: {why}") from why


def _post(world: World, head: str, review: Review) -> Posted:
    """Post it; a comment that GitHub finds no place for is left to the body, which tells every finding."""
    try:
        return world.github.post_review(head, review)
    except Unplaceable:
        pass
    try:
        return world.github.post_review(head, replace(review, comments=_placeable(world, review.comments)))
    except Unplaceable:
        return world.github.post_review(head, replace(review, comments=()))


def _placeable(world: World, comments: Sequence[ReviewComment]) -> tuple[ReviewComment, ...]:
    """Look for the culprit, whom GitHub does not name, in the changes as they are now; none at all where it hides."""
    files = {file.path: file for file in world.github.changed_files()}
    placeable = tuple(
        comment
        for comment in comments
        if comment.path in files
        and files[comment.path].takes_comment_on(comment.start_line or comment.line, comment.line)
    )
    return placeable if len(placeable) < len(comments) else ()


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
