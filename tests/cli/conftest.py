"""The fixtures of several commands: a local AWS, and one account in which `kodiai setup` has run."""

from collections.abc import Iterator

import pytest

from local.aws import LocalAws
from local.cloud import LocalCloud
from local.github import AppSetup, LocalGitHub
from local.model import ModelStandIn
from local.sample import make_sample
from tests.cli.deployed import KEY, Account, Run


@pytest.fixture
def aws() -> Iterator[LocalAws]:
    with LocalAws() as running:
        yield running


@pytest.fixture(scope="session")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    folder = tmp_path_factory.mktemp("setup")
    sample = make_sample(folder / "harbour", pushed=1)
    with (
        ModelStandIn(None) as model,
        LocalCloud(messages_api=model.serve) as cloud,
        LocalGitHub(sample.path, full_name="acme/harbour", app=AppSetup(registered=False)) as github,
    ):
        github.state.users["acme"].type = "Organization"
        yield Account(cloud, github, model, folder)


@pytest.fixture(scope="session")
def checked(account: Account) -> str:
    """The output of a check before there is anything."""
    options = ("--owner", "acme", "--github-api-url", account.github.url, "--set", "GithubPublish=dry-run")
    return account.run("setup", "--check", *options).out


@pytest.fixture(scope="session")
def runs(account: Account, checked: str) -> list[Run]:
    """The first run is killed when the App is to be registered; the second one ends."""
    assert checked
    options = (
        *("--github-api-url", account.github.url, "--set", f"AnthropicBaseUrl={account.model.url}"),
        *("--set", "QuietSeconds=0"),
    )
    answers = ("acme", KEY, "team@example.com")
    first = account.set_up(*answers, options=options, stop_at="Register the GitHub App")
    number = account.github.open_pull_request("push-1", "main", title="Orders")
    return [first, account.set_up("acme", f"acme/harbour#{number}")]


@pytest.fixture
def live(account: Account, runs: list[Run]) -> Account:
    assert runs[1].status == 0, runs[1].text
    return account
