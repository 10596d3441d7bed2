"""Registering the App, on GitHub and on servers of an enterprise, by somebody who presses the buttons."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from queue import Queue
from typing import Literal
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from cli.errors import CommandError
from cli.setup.registration import NewApp, Owner, Registration, app_name
from kodiai.edges.github_connection import version_header
from local.github import AppSetup, LocalGitHub
from local.sample import Sample, make_sample
from tests.cli.browsing import Form, press_buttons

WEBHOOK = "http://127.0.0.1:9/webhook"
ACME = Owner("acme", is_organization=True)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return make_sample(tmp_path_factory.mktemp("registration") / "harbour", pushed=1)


@pytest.fixture(params=[None, "open", "private"])
def github(sample: Sample, request: pytest.FixtureRequest) -> Iterator[LocalGitHub]:
    enterprise: Literal["open", "private"] | None = request.param
    with LocalGitHub(sample.path, app=AppSetup(registered=False), enterprise=enterprise) as running:
        running.state.users["acme"].type = "Organization"
        yield running
        assert running.violations == []


def registered(github: LocalGitHub, registration: Registration, stage: str = "prod") -> str:
    """The slug of the App that somebody registered by pressing the buttons."""
    buttons: list[threading.Thread] = []

    def press(page: str) -> None:
        buttons.append(threading.Thread(target=press_buttons, args=(page,)))
        buttons[-1].start()

    owner = registration.find_owner("acme")
    assert owner == ACME
    app = registration.register(owner, stage, WEBHOOK, 0, press)
    buttons[-1].join()
    assert (app.private_key, app.webhook_secret) == (github.private_key, github.webhook_secret)
    return app.facts.slug


def test_every_github_registers_the_app(github: LocalGitHub) -> None:
    """Servers know an older version of the API, and those in private mode want a token, which is asked for once."""
    asked = []

    def ask() -> str:
        asked.append("a token")
        return github.token_for("someone")

    assert registered(github, Registration(github.url, ask)) == "kodiai-acme"
    is_private = httpx.get(f"{github.url}/users/acme").status_code == httpx.codes.UNAUTHORIZED
    assert len(asked) == is_private
    assert github.settle()
    assert [each.event for each in github.deliveries.kept] == ["ping"]


def test_a_second_stage_of_an_owner_has_an_app_with_a_name_of_its_own(github: LocalGitHub) -> None:
    """Names are unique on GitHub, among Apps and accounts; the next free one is offered."""
    registration = Registration(github.url, lambda: github.token_for("someone"))
    github.state.user("Kodiai-Acme")
    github.state.user("kodiai-acme-dev[bot]", kind="Bot")

    assert registered(github, registration) == "kodiai-acme-2"
    assert registered(github, registration, "dev") == "kodiai-acme-dev-2"


def test_a_refused_token_is_reported(github: LocalGitHub) -> None:
    """The error quotes GitHub's message."""
    registration = Registration(github.url, lambda: "ghp_wrong")
    if httpx.get(f"{github.url}/users/acme").status_code == httpx.codes.OK:
        assert registration.find_owner("acme") == ACME
        return

    with pytest.raises(CommandError, match=r"GitHub answered 401 .*Bad credentials"):
        registration.find_owner("acme")


def test_a_github_refuses_versions_that_it_does_not_know(github: LocalGitHub) -> None:
    """A server that knows the first one only would refuse all of our requests."""
    path, token = f"{github.url}/users/acme", {"Authorization": f"Bearer {github.token_for('someone')}"}

    ours = httpx.get(path, headers=token | version_header(github.url))
    other = httpx.get(path, headers=token | {"X-GitHub-Api-Version": "2027-01-01"})

    assert ours.status_code == httpx.codes.OK
    assert other.status_code == httpx.codes.BAD_REQUEST
    assert '"2027-01-01", is not a supported version' in other.json()["message"]


@contextmanager
def waiting(github: LocalGitHub) -> Iterator[tuple[str, Callable[[], NewApp]]]:
    """A registration that waits: the address of its page, and its result."""
    registration, pages = Registration(github.url, lambda: github.token_for("someone")), Queue[str]()
    owner = registration.find_owner("acme")
    with ThreadPoolExecutor(1) as pool:
        registered = pool.submit(registration.register, owner, "prod", WEBHOOK, 0, pages.put)
        page = pages.get(timeout=20)
        try:
            yield page, registered.result
        finally:
            if not registered.done():
                press_buttons(page)


def state_of(page: str) -> str:
    """The state that GitHub is to send back with its code."""
    return parse_qs(urlsplit(Form(httpx.get(page).text).action or "").query)["state"][0]


def test_the_page_is_nowhere_but_at_its_address(github: LocalGitHub) -> None:
    """Another user of the machine reaches the port, sees no state, and cannot send a code, even with the state."""
    with waiting(github) as (page, result):
        port, key = page.rsplit("/", 1)
        code, state = github.register_another_app("acme"), state_of(page)
        guesses = ("", "/", "/registered", f"/{key[:-1]}", f"/{key}x", "/registered/registered", "/x/registered")

        answers = [httpx.get(f"{port}{path}", params={"code": code, "state": state}) for path in guesses]
        renamed = httpx.get(page, headers={"Host": "evil.example"})

        assert {(each.status_code, each.text) for each in answers} == {(404, "Not Found")}
        assert renamed.status_code == httpx.codes.MISDIRECTED_REQUEST
        assert len(key) == 43
        assert code in github.repository.app.codes
        press_buttons(page)
        assert result().facts.slug == "kodiai-acme"


def test_an_app_of_another_owner_is_refused_and_the_wait_goes_on(
    github: LocalGitHub, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its keys would be stored as ours. Somebody may also be signed in under another name than they think."""
    with waiting(github) as (page, result):
        state = state_of(page)
        code = github.register_another_app("mallory")

        refused = httpx.get(f"{page}/registered", params={"code": code, "state": state})
        worthless = httpx.get(f"{page}/registered", params={"code": "used before", "state": state})
        unasked = httpx.get(f"{page}/registered", params={"code": "any", "state": f"{state}x"})

        said = "belongs to mallory, not to acme: it was not stored."
        assert refused.status_code == httpx.codes.FORBIDDEN
        assert said in refused.text
        assert worthless.status_code == httpx.codes.FORBIDDEN
        assert unasked.status_code == httpx.codes.BAD_REQUEST
        assert said in capsys.readouterr().out
        press_buttons(page)
        assert (result().facts.owner, result().private_key) == ("acme", github.private_key)


def test_the_first_app_is_the_one(github: LocalGitHub) -> None:
    """A second code is not exchanged for keys that would go nowhere."""
    codes = [github.register_another_app("acme") for _ in range(2)]
    with waiting(github) as (page, result), ThreadPoolExecutor(2) as pool:
        state = state_of(page)

        def send(code: str) -> int:
            try:
                return httpx.get(f"{page}/registered", params={"code": code, "state": state}).status_code
            except httpx.TransportError:  # the page is gone with the first App
                return httpx.codes.CONFLICT

        assert sorted(pool.map(send, codes)) == [httpx.codes.OK, httpx.codes.CONFLICT]
        assert result().facts.owner == "acme"
        assert len(github.repository.app.codes) == 1


@pytest.mark.parametrize(
    ("owner", "stage", "number", "name"),
    [
        ("acme", "prod", 1, "kodiai-acme"),
        ("Acme_corp", "dev", 1, "kodiai-acme-corp-dev"),
        ("a-very-long-organization-of-39-characters", "prod", 1, "kodiai-a-very-long-organization-of"),
        ("a-very-long-organization-of-39-characters", "a-stage-of-20-letter", 1, "kodiai-a-very-a-stage-of-20-letter"),
        ("a-very-long-organization-of-39-characters", "dev", 9, "kodiai-a-very-long-organizat-dev-9"),
    ],
)
def test_a_name_keeps_its_stage_whatever_has_to_be_cut(owner: str, stage: str, number: int, name: str) -> None:
    """A name has 34 characters at most."""
    assert app_name(owner, stage, number) == name
    assert len(name) <= 34
