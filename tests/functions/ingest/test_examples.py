"""Every example payload that GitHub's community collected, of all events, at the door; see tests/data/webhooks."""

import json
import lzma
import uuid
from pathlib import Path
from typing import Any, Literal

from kodiai.core.events.job import ForgetJob, Job, MergeGroupJob, QueuedJob, RerunJob, Trigger
from tests.functions.ingest.conftest import Deployment
from tests.functions.ingest.door import Door
from tests.tables import each_row

FILE = Path(__file__).parents[2] / "data" / "webhooks" / "examples.json.xz"
EXAMPLES: list[tuple[str, dict[str, Any]]] = [
    (name, payload) for name, payloads in json.loads(lzma.decompress(FILE.read_bytes())).items() for payload in payloads
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
    ("check_run", "rerequested"): "rerequested",
    ("check_run", "requested_action"): "rerequested",
    ("check_suite", "completed"): "checks_completed",
}
REMOVED: dict[tuple[str, str | None], Literal["uninstalled", "repositories_removed"]] = {
    ("installation", "deleted"): "uninstalled",
    ("installation_repositories", "removed"): "repositories_removed",
}
REASONS: dict[tuple[str, str | None], str] = {
    ("check_suite", "completed"): "The check suite names no pull request of this repository.",
    ("issue_comment", "created"): "The comment is on an issue, not on a pull request.",
    ("pull_request_review", "submitted"): "The review has no text of its own; its comments arrive separately.",
    ("pull_request_review_comment", "created"): "It mentions nobody.",
}
REASONS_OF_EVENTS = {
    "pull_request": "“{action}” does not change what there is to review.",
    "check_run": "A check run's “{action}” asks nothing of us.",
    "check_suite": "A check suite's “{action}” asks nothing of us.",
    "installation": "An installation's “{action}” removes no repository.",
    "installation_repositories": "An installation's “{action}” removes no repository.",
    "issue_comment": "Only new comments are read; this one was {action}.",
    "pull_request_review": "Only new comments are read; this one was {action}.",
    "pull_request_review_comment": "Only new comments are read; this one was {action}.",
    "ping": "The webhook arrives here and its signature is right.",
}
OTHER = "“{name}” is not an event that we act on."


def test_the_examples_are_those_that_we_think() -> None:
    """An emptied file would make the test below pass."""
    expected = {name for name, _ in (*JOBS, *REMOVED, *REASONS)} | REASONS_OF_EVENTS.keys()

    assert len(EXAMPLES) > 400
    assert expected | {"projects_v2_item", "merge_group"} <= {name for name, _ in EXAMPLES}


@each_row(("name", "payload"), EXAMPLES, ids=[f"{name}-{payload.get('action')}" for name, payload in EXAMPLES])
def test_every_example_leads_where_it_should(
    lasting_door: Door, lasting: Deployment, name: str, payload: dict[str, Any]
) -> None:
    """Payloads that GitHub really sends are never refused: each is one message, or nothing and why.

    The check runs of the examples are ours: their external ids are, and their lists of pull requests are not looked at.
    """
    action, guid = payload.get("action"), str(uuid.uuid4())
    if name == "check_run":
        payload["check_run"]["external_id"] = f"{payload['repository']['full_name']}#12@run"

    heard = lasting_door.deliver(payload, event=name, headers={"x-github-delivery": guid})

    queued = lasting.take()
    suite = payload.get("check_suite", {}).get("pull_requests", [])
    named = suite or [{"number": 12}]
    if (name, action) in JOBS and (suite or action != "completed"):
        pull_request, common = payload.get("pull_request", named[0]), _common(guid, payload)
        expected: QueuedJob = Job(
            **common,
            repository=payload["repository"]["full_name"],
            repository_id=payload["repository"]["id"],
            owner_id=payload["repository"]["owner"]["id"],
            number=pull_request["number"],
            trigger=JOBS[name, action],
            head=pull_request["head"]["sha"] if action == "synchronize" else None,
            label=payload["label"]["name"] if action in ("labeled", "unlabeled") else None,
            requested=payload["requested_reviewer"]["login"] if action == "review_requested" else None,
        )
        assert (heard.status, queued) == (202, [expected.to_message()])
    elif (name, action) == ("check_suite", "rerequested"):
        assert (heard.status, len(queued)) == (202, 1)
        again = RerunJob.from_message(queued[0])
        assert (again.head, again.numbers) == (
            payload["check_suite"]["head_sha"],
            tuple(each["number"] for each in suite),
        )
    elif name == "merge_group":
        group = payload["merge_group"]
        assert (heard.status, len(queued)) == (202, 1)
        job = MergeGroupJob.from_message(queued[0])
        assert (job.head, job.trigger) == (group["head_sha"], action)
        assert group["head_ref"].startswith(f"refs/heads/gh-readonly-queue/{job.base}/pr-{job.number}-")
    elif (name, action) in REMOVED:
        account = payload["installation"]["account"]
        expected = ForgetJob(
            **_common(guid, payload),
            trigger=REMOVED[name, action],
            owner=account["login"],
            owner_id=account["id"],
            repositories=tuple(each["id"] for each in payload.get("repositories_removed", ())),
        )
        assert (heard.status, queued) == (202, [expected.to_message()])
    else:
        reason = REASONS.get((name, action)) or REASONS_OF_EVENTS.get(name, OTHER).format(name=name, action=action)
        assert (heard.status, heard.body["outcome"], heard.body["reason"], queued) == (200, "nothing", reason, [])


def _common(guid: str, payload: dict[str, Any]) -> dict[str, Any]:
    return {
        "delivery": guid,
        "installation": payload.get("installation", {}).get("id"),
        "sender": payload["sender"]["login"],
    }
