"""A day of the system at DEBUG, which is played once."""

import json
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from local.aws.failures import server_error
from local.github import AppSetup, LocalGitHub
from local.github.credentials import Actor
from local.github.failures import refusal, secondary_limit
from local.machine import GitHubAccess, LocalMachine, MachineOptions
from local.model import OFFLINE_MODEL, OfflineReviewer, Script, failure
from tests.git_repository import GitRepository

SECRET = "a secret of the webhook"
MODEL_KEY = "sk-ant-the-key-of-the-model"
CODE = "swordfish"
PASSWORD = "what somebody says"
LABELS = "review: {labels: {ignore: [later]}}\n"
SNAPSHOT = "POST /graphql Snapshot"
PRICES = {OFFLINE_MODEL: dict.fromkeys(("input", "output", "cache_read", "cache_write"), 1)}
SEVERITIES = "def is_a(b):\n    c = d\n    return b is 'a'\n\n\nreturn\n"
"""A finding of each severity."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Play the day once, not once for each worker."""
    for item in items:
        if "day" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("day"))


def a_login(folder: Path, settings: Mapping[str, str]) -> tuple[GitRepository, str, str]:
    """A repository, its base with these files of settings, and a head that puts a defect into a sensitive file."""
    repository = GitRepository(folder / "widgets.git")
    base = repository.commit({"a.py": "a = 1\n", **settings}, branch="main")
    return repository, base, repository.commit({"auth/login.py": "import os\n\nswordfish = eval(input())\n"}, base)


def send_nonsense(machine: LocalMachine) -> None:
    """Put a message that is no job into each queue."""
    for queue in ("REVIEWS", "MENTIONS"):
        machine.aws.client("sqs").send_message(
            QueueUrl=machine.system.environment[f"KODIAI_{queue}_QUEUE_URL"],
            MessageBody=json.dumps({"kind": "nonsense"}),
            MessageGroupId="acme/widgets#1",
            MessageDeduplicationId="1",
        )


def dead_letters(machine: LocalMachine) -> dict[str, list[Mapping[str, Any]]]:
    """The dead letters by the function that could not use them."""
    sqs = machine.aws.client("sqs")

    def letters(queue: str) -> list[Mapping[str, Any]]:
        url = sqs.get_queue_url(QueueName=f"kodiai-dev-{queue}-dead.fifo")["QueueUrl"]
        answer = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, MessageAttributeNames=["All"])
        return list(answer["Messages"])

    return {"ReviewFunction": letters("reviews"), "MentionFunction": letters("mentions")}


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def propose(address: str, token: str, repository: str, base: str) -> None:
    """Submit a change for Kodiai to review, and read it."""
    body = {
        "repository": repository,
        "base": base,
        "description": "Add a file",
        "changes": [{"what": "c.py is new", "why": "It is needed"}],
        "diff": "--- /dev/null\n+++ b/c.py\n@@ -0,0 +1 @@\n+c = 3\n",
    }
    with httpx.Client(headers=bearer(token), trust_env=False, timeout=60) as client:
        client.post(address, json=body).raise_for_status()
        client.get(address, params={"repository": repository}).raise_for_status()


def fail_requests(github: LocalGitHub, machine: LocalMachine, number: int, token: str) -> None:
    """A webhook that is signed with another secret, one that finds no queue, and a proposal that does not exist."""
    headers = {"X-GitHub-Event": "ping", "X-GitHub-Delivery": "a-delivery", "X-Hub-Signature-256": "sha256=0"}
    httpx.post(machine.system.webhook_url, content=b"{}", headers=headers, trust_env=False)
    machine.aws.fail_next("SQS SendMessage", server_error(), times=2)
    github.comment(number, f"@{github.bot_login.removesuffix('[bot]')} help")
    assert github.settle()
    httpx.get(f"{machine.system.api_url}/proposals/P-{0:020}", headers=bearer(token), trust_env=False)


def sweep(github: LocalGitHub, machine: LocalMachine, head: str, base: str) -> None:
    """Open a pull request of which no webhook comes, and look for it."""
    github.webhook_url = None
    github.open_pull_request(head, base, title="Log in again")
    machine.system.fire_schedules()
    github.webhook_url = machine.system.webhook_url


def expire_states(machine: LocalMachine) -> None:
    """Let the states expire; DynamoDB may take days to delete what has expired, and the next write does."""
    table = machine.aws.table(machine.system.environment["KODIAI_TABLE"])
    for item in table.scan()["Items"]:
        if item["sk"] == "STATE":
            table.put_item(Item={**item, "expires_at": 1})


@dataclass(frozen=True)
class Day:
    """The rights that roles used, the tokens of GitHub, every line that was logged, and what none of them may hold.

    `letters` are the dead letters by the function.
    """

    given: set[tuple[str, str, str]]
    used: set[tuple[str, str, str]]
    tokens: list[Actor]
    lines: list[dict[str, Any]]
    secrets: Collection[str]
    letters: Mapping[str, Sequence[Mapping[str, Any]]]


@pytest.fixture(scope="session")
def day(tmp_path_factory: pytest.TempPathFactory) -> Day:
    """A day with reviews, a push that waits, a fix, replies, commands, a busy GitHub and model, and dead letters.

    There is a sweep that finds a pull request.
    """
    repository, base, head = a_login(tmp_path_factory.mktemp("day"), {".kodiai.yml": LABELS})
    with LocalGitHub(repository.path, app=AppSetup(webhook_secret=SECRET)) as github:
        access = GitHubAccess(github.url, github.credentials)
        parameters = {
            "limits/quiet-seconds": "1",
            "anthropic/api-key": MODEL_KEY,
            "models/prices": json.dumps(PRICES),
        }
        with LocalMachine(
            access,
            webhook_secret=SECRET,
            answers=Script(failure(400, f"We got {MODEL_KEY}"), otherwise=OfflineReviewer()),
            parameters=parameters,
            options=MachineOptions(stack_parameters={"LogLevel": "DEBUG"}),
        ) as machine:
            github.webhook_url = machine.system.webhook_url
            handle = f"@{github.bot_login.removesuffix('[bot]')}"

            def settle() -> None:
                github.settle()
                machine.system.wait_until_quiet(60)

            number = github.open_pull_request(head, base, title="Log in")
            settle()
            expire_states(machine)
            github.push(number, repository.commit({"b.py": "def is_a(b):\n    return b is 'a'\n"}, head))
            settle()
            github.label(number, "later")
            github.unlabel(number, "later")
            settle()
            for command in ("fix all", "apply"):
                github.comment(number, f"{handle} {command}")
                settle()
            github.reply(min(github.state.comments), "won't fix")
            settle()
            [known, *_] = machine.ledger(github.repository.ref, number).findings()
            github.comment(number, f"{handle} forget {number}/{known.id}")
            settle()
            github.fail_next(SNAPSHOT, secondary_limit(retry_after=1))
            expire_states(machine)
            for command in ("pause", "resume", "resolve", "full review"):
                github.comment(number, f"{handle} {command}")
            settle()
            token = github.token_for("ann")
            propose(f"{machine.system.api_url}/proposals", token, github.full_name, head)
            settle()
            github.fail_next(SNAPSHOT, refusal(401, {"message": f"Bad credentials: {token}"}))
            github.comment(number, f"{handle} full review {PASSWORD}")
            settle()
            github.open_pull_request(repository.commit({"c.py": SEVERITIES}, base), base, title="Compare")
            settle()
            send_nonsense(machine)
            settle()
            fail_requests(github, machine, number, token)
            sweep(github, machine, head, base)
            settle()
            github.uninstall()
            while not any(line.get("deleted_items") for line in machine.system.log_lines):
                time.sleep(0.1)
            key = [line for line in github.private_key.splitlines() if not line.startswith("-----")]
            secrets = (SECRET, MODEL_KEY, CODE, PASSWORD, token, "ghs_", "ghu_", "eyJ", *key)
            return Day(
                given=machine.aws.permissions.given,
                used=machine.aws.permissions.used,
                tokens=github.tokens,
                lines=[*machine.system.log_lines],
                secrets=secrets,
                letters=dead_letters(machine),
            )
