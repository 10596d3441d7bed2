"""The doors behind the queues: what they do with a message that they cannot use, and how long they wait."""

import json
from collections import Counter

import pytest

import review
from kodiai.consume import backoff
from local.journal import Journal
from tests.functions.doors.conftest import Day


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


@pytest.mark.parametrize("function", ["ReviewFunction", "MentionFunction"])
def test_a_message_that_is_no_job_is_dead_lettered_at_once(day: Day, function: str) -> None:
    """No second try would make it one; the log and the dead letter say what it was."""
    [letter] = [each for each in day.letters[function] if json.loads(each["Body"]) == {"kind": "nonsense"}]

    lines = [line for line in day.lines if line.get("outcome") == "broken" and line["function"] == function]
    [broken] = [line for line in lines if line["reason"].startswith("The message is not a job: ")]
    assert (broken["attempt"], broken["buried"], broken.get("delivery")) == (1, True, None)
    assert letter["MessageAttributes"]["reason"]["StringValue"] == broken["reason"]


def test_each_request_is_a_line_of_its_delivery_at_debug(day: Day) -> None:
    """There are as many as the review itself counts, but for two that processes remember: our login, and the owner.

    What one message leaves behind, the next one does not carry.
    """
    journal = Journal(None)
    for line in day.lines:
        journal.add(line)
    [opened] = {line["delivery"] for line in day.lines if line.get("pull_request") == 2 and "cost_usd" in line}
    kept = journal.of(opened)

    queued, reviewed = [line for line in kept if line["message"] == "outcome"]
    calls = Counter(line["to"] for line in kept if line["message"] == "call")
    routes = Counter(line["what"] for line in kept if line.get("to") == "github")
    assert all(line["function_request_id"] for line in day.lines if line.get("message") in ("call", "outcome"))
    assert (queued["outcome"], reviewed["outcome"]) == ("queued", "completed")
    assert set(calls) == {"github", "model", "dynamodb", "sqs", "s3vectors", "bedrock-runtime"}
    assert calls["model"] == reviewed["model"]["calls"] > 1
    counted = Counter(reviewed["github"]["by_route"])
    assert counted <= routes <= counted + Counter({"GET /app": 1, "GET /repos/{owner}/{repo}/installation": 1})
