"""Publish: post one atomic review, once, and do everything next to it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kodiai.core.errors import Refused, Retry
from kodiai.core.findings.embedded import embedded_findings, with_embedded_findings
from kodiai.core.findings.markers import finding_of
from kodiai.core.judge.judgement import KeptFinding
from kodiai.core.plan.snapshot import PullRequestSnapshot
from kodiai.core.review.check import Check, annotation
from kodiai.core.review.review import (
    PostedReview,
    PublishActions,
    PublishResults,
    Review,
    ReviewComment,
    UnplaceableComment,
)
from kodiai.core.review.run import PendingReview
from kodiai.core.review.thread_actions import left_to_do, silent
from kodiai.core.text.secrets import masked
from kodiai.core.words.check import LOCKED, with_review, without_review
from kodiai.core.words.links import Links
from kodiai.core.words.review import with_refused_comments
from kodiai.flows.review.session import ReviewSession
from kodiai.ports.github import GitHub
from kodiai.ports.ledger import ConversationStore

_NOT_READ = "Something that was not read has come to what was approved."


@dataclass(frozen=True)
class Published:
    """The run's review, None if it has none, and the ids of the findings whose threads were resolved.

    `refusal` is why the review is in the check run alone, a clause, None if it is not.
    """

    review: PostedReview | None
    resolved: frozenset[str] = frozenset()
    refusal: str | None = None


def publish(
    session: ReviewSession,
    pending: PendingReview,
    on_github: PullRequestSnapshot,
    github: GitHub,
    conversation: ConversationStore,
) -> Published:
    """Post the review, unless it is posted already, and do the rest; a dry run does nothing.

    Where the conversation is locked, or GitHub refuses the review, the check run has everything that the review says.
    Raises Refused where no check run takes it either.
    """
    if session.is_dry_run:
        return Published(session.posted)
    run, posted = session.run, session.posted
    others = [review for review in on_github.reviews if review.run != run.id]
    # The conversation may have given the same answers since the replies were read.
    actions = [
        each if each.once is None or conversation.is_first_to_post(each.once, "review") else silent(each)
        for each in pending.thread_actions
    ]
    commented = frozenset(posted.comment_ids) if posted is not None else frozenset[str]()
    is_new = pending.review is not None and posted is None
    links = Links(on_github.pull_request.url, run.head)
    refusal = LOCKED if is_new and on_github.pull_request.is_locked and run.check_id is not None else None
    if pending.review is not None and posted is None and refusal is None:
        try:
            posted, commented = _post(github, run.head, pending.review, pending.findings, links)
        except Refused as why:
            if run.check_id is None:
                raise
            refusal = str(why)
    replaces = posted is not None and (pending.review is None or pending.review.replaces)
    approvals = [each.id for each in others if each.approves and pending.withdraws_approval]
    requests = [each.id for each in others if each.requests_changes and pending.dismisses_own_reviews]
    results = _settle(
        github,
        PublishActions(
            check_id=run.check_id,
            check=session.gate.settle(_closing(pending, commented, posted, links, refusal), run.head, run.check_id),
            thread_actions=left_to_do(actions, on_github.threads, run),
            minimized=tuple(each.id for each in others if not each.collapsed) if replaces else (),
            dismissed=(*requests, *approvals),
            dismissal_message=_NOT_READ if approvals else PublishActions.dismissal_message,
            posted=posted if is_new else None,
            commented=commented,
            is_retry=session.is_resumed,
        ),
        is_first_attempt=session.attempt.attempt == 1,
        is_alone=refusal is not None,
    )
    session.gate.show_elsewhere()
    if posted is not None:
        posted = replace(posted, comment_ids={**posted.comment_ids, **results.comment_ids})
    return Published(posted, frozenset(results.resolved), refusal)


def _settle(github: GitHub, actions: PublishActions, *, is_first_attempt: bool, is_alone: bool) -> PublishResults:
    """Do everything next to the review; if that is refused twice the review is remembered without it.

    What stands in the check run alone is remembered only once it stands there.
    """
    try:
        return github.update_threads(actions)
    except Refused as why:
        if is_alone:
            raise
        if is_first_attempt:
            raise Retry(f"the check run could not be closed: {why}") from why
        return github.update_threads(PublishActions(posted=actions.posted, commented=actions.commented))


def _closing(
    pending: PendingReview, placed: frozenset[str], posted: PostedReview | None, links: Links, refusal: str | None
) -> Check:
    """The check run with a link to the review, or why there is none, and annotations for comments without a place.

    GitHub adds annotations up: those that a later attempt may not need any more come last.
    """
    meant = _commented(pending.review.comments) if pending.review else frozenset()
    lost = (annotation(kept.finding) for kept in pending.findings if kept.id in meant - placed)
    check = replace(pending.check, annotations=(*pending.check.annotations, *lost))
    if refusal is not None:
        return replace(check, summary=without_review(refusal, check.summary, has_findings=bool(check.annotations)))
    if posted is None:
        return check
    return replace(check, summary=with_review(check.summary, links.review(posted.review_id)))


def _post(
    github: GitHub, head: str, review: Review, findings: Sequence[KeptFinding], links: Links
) -> tuple[PostedReview, frozenset[str]]:
    """Post it, and give the ids of the findings that it has comments about.

    The text of a comment that GitHub finds no place for goes into the body.
    """
    try:
        return github.post_review(head, review), _commented(review.comments)
    except UnplaceableComment:
        placeable = _placeable(github, review.comments)
    try:
        return github.post_review(head, _with_only(placeable, review, findings, links)), _commented(placeable)
    except UnplaceableComment:
        return github.post_review(head, _with_only((), review, findings, links)), frozenset()


def _with_only(
    comments: tuple[ReviewComment, ...], review: Review, findings: Sequence[KeptFinding], links: Links
) -> Review:
    """The review with some of its comments; its body has the texts of the others."""
    gone = _commented(review.comments) - _commented(comments)
    lost = [kept for kept in findings if kept.id in gone]
    known = embedded_findings(review.body)
    body = masked(with_refused_comments(review.body, lost, links))
    body = with_embedded_findings(body, [(kept.id, kept.finding) for kept in lost if kept.id not in known])
    return replace(review, comments=comments, body=body)


def _commented(comments: Sequence[ReviewComment]) -> frozenset[str]:
    return frozenset(found for comment in comments if (found := finding_of(comment.body)))


def _placeable(github: GitHub, comments: Sequence[ReviewComment]) -> tuple[ReviewComment, ...]:
    """The comments that the changes as they are now have a place for; none if they have one for all."""
    files = {file.path: file for file in github.changed_files()}
    placeable = tuple(
        each
        for each in comments
        if each.path in files and files[each.path].takes_comment_on(each.start_line or each.line, each.line)
    )
    return placeable if len(placeable) < len(comments) else ()
