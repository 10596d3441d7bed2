"""The doors behind the queues: what they do with a message that they cannot use, and how long they wait."""

import json
from collections import Counter
from pathlib import Path

import pytest

import review
from kodiai.consume import backoff
from local.github import LocalGitHub
from local.journal import Journal
from local.machine import GitHubAccess, LocalMachine
from local.model import OfflineReviewer
from tests.git_repository import GitRepository


@pytest.mark.parametrize(("attempt", "seconds"), [(1, 10), (2, 50), (3, 250), (4, 1250)])
def test_the_wait_grows_with_the_tries(attempt: int, seconds: int) -> None:
    """Five tries outlast 26 minutes of an outage."""
    assert backoff(attempt) == seconds


def test_the_log_line_has_figures_and_no_lists() -> None:
    """Three thousand paths belong into the ledger."""
    assert review.brief({"head": "a", "model": {"calls": 3}, "skipped": [{"path": "x"}]}) == {
        "head": "a",
        "model": {"calls": 3},
    }


@pytest.mark.parametrize("queue", ["reviews", "mentions"])
def test_a_message_that_is_no_job_is_dead_lettered_at_once_and_blocks_nobody(tmp_path: Path, queue: str) -> None:
    """No second try would make it one; the log and the dead letter say what it was."""
    repository = GitRepository(tmp_path / "widgets.git")
    repository.commit({"a.py": "a = 1\n"}, branch="main")
    with LocalGitHub(repository.path) as github:
        access = GitHubAccess(github.url, github.bot_login, {"github/token": github.token_for("ann")})
        with LocalMachine(access) as machine:
            sqs = machine.aws.client("sqs")
            url = machine.system.environment[f"KODIAI_{queue.upper()}_QUEUE_URL"]

            sqs.send_message(
                QueueUrl=url,
                MessageBody=json.dumps({"kind": "nonsense"}),
                MessageGroupId="acme/widgets#1",
                MessageDeduplicationId="1",
            )
            machine.system.wait_until_quiet(30)

            outcomes = [line for line in machine.system.log_lines if line.get("message") == "outcome"]
            assert {line["outcome"] for line in outcomes} == {"broken"}
            assert [(line["attempt"], line["buried"]) for line in outcomes] == [(1, True)]
            assert outcomes[0]["reason"].startswith("The message is not a job: ")
            [dead] = [found for found in sqs.list_queues()["QueueUrls"] if found.endswith(f"{queue}-dead.fifo")]
            [letter] = sqs.receive_message(QueueUrl=dead, MessageAttributeNames=["All"])["Messages"]
            assert json.loads(letter["Body"]) == {"kind": "nonsense"}
            assert letter["MessageAttributes"]["reason"]["StringValue"] == outcomes[0]["reason"]


@pytest.mark.slow  # a whole system of its own, at the level DEBUG
def test_at_debug_the_log_tells_each_request_and_whose_it_is(tmp_path: Path) -> None:
    """As many as the review itself counts, and of nobody else a word; each line of a delivery names it.

    Not what is said in them, though: no code, no secret. What one message leaves behind, the next one does not carry.
    """
    repository = GitRepository(tmp_path / "widgets.git")
    base = repository.commit({"a.py": "a = 1\n"}, branch="main")
    head = repository.commit({"auth/login.py": "import os\n\nswordfish = eval(input())\n"}, base)
    secret = "a secret of the webhook"
    with LocalGitHub(repository.path, webhook_secret=secret) as github:
        credentials = {"github/app-id": github.app_id, "github/private-key": github.private_key}
        access = GitHubAccess(github.url, github.bot_login, credentials)
        with LocalMachine(
            access, webhook_secret=secret, answers=OfflineReviewer(), stack_parameters={"LogLevel": "DEBUG"}
        ) as machine:
            journal = Journal(None)
            machine.system.on_log(journal.add)
            github.webhook_url = machine.system.webhook_url

            github.open_pull_request(head, base, title="Log in")
            github.settle()
            machine.system.wait_until_quiet(60)
            machine.aws.client("sqs").send_message(
                QueueUrl=machine.system.environment["KODIAI_REVIEWS_QUEUE_URL"],
                MessageBody="nonsense",
                MessageGroupId="acme/widgets#1",
                MessageDeduplicationId="1",
            )
            machine.system.wait_until_quiet(30)

            lines, delivery = machine.system.log_lines, github.deliveries[0].guid
            kept = journal.of(delivery)
            assert {line["message"] for line in lines} == {"call", "outcome"}
            assert all(line["function_request_id"] for line in lines)
            assert [line.get("delivery") for line in lines if line.get("outcome") == "broken"] == [None]
            queued, reviewed = [line for line in kept if line["message"] == "outcome"]
            assert (queued["outcome"], reviewed["outcome"]) == ("queued", "completed")
            calls = Counter(line["to"] for line in kept if line["message"] == "call")
            assert set(calls) == {"github", "model", "dynamodb", "sqs", "ssm"}
            assert calls["model"] == reviewed["model"]["calls"] > 1
            routes = Counter(line["what"] for line in kept if line.get("to") == "github")
            assert routes == reviewed["github"]["by_route"]
            told = json.dumps(lines)
            for private in (secret, github.private_key.splitlines()[1], "swordfish", "ghs_"):
                assert private not in told
