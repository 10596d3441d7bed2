"""The whole system on one machine, and one repository for many pull requests."""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from cli.dead_letter_queue import DeadLetter, DeadLetters
from kodiai.core.events.payloads import SUBSCRIPTIONS
from kodiai.ports.ledger import Ledger
from local.github import AppSetup, LocalGitHub
from local.github.failures import refusal
from local.github.hosted_repository import APP_PERMISSIONS
from local.machine import GitHubAccess, LocalMachine
from local.model import OFFLINE_MODEL, Answer, Answers, OfflineReviewer, RecordedRequest, Request
from tests.git_repository import Files, GitRepository, Modes
from tests.waits import Waits

EVERYTHING = frozenset(SUBSCRIPTIONS)
BASE_FILES: Files = {
    "README.md": "# Widgets\n",
    "src/orders.py": "def total(prices):\n    return sum(prices)\n",
}
GITHUB_SECONDS = 4
"""The seconds for which the system waits for an answer of GitHub."""
QUIET = 60
"""The seconds for which a system waits for a newer push."""
FALLBACK = "claude-opus-5-5"
"""The model that answers in the place of one that is overloaded."""


# Fixtures that start a system of their own: the tests of each stay in one process.
_SYSTEMS = ("listening", "running_small", "quiet", "remembering", "spending", "delivering", "missing")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start each of these systems once, not once for each worker."""
    for item in items:
        for name in _SYSTEMS:
            if name in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.xdist_group(name))


@dataclass
class Switchable:
    """A model that each test may make say something else; it is the offline reviewer until then."""

    answers: Answers = field(default_factory=OfflineReviewer)

    def answer(self, request: Request) -> Answer | None:
        return self.answers.answer(request)


@dataclass(eq=False)
class Stage:
    """A running system, a GitHub with one repository, and what a test does and looks at.

    `before` is the number of requests to the model before the running test.
    """

    repository: GitRepository
    base: str
    github: LocalGitHub
    machine: LocalMachine
    model: Switchable
    waits: Waits
    http: httpx.Client
    before: int = 0

    def commit(self, files: Files, parent: str | None = None, **more: Any) -> str:
        """Put files on top of a commit, the base unless told otherwise."""
        return self.repository.commit(files, parent or self.base, **more)

    def open(
        self,
        files: Files,
        *,
        base: Files | str | None = None,
        config: str | None = None,
        modes: Modes | None = None,
        **more: Any,
    ) -> "Opened":
        """Open a pull request that changes these files, and wait until it has been dealt with.

        `base` is a commit, or has more files than the first one; `config` are the settings that it gets after that.
        """
        parent = base if isinstance(base, str) else self.commit(base) if base else self.base
        into = parent if config is None else self.commit({".kodiai.yml": config}, parent)
        return self.open_at(self.commit(files, parent, modes=modes), into, **more)

    def open_at(self, head: str, base: str | None = None, **more: Any) -> "Opened":
        """Open a pull request of a commit, and wait until it has been dealt with."""
        opened = Opened(self, self.github.open_pull_request(head, base or self.base, **more))
        self.settle()
        return opened

    def settle(self) -> None:
        """Wait until every webhook has been sent, every queue is empty and no function runs.

        The delay of a message passes at once, as `waits` has it. A function that runs meanwhile may send a webhook.
        """
        sent = -1
        while sent != len(self.github.deliveries):
            sent = len(self.github.deliveries)
            assert self.github.settle()
            self.waits.settle()

    @property
    def requests(self) -> list[RecordedRequest]:
        """The requests to the model since the test began, oldest first."""
        assert self.machine.model is not None
        return self.machine.model.requests[self.before :]

    @property
    def questions(self) -> list[Request]:
        """Their bodies."""
        return [recorded.body for recorded in self.requests]

    @property
    def asked(self) -> int:
        """Their number."""
        return len(self.requests)

    @property
    def table(self) -> Any:
        """The table of the ledger."""
        return self.machine.aws.table(self.machine.system.environment["KODIAI_TABLE"])

    def items(self) -> list[dict[str, Any]]:
        """Everything in the table."""
        pages = self.table.meta.client.get_paginator("scan").paginate(TableName=self.table.name)
        return [item for page in pages for item in page["Items"]]

    @contextmanager
    def sent_to(self, address: str | None) -> Iterator[None]:
        """Within, webhooks go to another address, or nowhere."""
        right, self.github.webhook_url = self.github.webhook_url, address
        yield
        assert self.github.settle()
        self.github.webhook_url = right

    def refuse_next(self, route: str, status: int, body: Any) -> None:
        """Have GitHub answer the next request of a route like this, without doing anything."""
        self.github.fail_next(route, refusal(status, body))

    @property
    def outcomes(self) -> list[Mapping[str, Any]]:
        """The review function's outcome of every message, oldest first."""
        lines = self.machine.system.log_lines
        return [line for line in lines if line.get("message") == "outcome" and line["function"] == "ReviewFunction"]

    def outcome(self) -> Mapping[str, Any]:
        """The review door's last outcome."""
        return self.outcomes[-1]

    @property
    def letters(self) -> DeadLetters:
        """The dead letters of the review function."""
        sqs = self.machine.aws.client("sqs")
        names = ("kodiai-dev-reviews-dead.fifo", "kodiai-dev-reviews.fifo")
        dead, source = (sqs.get_queue_url(QueueName=name)["QueueUrl"] for name in names)
        return DeadLetters(sqs, dead, source, wait_seconds=0)

    def sent(self, route: str) -> int:
        """The number of requests of a route that GitHub got so far."""
        return sum(seen.route == route for seen in self.github.requests)


@dataclass(frozen=True)
class Opened:
    """A pull request, as a person and as the ledger see it."""

    stage: Stage
    number: int

    def push(self, head: str, base: str | None = None) -> None:
        """Move the head, and the base branch where one is given; wait until it has been dealt with."""
        self.stage.github.push(self.number, head, base)
        self.stage.settle()

    def get(self, path: str, **query: str) -> Any:
        """Read below the pull request's address, as the repository's owner."""
        github = self.stage.github
        headers = {"authorization": f"Bearer {github.token_for('reader', 'admin')}"}
        url = f"{github.url}/repos/{github.full_name}{path}"
        return self.stage.http.get(url, headers=headers, params={"per_page": 100, **query}).raise_for_status().json()

    @property
    def reviews(self) -> list[dict[str, Any]]:
        """Every review that was posted; GitHub counts each answer in a thread as one, without a body."""
        return [review for review in self.get(f"/pulls/{self.number}/reviews") if review["body"]]

    @property
    def comments(self) -> list[dict[str, Any]]:
        """Every inline comment."""
        return list(self.get(f"/pulls/{self.number}/comments"))

    def checks(self, head: str) -> list[dict[str, Any]]:
        """The check runs of a head, the latest of each name."""
        return list(self.get(f"/commits/{head}/check-runs")["check_runs"])

    @property
    def check(self) -> dict[str, Any]:
        """The head's check run of ours; it must have no other, not even one that this one hides."""
        [check] = self.get(f"/commits/{self.head}/check-runs", filter="all", check_name="Kodiai")["check_runs"]
        return dict(check)

    @property
    def web(self) -> str:
        """The address of the repository's pages."""
        return str(self.get(f"/pulls/{self.number}")["html_url"]).rpartition("/pull/")[0]

    @property
    def head(self) -> str:
        """The head as it is now."""
        return str(self.get(f"/pulls/{self.number}")["head"]["sha"])

    def close_and_reopen(self, login: str = "octocat") -> None:
        """Another event on the same head; wait until it has been dealt with."""
        self.stage.github.close(self.number, login=login)
        self.stage.github.reopen(self.number, login=login)
        self.stage.settle()

    def ask_for_review(self) -> None:
        """Ask the bot for a review by name; wait until it has been dealt with."""
        self.stage.github.request_review(self.number)
        self.stage.settle()

    @property
    def outcomes(self) -> list[Mapping[str, Any]]:
        """The outcome of every try at a job of this pull request, oldest first."""
        return [line for line in self.stage.outcomes if line.get("pull_request") == self.number]

    @property
    def partition(self) -> str:
        """The key of its items in the table."""
        return f"PR#{self.stage.github.repository.id}#{self.number}"

    @property
    def group(self) -> str:
        """Its group in the queues."""
        return f"{self.stage.github.full_name}#{self.number}"

    @property
    def dead(self) -> list[DeadLetter]:
        """Its dead letters."""
        return [letter for letter in self.stage.letters.list() if letter.group == self.group]

    def redrive(self) -> None:
        """Put its dead letters back into the queue; wait until they have been dealt with."""
        letters = self.stage.letters
        with letters.held() as found:
            for letter in found:
                assert letter.group != self.group or letters.redrive(letter)
        self.stage.settle()

    @property
    def ledger(self) -> Ledger:
        """Its ledger."""
        return self.stage.machine.ledger(self.stage.github.repository.ref, self.number)


@contextmanager
def a_stage(
    folder: Path,
    *,
    permissions: dict[str, str] | None = None,
    events: Collection[str] = frozenset({"pull_request", "check_run"}),
    parameters: Mapping[str, str] | None = None,
    **machine: Any,
) -> Iterator[Stage]:
    """Start a system; `permissions` and `events` are those of the App, `machine` is LocalMachine's.

    Unless asked for, the App is not told what people say: what they said is read at the next push.
    Findings are not remembered unless `parameters` say so: pull requests of many tests have the same ones.
    """
    machine["parameters"] = {"embeddings/model": "off", **(parameters or {})}
    repository = GitRepository(folder / "widgets.git")
    base = repository.commit(BASE_FILES, branch="main")
    model = Switchable()
    app = AppSetup(permissions or APP_PERMISSIONS, events, webhook_secret="s3cret")
    with LocalGitHub(repository.path, app=app) as github:
        access = GitHubAccess(github.url, github.credentials)
        with (
            LocalMachine(access, webhook_secret="s3cret", answers=model, **machine) as running,
            httpx.Client(trust_env=False) as http,
        ):
            # It keeps the default branch where it is: a test's base with settings is a branch of its own.
            github.open_pull_request(repository.commit({"first.txt": "1\n"}, base), "main")
            assert github.settle()  # no webhook is sent yet
            github.webhook_url = running.system.webhook_url
            yield Stage(repository, base, github, running, model, Waits(running), http)


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One system for all tests of a process: it takes some seconds to start. It may not write contents."""
    free = dict.fromkeys(("input", "output", "cache_read", "cache_write"), 0)
    parameters = {
        "github/timeout-seconds": f"{GITHUB_SECONDS}",
        "models/fallback": FALLBACK,
        "models/prices": json.dumps({OFFLINE_MODEL: free, FALLBACK: free}),
    }
    permissions = {**APP_PERMISSIONS, "contents": "read"}
    with a_stage(tmp_path_factory.mktemp("repository"), permissions=permissions, parameters=parameters) as stage:
        yield stage


@pytest.fixture
def stage(running: Stage) -> Iterator[Stage]:
    """The system, with the offline reviewer; what it sent must have been as GitHub's and the SDK's descriptions say."""
    yield from as_described(running)


@pytest.fixture(scope="session")
def listening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One system that gets the events of comments, for all tests of a process."""
    price = {"input": 1, "output": 1, "cache_read": 1, "cache_write": 1}
    parameters = {"models/prices": json.dumps({OFFLINE_MODEL: price})}
    with a_stage(tmp_path_factory.mktemp("repository"), events=EVERYTHING, parameters=parameters) as stage:
        yield stage


@pytest.fixture(scope="session")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One system that waits after a push as a deployment does by default, and says of itself that no model answers.

    The queues' clock is turned, nobody sits the wait out.
    """
    parameters = {"limits/quiet-seconds": f"{QUIET}", "models/offline": "true"}
    with a_stage(tmp_path_factory.mktemp("quiet"), events=EVERYTHING, parameters=parameters) as stage:
        yield stage


@pytest.fixture(scope="session")
def remembering(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One system with a memory, for all tests of a process."""
    parameters = {"embeddings/model": "titan-embed-text-v2"}
    with a_stage(tmp_path_factory.mktemp("remembering"), events=EVERYTHING, parameters=parameters) as stage:
        yield stage


@pytest.fixture
def memory(remembering: Stage) -> Iterator[Stage]:
    """The system with a memory."""
    yield from as_described(remembering)


@pytest.fixture
def talk(listening: Stage) -> Iterator[Stage]:
    """The system that listens, with the offline reviewer; it may resolve threads."""
    yield from as_described(listening)


def as_described(running: Stage) -> Iterator[Stage]:
    """The system for one test, which begins with the offline reviewer and ends without a violation of a description.

    The test has ended when its last job has: the next one's model would be asked by it.
    """
    running.model.answers = OfflineReviewer()
    running.waits.forget()
    running.before += running.asked
    yield running
    running.settle()
    running.model.answers = OfflineReviewer()
    assert running.machine.model is not None
    assert [*running.github.violations, *running.machine.model.violations] == []
