"""An AWS with two queues and the webhook's parameters, and a door before it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from local.aws import LocalAws
from tests.edges.deployed_aws import DeployedAws
from tests.functions.ingest.door import PARAMETERS, Door, door_in, environment


@dataclass(frozen=True)
class Deployment:
    """A deployment's queues and prefix in a running AWS."""

    aws: DeployedAws
    prefix: str
    reviews: str
    mentions: str

    @property
    def environment(self) -> dict[str, str]:
        return environment(self.aws.endpoints, self.prefix, self.reviews, self.mentions)

    def queued(self) -> list[dict[str, Any]]:
        """All messages that wait, in both queues."""
        return [*self.aws.messages(self.reviews), *self.aws.messages(self.mentions)]

    def take(self) -> list[str]:
        """The bodies of the messages that wait, which are deleted."""
        found = self.queued()
        for message in found:
            self.aws.sqs.delete_message(QueueUrl=self.reviews, ReceiptHandle=message["ReceiptHandle"])
        return [message["Body"] for message in found]


@pytest.fixture(scope="session")
def aws() -> Iterator[DeployedAws]:
    with LocalAws() as running:
        yield DeployedAws(running)


@pytest.fixture
def deployment(aws: DeployedAws) -> Deployment:
    return Deployment(aws, aws.new_prefix(PARAMETERS), aws.new_queue(), aws.new_queue())


@pytest.fixture
def door(deployment: Deployment) -> Iterator[Door]:
    with door_in(deployment.environment) as opened:
        yield opened


@pytest.fixture(scope="module")
def lasting(aws: DeployedAws) -> Deployment:
    """A deployment for all tests of a module that queue nothing, or do not look into the queues."""
    return Deployment(aws, aws.new_prefix(PARAMETERS), aws.new_queue(), aws.new_queue())


@pytest.fixture(scope="module")
def lasting_door(lasting: Deployment) -> Iterator[Door]:
    """Its door."""
    with door_in(lasting.environment) as opened:
        yield opened
