"""The local GitHub over the small scene, and clients of it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from githubkit import GitHub

from local.github import AppSetup, LocalGitHub
from tests.git_repository import GitRepository
from tests.local.github.receiver import Receiver
from tests.local.github.scene import Client, Scene, installation_token, installed


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path / "widgets.git")


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    return GitRepository(tmp_path / "other.git")


@pytest.fixture
def serve() -> Iterator[Callable[..., LocalGitHub]]:
    """Starts local GitHubs with any settings. What does not fit GitHub's description fails the test at its end."""
    with ExitStack() as running:
        started: list[LocalGitHub] = []

        def start(repository: Path, *, data: Path | None = None, enterprise: Any = None, **app: Any) -> LocalGitHub:
            github = LocalGitHub(repository, data=data, app=AppSetup(**app), enterprise=enterprise)
            started.append(running.enter_context(github))
            return started[-1]

        yield start
        strayed = [violation for github in started for violation in github.violations]
    assert strayed == []


@pytest.fixture
def github(serve: Callable[..., LocalGitHub], scene: Scene) -> LocalGitHub:
    """The scene's pull request, number 1, opened."""
    local = serve(scene.repository.path)
    local.open_pull_request("feature", body="Please.")
    return local


@pytest.fixture
def bot(github: LocalGitHub) -> "GitHub[Any]":
    return installed(github)


@pytest.fixture
def client_of() -> Iterator[Callable[..., Client]]:
    """Makes clients and closes them."""
    with ExitStack() as open_clients:

        def connect(github: LocalGitHub, token: str | None = None, **headers: str) -> Client:
            client = Client(github, token, **headers)
            open_clients.callback(client.close)
            return client

        yield connect


@pytest.fixture
def ann(github: LocalGitHub, client_of: Callable[..., Client]) -> Client:
    """A person who may write."""
    return client_of(github, github.token_for("ann", "write"))


@pytest.fixture
def app(github: LocalGitHub, client_of: Callable[..., Client]) -> Client:
    """The App's installation, with plain responses."""
    return client_of(github, installation_token(github))


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as listening:
        yield listening
