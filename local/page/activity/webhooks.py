"""The webhook deliveries about a pull request, in words: who did what, and how ingest responded."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from local.github.webhooks import Delivery
from local.rendering.labels import short_sha

_ACTIONS = {
    ("pull_request", "opened"): "opened the pull request",
    ("pull_request", "reopened"): "reopened the pull request",
    ("pull_request", "closed"): "closed the pull request",
    ("pull_request", "ready_for_review"): "marked the pull request as ready for review",
    ("pull_request", "edited"): "edited the pull request",
    ("pull_request", "locked"): "locked the conversation",
    ("pull_request", "unlocked"): "unlocked the conversation",
    ("pull_request", "enqueued"): "added the pull request to the merge queue",
    ("pull_request", "dequeued"): "took the pull request out of the merge queue",
    ("merge_group", "checks_requested"): "requested checks for the merge queue",
    ("merge_group", "destroyed"): "ended the commit of the merge queue",
    ("issue_comment", "created"): "commented",
    ("issue_comment", "edited"): "edited a comment",
    ("issue_comment", "deleted"): "deleted a comment",
    ("pull_request_review", "submitted"): "submitted a review",
    ("pull_request_review", "edited"): "edited a review",
    ("pull_request_review", "dismissed"): "dismissed a review",
    ("pull_request_review_comment", "edited"): "edited a review comment",
    ("pull_request_review_comment", "deleted"): "deleted a review comment",
    ("check_suite", "completed"): "completed checks",
    ("check_suite", "rerequested"): "requested all checks again",
    ("check_run", "rerequested"): "requested the check run again",
    ("check_run", "requested_action"): "used a button of the check run",
}
_ANCHORS = {
    "issue_comment": ("comment", "issuecomment-"),
    "pull_request_review": ("review", "pullrequestreview-"),
    "pull_request_review_comment": ("comment", "discussion_r"),
}
_EXCERPT = 240


@dataclass(frozen=True)
class IngestResponse:
    """The response of ingest to one delivery. `status` is None if there is none yet."""

    status: int | None
    outcome: str
    reason: str
    redelivery: bool


@dataclass(frozen=True)
class WebhookEvent:
    """One event, delivered one or more times under one GUID.

    `action` is what `by` did; `text` is the start of what they wrote, and `anchor` its place in the conversation.
    `at` is in epoch seconds.
    """

    guid: str
    at: float
    name: str
    by: str
    action: str
    text: str = ""
    anchor: str = ""
    responses: tuple[IngestResponse, ...] = ()

    @property
    def ignored(self) -> bool:
        """Whether ingest found nothing to do in it."""
        return all(response.outcome == "nothing" for response in self.responses)


def webhook_events(deliveries: Iterable[Delivery], number: int) -> list[WebhookEvent]:
    """Find those of one pull request, oldest first."""
    by_guid: dict[str, list[Delivery]] = {}
    for delivery in deliveries:
        if delivery.subject.pull_request == number:
            by_guid.setdefault(delivery.guid, []).append(delivery)
    return [_event(same) for same in by_guid.values()]


def _event(deliveries: list[Delivery]) -> WebhookEvent:
    first = deliveries[0]
    key, anchor = _ANCHORS.get(first.event, ("", ""))
    written = first.payload.get(key, {})
    text = str(written.get("body") or "").strip()
    return WebhookEvent(
        guid=first.guid,
        at=first.at,
        name=f"{first.event} · {first.action}",
        by=str(first.payload.get("sender", {}).get("login", "somebody")),
        action=_action(first),
        text=f"{text[:_EXCERPT]}…" if len(text) > _EXCERPT else text,
        anchor=f"#{anchor}{written['id']}" if written and first.action != "deleted" else "",
        responses=tuple(_response(delivery) for delivery in deliveries),
    )


def _action(delivery: Delivery) -> str:
    payload = delivery.payload
    match delivery.event, delivery.action:
        case "pull_request", "synchronize":
            return f"pushed {short_sha(payload['after'])} (was {short_sha(payload['before'])})"
        case "pull_request", "closed" if payload["pull_request"].get("merged"):
            return "merged the pull request"
        case "pull_request", "review_requested":
            reviewer = payload.get("requested_reviewer") or payload.get("requested_team") or {}
            return f"requested a review from {reviewer.get('login', 'a team')}"
        case "pull_request", "labeled":
            return f"added the label {payload['label']['name']}"
        case "pull_request", "unlabeled":
            return f"removed the label {payload['label']['name']}"
        case "pull_request", "edited" if "base" in payload.get("changes", {}):
            return "changed the base branch"
        case "pull_request_review_comment", "created":
            return "replied in a thread" if payload["comment"].get("in_reply_to_id") else "started a thread"
    return _ACTIONS.get((delivery.event, delivery.action), f"sent “{delivery.action}”")


def _response(delivery: Delivery) -> IngestResponse:
    """Read the response, which is JSON with an outcome and a reason if it is ingest's own."""
    try:
        answer = json.loads(delivery.response)
        outcome, reason = str(answer["outcome"]), str(answer["reason"])
    except (ValueError, KeyError, TypeError):
        outcome, reason = "", delivery.error or ("No response yet." if delivery.status is None else "")
    return IngestResponse(delivery.status, outcome, reason, delivery.redelivery)
