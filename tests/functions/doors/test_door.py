"""The doors behind the queues: what they do with a message that they cannot use, and how long they wait."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

import review
from kodiai.consume import backoff
from local.github import LocalGitHub
from local.journal import Journal
from local.machine import GitHubAccess, LocalMachine
from local.model import OfflineReviewer
from tests.functions.doors.playing import a_login, send_nonsense

SECRET = "a secret of the webhook"


@dataclass(frozen=True)
class Played:
    """A system at the level DEBUG, after a review and then a message in each queue that is no job."""

    github: LocalGitHub
    machine: LocalMachine
    journal: Journal

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Everything that the functions have logged."""
        return [*self.machine.system.log_lines]

    def letter(self, queue: str) -> Mapping[str, Any]:
        """The only dead letter of a queue."""
        sqs = self.machine.aws.client("sqs")
        [dead] = [found for found in sqs.list_queues()["QueueUrls"] if found.endswith(f"{queue}-dead.fifo")]
        [letter] = sqs.receive_message(QueueUrl=dead, MessageAttributeNames=["All"])["Messages"]
        return dict(letter)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """It is played once for the tests that only look at the result."""
    repository, base, head = a_login(tmp_path_factory.mktemp("played"))
    with LocalGitHub(repository.path, webhook_secret=SECRET) as github:
        credentials = {"github/app-id": github.app_id, "github/private-key": github.private_key}
        access = GitHubAccess(github.url, credentials)
        with LocalMachine(
            access, webhook_secret=SECRET, answers=OfflineReviewer(), stack_parameters={"LogLevel": "DEBUG"}
        ) as machine:
            journal = Journal(None)
            machine.system.on_log(journal.add)
            github.webhook_url = machine.system.webhook_url
            github.open_pull_request(head, base, title="Log in")
            github.settle()
            machine.system.wait_until_quiet(60)
            send_nonsense(machine)
            machine.system.wait_until_quiet(30)
            yield Played(github, machine, journal)


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


@pytest.mark.xdist_group("day")
@pytest.mark.parametrize(("queue", "function"), [("reviews", "ReviewFunction"), ("mentions", "MentionFunction")])
def test_a_message_that_is_no_job_is_dead_lettered_at_once(played: Played, queue: str, function: str) -> None:
    """No second try would make it one; the log and the dead letter say what it was."""
    letter = played.letter(queue)

    broken = [line for line in played.lines if line.get("outcome") == "broken" and line["function"] == function]
    assert [(line["attempt"], line["buried"]) for line in broken] == [(1, True)]
    assert broken[0]["reason"].startswith("The message is not a job: ")
    assert json.loads(letter["Body"]) == {"kind": "nonsense"}
    assert letter["MessageAttributes"]["reason"]["StringValue"] == broken[0]["reason"]


@pytest.mark.xdist_group("day")
def test_at_debug_each_request_is_a_line_of_its_delivery(played: Played) -> None:
    """There are as many as the review itself counts, and two that processes remember: for our login, and for the owner.

    Each names its delivery.

    No line says what the requests contain: no code, no secret. What one message leaves behind, the next one does not
    carry.
    """
    kept = played.journal.of(played.github.deliveries[0].guid)

    queued, reviewed = [line for line in kept if line["message"] == "outcome"]
    calls = Counter(line["to"] for line in kept if line["message"] == "call")
    routes = Counter(line["what"] for line in kept if line.get("to") == "github")
    own = [line for line in played.lines if line["function"] != "WebhookApi"]
    assert {line["message"] for line in own} == {"call", "outcome"}
    assert all(line["function_request_id"] for line in own)
    assert [line.get("delivery") for line in played.lines if line.get("outcome") == "broken"] == [None, None]
    assert (queued["outcome"], reviewed["outcome"]) == ("queued", "completed")
    assert set(calls) == {"github", "model", "dynamodb", "sqs", "ssm", "s3vectors", "bedrock-runtime"}
    assert calls["model"] == reviewed["model"]["calls"] > 1
    assert routes == Counter(reviewed["github"]["by_route"]) + Counter(
        {"GET /app": 1, "GET /repos/{owner}/{repo}/installation": 1}
    )
    logged = json.dumps(played.lines)
    for private in (SECRET, played.github.private_key.splitlines()[1], "swordfish", "ghs_"):
        assert private not in logged
