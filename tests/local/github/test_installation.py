"""The App is uninstalled, loses the repository, and is installed again: what is reported, and what is refused then."""

from collections.abc import Callable

import pytest

from local.github import LocalGitHub
from tests.local.github.scene import PULL, REPO, Client, Scene, app_token, installation_token

SNAPSHOT = 'query { repository(owner: "acme", name: "widgets") { nameWithOwner } }'


@pytest.fixture
def subscribed(serve: Callable[..., LocalGitHub], scene: Scene) -> LocalGitHub:
    """One that sends webhooks of pull requests only, with a pull request."""
    github = serve(scene.repository.path, events={"pull_request"})
    github.open_pull_request("feature")
    return github


def test_tokens_end_with_their_installation(github: LocalGitHub, app: Client, client_of: Callable[..., Client]) -> None:
    """Its tokens stay invalid after a new installation. People see the repository as before."""
    old, as_app = github.installation_id, client_of(github, app_token(github))
    person = client_of(github, github.token_for("ann"))

    github.uninstall()

    assert (app.get(PULL).json()["message"], app.post("/graphql", {"query": SNAPSHOT}).status_code) == (
        "Bad credentials",
        401,
    )
    assert as_app.get(f"{REPO}/installation").status_code == 404
    assert (as_app.get("/app").status_code, person.get(PULL).status_code) == (200, 200)
    github.install()
    assert github.installation_id != old
    assert as_app.post(f"/app/installations/{old}/access_tokens", {}).status_code == 404
    assert app.get(PULL).status_code == 401
    assert client_of(github, installation_token(github)).get(PULL).status_code == 200


def test_a_repository_that_was_removed_is_not_there(
    github: LocalGitHub, app: Client, client_of: Callable[..., Client]
) -> None:
    """The installation stays, with its tokens, for the owner's other repositories."""
    as_app = client_of(github, app_token(github))

    github.remove_repository()

    assert app.get(PULL).status_code == 404
    assert app.graphql(SNAPSHOT)["errors"][0]["type"] == "NOT_FOUND"
    assert as_app.post(f"/app/installations/{github.installation_id}/access_tokens", {}).status_code == 201
    assert as_app.get(f"{REPO}/installation").status_code == 404


def test_an_app_hears_of_its_installation_and_without_one_of_nothing_else(subscribed: LocalGitHub) -> None:
    """It need not subscribe to it."""
    subscribed.remove_repository(login="ann")
    subscribed.close(1)
    subscribed.install()
    subscribed.uninstall()
    subscribed.reopen(1)
    subscribed.install()
    subscribed.close(1)

    assert [f"{each.event}.{each.action}" for each in subscribed.deliveries] == [
        "pull_request.opened",
        "installation_repositories.removed",
        "installation_repositories.added",
        "installation.deleted",
        "installation.created",
        "pull_request.closed",
    ]
    [removed, added, deleted] = [delivery.payload for delivery in subscribed.deliveries[1:4]]
    assert removed["sender"]["login"] == "ann"
    assert [each["full_name"] for each in removed["repositories_removed"]] == ["acme/widgets"]
    assert removed["repositories_added"] == added["repositories_removed"] == []
    assert [each["full_name"] for each in deleted["repositories"]] == ["acme/widgets"]
    assert all("repository" not in payload for payload in (removed, added, deleted))
