"""Builds the real edges, once per cold start where they outlive an event."""

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kodiai.core.errors import Broken
from kodiai.core.events.job import Job
from kodiai.core.settings import DeploymentSettings
from kodiai.edges.claude import Claude
from kodiai.edges.github import GitHubPullRequest
from kodiai.edges.ledger import DynamoLedger, open_table
from kodiai.edges.parameters import SsmParameters, connect_parameters
from kodiai.edges.queue import SqsJobQueue, SqsVisibility, connect_sqs
from kodiai.flows.world import World

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


class Env(BaseModel):
    """The environment that the template gives a function that reviews or answers: names of things, no settings."""

    model_config = ConfigDict(frozen=True)

    parameters: str = Field(alias="KODIAI_PARAMETERS")
    table: str = Field(alias="KODIAI_TABLE")
    reviews_queue_url: str = Field(alias="KODIAI_REVIEWS_QUEUE_URL")
    mentions_queue_url: str = Field(alias="KODIAI_MENTIONS_QUEUE_URL")


class SystemClock:
    """The machine's clock."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()


@cache
def environment() -> Env:
    """Read the environment. Raises Broken, which names what is missing."""
    try:
        return Env.model_validate(dict(os.environ))
    except ValidationError as error:
        names = ", ".join(str(part["loc"][0]) for part in error.errors())
        raise Broken(f"the function's environment lacks {names}") from error


@cache
def _sqs() -> "SQSClient":
    return connect_sqs()


@cache
def _job_queue() -> SqsJobQueue:
    env = environment()
    return SqsJobQueue(_sqs(), {"reviews": env.reviews_queue_url, "mentions": env.mentions_queue_url})


@cache
def reviews_visibility() -> SqsVisibility:
    """How long the messages of reviews.fifo wait before they are seen again."""
    return SqsVisibility(_sqs(), environment().reviews_queue_url)


@cache
def mentions_visibility() -> SqsVisibility:
    """How long the messages of mentions.fifo wait before they are seen again."""
    return SqsVisibility(_sqs(), environment().mentions_queue_url)


@cache
def _parameters() -> SsmParameters:
    return SsmParameters(connect_parameters(), environment().parameters)


@cache
def _table() -> Any:
    return open_table(environment().table)


@contextmanager
def review_world(job: Job, owner: str, deadline: float) -> Iterator[World]:
    """The outside of one pull request, for one invocation that is over at `deadline` (seconds since the epoch)."""
    settings = _parameters().settings(DeploymentSettings.from_parameters)
    clock = SystemClock()
    github = GitHubPullRequest(settings.github, settings.bot_login, job.repository, job.number, job.installation)
    with github:
        yield World(
            github=github,
            ledger=DynamoLedger(_table(), job.repository, job.number, clock),
            model=Claude(settings.anthropic.api_key, settings.anthropic.base_url),
            queue=_job_queue(),
            clock=clock,
            new_id=lambda: secrets.token_hex(8),
            settings=settings,
            owner=owner,
            deadline=deadline,
        )
