"""A table as the template makes it, in the local AWS, and a pull request on a GitHub stand-in."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from local.aws import LocalAws
from local.github import AppSetup, LocalGitHub
from local.github.hosted_repository import APP_PERMISSIONS
from local.readable_ledger import ReadableLedger
from tests.aws_resources import create_table
from tests.builders import WIDGETS
from tests.edges.deployed_aws import DeployedAws
from tests.edges.github_scene import BOT, Pushed, Scene, connect, push


@pytest.fixture(scope="session")
def aws() -> Iterator[LocalAws]:
    with LocalAws() as running:
        yield running


@pytest.fixture(scope="session")
def deployed(aws: LocalAws) -> DeployedAws:
    return DeployedAws(aws)


@pytest.fixture
def table(aws: LocalAws, request: pytest.FixtureRequest) -> Any:
    """An empty table for each test."""
    return create_table(aws, f"t{abs(hash(request.node.nodeid))}")


@dataclass
class TurnableClock:
    """A clock that tests turn, in seconds since the epoch."""

    time: float = 1_000.0

    def now(self) -> float:
        return self.time


@pytest.fixture
def clock() -> TurnableClock:
    return TurnableClock()


@pytest.fixture
def ledger(table: Any, clock: TurnableClock) -> ReadableLedger:
    """The ledger of one pull request, which can be read whole too."""
    return ReadableLedger(table, WIDGETS, 7, clock)


@pytest.fixture(scope="session")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Pushed:
    return push(tmp_path_factory.mktemp("pushed") / "widgets.git")


@pytest.fixture(scope="session")
def stand_in(pushed: Pushed) -> Iterator[LocalGitHub]:
    """One for all, where the App may read contents: what a test lets fail has to be asked for in that test."""
    with LocalGitHub(pushed.path, app=AppSetup(APP_PERMISSIONS | {"contents": "read"})) as running:
        running.state.user(BOT, "none", "Bot")
        yield running


@pytest.fixture(scope="session")
def generous(pushed: Pushed) -> Iterator[LocalGitHub]:
    """One where the App may do all that it asks for: who may write contents may resolve threads."""
    with LocalGitHub(pushed.path) as running:
        yield running


@pytest.fixture
def scene(stand_in: LocalGitHub, pushed: Pushed) -> Iterator[Scene]:
    """A pull request that nobody has looked at, of a head that others are of too."""
    with _opened(stand_in, pushed) as scene:
        yield scene


@pytest.fixture
def granted(generous: LocalGitHub, pushed: Pushed) -> Iterator[Scene]:
    """The same, where we may resolve threads."""
    with _opened(generous, pushed) as scene:
        yield scene


@contextmanager
def _opened(stand_in: LocalGitHub, pushed: Pushed) -> Iterator[Scene]:
    strayed = len(stand_in.violations)
    number = stand_in.open_pull_request(pushed.head, pushed.base, title="Two", body=None)
    with connect(stand_in, number) as edge:
        yield Scene(stand_in, number, pushed.head, edge)
    assert stand_in.violations[strayed:] == []
