"""Publish: one atomic review, posted once."""

from collections.abc import Sequence
from dataclasses import replace

from kodiai.core.errors import Refused, Retry
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.judge import Kept
from kodiai.core.words import check as words
from kodiai.core.words.markers import finding_of
from kodiai.flows.review.check import close_check
from kodiai.flows.world import World
from kodiai.ports import Posted, Review, ReviewComment, Run, Staged, Unplaceable


def find_review(world: World, run: Run) -> Posted | None:
    """The review that an earlier try has posted, though it may not have lived to write that down."""
    return None if world.settings.github.only_shows else world.github.find_review(run.id)


def publish(world: World, run: Run, staged: Staged, posted: Posted | None) -> Posted | None:
    """Post what is staged, unless it stands already; None where this deployment only shows."""
    if world.settings.github.only_shows or staged.review is None:
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
