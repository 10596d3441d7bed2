"""The App asks GitHub where it is installed, with its own signature."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kodiai.core.errors import Refused, Retry
from kodiai.edges.github_app import GitHubApp, GitHubRepository
from local.github import LocalGitHub
from local.github.hosted_repository import REPOSITORY_ID
from tests.edges.github_scene import PAUSE_SECONDS, push, settings, token_settings
from tests.raw_server import raw_answer, serving

ROUTE = "GET /repositories/{repository_id}/installation"


@pytest.fixture
def github(tmp_path: Path) -> Iterator[LocalGitHub]:
    with LocalGitHub(push(tmp_path / "widgets.git").path) as running:
        yield running
        assert running.violations == []


@pytest.fixture
def app(github: LocalGitHub) -> Iterator[GitHubApp]:
    with GitHubApp(settings(github), pause_seconds=PAUSE_SECONDS) as app:
        yield app


def test_the_app_knows_where_it_is_installed(github: LocalGitHub, app: GitHubApp) -> None:
    """By the repository's id, whatever its name is: one request each time, and no token of an installation."""
    assert app.installation(REPOSITORY_ID) == github.installation_id
    assert app.installation(REPOSITORY_ID + 1) is None
    assert [seen.route for seen in github.requests] == [ROUTE, ROUTE]


def test_a_repository_is_found_by_its_name(github: LocalGitHub, app: GitHubApp) -> None:
    """As an operator knows it; what is not there is None."""
    number = github.open_pull_request("settings", "main")
    assert app.installation_on(github.full_name) == github.installation_id
    assert app.installation_on("acme/nothing") is None

    with GitHubRepository(settings(github), github.full_name, github.installation_id) as found:
        assert found.ref() == github.repository.ref
        assert (found.has_pull_request(number), found.has_pull_request(number + 1)) == (True, False)


def test_it_is_no_longer_installed_where_it_was_removed(github: LocalGitHub, app: GitHubApp) -> None:
    """Uninstalled, or without this repository; installed again, it is."""
    github.remove_repository()
    first = github.installation_id
    removed = app.installation(REPOSITORY_ID)
    github.install()
    added = app.installation(REPOSITORY_ID)
    github.uninstall()
    uninstalled = app.installation(REPOSITORY_ID)
    github.install()

    assert (removed, added, uninstalled) == (None, first, None)
    assert app.installation(REPOSITORY_ID) == github.installation_id != first


@pytest.mark.parametrize(("status", "outcome"), [(401, Retry), (403, Refused), (429, Retry), (500, Retry)])
def test_a_refusal_is_no_answer(github: LocalGitHub, status: int, outcome: type[Exception]) -> None:
    """A doubt must delete nothing: only 404 says that the App is not there."""
    with (
        serving(*[raw_answer(status, b"{}")] * 3) as (url, _),
        GitHubApp(settings(github, api_url=url)) as app,
        pytest.raises(outcome),
    ):
        app.installation(REPOSITORY_ID)


def test_a_deployment_with_a_token_and_no_app_can_ask_nothing() -> None:
    """The error says what deletes instead."""
    with pytest.raises(Refused) as refused:
        GitHubApp(token_settings("http://127.0.0.1:1", "t"))

    assert str(refused.value) == (
        "GitHub tells only an App where it is installed, and this deployment has a token (`github/token`): "
        "nothing is deleted. `kodiai forget` deletes what is stored."
    )
