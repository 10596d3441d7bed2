"""What GitHub is told of each delivery, and what stands in the queue after it."""

import json
from typing import Any

import pytest

from kodiai.core.events.payloads import MAX_BODY_BYTES
from kodiai.flows.receive_delivery import NOT_BASE64
from tests.functions.ingest.conftest import Deployment
from tests.functions.ingest.door import DELIVERY, OPENED, PREVIOUS_SECRET, Door, request


def test_an_opened_pull_request_is_one_job_in_the_queue_of_reviews(door: Door, deployment: Deployment) -> None:
    """202, and exactly one message."""
    heard = door.deliver()

    assert heard.status == 202
    assert heard.headers == {"content-type": "application/json"}
    assert heard.body == {
        "outcome": "queued",
        "reason": "The job for octo/hello#7 is queued.",
        "delivery": DELIVERY,
        "event": "pull_request",
        "repository": "octo/hello",
        "pull_request": 7,
        "trigger": "opened",
    }
    (message,) = deployment.queued()
    assert json.loads(message["Body"]) == {
        "delivery": DELIVERY,
        "kind": "review",
        "repository": "octo/hello",
        "repository_id": 11,
        "owner_id": 1,
        "number": 7,
        "installation": 123,
        "trigger": "opened",
        "sender": "octocat",
        "head": None,
        "label": None,
        "requested": None,
        "by_bot": False,
        "outsider": None,
    }
    assert message["Attributes"]["MessageGroupId"] == "octo/hello#7"
    assert message["Attributes"]["MessageDeduplicationId"] == DELIVERY


def test_an_uninstallation_is_one_job_in_the_queue_of_reviews(door: Door, deployment: Deployment) -> None:
    """It names no pull request, in the log as in the message."""
    owner = {"id": 123, "account": {"id": 1, "login": "octo"}}
    uninstalled = {"action": "deleted", "sender": {"login": "octocat"}, "installation": owner, "repositories": []}

    heard = door.deliver(uninstalled, event="installation")

    assert (heard.status, heard.body) == (
        202,
        {
            "outcome": "queued",
            "reason": "The data of repositories of octo will be deleted, unless they have the App.",
            "delivery": DELIVERY,
            "event": "installation",
            "owner": "octo",
            "named_repositories": 0,
            "trigger": "uninstalled",
        },
    )
    (message,) = deployment.queued()
    assert json.loads(message["Body"]) == {
        "delivery": DELIVERY,
        "kind": "forget",
        "owner": "octo",
        "owner_id": 1,
        "repositories": [],
        "installation": 123,
        "trigger": "uninstalled",
        "sender": "octocat",
        "after": None,
        "again": False,
        "waits_left": 0,
    }
    assert message["Attributes"]["MessageGroupId"] == "octo#forget"


def test_a_delivery_that_is_sent_again_is_still_one_job(door: Door, deployment: Deployment) -> None:
    """A person redelivers with the same GUID; the queue keeps the first."""
    assert [door.deliver().status, door.deliver().status] == [202, 202]
    assert len(deployment.queued()) == 1


def test_a_delivery_counts_in_every_form_in_which_it_may_come(door: Door, deployment: Deployment) -> None:
    """With names of headers in capitals, in base64, or signed with the previous secret while that is rotated."""
    capitals = request(headers={"x-github-delivery": "one"})
    capitals["headers"] = {name.title(): text for name, text in capitals["headers"].items()}

    assert door.knock(capitals).status == 202
    assert door.deliver(as_base64=True, headers={"x-github-delivery": "two"}).status == 202
    assert door.deliver(secret=PREVIOUS_SECRET, headers={"x-github-delivery": "three"}).status == 202
    assert len(deployment.queued()) == 3
    assert door.deliver({"anything": 1}, event="workflow_job").status == 200


def test_a_delivery_without_work_says_why(lasting_door: Door, lasting: Deployment) -> None:
    """200, the reason for the webhook log, and no message."""
    heard = lasting_door.deliver(OPENED | {"action": "assigned"})

    assert (heard.status, heard.body) == (
        200,
        {
            "outcome": "nothing",
            "reason": "“assigned” does not change what there is to review.",
            "delivery": DELIVERY,
            "event": "pull_request",
        },
    )
    assert lasting.queued() == []


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"headers": {"x-hub-signature-256": None}},
            "The header X-Hub-Signature-256 is missing: set a secret in the webhook's settings.",
        ),
        (
            {"headers": {"x-hub-signature-256": "sha256=75"}},
            "The header X-Hub-Signature-256 is not “sha256=” and 64 hexadecimal digits.",
        ),
        (
            {"headers": {"x-hub-signature-256": "sha256=" + "0" * 64}},
            "The signature does not match the body: the webhook's secret is another one than ours.",
        ),
        (
            {"secret": "a stranger's"},
            "The signature does not match the body: the webhook's secret is another one than ours.",
        ),
    ],
)
def test_a_delivery_that_is_not_signed_by_us_is_refused(
    lasting_door: Door, lasting: Deployment, changes: dict[str, Any], reason: str
) -> None:
    """401, before anything of it is read."""
    heard = lasting_door.deliver(b"\xff not even JSON" if "secret" in changes else OPENED, as_base64=True, **changes)

    assert heard.status == 401
    assert heard.body["reason"] == reason
    assert lasting.queued() == []


@pytest.mark.parametrize(
    "headers",
    [
        {"x-github-event": None},
        {"x-github-delivery": None},
        {"x-github-event": "pull request"},
        {"x-github-event": ""},
        {"x-github-delivery": "a b"},
        {"x-github-delivery": "x" * 200},
        {"x-github-delivery": f"{DELIVERY}.1"},
    ],
)
def test_a_delivery_without_githubs_headers_is_malformed(
    lasting_door: Door, lasting: Deployment, headers: dict[str, str | None]
) -> None:
    """400: without a GUID a repeat could not be told, without an event nothing be read."""
    heard = lasting_door.deliver(headers=headers)

    assert heard.status == 400
    assert heard.body["reason"] == "The headers X-GitHub-Event and X-GitHub-Delivery are missing or malformed."
    assert lasting.queued() == []


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"[" * 1_000_000, "The body is not JSON."),
        (b"{}", "The payload of “pull_request” has no usable action."),
    ],
)
def test_a_signed_body_that_cannot_be_read_is_malformed(
    lasting_door: Door, lasting: Deployment, body: bytes, reason: str
) -> None:
    """400 with the reason; never a stack trace."""
    heard = lasting_door.deliver(body, as_base64=True)

    assert heard.status == 400
    assert heard.body["reason"] == reason
    assert lasting.queued() == []


def test_a_body_that_is_not_the_base64_it_claims_to_be_is_malformed(lasting_door: Door) -> None:
    """400."""
    event = request(as_base64=True) | {"body": "{not base64}"}

    heard = lasting_door.knock(event)

    assert (heard.status, heard.body) == (400, {"outcome": "refused", "reason": NOT_BASE64})


def test_a_body_over_the_limit_is_too_large_and_one_at_the_limit_is_not(door: Door) -> None:
    """413, before its signature is computed; at the limit it is read like any other."""
    padding = MAX_BODY_BYTES - len(json.dumps(OPENED | {"padding": ""}, ensure_ascii=False).encode())
    largest = OPENED | {"padding": "x" * padding}

    heard = door.deliver(OPENED | {"padding": "x" * (padding + 1)})

    assert (heard.status, heard.body["reason"]) == (413, "The body is over 5242880 bytes.")
    assert door.deliver(largest).status == 202
