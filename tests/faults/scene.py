"""The stage of the trials: one system, one GitHub, and wires between the functions and everything outside."""

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import httpx
from boto3.dynamodb.conditions import ConditionBase, Key

from kodiai.edges.proposal_store import DynamoProposalStore
from kodiai.wiring import SystemClock
from local.github import AppSetup, LocalGitHub
from local.github.hosted_repository import APP_PERMISSIONS
from local.machine import GitHubAccess, LocalMachine, MachineOptions
from tests.faults.calls import Service
from tests.faults.reviewer import Reviewer
from tests.faults.trial import Trial
from tests.faults.wire import Wire
from tests.git_repository import Files, GitRepository

CONFIG = "review:\n  triggers:\n    onSynchronize: true\n"
BASE_FILES: Files = {
    ".kodiai.yml": CONFIG,
    "src/orders.py": "def total(prices):\n    return sum(prices)\n",
    "src/stock.py": "def left(shelf):\n    return len(shelf)\n",
    "photo.jpg": Random(1).randbytes(500_000),  # the archive does not arrive in one piece
}
DISCOUNT = "def total(prices, discount):\n    return sum(prices) + discount\n"
SECRET = "s3cret"
_TALK = ("issue_comment", "pull_request_review_comment", "pull_request_review")
_MODELS = ("offline-reviewer", "claude-sonnet-5-5", "claude-haiku-5-5", "claude-opus-5-5")
_PRICES = json.dumps(dict.fromkeys(_MODELS, dict.fromkeys(("input", "output", "cache_read", "cache_write"), 1)))

# The template's own models, and no key.
_BEDROCK = {
    **dict.fromkeys(("models/reviewer", "models/replies", "models/fallback", "anthropic/api-key"), ""),
    "embeddings/model": "off",
}


@dataclass(frozen=True)
class Pace:
    """The time limits in seconds: of a function, of a message that nobody finishes, of an answer.

    Two slow answers of the model leave too little for a third.
    """

    timeout: float = 10
    visibility: int = 11
    answer: float = 3.5
    publish: float = 1
    at_once: int = 4


@dataclass
class Scene:
    """A running system; `trials` are the pull requests that a wire looks after, `lost` what the ledger lost of them.

    Both are by number.
    """

    repository: GitRepository
    base: str
    github: LocalGitHub
    machine: LocalMachine
    reviewer: Reviewer
    trials: dict[int, Trial] = field(default_factory=dict)
    lost: dict[int, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)

    def commit(self, files: Files, parent: str | None = None) -> str:
        """Put files on top of a commit, the base unless told otherwise."""
        return self.repository.commit(files, parent or self.base)

    def open(self, trial: Trial | None, files: Files, base: str | None = None, **more: Any) -> int:
        """Open a pull request; its trial, if any, begins with the webhook."""
        head = self.commit(files, base)
        number = self.github.state.new_number()
        if trial is not None:
            self.watch(trial, number)
        opened = self.github.open_pull_request(head, base or self.base, **more)
        assert opened == number
        return number

    def watch(self, trial: Trial, number: int) -> None:
        """From now on a pull request's calls are those of a trial."""
        trial.number = number
        self.trials[number] = trial

    def settle(self, seconds: float = 300) -> None:
        """Wait until nothing is under way; what GitHub could not deliver is delivered again, as a person would."""
        while True:
            assert self.github.settle(seconds)
            self.machine.system.wait_until_quiet(seconds)
            failed = self._undelivered()
            if not failed:
                return
            for guid in failed:
                self.github.redeliver(guid)

    def _undelivered(self) -> list[str]:
        # What was sent nowhere has no status: there was no address yet.
        last = {delivery.guid: delivery.status for delivery in self.github.deliveries if delivery.status is not None}
        return [guid for guid, status in last.items() if not 200 <= status < 300]

    def was_continued(self, number: int) -> bool:
        """Whether a review of this pull request ran out of time and went on as a fresh message."""
        lines = self.machine.system.log_lines
        return any(line.get("outcome") == "continued" and line["pull_request"] == number for line in lines)

    def items(self, number: int) -> Mapping[str, Mapping[str, Any]]:
        """Everything that the ledger holds of a pull request, by sort key."""
        return self._items(Key("pk").eq(f"PR#{self.github.repository.id}#{number}"))

    def remembered(self, number: int) -> Mapping[str, Mapping[str, Any]]:
        """The ledger's items of the memory of a pull request, by vector key."""
        prefix = Key("sk").begins_with(f"REMEMBERED#{number:08}#")
        found = self._items(Key("pk").eq(f"REPO#{self.github.repository.id}") & prefix)
        return {item["key"]: item for item in found.values()}

    def vectors(self, number: int) -> Mapping[str, Mapping[str, Any]]:
        """The index's entries of a pull request's findings, by vector key."""
        client, bucket = self.machine.aws.client("s3vectors"), self.machine.system.environment["KODIAI_VECTOR_BUCKET"]
        pages = client.get_paginator("list_vectors").paginate(
            vectorBucketName=bucket, indexName="titan-embed-text-v2-1024", returnMetadata=True
        )
        every = {each["key"]: each["metadata"] for page in pages for each in page["vectors"]}
        return {key: facts | json.loads(facts["text"]) for key, facts in every.items() if facts["number"] == number}

    def _items(self, condition: ConditionBase) -> Mapping[str, Mapping[str, Any]]:
        table = self._table()
        found: dict[str, Mapping[str, Any]] = {}
        more: dict[str, Any] = {}
        while True:
            page = table.query(KeyConditionExpression=condition, **more)
            found |= {item["sk"]: item for item in page["Items"]}
            if "LastEvaluatedKey" not in page:
                return found
            more = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    def proposals(self) -> DynamoProposalStore:
        """The proposals."""
        return DynamoProposalStore(self._table(), SystemClock())

    def messages(self, head: str) -> Iterator[str]:
        """The messages of the commits of a branch, newest first, down to the base or to the first commit."""
        headers = {"authorization": f"Bearer {self.github.token_for('reader', 'admin')}"}
        commits = f"{self.github.url}/repos/{self.github.full_name}/git/commits"
        while head and head != self.base:
            commit = httpx.get(f"{commits}/{head}", headers=headers).raise_for_status().json()
            yield commit["message"]
            head = next((parent["sha"] for parent in commit["parents"]), "")

    def lose(self, number: int) -> None:
        """Let the ledger lose all that it has of a pull request."""
        self.lost[number] = self.items(number)
        with self._table().batch_writer() as batch:
            for item in self.lost[number].values():
                batch.delete_item(Key={"pk": item["pk"], "sk": item["sk"]})

    def _table(self) -> Any:
        return self.machine.aws.table(self.machine.system.environment["KODIAI_TABLE"])

    def dead(self) -> list[Mapping[str, Any]]:
        """The dead letters; each is looked at once."""
        sqs = self.machine.aws.client("sqs")
        letters: list[Mapping[str, Any]] = []
        for name in ("kodiai-dev-reviews-dead.fifo", "kodiai-dev-mentions-dead.fifo"):
            url = sqs.get_queue_url(QueueName=name)["QueueUrl"]
            while found := sqs.receive_message(
                QueueUrl=url, MaxNumberOfMessages=10, MessageAttributeNames=["All"], VisibilityTimeout=600
            ).get("Messages"):
                letters += found
        return letters


@contextmanager
def a_scene(
    pace: Pace = Pace(),
    *,
    layer: Path | None = None,
    parameters: Mapping[str, str] | None = None,
    may_resolve: bool = False,
    provider: str = "anthropic",
) -> Iterator[Scene]:
    """Start a system whose every call to the outside goes through a wire; `layer` stands in for the real one.

    `may_resolve` is whether GitHub lets the App resolve threads, which takes the permission to write contents; then
    it also tells the App what people say. `provider` is where the model answers. On Bedrock there is no memory here,
    which would look at the code before any reviewer does.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="faults-", ignore_cleanup_errors=True)))
        repository = GitRepository(folder / "widgets.git")
        base = repository.commit(BASE_FILES, branch="main")
        github = stack.enter_context(
            LocalGitHub(
                repository.path,
                app=AppSetup(
                    permissions={**APP_PERMISSIONS, "contents": "write" if may_resolve else "read"},
                    events={"pull_request", "merge_group", *(_TALK if may_resolve else ())},
                    webhook_secret=SECRET,
                ),
            )
        )
        trials: dict[int, Trial] = {}
        wires: list[Wire] = []

        def through(service: Service, url: str) -> str:
            wire = Wire(service, url, trials)
            wires.append(wire)
            wire.start()
            stack.callback(wire.stop)
            return wire.url

        reviewer = Reviewer()
        machine = stack.enter_context(
            LocalMachine(
                GitHubAccess(github.url, github.credentials),
                webhook_secret=SECRET,
                answers=reviewer,
                parameters={
                    "limits/answer-seconds": f"{pace.answer}",
                    "limits/publish-seconds": f"{pace.publish}",
                    "models/prices": _PRICES,
                    "limits/parallel-calls": "1",  # the same calls in the same order, however often it is tried
                    **(_BEDROCK if provider == "bedrock" else {}),
                    **(parameters or {}),
                },
                options=MachineOptions(
                    stack_parameters={
                        "ReviewConcurrency": str(pace.at_once),
                        "MentionConcurrency": str(pace.at_once),
                        "ModelProvider": provider,
                    },
                    overrides=_overrides(pace, layer),
                    reuse=False,
                    through=through,  # type: ignore[arg-type]  # it is called with these three names only
                ),
            )
        )
        for wire in wires:
            wire.system = machine.system
        # It keeps the default branch where it is, whatever settings the base of a flow has.
        github.open_pull_request(repository.commit({"first.txt": "1\n"}, base), "main")
        assert github.settle()
        github.webhook_url = machine.system.webhook_url
        yield Scene(repository, base, github, machine, reviewer, trials)


def _overrides(pace: Pace, layer: Path | None) -> dict[str, dict[str, Any]]:
    overrides: dict[str, dict[str, Any]] = {
        "IngestFunction": {"Timeout": 4},
        "ReviewFunction": {"Timeout": pace.timeout},
        "MentionFunction": {"Timeout": pace.timeout},
        "ReviewsQueue": {"VisibilityTimeout": pace.visibility},
        "MentionsQueue": {"VisibilityTimeout": pace.visibility},
    }
    if layer is not None:
        overrides["CommonLayer"] = {"ContentUri": str(layer)}
    return overrides
