"""The site over a small repository, served for all tests of a worker; each test opens pull requests of its own."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from local.github import LocalGitHub
from local.page import Site
from local.page.activity import ActivityTab
from local.page.rules import RulesSection
from tests.git_repository import Files, GitRepository
from tests.local.github.scene import Client, installation_token
from tests.local.page.activity_scene import Scene
from tests.local.page.reader import Reader


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> GitRepository:
    made = GitRepository(Path(tmp_path_factory.mktemp("pages")) / "widgets.git")
    made.commit({"README.md": "# Widgets\n"}, branch="main")
    return made


@pytest.fixture(scope="session")
def github(repository: GitRepository) -> Iterator[LocalGitHub]:
    """The stand-in with the site shown. What strays from GitHub's description fails at the end."""
    with LocalGitHub(repository.path) as stand_in:
        stand_in.show(Site(stand_in.repository, stand_in))
        yield stand_in
        assert stand_in.violations == []


@pytest.fixture(scope="session")
def bot(github: LocalGitHub) -> Iterator[Client]:
    """The App's installation, at the API."""
    client = Client(github, installation_token(github))
    yield client
    client.close()


@pytest.fixture
def reader(github: LocalGitHub) -> Iterator[Reader]:
    """Somebody without a cookie, who is taken for the pull request's author."""
    with Reader(github.url) as opened:
        yield opened


@pytest.fixture
def read_as(github: LocalGitHub) -> Iterator[Callable[..., Reader]]:
    """Makes readers who look as somebody with a role."""
    opened: list[Reader] = []

    def look(login: str, role: str) -> Reader:
        opened.append(Reader(github.url))
        opened[-1].become(login, role)
        return opened[-1]

    yield look
    for one in opened:
        one.close()


@pytest.fixture
def open_pull(github: LocalGitHub, repository: GitRepository) -> Callable[..., int]:
    """Opens a pull request from contents before to contents after, and returns its number."""

    def make(before: Files, after: Files, *, message: str = "A change", title: str = "A change") -> int:
        base = repository.commit(before, "refs/heads/main")
        head = repository.commit(after, base, message=message)
        return github.open_pull_request(head, base, title=title)

    return make


@pytest.fixture(scope="session")
def watched(repository: GitRepository) -> Iterator[tuple[LocalGitHub, list[Scene]]]:
    """A stand-in whose pages have the bot's activity and the rules, and the scenes, of which it shows the last."""
    scenes: list[Scene] = []
    tab = ActivityTab(
        lambda _: scenes[-1].ledger,
        lambda delivery: scenes[-1].journal.of(delivery),  # noqa: PLW0108 - of the last one then
        lambda: scenes[-1].deliveries,
        lambda: scenes[-1].prices,
    )
    with LocalGitHub(repository.path) as github:
        rules = RulesSection(lambda _: scenes[-1].ledger)
        github.show(Site(github.repository, github, activity=tab.view, rules=rules))
        yield github, scenes


@pytest.fixture
def scene(watched: tuple[LocalGitHub, list[Scene]], repository: GitRepository) -> Iterator[Scene]:
    """A pull request whose tab shows what the test has delivered, logged and recorded."""
    github, scenes = watched
    base = repository.commit({"src/app.py": "a = 1\n"}, "refs/heads/main")
    number = github.open_pull_request(repository.commit({"src/app.py": "a = 2\n"}, base), base, title="Totals")
    with Reader(github.url) as reader:
        scenes.append(Scene(github, reader, number))
        yield scenes[-1]
