"""Whether a pull request is reviewed at all, and why not."""

from kodiai.core.config import ReviewConfig
from kodiai.core.events.job import Trigger

ASKED_FOR: frozenset[Trigger] = frozenset({"review_requested", "rerequested", "full_review"})
"""What a person asks of us by name."""


def unwanted(trigger: Trigger, config: ReviewConfig, *, title: str, author: str, state: str) -> str | None:
    """Say why this pull request is not reviewed whoever asks, None where it may be."""
    if trigger == "closed" or state == "closed":
        return "the pull request is closed"
    if not config.enabled:
        return "reviews are turned off in .kodiai.yml"
    if "[no-review]" in title.lower():
        return "the title says [no-review]"
    if config.skips_author(author):
        return f"skipAuthors names {author}"
    return None


def untimely(
    trigger: Trigger,
    config: ReviewConfig,
    *,
    draft: bool,
    head: str,
    completed_head: str | None,
    is_served: bool = False,
    left_unread: bool = False,
    paused_by: str | None = None,
) -> str | None:
    """Say why this event begins no review of a pull request that may be reviewed, None where it does.

    What a person asks for by name passes the rules about drafts and pauses. It is done again for a head that is
    reviewed where the review left files unread (`left_unread`), a full review always; once for each event:
    `is_served` is whether this very event led to the last review. `paused_by` is who paused the reviews.
    """
    is_done_again = trigger == "full_review" or (trigger in ASKED_FOR and left_unread)
    if head == completed_head and (not is_done_again or is_served):
        return f"reviewed at {head[:7]} already"
    if paused_by is not None and trigger not in ASKED_FOR:
        return f"paused by {paused_by}"
    if draft and not config.drafts and trigger not in ASKED_FOR:
        return "the pull request is a draft"
    return _trigger_off(trigger, config)


def _trigger_off(trigger: Trigger, config: ReviewConfig) -> str | None:
    triggers = config.triggers
    switches = {
        "opened": ("onOpened", triggers.on_opened),
        "reopened": ("onOpened", triggers.on_opened),
        "review_requested": ("onReviewRequested", triggers.on_review_requested),
        "ready_for_review": ("onReadyForReview", triggers.on_ready_for_review),
        "synchronize": ("onSynchronize", triggers.on_synchronize),
    }
    name, on = switches.get(trigger, ("", True))
    return None if on else f"{name} is off"
