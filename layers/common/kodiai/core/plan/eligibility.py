"""Whether a pull request is reviewed at all, and why not."""

from collections.abc import Collection
from dataclasses import dataclass

from kodiai.core.config.keys import LabelsConfig, Outsiders, ReviewConfig
from kodiai.core.events.job import Job, Mention, Trigger
from kodiai.core.github.pull_request import PullRequest

ASKED_FOR: frozenset[Trigger] = frozenset({"review_requested", "rerequested", "full_review"})
"""The triggers by which a person requests a review."""
NO_REVIEW = "the title says [no-review]"


def foreign_event_reason(job: Job | Mention, bot_login: str) -> str | None:
    """Say why an event is none of ours to act on, None where it may be: we did it, or it asks for somebody else.

    If we acted on what we did ourselves, we would answer ourselves forever.
    """
    if job.sender.lower() == bot_login.lower():
        return f"{job.sender} did this: we do not act on what we did ourselves"
    if isinstance(job, Job) and job.requested is not None and job.requested.lower() != bot_login.lower():
        return f"the review of {job.requested} was requested, not ours"
    return None


def event_skip_reason(job: Job, config: ReviewConfig, *, author: str, bot_login: str) -> str | None:
    """Say why this event leads to nothing, None where it may lead to a review.

    It is the first question, for the many events that lead to nothing in most repositories: those of labels, and of
    bots' pull requests that nobody asked us to review.
    """
    if job.by_bot and author.lower() == bot_login.lower():
        return f"{author} is us"
    if job.by_bot and not config.reviews_bot(author):
        return f"{author} is a bot that review.bots does not include"
    if job.trigger == "labeled" and not config.labels.requires(job.label):
        return f"labels.only does not name {job.label}"
    if job.trigger == "unlabeled" and not config.labels.ignores(job.label):
        return f"labels.ignore does not name {job.label}"
    return None


@dataclass(frozen=True)
class Reviewed:
    """The reviews of a pull request so far: `head` is the one that the last review read, None before the first.

    `is_served` is whether the event led to the last review, `left_unread` whether that left files unread, `is_too_soon`
    whether it may not be done again yet (`again_at`). `paused_by` is who paused the reviews.
    """

    head: str | None = None
    is_served: bool = False
    left_unread: bool = False
    is_too_soon: bool = False
    paused_by: str | None = None


def pull_request_skip_reason(
    trigger: Trigger, config: ReviewConfig, pull_request: PullRequest, *, is_closed: bool
) -> str | None:
    """Say why this pull request is not reviewed even on request, None where it may be."""
    if trigger == "closed" or is_closed:
        return "the pull request is closed"
    if not config.enabled:
        return "reviews are turned off in .kodiai.yml"
    if "[no-review]" in pull_request.title.lower():
        return NO_REVIEW
    if config.skips_author(pull_request.author):
        return f"skipAuthors names {pull_request.author}"
    return None


def trigger_skip_reason(
    trigger: Trigger, config: ReviewConfig, pull_request: PullRequest, reviewed: Reviewed
) -> str | None:
    """Say why this event begins no review of a pull request that may be reviewed, None where it does.

    A person's request ignores the rules about drafts, pauses, labels and branches. A reviewed head is reviewed again,
    once for each event: on request where files were left unread and for a full review, unless it is too soon, and
    always for another base branch.
    """
    may_be_asked_for = trigger == "full_review" or (trigger in ASKED_FOR and reviewed.left_unread)
    is_done_again = trigger == "edited" or (may_be_asked_for and not reviewed.is_too_soon)
    if pull_request.head == reviewed.head and (not is_done_again or reviewed.is_served):
        return f"reviewed at {reviewed.head[:7]} already"
    if trigger not in ASKED_FOR:
        if reviewed.paused_by is not None:
            return f"paused by {reviewed.paused_by}"
        if pull_request.draft and not config.drafts:
            return "the pull request is a draft"
        if not config.reviews_into(pull_request.base_ref):
            return f"baseBranches does not name {pull_request.base_ref}"
        if (reason := _by_labels(pull_request.labels, config.labels)) is not None:
            return reason
    return _trigger_off(trigger, config)


def outsider_skip_reason(rule: Outsiders, author: str) -> str:
    """Say why this event begins no review of an author without write access, by the rule for such authors."""
    if rule == "never":
        return f"outsiders is never, and {author} has no write access"
    return "its author has no write access, and nobody with write access asked for this review"


def _by_labels(labels: Collection[str], config: LabelsConfig) -> str | None:
    ignored = next((label for label in labels if config.ignores(label)), None)
    if ignored is not None:
        return f"labels.ignore names {ignored}"
    if config.only is not None and not any(config.requires(label) for label in labels):
        return "its labels are not in labels.only"
    return None


def _trigger_off(trigger: Trigger, config: ReviewConfig) -> str | None:
    triggers = config.triggers
    switches = {
        "opened": ("onOpened", triggers.on_opened),
        "reopened": ("onOpened", triggers.on_opened),
        "edited": ("onOpened", triggers.on_opened),
        "review_requested": ("onReviewRequested", triggers.on_review_requested),
        "ready_for_review": ("onReadyForReview", triggers.on_ready_for_review),
        "synchronize": ("onSynchronize", triggers.on_synchronize),
    }
    name, on = switches.get(trigger, ("", True))
    return None if on else f"{name} is off"
