"""Publish: one atomic review, posted once, and everything that is done beside it."""

from collections.abc import Sequence
from dataclasses import replace

from kodiai.core.errors import Refused, Retry
from kodiai.core.findings.judgement import KeptFinding
from kodiai.core.pull_request import PullRequest, PullRequestSnapshot
from kodiai.core.review.check import Check
from kodiai.core.review.review import (
    PendingReview,
    PostedReview,
    PublishActions,
    PublishResults,
    Review,
    ReviewComment,
    ThreadAction,
    UnplaceableComment,
)
from kodiai.core.review.run import Run
from kodiai.core.review.threads import does_anything, left_to_do, quiet
from kodiai.core.words.check import with_review
from kodiai.core.words.links import Links
from kodiai.core.words.listed import listed, with_listed
from kodiai.core.words.markers import finding_of
from kodiai.core.words.review import refused
from kodiai.core.words.secrets import masked
from kodiai.flows.review.check import annotations
from kodiai.flows.world import World


def not_said_meanwhile(world: World, acts: Sequence[ThreadAction]) -> tuple[ThreadAction, ...]:
    """The acts without the answers that the conversation has given to the same replies since they were read."""
    if world.settings.github.dry_run:
        return tuple(acts)
    left = (act if act.once is None or world.talk.tells(act.once, "review") else quiet(act) for act in acts)
    return tuple(act for act in left if does_anything(act))


def find_review(world: World, run: Run) -> PostedReview | None:
    """The review that an earlier try has posted, though it may not have lived to write that down."""
    return None if world.settings.github.dry_run else world.github.find_review(run.id)


def publish(
    world: World,
    run: Run,
    staged: PendingReview,
    standing: PullRequestSnapshot,
    posted: PostedReview | None,
    *,
    resumed: bool,
) -> tuple[PostedReview | None, PublishResults]:
    """Post what is staged, unless it stands already, and settle the rest; nothing where this deployment only shows."""
    if world.settings.github.dry_run:
        return None, PublishResults((), {})
    placed = frozenset(posted.comment_ids) if posted is not None else frozenset[str]()
    to_read = None
    if staged.review is not None and posted is None:
        posted, placed = _post(
            world, run.head, staged.review, staged.findings, Links(standing.pull_request.url, run.head)
        )
        to_read = posted
    settlement = PublishActions(
        check_id=run.check_id,
        check=_with_review(staged, standing.pull_request, placed, posted),
        acts=left_to_do(staged.acts, standing.threads, run),
        collapsed=_older(standing, run) if posted is not None else (),
        lifted=_asking_for_changes(standing, run) if staged.lifts else (),
        posted=to_read,
        commented=placed,
        again=resumed,
    )
    settled = _settle(world, settlement)
    if posted is not None:
        posted = replace(posted, comment_ids={**posted.comment_ids, **settled.comment_ids})
    return posted, settled


def _older(standing: PullRequestSnapshot, run: Run) -> tuple[str, ...]:
    """Our reviews that are out of date once this one stands."""
    return tuple(review.id for review in standing.reviews if review.run != run.id and not review.collapsed)


def _asking_for_changes(standing: PullRequestSnapshot, run: Run) -> tuple[str, ...]:
    return tuple(review.id for review in standing.reviews if review.run != run.id and review.requests_changes)


def _settle(world: World, settlement: PublishActions) -> PublishResults:
    """Settle beside a review that stands: where that is refused twice the review is remembered without."""
    try:
        return world.github.settle(settlement)
    except Refused as why:
        if world.turn.attempt == 1:
            raise Retry(f"the check run could not be closed: {why}") from why
        return world.github.settle(replace(settlement, check_id=None, acts=(), collapsed=(), lifted=()))


def _with_review(
    staged: PendingReview, pull_request: PullRequest, placed: frozenset[str], posted: PostedReview | None
) -> Check:
    """The check run with a link to the review, and notes on the findings whose comments GitHub found no place for."""
    meant = _commented(staged.review.comments) if staged.review else frozenset()
    lost = annotations(kept.finding for kept in staged.findings if kept.id in meant - placed)
    check = replace(staged.check, annotations=(*staged.check.annotations, *lost))
    if posted is None:
        return check
    links = Links(pull_request.url, pull_request.head)
    return replace(check, summary=with_review(check.summary, links.review(posted.review_id)))


def _post(
    world: World, head: str, review: Review, findings: Sequence[KeptFinding], links: Links
) -> tuple[PostedReview, frozenset[str]]:
    """Post it, and say about which of the findings it has comments.

    The text of a comment that GitHub finds no place for goes into the body.
    """
    try:
        return world.github.post_review(head, review), _commented(review.comments)
    except UnplaceableComment:
        placeable = _placeable(world, review.comments)
    try:
        return world.github.post_review(head, _with_only(placeable, review, findings, links)), _commented(placeable)
    except UnplaceableComment:
        return world.github.post_review(head, _with_only((), review, findings, links)), frozenset()


def _with_only(
    comments: tuple[ReviewComment, ...], review: Review, findings: Sequence[KeptFinding], links: Links
) -> Review:
    """The review with some of its comments; its body has the texts of the others."""
    gone = _commented(review.comments) - _commented(comments)
    lost = [kept for kept in findings if kept.id in gone]
    known = listed(review.body)
    body = masked(refused(review.body, [kept.finding for kept in lost], links))
    body = with_listed(body, [(kept.id, kept.finding) for kept in lost if kept.id not in known])
    return replace(review, comments=comments, body=body)


def _commented(comments: Sequence[ReviewComment]) -> frozenset[str]:
    return frozenset(found for comment in comments if (found := finding_of(comment.body)))


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
