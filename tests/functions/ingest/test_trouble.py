"""The door when AWS is in trouble or the deployment is incomplete: neutral to the outside, clear in the log."""

from collections.abc import Mapping

import pytest

from kodiai.flows.receive_delivery import BROKEN, FIRST_PING, UNAVAILABLE
from tests.edges.deployed_aws import DeployedAws, aws_that_says, nobody_there
from tests.functions.ingest.conftest import Deployment
from tests.functions.ingest.door import DELIVERY, PARAMETERS, door_in, environment

FACTS = {"delivery": DELIVERY, "event": "pull_request"}


@pytest.mark.parametrize(
    ("changed", "status", "body"),
    [
        ({"AWS_ENDPOINT_URL_SSM": nobody_there()}, 503, {"outcome": "unavailable", "reason": UNAVAILABLE, **FACTS}),
        ({"AWS_ENDPOINT_URL_SQS": nobody_there()}, 503, {"outcome": "unavailable", "reason": UNAVAILABLE, **FACTS}),
        ({"KODIAI_PARAMETERS": None}, 500, {"outcome": "broken", "reason": BROKEN, **FACTS}),
        ({"KODIAI_REVIEWS_QUEUE_URL": None}, 500, {"outcome": "broken", "reason": BROKEN}),
    ],
    ids=["no settings", "no queue", "no name of the parameters", "no name of the queue"],
)
def test_a_failure_on_our_side_names_nothing_of_the_inside_and_can_be_redelivered(
    deployment: Deployment, changed: Mapping[str, str | None], status: int, body: Mapping[str, str]
) -> None:
    """GitHub shows the body to the maintainer. Nothing of the failed attempt is in the way of the next."""
    variables = {name: text for name, text in {**deployment.environment, **changed}.items() if text is not None}

    with door_in(variables) as door:
        heard = door.deliver()
    with door_in(deployment.environment) as door:
        again = door.deliver()

    assert (heard.status, heard.body) == (status, body)
    assert (again.status, len(deployment.queued())) == (202, 1)


def test_a_queue_that_refuses_us_is_our_bug_and_says_nothing_of_it(deployment: Deployment) -> None:
    """500 with a neutral body, whatever AWS wrote."""
    with (
        aws_that_says(403, "AccessDenied") as url,
        door_in(deployment.environment | {"AWS_ENDPOINT_URL_SQS": url}) as door,
    ):
        heard = door.deliver()

    assert (heard.status, heard.body) == (500, {"outcome": "broken", "reason": BROKEN, **FACTS})


def test_a_missing_parameter_is_500_until_it_is_put(aws: DeployedAws) -> None:
    """Nobody has to wait for the cached settings to expire."""
    prefix = aws.new_prefix({name: text for name, text in PARAMETERS.items() if name != "webhook/secret"})

    with door_in(environment(aws.endpoints, prefix, aws.new_queue(), aws.new_queue())) as door:
        before = door.deliver()
        aws.put(f"{prefix}/webhook/secret", PARAMETERS["webhook/secret"])
        after = door.deliver()

    assert (before.status, before.body["reason"]) == (500, BROKEN)
    assert after.status == 202


def test_the_ping_that_comes_before_the_secret_is_no_failure(aws: DeployedAws) -> None:
    """GitHub sends it when the App is registered. Once there is a secret, a ping has to be signed with it."""
    prefix = aws.new_prefix({"github/app-id": "1"})

    with door_in(environment(aws.endpoints, prefix, aws.new_queue(), aws.new_queue())) as door:
        first = door.deliver({"zen": "Keep it logically awesome."}, event="ping")
        aws.put(f"{prefix}/webhook/secret", PARAMETERS["webhook/secret"])
        forged = door.deliver({"zen": "Keep it logically awesome."}, event="ping", secret="another")

    assert first.status == 200
    assert first.body == {"outcome": "nothing", "reason": FIRST_PING, "delivery": DELIVERY, "event": "ping"}
    assert forged.status == 401
