"""What a delivery asks of us: one job, or nothing and why."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from kodiai.core.conversation.comment import may_mention
from kodiai.core.events.job import MOST_SAID, CommentPayload, Job, Mention, Surface, Trigger
from kodiai.core.events.payloads import (
    Account,
    CheckRunEvent,
    Comment,
    Event,
    InstallationEvent,
    IssueCommentEvent,
    OtherEvent,
    PingEvent,
    PullRequestEvent,
    ReviewCommentEvent,
    ReviewEvent,
    SaidEvent,
)
from kodiai.core.words.markers import is_marked

_TRIGGERS: Mapping[str, Trigger] = {
    "opened": "opened",
    "reopened": "reopened",
    "ready_for_review": "ready_for_review",
    "review_requested": "review_requested",
    "synchronize": "synchronize",
    "labeled": "labeled",
    "unlabeled": "unlabeled",
    "edited": "edited",
    "closed": "closed",
}
_OUR_CHECK = re.compile(r"(?P<repository>[^#\s]+)#(?P<number>[1-9][0-9]{0,9})@\S+")


@dataclass(frozen=True)
class Ignored:
    """Nothing is to be done; the reason is shown in the webhook log."""

    reason: str


def decide(event: Event, delivery: str, bot_login: str) -> Job | Mention | Ignored:
    """Decide what an event leads to.

    `delivery` is its GUID, `bot_login` the login under which we write: what we did ourselves leads to nothing,
    or we would answer ourselves forever.
    """
    match event:
        case OtherEvent():
            return Ignored(f"“{event.name}” is not an event that we act on.")
        case PingEvent():
            return Ignored("The webhook arrives here and its signature is right.")
    if _same(event.sender, bot_login):
        return Ignored(f"{event.sender.login} did this: we do not act on what we did ourselves.")
    match event:
        case PullRequestEvent():
            return _pull_request(event, delivery, bot_login)
        case CheckRunEvent():
            return _check_run(event, delivery)
        case IssueCommentEvent() | ReviewCommentEvent() | ReviewEvent():
            return _said(event, delivery, bot_login)
        case InstallationEvent():
            return Ignored(f"The installation's “{event.action}” is noted; nothing follows from it.")
        case _:
            assert_never(event)


def _pull_request(event: PullRequestEvent, delivery: str, bot_login: str) -> Job | Ignored:
    trigger = _TRIGGERS.get(event.action)
    if trigger is None or (trigger == "edited" and event.changes.base is None):
        return Ignored(f"“{event.action}” does not change what there is to review.")
    if trigger == "review_requested":
        if event.requested_reviewer is None:
            return Ignored("The review of a team was requested, not ours.")
        if not _same(event.requested_reviewer, bot_login):
            return Ignored(f"The review of {event.requested_reviewer.login} was requested, not ours.")
    author = event.pull_request.user
    job = _job(event, delivery, event.pull_request.number, trigger)
    return job.model_copy(
        update={
            "head": event.pull_request.head.sha if trigger == "synchronize" else None,
            "label": event.label.name if event.label is not None else None,
            # The end of a bot's pull request counts all the same: somebody may have requested our review of it.
            "by_bot": trigger not in ("review_requested", "closed") and author is not None and author.type == "Bot",
        }
    )


def _check_run(event: CheckRunEvent, delivery: str) -> Job | Ignored:
    """A check run of ours names its pull request in its external id; GitHub's own list is empty for forks."""
    if event.action not in ("rerequested", "requested_action"):
        return Ignored(f"A check run's “{event.action}” asks nothing of us.")
    named = _OUR_CHECK.fullmatch(event.check_run.external_id or "")
    if named is None or named["repository"].lower() != event.repository.full_name.lower():
        return Ignored("The check run is not ours, or is of before the repository was renamed.")
    return _job(event, delivery, int(named["number"]), "rerequested")


def _said(event: SaidEvent, delivery: str, bot_login: str) -> Mention | Ignored:
    """What people say is read where it may be said to us: with a handle in it, or in a thread, which may be ours.

    Whose thread it is, and which handles are ours in this repository, is not known here.
    """
    surface, number, title, comment = _place(event)
    if event.action not in ("created", "submitted"):
        return Ignored(f"Only what is new is read, not what was {event.action}.")
    if number is None:
        return Ignored("It was said about an issue, not about a pull request.")
    text = comment.body or ""
    if not text.strip():
        return Ignored("The review says nothing as a whole; its comments come by themselves.")
    author = comment.user
    if author is None or author.type == "Bot" or event.sender.type == "Bot":
        return Ignored(f"{author.login if author else 'Nobody'} is a bot: bots are not answered.")
    if _same(author, bot_login) or is_marked(text):
        return Ignored("We said this ourselves.")
    if comment.in_reply_to_id is None and not may_mention(text):
        return Ignored("Nobody is called in it.")
    return Mention(
        delivery=delivery,
        repository=event.repository.full_name,
        number=number,
        installation=event.installation.id if event.installation else None,
        sender=author.login,
        said=CommentPayload(
            surface=surface,
            id=comment.id,
            node_id=comment.node_id,
            reply_to=comment.in_reply_to_id,
            text=text[:MOST_SAID],
            at=comment.created_at,
            title=title,
        ),
    )


def _place(event: SaidEvent) -> tuple[Surface, int | None, str, Comment]:
    """Where it was said, in which pull request (None: in none), its title, and what was said."""
    match event:
        case IssueCommentEvent(issue=issue):
            is_pull_request = issue.pull_request is not None
            return "conversation", issue.number if is_pull_request else None, issue.title, event.comment
        case ReviewCommentEvent(pull_request=pull_request):
            return "thread", pull_request.number, pull_request.title, event.comment
        case ReviewEvent(pull_request=pull_request):
            return "review", pull_request.number, pull_request.title, event.review


def _job(event: PullRequestEvent | CheckRunEvent, delivery: str, number: int, trigger: Trigger) -> Job:
    return Job(
        delivery=delivery,
        repository=event.repository.full_name,
        number=number,
        installation=event.installation.id if event.installation else None,
        trigger=trigger,
        sender=event.sender.login,
    )


def _same(account: Account, login: str) -> bool:
    """Whether an account has this login; GitHub's logins do not tell capitals from small letters."""
    return account.login.lower() == login.lower()
