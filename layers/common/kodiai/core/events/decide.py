"""The decision about a delivery: one job, or none with the reason."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from kodiai.core.events.job import (
    MOST_NAMED,
    MOST_NUMBERS,
    ForgetJob,
    Job,
    Mention,
    MergeGroupJob,
    QueuedJob,
    RerunJob,
    Trigger,
)
from kodiai.core.events.payloads import (
    CheckRunEvent,
    CheckSuiteEvent,
    CommentEvent,
    Event,
    InstallationEvent,
    MergeGroupEvent,
    OtherEvent,
    PullRequestEvent,
)
from kodiai.core.findings.markers import is_marked
from kodiai.core.github.comment import CommentPayload, may_mention
from kodiai.core.github.names import MOST_SAID
from kodiai.core.json_object import JsonObject

_TRIGGERS: Mapping[str, Trigger] = {trigger: trigger for trigger in get_args(Trigger)}
# https://docs.github.com/en/graphql/reference/enums#commentauthorassociation
MEMBERS = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
"""The associations with a repository of people who are no outsiders."""

_CHECK_ACTIONS = frozenset({"rerequested", "requested_action"})
_SUITE_ACTIONS = frozenset({"completed", "rerequested"})
_COMMENT_ACTIONS = frozenset({"created", "submitted"})
_REMOVALS = frozenset({"deleted", "removed"})
_GROUP_ACTIONS: Mapping[str, Literal["checks_requested", "destroyed"]] = {
    "checks_requested": "checks_requested",
    "destroyed": "destroyed",
}
_ACTIONS: Mapping[str, Collection[str]] = {
    "merge_group": _GROUP_ACTIONS.keys(),
    "pull_request": _TRIGGERS.keys(),
    "check_run": _CHECK_ACTIONS,
    "check_suite": _SUITE_ACTIONS,
    **dict.fromkeys(("issue_comment", "pull_request_review_comment", "pull_request_review"), _COMMENT_ACTIONS),
    **dict.fromkeys(("installation", "installation_repositories"), _REMOVALS),
}
# "refs/heads/gh-readonly-queue/main/pr-7-<commit>"; a branch's name may have slashes.
_QUEUE_BRANCH = re.compile(r"(?:refs/heads/)?gh-readonly-queue/(?P<base>.+)/(?P<entry>[^/]+)")
_QUEUED = re.compile(r"(?<![0-9A-Za-z])pr-([1-9][0-9]{0,9})(?![0-9])")
# The releases before wrote the repository's name in place of its id.
_OUR_CHECK = re.compile(r"(?:(?P<id>[0-9]+)|[^#\s/]+/[^#\s/]+)#(?P<number>[1-9][0-9]{0,9})@\S+")


@dataclass(frozen=True)
class Ignored:
    """Nothing is to be done; the reason is shown in the webhook log."""

    reason: str


def is_ours(external_id: str | None) -> bool:
    """Whether the external id of a check run is one of those that we give."""
    return _OUR_CHECK.fullmatch(external_id or "") is not None


def may_lead_to_something(event: str, action: str | None) -> bool:
    """Whether there are webhooks of this event and action that are not ignored."""
    return action in _ACTIONS.get(event, ())


def decide(event: Event, delivery: str, app: str | None = None) -> QueuedJob | Ignored:
    """Decide what an event leads to, as far as the payload says; `delivery` is its GUID, `app` the id of our App.

    Which login is ours is not known here. The function that takes up the job ends what we did ourselves.
    """
    if isinstance(event, OtherEvent):
        if event.name == "ping":
            return Ignored("The webhook arrives here and its signature is right.")
        return Ignored(f"“{event.name}” is not an event that we act on.")
    if isinstance(event, InstallationEvent):
        return _installation(event, delivery)
    match event:
        case PullRequestEvent():
            return _pull_request(event, delivery)
        case CheckRunEvent():
            return _check_run(event, delivery)
        case CheckSuiteEvent():
            return _check_suite(event, delivery, app)
        case MergeGroupEvent():
            trigger = _GROUP_ACTIONS.get(event.action)
            if trigger is None:
                return Ignored(f"A merge group's “{event.action}” asks nothing of us.")
            return _merge_group(event, delivery, trigger, event.head_ref)
        case CommentEvent():
            return _comment(event, delivery)


def _pull_request(event: PullRequestEvent, delivery: str) -> Job | Ignored:
    trigger = _TRIGGERS.get(event.action)
    if trigger is None or (trigger == "edited" and event.changed_base is None):
        return Ignored(f"“{event.action}” does not change what there is to review.")
    if trigger == "review_requested" and event.requested_reviewer is None:
        return Ignored("The review of a team was requested, not ours.")
    return _job(
        event,
        delivery,
        event.number,
        trigger,
        head=event.head if trigger == "synchronize" else None,
        label=event.label,
        requested=event.requested_reviewer.login if event.requested_reviewer is not None else None,
        outsider=_outsider(event),
        # The end of a bot's pull request counts all the same: somebody may have requested our review of it.
        by_bot=trigger not in ("review_requested", "closed") and event.author is not None and event.author.is_bot,
    )


def _outsider(event: PullRequestEvent) -> str | None:
    """The author, if they are no member and caused the event themselves or by an automation, such as one for labels.

    What a person other than the author does with the pull request does not wait behind the author's own events.
    """
    author = event.author
    if author is None or event.association is None or event.association in MEMBERS:
        return None
    return author.login if event.sender.is_bot or event.sender.login == author.login else None


def pull_request_of(external_id: str | None, repository_id: int) -> int | None:
    """The number of the pull request that a check run of ours is about, None if it is about none of this repository.

    A name that a repository had before counts: GitHub requests a check run again of nobody but the App that made it.
    """
    named = _OUR_CHECK.fullmatch(external_id or "")
    return int(named["number"]) if named and named["id"] in (None, str(repository_id)) else None


def _check_run(event: CheckRunEvent, delivery: str) -> Job | RerunJob | MergeGroupJob | Ignored:
    """A check run of ours names its pull request in its external id; GitHub's own list is empty for forks.

    Others with the same head have a check run of the same name, of which GitHub shows the newest.
    """
    if event.action not in _CHECK_ACTIONS:
        return Ignored(f"A check run's “{event.action}” asks nothing of us.")
    if _QUEUE_BRANCH.fullmatch(event.head_branch or ""):
        return _merge_group(event, delivery, "checks_requested", event.head_branch)
    number = pull_request_of(event.external_id, event.repository_id)
    if number is None:
        return Ignored("The check run is not about a pull request of ours.")
    others = event.numbers if event.action == "rerequested" else frozenset[int]()
    if event.head is None or others <= {number}:
        return _job(event, delivery, number, "rerequested")
    return _rerun(event, event.head, delivery, {number, *others})


def _check_suite(event: CheckSuiteEvent, delivery: str, app: str | None) -> Job | RerunJob | MergeGroupJob | Ignored:
    """“Re-run all checks”, which GitHub sends to the App whose check runs these are; or another App's suite is done.

    An approval may wait for that, also for a suite that failed: of its checks a required one may have passed. GitHub
    names no pull request of a fork: any later event of it does the same.
    """
    if event.action not in _SUITE_ACTIONS:
        return Ignored(f"A check suite's “{event.action}” asks nothing of us.")
    if event.action == "completed":
        if app == str(event.app):
            return Ignored("These are our own check runs.")
        if not event.numbers:
            return Ignored("The check suite names no pull request of this repository.")
        number, *others = sorted(event.numbers)
        return _job(event, delivery, number, "checks_completed", others=tuple(others[:MOST_NUMBERS]))
    if _QUEUE_BRANCH.fullmatch(event.head_branch or ""):
        return _merge_group(event, delivery, "checks_requested", event.head_branch)
    return _rerun(event, event.head, delivery, event.numbers)


def _rerun(event: CheckRunEvent | CheckSuiteEvent, head: str, delivery: str, numbers: Collection[int]) -> RerunJob:
    """Request the review of all pull requests with a head: GitHub names those of one branch, and none of a fork."""
    return RerunJob(
        **_common(event, delivery),
        head=head,
        numbers=tuple(sorted(numbers)[:MOST_NUMBERS]),
    )


def _merge_group(
    event: MergeGroupEvent | CheckRunEvent | CheckSuiteEvent,
    delivery: str,
    trigger: Literal["checks_requested", "destroyed"],
    ref: str | None,
) -> MergeGroupJob | Ignored:
    """The job for a merge queue's commit, whose branch names its pull requests."""
    branch = _QUEUE_BRANCH.fullmatch(ref or "")
    numbers = [int(number) for number in _QUEUED.findall(branch["entry"])] if branch is not None else []
    if branch is None or not numbers or event.head is None:
        return Ignored("The branch of the merge group names no pull request.")
    return MergeGroupJob(
        **_common(event, delivery),
        number=numbers[-1],
        trigger=trigger,
        head=event.head,
        base=branch["base"],
        numbers=tuple(numbers[-MOST_NUMBERS:]),
    )


def _comment(event: CommentEvent, delivery: str) -> Mention | Ignored:
    """A comment is read where it may be meant for us: it has a handle in it, or is in a thread, which may be ours.

    Whose thread it is, and which handles are ours in this repository, is not known here.
    """
    comment = event.comment
    if event.action not in _COMMENT_ACTIONS:
        return Ignored(f"Only new comments are read; this one was {event.action}.")
    if event.surface == "conversation" and event.issue_pull_request is None:
        return Ignored("The comment is on an issue, not on a pull request.")
    text = comment.body or ""
    if not text.strip():
        return Ignored("The review has no text of its own; its comments arrive separately.")
    author = comment.user
    if author is None or author.type == "Bot" or event.sender.type == "Bot":
        return Ignored(f"{author.login if author else 'ghost'} is not a person: only people are answered.")
    if is_marked(text):
        return Ignored("We wrote this ourselves.")
    if comment.in_reply_to_id is None and not may_mention(text):
        return Ignored("It mentions nobody.")
    return Mention(
        delivery=delivery,
        repository=event.repository,
        repository_id=event.repository_id,
        owner_id=event.owner_id,
        number=event.number,
        installation=event.installation,
        sender=author.login,
        outsider=None if comment.association is None or comment.association in MEMBERS else author.login,
        said=CommentPayload(
            surface=event.surface,
            id=comment.id,
            node_id=comment.node_id,
            reply_to=comment.in_reply_to_id,
            text=text[:MOST_SAID],
            at=int(comment.created_at.timestamp()),
            title=event.title,
        ),
    )


def _installation(event: InstallationEvent, delivery: str) -> ForgetJob | Ignored:
    """Without a name all repositories of the owner are looked at: after an uninstallation, and where GitHub gives none.

    More than fit into a message are not named either.
    """
    if event.action not in _REMOVALS:
        return Ignored(f"An installation's “{event.action}” removes no repository.")
    if event.owner is None or event.owner_id is None:
        return Ignored("The installation is that of an enterprise, which has no repositories.")
    removed = event.repositories if len(event.repositories) <= MOST_NAMED else ()
    return ForgetJob(
        delivery=delivery,
        installation=event.installation,
        sender=event.sender.login,
        trigger="uninstalled" if event.action == "deleted" else "repositories_removed",
        owner=event.owner,
        owner_id=event.owner_id,
        repositories=tuple(each.id for each in removed),
    )


def _job(
    event: PullRequestEvent | CheckRunEvent | CheckSuiteEvent,
    delivery: str,
    number: int,
    trigger: Trigger,
    **more: Any,
) -> Job:
    return Job(**_common(event, delivery), number=number, trigger=trigger, **more)


def _common(event: PullRequestEvent | CheckRunEvent | CheckSuiteEvent | MergeGroupEvent, delivery: str) -> JsonObject:
    """The fields that jobs about a repository have in common."""
    return {
        "delivery": delivery,
        "repository": event.repository,
        "repository_id": event.repository_id,
        "owner_id": event.owner_id,
        "installation": event.installation,
        "sender": event.sender.login,
    }
