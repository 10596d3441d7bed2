"""A day of the system at DEBUG: roles and tokens permit what it does and no more, and no line has a secret."""

import json
import time
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from local.github import LocalGitHub
from local.github.call import Actor
from local.github.failures import refusal, secondary_limit
from local.machine import GitHubAccess, LocalMachine
from local.model import OfflineReviewer, Script, failure
from tests.functions.doors.playing import a_login, send_nonsense

SECRET = "a secret of the webhook"
MODEL_KEY = "sk-ant-the-key-of-the-model"
CODE = "swordfish"
PASSWORD = "what somebody says"
LABELS = "review: {labels: {ignore: [later]}}\n"
SNAPSHOT = "POST /graphql Snapshot"
# GitHub gives it to every token.
IMPLIED = {"metadata:read"}

# What the functions never ask for themselves: each action, or action and resource, with the reason why a role has it.
WITHOUT_A_CALL = {
    "logs:CreateLogStream": "Lambda writes the log with the role of the function.",
    "logs:PutLogEvents": "Lambda writes the log with the role of the function.",
    "sqs:ReceiveMessage": "The event source mapping polls the queue with the role of the function.",
    "sqs:DeleteMessage": "The event source mapping deletes what the function is done with.",
    "sqs:GetQueueAttributes": "The event source mapping looks at the queue before it polls.",
}


def propose(address: str, token: str, repository: str, base: str) -> None:
    """Submit a change for Kodiai to review, and read it."""
    body = {
        "repository": repository,
        "base": base,
        "description": "Add a file",
        "changes": [{"what": "c.py is new", "why": "It is needed"}],
        "diff": "--- /dev/null\n+++ b/c.py\n@@ -0,0 +1 @@\n+c = 3\n",
    }
    with httpx.Client(headers={"Authorization": f"Bearer {token}"}, trust_env=False, timeout=60) as client:
        client.post(address, json=body).raise_for_status()
        client.get(address, params={"repository": repository}).raise_for_status()


def expire_states(machine: LocalMachine) -> None:
    """Let the states expire; DynamoDB may take days to delete what has expired, and the next write does."""
    table = machine.aws.table(machine.system.environment["KODIAI_TABLE"])
    for item in table.scan()["Items"]:
        if item["sk"] == "STATE":
            table.put_item(Item={**item, "expires_at": 1})


@dataclass(frozen=True)
class Day:
    """What roles used of AWS, the tokens of GitHub, every line that was logged, and what none of them may hold."""

    given: set[tuple[str, str, str]]
    used: set[tuple[str, str, str]]
    tokens: list[Actor]
    lines: list[dict[str, Any]]
    secrets: Collection[str]


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Day:
    """A day with reviews, a push that waits, a fix, replies, commands, a busy GitHub and model, and dead letters.

    There is a sweep that finds a pull request.
    """
    repository, base, head = a_login(tmp_path_factory.mktemp("day"), {".kodiai.yml": LABELS})
    with LocalGitHub(repository.path, webhook_secret=SECRET) as github:
        credentials = {"github/app-id": github.app_id, "github/private-key": github.private_key}
        access = GitHubAccess(github.url, credentials)
        parameters = {"limits/quiet-seconds": "1", "anthropic/api-key": MODEL_KEY}
        with LocalMachine(
            access,
            webhook_secret=SECRET,
            answers=Script(failure(400, f"We got {MODEL_KEY}"), otherwise=OfflineReviewer()),
            parameters=parameters,
            stack_parameters={"LogLevel": "DEBUG"},
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
            send_nonsense(machine)
            settle()
            github.webhook_url = None
            github.open_pull_request(head, base, title="Log in again")
            machine.system.fire_schedules()
            github.webhook_url = machine.system.webhook_url
            settle()
            github.uninstall()
            while not any(line.get("deleted_items") for line in machine.system.log_lines):
                time.sleep(0.1)
            key = [line for line in github.private_key.splitlines() if not line.startswith("-----")]
            secrets = (SECRET, MODEL_KEY, CODE, PASSWORD, token, "ghs_", "ghu_", "eyJ", *key)
            rights = machine.aws.permissions
            return Day(rights.given, rights.used, github.tokens, machine.system.log_lines, secrets)


@pytest.mark.xdist_group("permissions")
def test_a_function_may_do_nothing_that_it_does_not_do(day: Day) -> None:
    """A right that nobody uses is only of use to somebody else. The other direction is refused anyway.

    Whoever gives a role a right lets the day above use it, or says who does it for the function.
    """
    assert {right for right in day.given - day.used if right[1] not in WITHOUT_A_CALL} == set()


@pytest.mark.xdist_group("permissions")
def test_what_is_not_used_is_not_listed_as_if_it_were(day: Day) -> None:
    """The exceptions above go as soon as a function does it itself, or no role has the right any more."""
    assert {action for _, action, _ in day.used} & WITHOUT_A_CALL.keys() == set()
    assert WITHOUT_A_CALL.keys() - {action for _, action, _ in day.given} == set()


@pytest.mark.xdist_group("permissions")
def test_a_token_may_do_nothing_that_is_not_done_with_its_like(day: Day) -> None:
    """Of all tokens with the same permissions one at least needs each of them. What they lack GitHub refuses."""
    alike = defaultdict(list)
    for token in day.tokens:
        alike[frozenset((token.permissions or {}).items())].append(token)

    unused = {kind: set.intersection(*(token.unused for token in tokens)) for kind, tokens in alike.items()}

    assert {kind: names - IMPLIED for kind, names in unused.items()} == {kind: set() for kind in alike}


@pytest.mark.xdist_group("permissions")
def test_at_debug_no_line_of_a_day_has_a_secret(day: Day) -> None:
    """Neither a key, a token or a signature, nor code, nor what people say, also where a service repeats it."""
    levels = {line.get("level") for line in day.lines}
    assert {"DEBUG", "INFO"} <= levels
    logged = json.dumps(day.lines, ensure_ascii=False)
    assert [secret for secret in day.secrets if secret in logged] == []
