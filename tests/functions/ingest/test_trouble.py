"""The door when AWS is in trouble or the deployment is incomplete: neutral to the outside, clear in the log."""

import pytest

from kodiai.flows.receive_delivery import BROKEN, FIRST_PING, UNAVAILABLE
from tests.edges.deployed_aws import DeployedAws, aws_that_says, nobody_there
from tests.functions.ingest.conftest import Deployment
from tests.functions.ingest.door import DELIVERY, PARAMETERS, door_in, environment

FACTS = {"delivery": DELIVERY, "event": "pull_request"}


def test_unreachable_settings_are_503_and_can_be_redelivered(deployment: Deployment) -> None:
    """GitHub shows the body to the maintainer; it names nothing of the inside."""
    with door_in(deployment.environment | {"AWS_ENDPOINT_URL_SSM": nobody_there()}) as door:
        heard = door.deliver()

    assert heard.status == 503
    assert heard.body == {"outcome": "unavailable", "reason": UNAVAILABLE, **FACTS}


def test_an_unreachable_queue_is_503_and_the_redelivery_is_queued(deployment: Deployment) -> None:
    """Nothing of the failed attempt is in the way of the next."""
    with door_in(deployment.environment | {"AWS_ENDPOINT_URL_SQS": nobody_there()}) as door:
        heard = door.deliver()
    with door_in(deployment.environment) as door:
        again = door.deliver()

    assert heard.status == 503
    assert heard.body == {"outcome": "unavailable", "reason": UNAVAILABLE, **FACTS}
    assert again.status == 202
    assert len(deployment.queued()) == 1


def test_a_queue_that_refuses_us_is_our_bug_and_says_nothing_of_it(deployment: Deployment) -> None:
    """500 with a neutral body, whatever AWS wrote."""
    with (
        aws_that_says(403, "AccessDenied") as url,
        door_in(deployment.environment | {"AWS_ENDPOINT_URL_SQS": url}) as door,
    ):
        heard = door.deliver()

    assert heard.status == 500
    assert heard.body == {"outcome": "broken", "reason": BROKEN, **FACTS}


def test_a_missing_parameter_is_500_until_it_is_put(aws: DeployedAws) -> None:
    """Who puts it need not wait for the memory of the settings to run out."""
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


@pytest.mark.parametrize("missing", ["KODIAI_PARAMETERS", "KODIAI_REVIEWS_QUEUE_URL"])
def test_an_incomplete_environment_is_500(deployment: Deployment, missing: str) -> None:
    """A bug of the deployment; the log has the trace, the answer does not."""
    variables = {name: text for name, text in deployment.environment.items() if name != missing}

    with door_in(variables) as door:
        heard = door.deliver()

    assert (heard.status, heard.body["outcome"], heard.body["reason"]) == (500, "broken", BROKEN)
