"""Every example payload that GitHub's community collected of the events that we read; see tests/data/webhooks."""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

from kodiai.core.events.decide import Ignored, decide
from kodiai.core.events.job import ForgetJob, Job, QueuedJob, Trigger
from kodiai.core.events.payloads import Malformed, read_event
from tests.tables import each_row

FILE = Path(__file__).parents[2] / "data" / "webhooks" / "examples.json.gz"
EXAMPLES: list[tuple[str, dict[str, Any]]] = [
    (name, payload) for name, payloads in json.loads(gzip.decompress(FILE.read_bytes())).items() for payload in payloads
]
JOBS: dict[tuple[str, str | None], Trigger] = {
    ("pull_request", "opened"): "opened",
    ("pull_request", "reopened"): "reopened",
    ("pull_request", "ready_for_review"): "ready_for_review",
    ("pull_request", "synchronize"): "synchronize",
    ("pull_request", "closed"): "closed",
    ("pull_request", "review_requested"): "review_requested",
    ("pull_request", "labeled"): "labeled",
    ("pull_request", "unlabeled"): "unlabeled",
}
REMOVED: dict[tuple[str, str | None], ForgetJob] = {
    ("installation", "deleted"): ForgetJob(
        delivery="guid", trigger="uninstalled", owner="octocat", owner_id=1, installation=2, sender="octocat"
    ),
    ("installation_repositories", "removed"): ForgetJob(
        delivery="guid",
        trigger="repositories_removed",
        owner="octocat",
        owner_id=1,
        installation=2,
        sender="octocat",
        repositories=(1296269,),
    ),
}
REASONS = {
    ("check_run", "rerequested"): "The check run is not ours, or the repository was renamed after it.",
    ("check_run", "requested_action"): "The check run is not ours, or the repository was renamed after it.",
    ("issue_comment", "created"): "The comment is on an issue, not on a pull request.",
    ("pull_request_review", "submitted"): "The review has no text of its own; its comments arrive separately.",
    ("pull_request_review_comment", "created"): "It mentions nobody.",
    ("ping", None): "The webhook arrives here and its signature is right.",
}
REASONS_OF_EVENTS = {
    "pull_request": "“{action}” does not change what there is to review.",
    "check_run": "A check run's “{action}” asks nothing of us.",
    "installation": "An installation's “{action}” removes no repository.",
    "installation_repositories": "An installation's “{action}” removes no repository.",
    "issue_comment": "Only new comments are read; this one was {action}.",
    "pull_request_review": "Only new comments are read; this one was {action}.",
    "pull_request_review_comment": "Only new comments are read; this one was {action}.",
}


def _decide(name: str, payload: dict[str, Any]) -> QueuedJob | Ignored:
    event = read_event(name, json.dumps(payload, ensure_ascii=False).encode())
    assert not isinstance(event, Malformed)
    return decide(event, "guid")


def test_the_examples_are_those_that_we_think() -> None:
    """An emptied file would make every test here pass."""
    assert Counter(name for name, _ in EXAMPLES) == {
        "check_run": 9,
        "installation": 7,
        "installation_repositories": 3,
        "issue_comment": 9,
        "ping": 4,
        "pull_request": 29,
        "pull_request_review": 4,
        "pull_request_review_comment": 5,
    }


@each_row(("name", "payload"), EXAMPLES, ids=[f"{name}-{payload.get('action')}" for name, payload in EXAMPLES])
def test_every_example_is_read_and_decided(name: str, payload: dict[str, Any]) -> None:
    """What GitHub really sends is never malformed, and each action leads where it should."""
    action = payload.get("action")

    decided = _decide(name, payload)

    if (name, action) in JOBS:
        installation = payload["installation"]["id"] if "installation" in payload else None
        assert decided == Job(
            delivery="guid",
            repository=payload["repository"]["full_name"],
            repository_id=payload["repository"]["id"],
            owner_id=payload["repository"]["owner"]["id"],
            number=payload["pull_request"]["number"],
            installation=installation,
            trigger=JOBS[name, action],
            sender=payload["sender"]["login"],
            head=payload["pull_request"]["head"]["sha"] if action == "synchronize" else None,
            label=payload["label"]["name"] if action in ("labeled", "unlabeled") else None,
            requested=payload["requested_reviewer"]["login"] if action == "review_requested" else None,
        )
    elif (name, action) in REMOVED:
        assert decided == REMOVED[name, action]
    else:
        reason = REASONS.get((name, action)) or REASONS_OF_EVENTS[name].format(action=action)
        assert decided == Ignored(reason)


def test_the_examples_of_check_runs_are_jobs_once_their_external_id_is_ours() -> None:
    """Their lists of pull requests are not looked at."""
    asked = [
        payload
        for name, payload in EXAMPLES
        if name == "check_run" and payload["action"] in ("rerequested", "requested_action")
    ]
    for payload in asked:
        payload["check_run"]["external_id"] = f"{payload['repository']['full_name']}#12@run"

    jobs = [_decide("check_run", payload) for payload in asked]

    assert [(job.number, job.trigger) for job in jobs if isinstance(job, Job)] == [(12, "rerequested")] * 3
