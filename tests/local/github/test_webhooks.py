"""Webhooks: what they say, how they are delivered, and the log that the App reads of them."""

from collections.abc import Callable
from random import Random

import pytest

from local.github import LocalGitHub
from local.github.hook_deliveries import KEPT_SECONDS
from tests.local.github.receiver import Receiver
from tests.local.github.scene import Client, Scene, app_token

Serve = Callable[..., LocalGitHub]
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


def test_an_edit_or_deletion_is_reported_with_what_was_there(github: LocalGitHub) -> None:
    """Comments of both kinds, by any person, and the pull request's description."""
    said = github.comment(1, "Hello.", login="ann")
    thread = github.comment_on_line(1, "new.py", 1, "Why?", login="ann")
    before = len(github.deliveries)

    github.describe(1, "Thank you.")
    github.edit_comment(said, "Hello!")
    github.edit_comment(thread, "Why not?", login="bob")
    github.delete_comment(thread)
    github.delete_comment(said, login="bob")

    sent = github.deliveries[before:]
    payloads = [each.payload for each in sent]
    assert [(each.event, each.action, each.payload["sender"]["login"]) for each in sent] == [
        ("pull_request", "edited", "octocat"),
        ("issue_comment", "edited", "ann"),
        ("pull_request_review_comment", "edited", "bob"),
        ("pull_request_review_comment", "deleted", "ann"),
        ("issue_comment", "deleted", "bob"),
    ]
    changes = [each.get("changes", {}).get("body", {}).get("from") for each in payloads]
    assert changes == ["Please.", "Hello.", "Why?", None, None]
    assert [each["comment"]["body"] for each in payloads[1:]] == ["Hello!", "Why not?", "Why not?", "Hello!"]


def test_labels_and_another_base_branch_are_reported(github: LocalGitHub, scene: Scene) -> None:
    """A label that is there already, or is not there, is not reported; capitals do not matter."""
    scene.repository.git("branch", "other", scene.base)
    before = len(github.deliveries)

    github.label(1, "WIP", login="ann")
    github.label(1, "wip")
    github.unlabel(1, "Wip")
    github.unlabel(1, "wip")
    github.retarget(1, "other")

    sent = [each.payload for each in github.deliveries[before:]]
    assert [(each["action"], each["sender"]["login"]) for each in sent] == [
        ("labeled", "ann"),
        ("unlabeled", "octocat"),
        ("edited", "octocat"),
    ]
    assert [[label["name"] for label in each["pull_request"]["labels"]] for each in sent] == [["WIP"], [], []]
    assert (sent[2]["changes"]["base"]["ref"], sent[2]["pull_request"]["base"]["ref"]) == ({"from": "main"}, "other")


def test_a_commit_status_is_reported_with_the_branches_of_its_commit(serve: Serve, scene: Scene) -> None:
    """It names no pull request."""
    github = serve(scene.repository.path, events=["status"])
    github.open_pull_request("feature")
    github.report_status(scene.head, "coverage", "failure", "71%", login="ann")

    [delivery] = github.deliveries
    assert [branch["name"] for branch in delivery.payload["branches"]] == ["feature"]
    assert (delivery.payload["sha"], delivery.payload["sender"]["login"]) == (scene.head, "ann")


def test_a_delivery_that_fails_is_logged_and_never_repeated(connected: LocalGitHub, receiver: Receiver) -> None:
    """Whether the receiver answers with an error, or nobody is there."""
    heard = len(receiver.received)
    receiver.status = 500
    connected.comment(1, "One.")
    assert connected.settle()
    connected.webhook_url = "http://127.0.0.1:9/webhook"
    connected.comment(1, "Two.")
    assert connected.settle()

    one, two = connected.deliveries[heard:]
    assert [(each.status, each.response, each.error is None) for each in (one, two)] == [
        (500, "queued", True),
        (0, "", False),
    ]
    assert len(receiver.received) == heard + 1


def test_a_delivery_is_in_the_apps_log_for_three_days(connected: LocalGitHub, client_of: Callable[..., Client]) -> None:
    """An older one can neither be read nor be redelivered."""
    app = client_of(connected, app_token(connected))
    connected.deliveries[0].at -= KEPT_SECONDS + 1

    gone = [app.post(f"{LOG}/{number}/attempts", {}).status_code for number in (connected.deliveries[0].id, 1)]

    assert gone == [404, 404]
    assert [each["id"] for each in app.get(LOG).json()] == [each.id for each in reversed(connected.deliveries[1:])]


def test_waiting_webhooks_are_sent_in_another_order(connected: LocalGitHub, receiver: Receiver) -> None:
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
