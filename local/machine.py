"""The whole deployment on one machine: local AWS, the functions wired from the template, and a model."""

import json
import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, Self

from boto3.dynamodb.conditions import Attr

import kodiai
from kodiai.core.config.settings import DeploymentSettings
from kodiai.core.github.names import RepositoryRef
from kodiai.edges.parameters import SsmParameters
from kodiai.edges.proposal_store import DynamoProposalStore
from kodiai.edges.repository_memory import DynamoRepositoryMemory
from kodiai.wiring import SystemClock
from local.aws import LocalAws
from local.lambdas import LocalSystem, NewStack, ProcessOptions
from local.model import CONTEXT_WINDOW_TOKENS, OFFLINE_MODEL, Answers, ModelStandIn
from local.readable_ledger import ReadableLedger

TEMPLATE = Path(__file__).resolve().parent.parent / "template.yaml"
_FREE = dict.fromkeys(("input", "output", "cache_read", "cache_write"), 0)
# All but one, which sets up logging over what Lambda's runtime has set up by then.
_LATE = "kodiai.telemetry"
_FUNCTION_SECONDS, _WORK_SECONDS = 600, 100
_MODULES = ("kodiai", *(each.name for each in walk_packages(kodiai.__path__, "kodiai.") if each.name != _LATE))
ANTHROPIC = "https://api.anthropic.com"


@dataclass(frozen=True)
class GitHubAccess:
    """The way in which the functions reach GitHub: the API's address, and parameters such as `github/token`."""

    api_url: str
    credentials: Mapping[str, str]


def _directly(_: str, url: str) -> str:
    return url


@dataclass(frozen=True)
class MachineOptions:
    """The less common options of a machine.

    `stack_parameters` are the template's parameters; `overrides` and `port` are NewStack's, `reuse` ProcessOptions'.
    Without `share_imports` each process of a function does all imports itself, as in Lambda.
    `through` is called once for each of "github", "model" and "aws", with its address, and returns the address for
    the functions, such as a proxy's; everything else here uses the first one.
    `on_log` is called with each log line of a function, from the first one on.
    """

    stack_parameters: Mapping[str, str] = field(default_factory=dict)
    overrides: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    port: int = 0
    reuse: bool = True
    share_imports: bool = True
    through: Callable[[str, str], str] = _directly
    on_log: Callable[[Mapping[str, Any]], None] | None = None


def _lasting(parameters: Mapping[str, str]) -> dict[str, Mapping[str, Any]]:
    """The functions and their queues with the time that long answers need, as an operator has to give it to them."""
    asked = (parameters.get(f"limits/{name}-seconds", "") for name in ("answer", "publish"))
    needed = sum(int(each) for each in asked if each.isdecimal()) + _WORK_SECONDS
    if needed <= _FUNCTION_SECONDS:
        return {}
    functions = {name: {"Timeout": needed} for name in ("ReviewFunction", "MentionFunction")}
    queues = {name: {"VisibilityTimeout": needed + 60} for name in ("ReviewsQueue", "MentionsQueue")}
    return {**functions, **queues}


class LocalMachine:
    """The deployment of template.yaml, running here against any GitHub API; a context manager.

    `answers` is the model; without it Claude, if the environment has a key (`ANTHROPIC_API_KEY`), else the offline
    reviewer, whose requests are not checked.
    `parameters` are further values below the deployment's prefix; an empty one leaves a parameter out.
    `data` is a folder that keeps messages, the table and the vectors: the next machine over it continues unfinished
    work, however this one ends.
    """

    def __init__(
        self,
        github: GitHubAccess,
        *,
        webhook_secret: str | None = None,
        answers: Answers | None = None,
        parameters: Mapping[str, str] | None = None,
        data: Path | None = None,
        options: MachineOptions = MachineOptions(),
    ) -> None:
        self.webhook_secret = webhook_secret or secrets.token_hex(16)
        self._github = github
        self._answers = answers
        self._parameters = parameters or {}
        self._data = data
        self._options = options
        self._stack = ExitStack()
        self.model: ModelStandIn | None = None

    def __enter__(self) -> Self:
        with ExitStack() as starting:
            model = self._model_access(starting)
            claude = self.model.serve if self.model else None
            self.aws = starting.enter_context(LocalAws(self._data and self._data / "aws", messages_api=claude))
            options = self._options
            values = {
                "webhook/secret": self.webhook_secret,
                "github/api-url": options.through("github", self._github.api_url),
                "github/publish": "post",
                "embeddings/offline": "true",
                "limits/quiet-seconds": "0",  # no wait for another push here
                **self._github.credentials,
                **model,
                **self._parameters,
            }
            given = {name: value for name, value in values.items() if value}
            self.system = LocalSystem(
                TEMPLATE,
                self.aws,
                NewStack(options.stack_parameters, given, {**_lasting(given), **options.overrides}, options.port),
                functions_aws=self._functions_aws(),
                processes=ProcessOptions(_MODULES if options.share_imports else (), options.reuse),
                before_events=self._free_leases if self._data else None,
            )
            if options.on_log is not None:
                self.system.on_log(options.on_log)
            starting.enter_context(self.system)
            self._stack = starting.pop_all()
        return self

    def __exit__(self, *why: Any) -> None:
        self._stack.__exit__(*why)

    def ledger(self, repository: RepositoryRef, number: int) -> ReadableLedger:
        """The ledger of one pull request."""
        return ReadableLedger(self._table(), repository, number, SystemClock())

    def memory(self, repository: RepositoryRef) -> DynamoRepositoryMemory:
        """Return the ledger's record of the memory of a repository."""
        return DynamoRepositoryMemory(self._table(), repository, SystemClock())

    def proposals(self) -> DynamoProposalStore:
        """The proposals of all repositories."""
        return DynamoProposalStore(self._table(), SystemClock())

    def settings(self) -> DeploymentSettings:
        """The settings of the functions, as they read them themselves."""
        parameters = SsmParameters(self.aws.client("ssm"), self.system.outputs["ParameterPrefix"])
        return parameters.settings(DeploymentSettings.from_parameters)

    def end_waits(self) -> None:
        """Try at once, and for the last time, what waits to be tried again; nothing while a function works."""
        if not self.system.is_working:
            tries = int(self.system.environment["KODIAI_RECEIVES"]) - 1  # a push may be put back once to wait
            self.aws.end_waits(tries - 1)

    def _table(self) -> Any:
        return self.aws.table(self.system.environment["KODIAI_TABLE"])

    def _free_leases(self) -> None:
        """Remove every lease: the functions that held one ended with the machine that ran them."""
        table = self._table()
        pages = table.meta.client.get_paginator("scan").paginate(
            TableName=table.name, FilterExpression=Attr("lease_owner").exists(), ProjectionExpression="pk, sk"
        )
        for key in [key for page in pages for key in page["Items"]]:
            table.update_item(Key=key, UpdateExpression="REMOVE lease_owner, lease_until")

    def _functions_aws(self) -> Mapping[str, str]:
        address = self._options.through("aws", self.aws.address)
        return {
            name: address if name.startswith("AWS_ENDPOINT_URL") else value
            for name, value in self.aws.endpoints.items()
        }

    def _model_access(self, starting: ExitStack) -> Mapping[str, str]:
        key, base_url = os.environ.get("ANTHROPIC_API_KEY"), os.environ.get("ANTHROPIC_BASE_URL")
        if self._answers is None and (key or base_url):
            return {
                "anthropic/api-key": key or "none",
                "anthropic/base-url": self._options.through("model", base_url or ANTHROPIC),
            }
        self.model = starting.enter_context(ModelStandIn(self._answers, trusting=self._answers is None))
        return {
            "models/offline": "" if self._answers else "true",
            "anthropic/api-key": "none",
            "anthropic/base-url": self._options.through("model", self.model.url),
            "models/reviewer": OFFLINE_MODEL,
            "models/replies": OFFLINE_MODEL,
            "models/fallback": OFFLINE_MODEL,
            "models/prices": json.dumps({OFFLINE_MODEL: {**_FREE, "context": CONTEXT_WINDOW_TOKENS}}),
        }
