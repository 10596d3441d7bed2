"""Webhooks: what happens is reported to one address, signed and in order."""

import hashlib
import hmac
import json
from collections.abc import Callable
from typing import Any

import pytest

from local.github import LocalGitHub
from tests.local.github.receiver import Receiver
from tests.local.github.scene import PULL, Scene

SECRET = "It's a Secret to Everybody"
Serve = Callable[..., LocalGitHub]


@pytest.fixture
def connected(serve: Serve, scene: Scene, receiver: Receiver) -> LocalGitHub:
    """One that sends webhooks to the receiver, with nothing sent yet but that the pull request was opened."""
    github = serve(scene.repository.path, webhook_url=receiver.url, webhook_secret=SECRET)
    github.open_pull_request("feature")
    return github


def payloads(github: LocalGitHub, receiver: Receiver) -> list[dict[str, Any]]:
    assert github.settle()
    return [json.loads(received.body) for received in receiver.received]


def test_a_webhook_is_signed_over_its_bytes_and_carries_githubs_headers(
    connected: LocalGitHub, receiver: Receiver
) -> None:
    """The receiver can check it as it would GitHub's."""
    connected.comment(1, "Gr\u00fc\u00dfe \u2603")
    assert connected.settle()

    _, received = receiver.received
    headers = received.headers
    expected = hmac.new(SECRET.encode(), received.body, hashlib.sha256).hexdigest()
    assert headers["x-hub-signature-256"] == f"sha256={expected}"
    assert (headers["x-github-event"], headers["content-type"]) == ("issue_comment", "application/json")
    assert headers["x-github-hook-installation-target-id"] == connected.app_id
    assert headers["x-github-hook-installation-target-type"] == "integration"
    assert headers["user-agent"].startswith("GitHub-Hookshot/")
    assert "Gr\u00fc\u00dfe \u2603".encode() in received.body


def test_without_a_secret_nothing_is_signed(serve: Serve, scene: Scene, receiver: Receiver) -> None:
    """GitHub leaves the header out."""
    github = serve(scene.repository.path, webhook_url=receiver.url)

    github.open_pull_request("feature")

    assert github.settle()
    assert "x-hub-signature-256" not in receiver.received[0].headers


def test_everything_that_people_do_is_reported_in_order(
    connected: LocalGitHub, receiver: Receiver, scene: Scene
) -> None:
    """One webhook for each act, with the action's own facts; every payload fits GitHub's description of it."""
    after = connected.push(1, scene.push({"more.py": "m\n"}))
    connected.close(1)
    connected.reopen(1)
    connected.ready(1)
    connected.request_review(1)
    connected.comment(1, "Hello.", login="ann")
    thread = connected.comment_on_line(1, "new.py", 1, "Why?", login="ann")
    connected.reply(thread, "Because.")

    sent = payloads(connected, receiver)
    names = [(r.headers["x-github-event"], p["action"]) for r, p in zip(receiver.received, sent, strict=True)]
    assert names == [
        ("pull_request", "opened"),
        ("pull_request", "synchronize"),
        ("pull_request", "closed"),
        ("pull_request", "reopened"),
        ("pull_request", "ready_for_review"),
        ("pull_request", "review_requested"),
        ("issue_comment", "created"),
        ("pull_request_review", "submitted"),
        ("pull_request_review_comment", "created"),
        ("pull_request_review", "submitted"),
        ("pull_request_review_comment", "created"),
    ]
    assert (sent[1]["before"], sent[1]["after"]) == (scene.head, after)
    assert sent[5]["requested_reviewer"]["login"] == "kodiai[bot]"
    assert (sent[6]["issue"]["pull_request"]["url"], sent[6]["sender"]["login"]) == (f"{connected.url}{PULL}", "ann")
    assert (sent[8]["comment"]["id"], sent[10]["comment"]["in_reply_to_id"]) == (thread, thread)
    assert (sent[9]["review"]["body"], sent[9]["review"]["id"]) == (None, sent[10]["comment"]["pull_request_review_id"])
    assert {payload["installation"]["id"] for payload in sent} == {connected.installation_id}
    assert {payload["repository"]["full_name"] for payload in sent} == {"acme/widgets"}


def test_what_is_changed_or_deleted_is_reported_with_what_it_was(connected: LocalGitHub, receiver: Receiver) -> None:
    """Comments of both kinds, by whoever did it, and the pull request's description."""
    said = connected.comment(1, "Hello.", login="ann")
    thread = connected.comment_on_line(1, "new.py", 1, "Why?", login="ann")
    answer = connected.reply(thread, "Because.")
    before = len(payloads(connected, receiver))

    connected.describe(1, "Thank you.")
    connected.edit_comment(said, "Hello!")
    connected.edit_comment(thread, "Why not?", login="bob")
    connected.delete_comment(thread)
    connected.delete_comment(said, login="bob")

    sent = payloads(connected, receiver)[before:]
    events = [received.headers["x-github-event"] for received in receiver.received[before:]]
    assert [(event, p["action"], p["sender"]["login"]) for event, p in zip(events, sent, strict=True)] == [
        ("pull_request", "edited", "octocat"),
        ("issue_comment", "edited", "ann"),
        ("pull_request_review_comment", "edited", "bob"),
        ("pull_request_review_comment", "deleted", "ann"),
        ("issue_comment", "deleted", "bob"),
    ]
    assert [p.get("changes", {}).get("body", {}).get("from") for p in sent] == ["", "Hello.", "Why?", None, None]
    assert [p["comment"]["body"] for p in sent[1:]] == ["Hello!", "Why not?", "Why not?", "Hello!"]
    assert (sent[0]["pull_request"]["body"], list(connected.state.comments)) == ("Thank you.", [answer])


def test_labels_and_another_base_branch_are_reported(connected: LocalGitHub, receiver: Receiver, scene: Scene) -> None:
    """A label that is there already, or is not there, is not reported; capitals do not matter."""
    scene.repository.git("branch", "other", scene.base)
    before = len(payloads(connected, receiver))

    connected.label(1, "WIP", login="ann")
    connected.label(1, "wip")
    connected.unlabel(1, "Wip")
    connected.unlabel(1, "wip")
    was = connected.state.pulls[1].base_ref
    connected.retarget(1, "other")

    sent = payloads(connected, receiver)[before:]
    assert [(p["action"], p["sender"]["login"]) for p in sent] == [
        ("labeled", "ann"),
        ("unlabeled", "octocat"),
        ("edited", "octocat"),
    ]
    assert [p["label"]["name"] for p in sent[:2]] == ["WIP", "WIP"]
    assert [[label["name"] for label in p["pull_request"]["labels"]] for p in sent] == [["WIP"], [], []]
    assert (sent[2]["changes"]["base"]["ref"], sent[2]["pull_request"]["base"]["ref"]) == ({"from": was}, "other")


def test_a_delivery_that_fails_is_logged_and_never_repeated(connected: LocalGitHub, receiver: Receiver) -> None:
    """Whether the receiver answers with an error, or nobody is there."""
    assert connected.settle()
    receiver.status = 500
    connected.comment(1, "One.")
    assert connected.settle()
    connected.webhook_url = "http://127.0.0.1:9/webhook"
    connected.comment(1, "Two.")
    assert connected.settle()

    opened, one, two = connected.deliveries

    assert [(d.status, d.response) for d in (opened, one, two)] == [(202, "queued"), (500, "queued"), (0, "")]
    assert two.error is not None
    assert len(receiver.received) == 2


def test_a_commit_status_is_reported_to_those_who_subscribe(serve: Serve, scene: Scene) -> None:
    """It names the branches of the commit, and no pull request."""
    github = serve(scene.repository.path, events=["status"])
    github.open_pull_request("feature")
    github.report_status(scene.head, "coverage", "failure", "71%", login="ann")

    [delivery] = github.deliveries

    sent = delivery.payload
    assert (sent["sha"], sent["context"], sent["state"], sent["sender"]["login"]) == (
        scene.head,
        "coverage",
        "failure",
        "ann",
    )
    assert [branch["name"] for branch in sent["branches"]] == ["feature"]
