"""Delivers a webhook as GitHub would, for a pull request of which GitHub sends us none."""

import json
import uuid
from typing import Any

import httpx

from cli.errors import CommandError
from kodiai.core.events.job import OPERATOR
from kodiai.core.events.signature import sign
from local.machine import LocalMachine

_ACCEPTED = 202


def deliver_review_request(
    machine: LocalMachine, repository: dict[str, Any], pull_request: dict[str, Any], login: str
) -> str:
    """Deliver that a review is requested from `login`, and return the delivery's GUID.

    A request counts whoever wrote the pull request, unless `onReviewRequested` is off: the operator pays for it.
    Raises CommandError where ingest does not accept it.
    """
    body = json.dumps(
        {
            "action": "review_requested",
            "number": pull_request["number"],
            "pull_request": pull_request,
            "requested_reviewer": {"login": login, "type": "User"},
            "repository": repository,
            "sender": {"login": OPERATOR, "type": "User"},
        }
    ).encode()
    guid = str(uuid.uuid4())
    headers = {
        "content-type": "application/json",
        "x-github-event": "pull_request",
        "x-github-delivery": guid,
        "x-hub-signature-256": f"sha256={sign(body, machine.webhook_secret).hex()}",
    }
    answer = httpx.post(machine.system.webhook_url, content=body, headers=headers, timeout=30)
    if answer.status_code != _ACCEPTED:
        raise CommandError(str(answer.json().get("reason", answer.text)))
    return guid
