"""The whole system on one machine, and one repository for many pull requests."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from kodiai.ports import Ledger
from local.github import GitHubStandIn
from local.github.trouble import refusal
from local.machine import GitHubAccess, LocalMachine
from local.model import Answer, Answers, OfflineReviewer, Request
from tests.git_repository import Files, GitRepository

BASE_FILES: Files = {
    "README.md": "# Widgets\n",
    "src/orders.py": "def total(prices):\n    return sum(prices)\n",
}
_QUIET_SECONDS = 60


@dataclass
class Switchable:
    """A model that each test may make say something else; it is the offline reviewer until then."""

    answers: Answers = field(default_factory=OfflineReviewer)

    def answer(self, request: Request) -> Answer | None:
        return self.answers.answer(request)


@dataclass(frozen=True)
class Stage:
    """A running system, a GitHub with one repository, and what a test does and looks at."""

    repository: GitRepository
    base: str
    github: GitHubStandIn
    machine: LocalMachine
    model: Switchable

    def commit(self, files: Files, parent: str | None = None, **more: Any) -> str:
        """Put files on top of a commit, the base unless told otherwise."""
        return self.repository.commit(files, parent or self.base, **more)

    def open(self, files: Files, *, config: str | None = None, **more: Any) -> "Opened":
        """Open a pull request that changes these files, and wait until it has been dealt with."""
        base = self.base
        if config is not None:
            base = self.repository.commit({".kodiai.yml": config}, base)
        opened = Opened(self, self.github.open_pull_request(self.commit(files), base, **more))
        self.settle()
        return opened

    def settle(self) -> None:
        """Wait until every webhook has been sent, every queue is empty and no function runs."""
        assert self.github.settle()
        self.machine.system.wait_until_quiet(_QUIET_SECONDS)

    @property
    def asked(self) -> int:
        """How many questions the model was asked so far."""
        assert self.machine.model is not None
        return len(self.machine.model.requests)

    def refuse_next(self, route: str, status: int, body: Any) -> None:
        """Have GitHub answer the next request of a route like this, without doing anything."""
        self.github.fail_next(route, refusal(status, body))

    def outcome(self) -> Mapping[str, Any]:
        """The review door's last outcome."""
        lines = self.machine.system.log_lines
        return next(
            line
            for line in reversed(lines)
            if line.get("message") == "outcome" and line["function"] == "ReviewFunction"
        )


@dataclass(frozen=True)
class Opened:
    """A pull request, as a person and as the ledger see it."""

    stage: Stage
    number: int

    def push(self, head: str, base: str | None = None) -> None:
        """Move the head, and the base branch where one is given; wait until it has been dealt with."""
        self.stage.github.push(self.number, head, base)
        self.stage.settle()

    def get(self, path: str) -> Any:
        """Read below the pull request's address, as the repository's owner."""
        github = self.stage.github
        headers = {"authorization": f"Bearer {github.token_for('reader', 'admin')}"}
        url = f"{github.url}/repos/{github.full_name}{path}"
        return httpx.get(url, headers=headers, params={"per_page": 100}).raise_for_status().json()

    @property
    def reviews(self) -> list[dict[str, Any]]:
        """Every review that was posted."""
        return list(self.get(f"/pulls/{self.number}/reviews"))

    @property
    def comments(self) -> list[dict[str, Any]]:
        """Every inline comment."""
        return list(self.get(f"/pulls/{self.number}/comments"))

    def checks(self, head: str) -> list[dict[str, Any]]:
        """The check runs of a head."""
        return list(self.get(f"/commits/{head}/check-runs")["check_runs"])

    @property
    def head(self) -> str:
        """The head as it is now."""
        return str(self.get(f"/pulls/{self.number}")["head"]["sha"])

    @property
    def ledger(self) -> Ledger:
        """What was written down."""
        return self.stage.machine.ledger(self.stage.github.full_name, self.number)


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One system for all tests of a process: it takes some seconds to start."""
    repository = GitRepository(tmp_path_factory.mktemp("repository") / "widgets.git")
    base = repository.commit(BASE_FILES, branch="main")
    model = Switchable()
    with GitHubStandIn(repository.path, webhook_secret="s3cret") as github:
        credentials = {"github/app-id": github.app_id, "github/private-key": github.private_key}
        access = GitHubAccess(github.url, github.bot_login, credentials)
        with LocalMachine(access, webhook_secret="s3cret", answers=model) as machine:
            github.webhook_url = machine.system.webhook_url
            yield Stage(repository, base, github, machine, model)


@pytest.fixture
def stage(running: Stage) -> Iterator[Stage]:
    """The system, with the offline reviewer; what it sent must have been as GitHub's and the SDK's descriptions say."""
    running.model.answers = OfflineReviewer()
    yield running
    running.model.answers = OfflineReviewer()
    assert running.github.violations == []
    assert running.machine.model is not None
    assert running.machine.model.violations == []
