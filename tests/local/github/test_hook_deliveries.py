"""The App reads the log of its webhooks, and has one sent again; the order of webhooks is nobody's promise."""

import time
from collections.abc import Callable
from random import Random

import jwt
import pytest

from local.github import LocalGitHub
from local.github.hook_deliveries import KEPT_SECONDS
from tests.local.github.receiver import Receiver
from tests.local.github.scene import Client, Scene, installation_token

Serve = Callable[..., LocalGitHub]
Connect = Callable[..., Client]
LOG = "/app/hook/deliveries"


@pytest.fixture
def connected(serve: Serve, scene: Scene, receiver: Receiver) -> LocalGitHub:
    """One that has delivered that a pull request was opened and then described twice."""
    github = serve(scene.repository.path, webhook_url=receiver.url)
    github.open_pull_request("feature")
    for text in ("one", "two"):
        github.describe(1, text)
    assert github.settle()
    return github


@pytest.fixture
def app(connected: LocalGitHub, client_of: Connect) -> Client:
    now = int(time.time())
    claims = {"iat": now - 60, "exp": now + 540, "iss": connected.app_id}
    return client_of(connected, jwt.encode(claims, connected.private_key, "RS256"))


def test_what_is_too_old_is_not_there(connected: LocalGitHub, app: Client) -> None:
    """Nor is what nobody delivered."""
    connected.deliveries[0].at -= KEPT_SECONDS + 1

    listed = app.get(LOG).json()
    gone = app.post(f"{LOG}/{connected.deliveries[0].id}/attempts", {})

    assert [each["id"] for each in listed] == [each.id for each in reversed(connected.deliveries[1:])]
    assert gone.status_code == 404
    assert app.post(f"{LOG}/1/attempts", {}).status_code == 404


def test_nobody_but_the_app_reads_the_log_and_its_installation(connected: LocalGitHub, client_of: Connect) -> None:
    """Neither an installation nor a person."""
    for token in (installation_token(connected), connected.token_for("ann")):
        answers = [client_of(connected, token).get(path) for path in (LOG, "/repos/acme/widgets/installation")]
        assert [answer.status_code for answer in answers] == [401, 401]


def test_a_lost_webhook_is_logged_and_heard_by_nobody(connected: LocalGitHub, app: Client, receiver: Receiver) -> None:
    """The next one arrives."""
    heard = len(receiver.received)
    connected.lose_webhooks()
    connected.describe(1, "three")
    connected.describe(1, "four")
    assert connected.settle()

    newest, lost, *_ = app.get(LOG).json()
    assert (lost["status"], lost["status_code"], newest["status_code"]) == ("failed to connect to host", 0, 202)
    assert len(receiver.received) - heard == 1


def test_webhooks_that_wait_are_sent_in_another_order(connected: LocalGitHub, receiver: Receiver) -> None:
    """Each of them once."""
    heard = len(receiver.received)
    with connected.shuffled(Random(2)):
        for number in range(8):
            connected.describe(1, f"{number}")
        assert len(receiver.received) == heard
    assert connected.settle()

    sent = [each.headers["x-github-delivery"] for each in receiver.received[heard:]]
    logged = [each.guid for each in connected.deliveries[heard:]]
    assert sorted(sent) == sorted(logged)
    assert sent != logged
