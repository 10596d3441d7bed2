"""Builds the real edges, once per cold start where they outlive an event.

Ingest is wired here too and imports little: the edges of a pull request are imported when they are needed.
"""

import os
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from functools import cache, lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from botocore.exceptions import BotoCoreError

from kodiai.core.config.settings import (
    TITAN,
    ApiSettings,
    DeploymentSettings,
    EmbeddingSettings,
    GitHubSettings,
    RepositoryLists,
    SweepSettings,
    WebhookSettings,
)
from kodiai.core.errors import Broken, OtherLogin, Refused
from kodiai.core.events.job import (
    DeliveryAttempt,
    ForgetJob,
    Job,
    Mention,
    MergeGroupJob,
    ProposalJob,
    RerunJob,
    ReviewJob,
)
from kodiai.edges.parameters import SsmParameters, connect_parameters
from kodiai.edges.queue import SqsJobQueue, SqsMessages, connect_sqs

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

    from kodiai.core.model.prices import BedrockProfile
    from kodiai.core.proposals.target import Caller
    from kodiai.edges.bedrock import Bedrock
    from kodiai.edges.child_parser import ChildParser
    from kodiai.edges.github import GitHubPullRequest
    from kodiai.edges.github_code import GitHubCode
    from kodiai.edges.github_owner import OwnerFiles
    from kodiai.edges.github_permissions import TokenPermissions
    from kodiai.edges.ledger import DynamoLedger
    from kodiai.edges.parser_server import ParserServer
    from kodiai.edges.proposal_store import DynamoProposalStore
    from kodiai.flows.forget_repositories import ForgetPorts
    from kodiai.flows.proposals.ports import ApiPorts
    from kodiai.flows.pull_request_ports import ProposalReviewPorts, PullRequestPorts
    from kodiai.flows.rerun import RerunPorts
    from kodiai.flows.sweep import SweepPorts
    from kodiai.ports.jobs import QueueName
    from kodiai.ports.models import Embeddings, Model
    from kodiai.ports.stores import VectorIndex


class SystemClock:
    """The machine's clock."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()


def _variable(name: str) -> str:
    """A variable that the template gives a function: the name of a resource, not a setting. Raises Broken."""
    try:
        return os.environ[f"KODIAI_{name}"]
    except KeyError as missing:
        raise Broken(f"The function's environment lacks KODIAI_{name}.") from missing


@cache
def _sqs() -> "SQSClient":
    return connect_sqs()


@cache
def job_queue() -> SqsJobQueue:
    """The queues of jobs."""
    reviews_url, mentions_url = _variable("REVIEWS_QUEUE_URL"), _variable("MENTIONS_QUEUE_URL")
    return SqsJobQueue(_sqs(), {"reviews": reviews_url, "mentions": mentions_url})


@cache
def messages(queue: "QueueName") -> SqsMessages:
    """The messages of a queue. One receive is left for putting a message back once, or for giving it up."""
    url, dead_url = _variable(f"{queue.upper()}_QUEUE_URL"), _variable("DEAD_QUEUE_URL")
    return SqsMessages(_sqs(), url, dead_url, int(_variable("RECEIVES")) - 1)


@cache
def parameters() -> SsmParameters:
    """The deployment's parameters."""
    return SsmParameters(connect_parameters(), _variable("PARAMETERS"))


def webhook_settings() -> WebhookSettings:
    """The settings of ingest."""
    return parameters().settings(WebhookSettings.from_parameters, "webhook")


def repository_lists() -> RepositoryLists:
    """Which repositories are served, for functions that read no other settings of repositories."""
    return parameters().settings(RepositoryLists.from_parameters, "repositories")


def quiet_seconds(job: ReviewJob) -> float:
    """The seconds that a job waits after it was sent: a push waits, a person's request does not."""
    if isinstance(job, ForgetJob):
        from kodiai.flows.forget_repositories import WAIT_SECONDS

        return WAIT_SECONDS if job.waits else 0
    if isinstance(job, ProposalJob | MergeGroupJob | RerunJob):
        return 0
    return 0 if job.head is None else _settings().limits.quiet_seconds


def _settings() -> DeploymentSettings:
    return parameters().settings(DeploymentSettings.from_parameters)


def _settings_for(job: Job | Mention | ProposalJob | MergeGroupJob | RerunJob) -> DeploymentSettings:
    """The settings for a job. Raises Refused if its repository is not served: it may have been when it was queued."""
    settings = _settings()
    settings.repositories.check(job.repository)
    return settings


@cache
def _table() -> Any:
    from kodiai.edges.ledger import open_table

    return open_table(_variable("TABLE"))


@cache
def _bedrock() -> Any:
    from kodiai.edges.embeddings import connect_bedrock

    return connect_bedrock()


@lru_cache(maxsize=1)  # a changed parameter makes a new one
def _claude_on_bedrock(profile: "BedrockProfile", connect: Callable[[float], Any] | None) -> "Bedrock":
    from kodiai.edges.bedrock import Bedrock, connect_claude

    return Bedrock(profile, connect or connect_claude)


def open_model(
    settings: DeploymentSettings, connect: Callable[[float], Any] | None = None
) -> "AbstractContextManager[Model]":
    """The model, over the provider of the deployment; `connect` reaches Bedrock with other rights than a function's."""
    from kodiai.edges.claude import Claude

    if settings.anthropic is not None:
        return Claude(settings.anthropic.api_key, settings.anthropic.base_url)
    assert settings.models.bedrock_profile is not None  # noqa: S101 -- it is required with Bedrock
    return nullcontext(_claude_on_bedrock(settings.models.bedrock_profile, connect))


@cache
def _s3_vectors() -> Any:
    from kodiai.edges.vectors import connect_vectors

    return connect_vectors()


@cache
def _parser_server() -> "ParserServer":
    from kodiai.edges.parser_server import ParserServer

    return ParserServer()


@lru_cache(maxsize=1)  # changed credentials make a new one
def _bot_login(settings: GitHubSettings) -> str:
    from kodiai.edges.github_app import own_login

    return own_login(settings)


@cache
def _owner_files() -> "OwnerFiles":
    from kodiai.edges.github_owner import OwnerFiles

    return OwnerFiles(time.time)


@contextmanager
def _forgetting_login() -> Iterator[None]:
    """Ask GitHub again for our login after it has turned out to be another one."""
    try:
        yield
    except OtherLogin:
        _bot_login.cache_clear()
        raise


@lru_cache(maxsize=1)  # a changed parameter makes a new one
def _embeddings(settings: EmbeddingSettings) -> "Embeddings | None":
    """The model that embeds findings."""
    from kodiai.edges.embeddings import TitanEmbeddings, VoyageEmbeddings, connect_voyage

    if settings.index is None:
        return None
    if settings.model == TITAN:
        return TitanEmbeddings(_bedrock())
    assert settings.voyage_api_key is not None  # noqa: S101 -- it is required with a model of Voyage
    return VoyageEmbeddings(connect_voyage(settings.voyage_api_key, settings.voyage_base_url), settings.model)


def _index(settings: EmbeddingSettings) -> "VectorIndex | None":
    """The index for their vectors."""
    from kodiai.edges.vectors import S3VectorIndex

    if settings.index is None:
        return None
    return S3VectorIndex(_s3_vectors(), _variable("VECTOR_BUCKET"), settings.index)


def warm_up(*, embeds: bool = False) -> None:
    """Build what outlives an event before the first event, which reports what is wrong with it.

    `embeds` is whether the function embeds findings.
    """
    from kodiai.edges.https import trusted

    for edge in (
        "bedrock",
        "child_parser",
        "claude",
        "conversation_store",
        "github",
        "github_code",
        "github_owner",
        "proposal_store",
        "repository_memory",
    ):
        import_module(f"kodiai.edges.{edge}")
    trusted()
    with suppress(Broken, BotoCoreError):
        job_queue()
        parameters()
        _table()
        _s3_vectors()
        if embeds:
            _bedrock()


def _permissions(job: Job | Mention | MergeGroupJob, settings: DeploymentSettings) -> "TokenPermissions":
    """The permissions of a job's tokens."""
    from kodiai.edges.github_permissions import ANSWER, DRY_RUN, LOOK, QUEUE, REVIEW

    if isinstance(job, Mention):
        return ANSWER
    if isinstance(job, MergeGroupJob):
        return QUEUE
    if settings.github.dry_run:
        return DRY_RUN
    return LOOK if job.label is not None else REVIEW


class _Edges(NamedTuple):
    """The edges of reviews, answers and reviews of proposals, open for one attempt at a message."""

    bot_login: str
    github: "GitHubPullRequest"
    code: "GitHubCode"
    parser: "ChildParser"
    model: "Model"
    ledger: "DynamoLedger"
    proposals: "DynamoProposalStore"


def _installation(job: Job | Mention | ProposalJob | MergeGroupJob, settings: GitHubSettings) -> int | None:
    """The App's installation on a job's repository, which nobody knows who asks over HTTP. Raises Refused."""
    if job.installation is not None or settings.token is not None:
        return job.installation
    from kodiai.edges.github_app import GitHubApp

    with GitHubApp(settings) as app:
        installation = app.installation(job.repository_id)
    if installation is None:
        raise Refused(f"the App is not installed on {job.repository}")
    return installation


@contextmanager
def _open_edges(job: Job | Mention | ProposalJob | MergeGroupJob, permissions: "TokenPermissions") -> Iterator[_Edges]:
    """Open the edges for a job's pull request, with tokens of these permissions."""
    from kodiai.edges.child_parser import ChildParser
    from kodiai.edges.github import GitHubPullRequest
    from kodiai.edges.github_code import GitHubCode
    from kodiai.edges.github_connection import Access
    from kodiai.edges.ledger import DynamoLedger
    from kodiai.edges.proposal_store import DynamoProposalStore

    settings, clock = _settings(), SystemClock()
    installation = _installation(job, settings.github)
    access = Access(settings.github, installation, permissions)
    # GitHub has no pull request 0: what a proposal for a commit costs is counted there.
    us, number = _bot_login(settings.github), job.number or 0
    owner_file = partial(_owner_files().of, job.repository.partition("/")[0], installation, settings.github)
    more: dict[str, Any] = {"repository_id": job.repository_id, "hidden_owner_file": owner_file}
    days = settings.limits.retention_days
    with (
        _forgetting_login(),
        GitHubPullRequest(access, us, job.repository, number, **more) as github,
        GitHubCode(settings.github, job.repository, installation, **more) as code,
        ChildParser(_parser_server()) as parser,
        open_model(settings) as model,
    ):
        ledger = DynamoLedger(_table(), job.ref, number, clock, retention_days=days)
        proposals = DynamoProposalStore(_table(), clock, retention_days=days)
        yield _Edges(us, github, code, parser, model, ledger, proposals)


def _run_id() -> str:
    """A new id for a run; those of a pull request are in the order of their beginning, to the millisecond."""
    return f"{time.time_ns() // 1_000_000:011x}{secrets.token_hex(3)[:5]}"


@contextmanager
def ports_of(job: Job | Mention | MergeGroupJob, attempt: DeliveryAttempt) -> Iterator["PullRequestPorts"]:
    """The ports of one pull request, for one attempt at a message."""
    from kodiai.edges.conversation_store import DynamoConversationStore
    from kodiai.edges.gate_store import DynamoGateStore
    from kodiai.edges.preview_ledger import PreviewLedger
    from kodiai.edges.repository_memory import DynamoRepositoryMemory
    from kodiai.flows.pull_request_ports import Deadline, PullRequestPorts

    settings, clock = _settings_for(job), SystemClock()
    days = settings.limits.retention_days
    is_preview = isinstance(job, Job) and job.preview
    settings = settings.as_dry_run() if is_preview else settings
    with _open_edges(job, _permissions(job, settings)) as edges:
        yield PullRequestPorts(
            github=edges.github,
            ledger=PreviewLedger(_table(), job.ref, job.number, clock, retention_days=days)
            if is_preview
            else edges.ledger,
            gates=DynamoGateStore(_table(), job.ref, clock, retention_days=days),
            conversation=DynamoConversationStore(_table(), job.ref, job.number, clock, retention_days=days),
            memory=DynamoRepositoryMemory(_table(), job.ref, clock, retention_days=days),
            proposals=edges.proposals,
            code=edges.code,
            parser=edges.parser,
            model=edges.model,
            embeddings=_embeddings(settings.embeddings) if isinstance(job, Job) else None,
            index=_index(settings.embeddings),
            queue=job_queue(),
            new_id=_run_id,
            bot_login=edges.bot_login,
            settings=settings,
            deadline=Deadline(attempt, clock),
        )


@contextmanager
def proposal_review_ports(job: ProposalJob, attempt: DeliveryAttempt) -> Iterator["ProposalReviewPorts"]:
    """The ports for the review of a proposal, for one attempt at a message."""
    from kodiai.edges.github_permissions import ANSWER
    from kodiai.flows.pull_request_ports import Deadline, ProposalReviewPorts

    settings = _settings_for(job)
    with _open_edges(job, ANSWER) as edges:
        yield ProposalReviewPorts(
            code=edges.code,
            store=edges.proposals,
            github=edges.github,
            ledger=edges.ledger,
            model=edges.model,
            bot_login=edges.bot_login,
            parser=edges.parser,
            settings=settings,
            deadline=Deadline(attempt, SystemClock()),
        )


@contextmanager
def rerun_ports(job: RerunJob) -> Iterator["RerunPorts"]:
    """The ports that requesting reviews again needs."""
    from kodiai.edges.github import GitHubPullRequest
    from kodiai.edges.github_connection import Access
    from kodiai.edges.github_permissions import REVIEW
    from kodiai.flows.rerun import RerunPorts

    settings, id_ = _settings_for(job).github, job.repository_id
    us, number = _bot_login(settings), 0  # GitHub has no such pull request: only the commit is looked at
    access = Access(settings, job.installation, REVIEW)
    with GitHubPullRequest(access, us, job.repository, number, repository_id=id_) as github:
        yield RerunPorts(github.check_ids, job_queue())


@contextmanager
def forget_ports(attempt: DeliveryAttempt) -> Iterator["ForgetPorts"]:
    """The ports that deleting needs, for one attempt at a message."""
    from kodiai.edges.github_app import GitHubApp
    from kodiai.edges.repository_data import DynamoRepositoryData, S3StoredVectors, connect_stored_vectors
    from kodiai.flows.forget_repositories import ForgetPorts
    from kodiai.flows.pull_request_ports import Deadline

    settings = _settings()
    bucket = _variable("VECTOR_BUCKET") if settings.embeddings.index else None
    with GitHubApp(settings.github) as app:
        yield ForgetPorts(
            app=app,
            data=DynamoRepositoryData(_table()),
            vectors=S3StoredVectors(connect_stored_vectors(), bucket),
            queue=job_queue(),
            deadline=Deadline(attempt, SystemClock()),
        )


@contextmanager
def sweep_ports(attempt: DeliveryAttempt) -> Iterator["SweepPorts"]:
    """The ports of one sweep. Of the parameters it reads those of GitHub and its own."""
    from kodiai.core.events.missed import Installation
    from kodiai.edges.github_app import GitHubApp
    from kodiai.edges.github_repositories import GitHubRepositories
    from kodiai.edges.sweep_store import DynamoSweepStore
    from kodiai.flows.pull_request_ports import Deadline
    from kodiai.flows.sweep import SweepPorts

    github = parameters().settings(GitHubSettings.from_parameters, "github")
    settings = parameters().settings(SweepSettings.from_parameters, names=SweepSettings.NAMES)
    clock = SystemClock()
    with ExitStack() as connections:
        app = connections.enter_context(GitHubApp(github)) if github.token is None else None
        yield SweepPorts(
            webhooks=app,
            installations=app.installations if app is not None else lambda: [Installation(None, 0.0, {})],
            open_installation=partial(GitHubRepositories, github),
            store=DynamoSweepStore(_table(), clock, retention_days=settings.retention_days),
            queue=job_queue(),
            deadline=Deadline(attempt, clock),
            pause=lambda: time.sleep(1),
            hours=settings.pull_request_hours,
        )


def warm_up_api() -> None:
    """Build what outlives a request to the API before the first one, which reports what is wrong with it."""
    from kodiai.edges.https import trusted

    for edge in ("github_code", "ledger", "proposal_store"):
        import_module(f"kodiai.edges.{edge}")
    trusted()
    with suppress(Broken, BotoCoreError):
        job_queue()
        parameters()
        _table()


@contextmanager
def api_ports(token: str, on_caller: "Callable[[Caller], None]") -> Iterator["ApiPorts"]:
    """The ports of one request to the API, with the rights of the caller's token.

    `on_caller` is called with that person.
    """
    from pydantic import SecretStr

    from kodiai.core.words.links import web_address
    from kodiai.edges.github_code import GitHubCode
    from kodiai.edges.ledger import DynamoLedger
    from kodiai.edges.proposal_store import DynamoProposalStore
    from kodiai.flows.proposals.ports import ApiPorts, ProposalPorts

    settings = parameters().settings(ApiSettings.from_parameters, names=ApiSettings.NAMES)
    access = GitHubSettings.model_validate({**settings.model_dump(), "token": SecretStr(token), "publish": "post"})
    clock, opened = SystemClock(), list[GitHubCode]()
    with ExitStack() as connections:

        def open_code(repository: str) -> GitHubCode:
            opened.append(connections.enter_context(GitHubCode(access, repository)))
            return opened[-1]

        def calls() -> Counter[str]:
            return sum((Counter(code.calls()) for code in opened), Counter())

        yield ApiPorts(
            proposals=ProposalPorts(
                open_code=open_code,
                store=DynamoProposalStore(_table(), clock, retention_days=settings.retention_days),
                queue=job_queue(),
                clock=clock,
                repositories=repository_lists(),
                on_caller=on_caller,
            ),
            open_findings=lambda repository, number: DynamoLedger(_table(), repository, number, clock),
            web_address=web_address(settings.api_url),
            calls=calls,
        )
