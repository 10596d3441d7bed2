"""Builds the real edges, once per cold start where they outlive an event."""

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kodiai.core.errors import Broken
from kodiai.core.events.job import Job, Mention
from kodiai.core.settings import DeploymentSettings
from kodiai.edges.claude import Claude
from kodiai.edges.conversation_store import DynamoConversationStore
from kodiai.edges.github import GitHubPullRequest
from kodiai.edges.ledger import DynamoLedger, open_table
from kodiai.edges.parameters import SsmParameters, connect_parameters
from kodiai.edges.queue import SqsJobQueue, SqsMessages, connect_sqs
from kodiai.edges.tls import trusted
from kodiai.flows.world import Turn, World

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


class Env(BaseModel):
    """The environment that the template gives a function that reviews or answers: names of things, no settings."""

    model_config = ConfigDict(frozen=True)

    parameters: str = Field(alias="KODIAI_PARAMETERS")
    table: str = Field(alias="KODIAI_TABLE")
    reviews_queue_url: str = Field(alias="KODIAI_REVIEWS_QUEUE_URL")
    mentions_queue_url: str = Field(alias="KODIAI_MENTIONS_QUEUE_URL")
    dead_queue_url: str = Field(alias="KODIAI_DEAD_QUEUE_URL")
    receives: int = Field(alias="KODIAI_RECEIVES")

    @property
    def attempts(self) -> int:
        """How often a message is tried: one receive is left for putting it back once, or for burying it."""
        return self.receives - 1


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
def reviews() -> SqsMessages:
    """The messages of reviews.fifo."""
    env = environment()
    return SqsMessages(_sqs(), env.reviews_queue_url, env.dead_queue_url, env.attempts)


@cache
def mentions() -> SqsMessages:
    """The messages of mentions.fifo."""
    env = environment()
    return SqsMessages(_sqs(), env.mentions_queue_url, env.dead_queue_url, env.attempts)


@cache
def _parameters() -> SsmParameters:
    return SsmParameters(connect_parameters(), environment().parameters)


def quiet_seconds(job: Job) -> float:
    """How long a job waits after it was sent, in seconds: a push does, what a person asks for does not."""
    return 0 if job.head is None else _settings().limits.quiet_seconds


def _settings() -> DeploymentSettings:
    return _parameters().settings(DeploymentSettings.from_parameters)


@cache
def _table() -> Any:
    return open_table(environment().table)


def warm_up() -> None:
    """Build what outlives an event before the first one comes; what is wrong with it is told when one comes."""
    trusted()
    with suppress(Broken, BotoCoreError):
        environment()
        _sqs()
        _parameters()
        _table()


@contextmanager
def world_of(job: Job | Mention, turn: Turn) -> Iterator[World]:
    """The outside of one pull request, for one try at a message."""
    settings = _settings()
    clock = SystemClock()
    github = GitHubPullRequest(settings.github, settings.bot_login, job.repository, job.number, job.installation)
    with github, Claude(settings.anthropic.api_key, settings.anthropic.base_url) as model:
        yield World(
            github=github,
            ledger=DynamoLedger(_table(), job.repository, job.number, clock),
            talk=DynamoConversationStore(_table(), job.repository, job.number, clock),
            model=model,
            queue=_job_queue(),
            clock=clock,
            new_id=lambda: secrets.token_hex(8),
            settings=settings,
            turn=turn,
        )
