"""The answer to each delivery, and the queue after it."""

import json
from typing import Any

from kodiai.core.events.payloads import MAX_BODY_BYTES
from kodiai.flows.receive_delivery import NOT_BASE64
from tests.edges.deployed_aws import DeployedAws
from tests.functions.ingest.conftest import Deployment
from tests.functions.ingest.door import DELIVERY, OPENED, PARAMETERS, PREVIOUS_SECRET, Door, door_in, request
from tests.tables import each_row

UNINSTALLED = {
    "action": "deleted",
    "sender": {"login": "octocat"},
    "installation": {"id": 123, "account": {"id": 1, "login": "octo"}},
    "repositories": [],
}


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
    heard = door.deliver(UNINSTALLED, event="installation")

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


UNNAMED: list[dict[str, str | None]] = [
    {"x-github-event": None},
    {"x-github-delivery": None},
    {"x-github-event": "pull request"},
    {"x-github-event": ""},
    {"x-github-delivery": "a b"},
    {"x-github-delivery": "x" * 200},
    {"x-github-delivery": f"{DELIVERY}.1"},
]


@each_row(
    ("knock", "status", "reason"),
    [
        (
            request(headers={"x-hub-signature-256": None}),
            401,
            "The header X-Hub-Signature-256 is missing: set a secret in the webhook's settings.",
        ),
        (
            request(b"\xff not even JSON", secret="a stranger's", as_base64=True),
            401,
            "The signature does not match the body: the webhook's secret is another one than ours.",
        ),
        *(
            (
                request(headers=headers),
                400,
                "The headers X-GitHub-Event and X-GitHub-Delivery are missing or malformed.",
            )
            for headers in UNNAMED
        ),
        (request(b"[" * 1_000_000), 400, "The body is not JSON."),
        (request(b"{}"), 400, "The payload of “pull_request” has no usable action."),
        (request() | {"body": "{not base64}", "isBase64Encoded": True}, 400, NOT_BASE64),
    ],
)
def test_a_delivery_that_cannot_be_believed_or_read_is_refused(
    lasting_door: Door, lasting: Deployment, knock: dict[str, Any], status: int, reason: str
) -> None:
    """401 before anything of it is read; 400 with the reason, never a stack trace. Nothing is queued."""
    heard = lasting_door.knock(knock)

    assert (heard.status, heard.body["outcome"], heard.body["reason"]) == (status, "refused", reason)
    assert lasting.queued() == []


def test_a_body_over_the_limit_is_too_large_and_one_at_the_limit_is_not(door: Door) -> None:
    """413, before its signature is computed; at the limit it is read like any other."""
    padding = MAX_BODY_BYTES - len(json.dumps(OPENED | {"padding": ""}, ensure_ascii=False).encode())
    largest = OPENED | {"padding": "x" * padding}

    heard = door.deliver(OPENED | {"padding": "x" * (padding + 1)})

    assert (heard.status, heard.body["reason"]) == (413, "The body is over 5242880 bytes.")
    assert door.deliver(largest).status == 202


def test_an_uninstallation_counts_for_a_repository_that_is_not_served(aws: DeployedAws) -> None:
    """Stored data is deleted whatever the lists say."""
    prefix = aws.new_prefix({**PARAMETERS, "repositories/deny": "*/*"})
    deployment = Deployment(aws, prefix, aws.new_queue(), aws.new_queue())
    with door_in(deployment.environment) as door:
        heard = door.deliver(UNINSTALLED, event="installation")

    assert (heard.status, len(deployment.queued())) == (202, 1)
