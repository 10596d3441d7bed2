"""The settings of an owner: read with the snapshot where the token shows them, else with a token of their own."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kodiai.core.config.read import OwnerFile
from kodiai.core.errors import Retry
from kodiai.edges.github import GitHubPullRequest
from kodiai.edges.github_code import GitHubCode
from kodiai.edges.github_owner import OwnerFiles
from local.github import LocalGitHub
from local.github.failures import server_error
from tests.edges.conftest import TurnableClock
from tests.edges.github_scene import (
    CONFIG,
    CONTENTS,
    SNAPSHOT,
    TOKEN,
    app_access,
    connect,
    connect_as,
    settings,
    token_settings,
)
from tests.edges.raw_github import Said, a_snapshot, github_that_says, told
from tests.git_repository import Content, GitRepository

INSTALLATION = "GET /repos/{owner}/{repo}/installation"
OWNER, OWN = "acme/.github", b"review: {maxComments: 3}\n"
FOUND = OwnerFile(OWNER, OWN)
Connect = Callable[..., GitHubPullRequest]
Host = Callable[..., None]


@pytest.fixture
def github(tmp_path: Path) -> Iterator[LocalGitHub]:
    repository = GitRepository(tmp_path / "widgets.git")
    base = repository.commit({"a.py": "a = 1\n"}, branch="main")
    repository.commit({"a.py": "a = 2\n"}, base, branch="feature")
    with LocalGitHub(repository.path) as running:
        running.open_pull_request("feature")
        yield running
        assert running.violations == []


@pytest.fixture
def host(github: LocalGitHub, tmp_path: Path) -> Host:
    """Hosts the owner's repository with a settings file."""

    def hosted(content: Content = OWN, **more: bool) -> None:
        repository = GitRepository(tmp_path / "owners.git")
        repository.commit({"README.md": "Hi.\n", **({} if content is None else {CONFIG: content})}, branch="main")
        github.host_owners(repository.path, **more)

    return hosted


@pytest.fixture
def owner_files(clock: TurnableClock) -> OwnerFiles:
    return OwnerFiles(clock.now)


@pytest.fixture
def edge(github: LocalGitHub, owner_files: OwnerFiles) -> Iterator[GitHubPullRequest]:
    """The pull request as the installation of the App sees it, as it is wired."""
    hidden = partial(owner_files.of, "acme", github.installation_id, settings(github))
    access = app_access(github)
    with GitHubPullRequest(access, github.bot_login, github.full_name, 1, hidden_owner_file=hidden) as opened:
        yield opened


def routes(github: LocalGitHub) -> list[str]:
    """The requests that were sent, by route."""
    return [each.route for each in github.requests]


@pytest.mark.parametrize("content", [OWN, None])
def test_a_public_one_costs_no_request(
    github: LocalGitHub, host: Host, edge: GitHubPullRequest, content: bytes | None
) -> None:
    """It is in the query of the snapshot, at the tip of its default branch; without the file nobody is asked again."""
    host(content, is_private=False)

    assert edge.snapshot().owner_file == OwnerFile(OWNER, content)
    assert edge.calls() == {TOKEN: 1, SNAPSHOT: 1}
    assert len(routes(github)) == 2


def test_a_large_public_one_is_read_whole(host: Host, edge: GitHubPullRequest) -> None:
    """A restriction at its end counts as well; one over the limit is refused by its size."""
    host("# long\n" * 90_000, is_private=False)

    assert edge.snapshot().owner_file == OwnerFile(OWNER, b"# long\n" * 90_000)
    assert edge.calls() == {TOKEN: 1, SNAPSHOT: 1, CONTENTS: 1}


def test_a_private_one_is_read_with_a_token_of_its_own_and_kept_for_five_minutes(
    github: LocalGitHub, host: Host, edge: GitHubPullRequest, clock: TurnableClock
) -> None:
    """The token reads contents of that repository alone, and the token of the event never reaches it."""
    host(has_app=True)

    first, second = edge.snapshot(), edge.snapshot()

    assert first.owner_file == second.owner_file == FOUND
    asked = [TOKEN, "POST /graphql", INSTALLATION, TOKEN, CONTENTS, "POST /graphql"]
    assert routes(github) == asked
    event, owners = github.tokens
    assert (owners.permissions, owners.repositories) == (
        {"contents": "read", "metadata": "read"},
        frozenset({github.repository.id + 1}),
    )
    assert event.repositories == frozenset({github.repository.id})
    clock.time += 300
    edge.snapshot()
    assert routes(github)[len(asked) :] == ["POST /graphql", INSTALLATION, TOKEN, CONTENTS]


@pytest.mark.parametrize("is_there", [True, False])
def test_one_on_which_the_app_is_not_installed_is_as_good_as_none(
    github: LocalGitHub, host: Host, edge: GitHubPullRequest, *, is_there: bool
) -> None:
    """GitHub says the same of both. That costs one request in five minutes."""
    if is_there:
        host()

    found = [edge.snapshot(), edge.snapshot()]

    assert {each.owner_file for each in found} == {None}
    assert {each.unseen for each in found} == {()}
    assert routes(github) == [TOKEN, "POST /graphql", INSTALLATION, "POST /graphql"]


def test_a_failure_is_no_missing_file(github: LocalGitHub, host: Host, edge: GitHubPullRequest) -> None:
    """The event is tried again, for the file may restrict; nothing of it is kept."""
    host(has_app=True)
    github.fail_next(INSTALLATION, server_error(), times=3)

    with pytest.raises(Retry, match="GitHub is busy"):
        edge.snapshot()

    assert edge.snapshot().owner_file == FOUND


def test_a_persons_token_shows_what_the_person_sees(github: LocalGitHub, host: Host) -> None:
    """There is no App then that could be asked."""
    host()

    with connect_as(github, "ann", 1) as edge:
        assert edge.snapshot().owner_file == FOUND
    assert OwnerFiles(lambda: 1.0).of("acme", None, settings(github)) is None
    assert OwnerFiles(lambda: 1.0).of("acme", 5, token_settings(github.url, "t")) is None


def with_owner(owner: Any, *errors: dict[str, Any]) -> Said:
    """A snapshot with what the query shows of the owner's repository."""
    whole = json.loads(a_snapshot().raw.partition(b"\r\n\r\n")[2])
    return told({"data": {**whole["data"], "ownerDefaults": owner}, "errors": list(errors)} if errors else whole)


def about_owner(kind: str | None, *path: str) -> dict[str, Any]:
    return {"message": "So it is.", "path": ["ownerDefaults", *path], **({"type": kind} if kind else {})}


@pytest.mark.parametrize("path", [(), ("defaultBranchRef",)])
def test_one_that_github_has_and_does_not_show_is_named(path: tuple[str, ...]) -> None:
    """The review says so, because it may restrict; whoever wants it to count installs the App on it."""
    shown = {"defaultBranchRef": None} if path else None

    with github_that_says(with_owner(shown, about_owner("FORBIDDEN", *path))) as (edge, _):
        found = edge.snapshot()

    assert (found.owner_file, found.unseen) == (None, (".kodiai.yml of acme/.github: not permitted",))


@pytest.mark.parametrize("kind", [None, "RATE_LIMITED"])
def test_a_server_that_cannot_say_is_asked_again_later(kind: str | None) -> None:
    """It is not taken as a missing file."""
    with github_that_says(with_owner(None, about_owner(kind))) as (edge, _), pytest.raises(Retry):
        edge.snapshot()


def test_the_owners_repository_has_no_owner_above_it(tmp_path: Path) -> None:
    """Its own file is the owner's: it is read once, and counts once."""
    repository = GitRepository(tmp_path / "owners.git")
    base = repository.commit({CONFIG: OWN}, branch="main")
    repository.commit({"a.py": "a = 1\n"}, base, branch="feature")

    with LocalGitHub(repository.path, full_name=OWNER) as github, connect(github, 1) as edge:
        github.open_pull_request("feature")
        found = edge.snapshot()
        with GitHubCode(settings(github), OWNER, github.installation_id) as code:
            assert code.owner_file() is None

    assert (found.config, found.owner_file) == (OWN, None)
    assert github.requests[-1].fields == ("viewer", "repository")


@pytest.mark.parametrize("more", [{"is_private": False}, {"has_app": True}])
def test_proposals_read_it_too(github: LocalGitHub, host: Host, owner_files: OwnerFiles, more: dict[str, bool]) -> None:
    """A public one by the token of the event, a private one by its own."""
    host(**more)
    hidden = partial(owner_files.of, "acme", github.installation_id, settings(github))

    with GitHubCode(settings(github), github.full_name, github.installation_id, hidden_owner_file=hidden) as code:
        assert code.owner_file() == FOUND
