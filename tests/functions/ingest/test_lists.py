"""The door of a deployment that serves some repositories."""

from typing import Any

import pytest

from kodiai.core.events.job import ForgetJob
from tests.edges.deployed_aws import DeployedAws
from tests.functions.ingest.conftest import Deployment
from tests.functions.ingest.door import OPENED, PARAMETERS, door_in

UNINSTALLED: dict[str, Any] = {
    "action": "deleted",
    "sender": {"login": "octocat", "type": "User"},
    "installation": {"id": 123, "account": {"login": "octo", "id": 1}},
}


def deployment_with(aws: DeployedAws, **lists: str) -> Deployment:
    given = {f"repositories/{name}": text for name, text in lists.items()}
    return Deployment(aws, aws.new_prefix({**PARAMETERS, **given}), aws.new_queue(), aws.new_queue())


@pytest.mark.parametrize(
    ("lists", "reason"),
    [
        ({"deny": "Octo/*"}, "repositories/deny names octo/hello: nothing is done there."),
        ({"allow": "octo/world"}, "repositories/allow does not name octo/hello: nothing is done there."),
    ],
)
def test_a_webhook_of_a_repository_that_is_not_served_queues_nothing(
    aws: DeployedAws, lists: dict[str, str], reason: str
) -> None:
    """GitHub's page of deliveries says why."""
    deployment = deployment_with(aws, **lists)
    with door_in(deployment.environment) as door:
        heard = door.deliver()

    assert (heard.status, heard.body["outcome"], heard.body["reason"]) == (200, "nothing", reason)
    assert deployment.queued() == []


def test_what_is_stored_about_it_is_deleted_all_the_same(aws: DeployedAws) -> None:
    """An uninstallation counts whatever the lists say."""
    deployment = deployment_with(aws, deny="*/*")
    with door_in(deployment.environment) as door:
        heard = door.deliver(UNINSTALLED, event="installation")

    [message] = deployment.queued()
    assert heard.status == 202
    assert ForgetJob.from_message(message["Body"]).owner == "octo"


def test_lists_that_cannot_be_read_lose_no_webhook(aws: DeployedAws) -> None:
    """The job waits behind the function that says what is wrong with them."""
    deployment = deployment_with(aws, allow="octo")
    with door_in(deployment.environment) as door:
        heard = door.deliver(OPENED)

    assert heard.status == 202
    assert len(deployment.queued()) == 1
