"""Publish: one atomic review, posted once, and everything that is done next to it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kodiai.core.errors import Refused, Retry
from kodiai.core.findings.judgement import KeptFinding
from kodiai.core.pull_request import PullRequest, PullRequestSnapshot
from kodiai.core.review.check import Check
from kodiai.core.review.closing_check import annotations
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
from kodiai.core.review.thread_actions import does_anything, left_to_do, quiet
from kodiai.core.words.check import with_review
from kodiai.core.words.embedded import embedded_findings, with_embedded_findings
from kodiai.core.words.links import Links
from kodiai.core.words.markers import finding_of
from kodiai.core.words.review import with_refused_comments
from kodiai.core.words.secrets import masked
from kodiai.flows.review.session import ReviewSession
from kodiai.ports import ConversationStore, GitHub


@dataclass(frozen=True)
class Published:
    """What stands on GitHub after a run: its review, None where it has none, and the findings of resolved threads."""

    review: PostedReview | None
    resolved: frozenset[str] = frozenset()


def publish(
    session: ReviewSession,
    pending: PendingReview,
    on_github: PullRequestSnapshot,
    github: GitHub,
    conversation: ConversationStore,
) -> Published:
    """Post the review, unless it stands already, and do the rest; nothing where this deployment only shows it."""
    if session.is_dry_run:
        return Published(None)
    run, posted = session.run, session.posted
    acts = _not_said_meanwhile(conversation, pending.acts)
    commented = frozenset(posted.comment_ids) if posted is not None else frozenset[str]()
    is_new = pending.review is not None and posted is None
    if pending.review is not None and posted is None:
        links = Links(on_github.pull_request.url, run.head)
        posted, commented = _post(github, run.head, pending.review, pending.findings, links)
    actions = PublishActions(
        check_id=run.check_id,
        check=_with_review(pending, on_github.pull_request, commented, posted),
        acts=left_to_do(acts, on_github.threads, run),
        collapsed=_older(on_github, run) if posted is not None else (),
        lifted=_asking_for_changes(on_github, run) if pending.lifts else (),
        posted=posted if is_new else None,
        commented=commented,
        again=session.is_resumed,
    )
    results = _do(github, actions, is_first_attempt=session.is_first_attempt)
    if posted is not None:
        posted = replace(posted, comment_ids={**posted.comment_ids, **results.comment_ids})
    return Published(posted, frozenset(results.resolved))


def _not_said_meanwhile(conversation: ConversationStore, acts: Sequence[ThreadAction]) -> tuple[ThreadAction, ...]:
    """The actions without the answers that the conversation has given to the same replies since they were read."""
    left = (
        act if act.once is None or conversation.is_first_to_post(act.once, "review") else quiet(act) for act in acts
    )
    return tuple(act for act in left if does_anything(act))


def _older(on_github: PullRequestSnapshot, run: Run) -> tuple[str, ...]:
    """Our reviews that are out of date once this one stands."""
    return tuple(review.id for review in on_github.reviews if review.run != run.id and not review.collapsed)


def _asking_for_changes(on_github: PullRequestSnapshot, run: Run) -> tuple[str, ...]:
    return tuple(review.id for review in on_github.reviews if review.run != run.id and review.requests_changes)


def _do(github: GitHub, actions: PublishActions, *, is_first_attempt: bool) -> PublishResults:
    """Do it next to a review that stands: where that is refused twice the review is remembered without."""
    try:
        return github.update_threads(actions)
    except Refused as why:
        if is_first_attempt:
            raise Retry(f"the check run could not be closed: {why}") from why
        return github.update_threads(replace(actions, check_id=None, acts=(), collapsed=(), lifted=()))


def _with_review(
    pending: PendingReview, pull_request: PullRequest, placed: frozenset[str], posted: PostedReview | None
) -> Check:
    """The check run with a link to the review, and notes on the findings whose comments GitHub found no place for."""
    meant = _commented(pending.review.comments) if pending.review else frozenset()
    lost = annotations(kept.finding for kept in pending.findings if kept.id in meant - placed)
    check = replace(pending.check, annotations=(*pending.check.annotations, *lost))
    if posted is None:
        return check
    links = Links(pull_request.url, pull_request.head)
    return replace(check, summary=with_review(check.summary, links.review(posted.review_id)))


def _post(
    github: GitHub, head: str, review: Review, findings: Sequence[KeptFinding], links: Links
) -> tuple[PostedReview, frozenset[str]]:
    """Post it, and say about which of the findings it has comments.

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
    body = masked(with_refused_comments(review.body, [kept.finding for kept in lost], links))
    body = with_embedded_findings(body, [(kept.id, kept.finding) for kept in lost if kept.id not in known])
    return replace(review, comments=comments, body=body)


def _commented(comments: Sequence[ReviewComment]) -> frozenset[str]:
    return frozenset(found for comment in comments if (found := finding_of(comment.body)))


def _placeable(github: GitHub, comments: Sequence[ReviewComment]) -> tuple[ReviewComment, ...]:
    """Look for the culprit, whom GitHub does not name, in the changes as they are now; none at all where it hides."""
    files = {file.path: file for file in github.changed_files()}
    placeable = tuple(
        comment
        for comment in comments
        if comment.path in files
        and files[comment.path].takes_comment_on(comment.start_line or comment.line, comment.line)
    )
    return placeable if len(placeable) < len(comments) else ()
