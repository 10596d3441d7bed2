"""Arrivals: the webhook deliveries that concern a pull request, in words: who did what, and what ingest made of it."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from local.github.webhooks import Delivery

_DID = {
    ("pull_request", "opened"): "opened the pull request",
    ("pull_request", "reopened"): "opened the pull request again",
    ("pull_request", "closed"): "closed the pull request",
    ("pull_request", "ready_for_review"): "took the pull request out of draft",
    ("pull_request", "edited"): "edited the pull request",
    ("issue_comment", "created"): "wrote in the conversation",
    ("issue_comment", "edited"): "edited a comment in the conversation",
    ("issue_comment", "deleted"): "deleted a comment in the conversation",
    ("pull_request_review", "submitted"): "submitted a review",
    ("pull_request_review", "edited"): "edited a review",
    ("pull_request_review", "dismissed"): "dismissed a review",
    ("pull_request_review_comment", "created"): "wrote on the code",
    ("pull_request_review_comment", "edited"): "edited a comment on the code",
    ("pull_request_review_comment", "deleted"): "deleted a comment on the code",
    ("check_run", "rerequested"): "asked for the check run once more",
    ("check_run", "requested_action"): "pressed a button of the check run",
}
_ANCHORS = {
    "issue_comment": ("comment", "issuecomment-"),
    "pull_request_review": ("review", "pullrequestreview-"),
    "pull_request_review_comment": ("comment", "discussion_r"),
}
_EXCERPT = 240
_SHORT = 7

Payload = Mapping[str, Any]


@dataclass(frozen=True)
class Decision:
    """What ingest answered to one delivery, and after how many seconds. `status` is None where it has not yet."""

    status: int | None
    outcome: str
    reason: str
    seconds: float
    redelivery: bool


@dataclass(frozen=True)
class Arrival:
    """One event, as it came in one or more times under one GUID.

    `did` is what `by` did; `said` begins what they wrote, and `anchor` is its place on the conversation's page.
    `at` is in epoch seconds.
    """

    guid: str
    at: float
    name: str
    by: str
    did: str
    said: str
    anchor: str
    decisions: tuple[Decision, ...]

    @property
    def led_to_nothing(self) -> bool:
        """Whether ingest took it for nothing that asks for work."""
        return all(decision.outcome == "nothing" for decision in self.decisions)


def arrivals_of(deliveries: Iterable[Delivery], full_name: str, number: int) -> list[Arrival]:
    """Find those of one pull request, oldest first."""
    by_guid: dict[str, list[Delivery]] = {}
    for delivery in deliveries:
        if _number(delivery.payload, full_name) == number:
            by_guid.setdefault(delivery.guid, []).append(delivery)
    return [_arrival(same) for same in by_guid.values()]


def _number(payload: Payload, full_name: str) -> int | None:
    """The pull request that it is about: a check run of ours names it in its external id."""
    for name in ("pull_request", "issue"):
        if name in payload:
            return int(payload[name]["number"])
    named = str(payload.get("check_run", {}).get("external_id") or "").removeprefix(f"{full_name}#").partition("@")[0]
    return int(named) if named.isdecimal() else None


def _arrival(deliveries: list[Delivery]) -> Arrival:
    first = deliveries[0]
    thing, anchor = _ANCHORS.get(first.event, ("", ""))
    written = first.payload.get(thing, {})
    text = str(written.get("body") or "").strip()
    return Arrival(
        guid=first.guid,
        at=first.at,
        name=f"{first.event} · {first.action}",
        by=str(first.payload.get("sender", {}).get("login", "somebody")),
        did=_did(first),
        said=f"{text[:_EXCERPT]}…" if len(text) > _EXCERPT else text,
        anchor=f"#{anchor}{written['id']}" if written and first.action != "deleted" else "",
        decisions=tuple(_decision(delivery) for delivery in deliveries),
    )


def _did(delivery: Delivery) -> str:
    payload = delivery.payload
    match delivery.event, delivery.action:
        case "pull_request", "synchronize":
            return f"pushed {payload['after'][:_SHORT]} onto {payload['before'][:_SHORT]}"
        case "pull_request", "closed" if payload["pull_request"].get("merged"):
            return "merged the pull request"
        case "pull_request", "review_requested":
            reviewer = (payload.get("requested_reviewer") or payload.get("requested_team") or {}).get("login", "a team")
            return f"asked {reviewer} for a review"
        case "pull_request", "labeled":
            return f"added the label {payload['label']['name']}"
        case "pull_request", "unlabeled":
            return f"took the label {payload['label']['name']} away"
        case "pull_request", "edited" if "base" in payload.get("changes", {}):
            return "changed the base branch"
        case "pull_request_review_comment", "created":
            return (
                f"{'replied in a thread' if payload['comment'].get('in_reply_to_id') else 'began a thread'} on the code"
            )
    return _DID.get((delivery.event, delivery.action), f"did “{delivery.action}”")


def _decision(delivery: Delivery) -> Decision:
    """Read ingest's answer, which is JSON with its outcome and reason wherever it was ingest that answered."""
    try:
        answer = json.loads(delivery.response)
        outcome, reason = str(answer["outcome"]), str(answer["reason"])
    except (ValueError, KeyError, TypeError):
        outcome, reason = "", delivery.error or ("Nobody has answered yet." if delivery.status is None else "")
    return Decision(delivery.status, outcome, reason, delivery.duration, delivery.redelivery)
