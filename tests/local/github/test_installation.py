"""The App is uninstalled, loses the repository, and is installed again: what is told, and what is refused then."""

import time
from collections.abc import Callable
from pathlib import Path

import jwt
import pytest

from local.github import LocalGitHub
from tests.local.github.receiver import Receiver
from tests.local.github.scene import PULL, REPO, Client, Scene, installation_token

Serve = Callable[..., LocalGitHub]
Connect = Callable[..., Client]

SNAPSHOT = 'query { repository(owner: "acme", name: "widgets") { nameWithOwner } }'


@pytest.fixture
def connected(serve: Serve, scene: Scene, receiver: Receiver) -> LocalGitHub:
    """One that sends webhooks of pull requests only, with a pull request."""
    github = serve(scene.repository.path, webhook_url=receiver.url, events={"pull_request"})
    github.open_pull_request("feature")
    return github


def as_app(github: LocalGitHub, connect: Connect) -> Client:
    """The App itself, by its signature."""
    now = int(time.time())
    claims = {"iat": now - 60, "exp": now + 540, "iss": github.app_id}
    return connect(github, jwt.encode(claims, github.private_key, "RS256"))


def told(github: LocalGitHub) -> list[str]:
    assert github.settle()
    return [f"{each.event}.{each.action}" for each in github.deliveries]


def test_after_uninstalling_everything_is_refused(connected: LocalGitHub, client_of: Connect) -> None:
    """The App's tokens end, it gets no new ones, and finds no installation; people see the repository as before."""
    app = as_app(connected, client_of)
    installation = client_of(connected, installation_token(connected))
    person = client_of(connected, connected.token_for("ann"))

    connected.uninstall()

    assert installation.get(PULL).json()["message"] == "Bad credentials"
    assert installation.post("/graphql", {"query": SNAPSHOT}).status_code == 401
    assert app.post(f"/app/installations/{connected.installation_id}/access_tokens", {}).status_code == 404
    assert app.get(f"{REPO}/installation").status_code == 404
    assert app.get("/app").status_code == 200
    assert person.get(PULL).status_code == 200


def test_a_repository_that_was_removed_is_not_there(connected: LocalGitHub, client_of: Connect) -> None:
    """The installation stays, with its tokens, for the owner's other repositories."""
    app = as_app(connected, client_of)
    token = installation_token(connected)
    installation = client_of(connected, token)

    connected.remove_repository()

    assert installation.get(PULL).status_code == 404
    assert installation.graphql(SNAPSHOT)["errors"][0]["type"] == "NOT_FOUND"
    assert app.post(f"/app/installations/{connected.installation_id}/access_tokens", {}).status_code == 201
    assert app.get(f"{REPO}/installation").status_code == 404


def test_an_app_that_is_installed_again_has_another_installation(connected: LocalGitHub, client_of: Connect) -> None:
    """The old one's tokens stay invalid."""
    old, token = connected.installation_id, installation_token(connected)
    connected.uninstall()

    connected.install()

    app = as_app(connected, client_of)
    assert connected.installation_id != old
    assert app.get(f"{REPO}/installation").json()["id"] == connected.installation_id
    assert app.post(f"/app/installations/{old}/access_tokens", {}).status_code == 404
    assert client_of(connected, token).get(PULL).status_code == 401
    assert client_of(connected, installation_token(connected)).get(PULL).status_code == 200


def test_every_app_is_told_about_its_installation_and_then_nothing_else(connected: LocalGitHub) -> None:
    """It need not subscribe; where it is not installed it hears of nothing. Every payload is as GitHub describes it."""
    connected.remove_repository(login="ann")
    connected.close(1)
    connected.install()
    connected.uninstall()
    connected.reopen(1)
    connected.install()
    connected.close(1)

    assert told(connected) == [
        "pull_request.opened",
        "installation_repositories.removed",
        "installation_repositories.added",
        "installation.deleted",
        "installation.created",
        "pull_request.closed",
    ]
    [removed, added, deleted] = [delivery.payload for delivery in connected.deliveries[1:4]]
    assert removed["sender"]["login"] == "ann"
    assert [each["full_name"] for each in removed["repositories_removed"]] == ["acme/widgets"]
    assert removed["repositories_added"] == added["repositories_removed"] == []
    assert [each["full_name"] for each in deleted["repositories"]] == ["acme/widgets"]
    assert all("repository" not in payload for payload in (removed, added, deleted))


def test_an_uninstalled_app_stays_so_after_a_restart(serve: Serve, scene: Scene, tmp_path: Path) -> None:
    """The state in the folder says it."""
    with LocalGitHub(scene.repository.path, data=tmp_path / "data") as github:
        github.uninstall()

    again = serve(scene.repository.path, data=tmp_path / "data")

    assert not again.repository.has_app
    again.install()
    assert again.repository.has_app
