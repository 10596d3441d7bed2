"""Whose jobs wait for each other: those of one pull request, and all jobs of somebody who is no member."""

import json
from typing import Any

import pytest

from kodiai.core.events.decide import decide
from kodiai.core.events.job import Job, Mention
from kodiai.core.events.payloads import Malformed, read_event
from tests.builders import HEAD
from tests.tables import each_row

STRANGER = {"login": "stranger", "type": "User"}
MEMBER = {"login": "ann", "type": "User"}
LABELER = {"login": "labeler[bot]", "type": "Bot"}
REPOSITORY = {"full_name": "octo/hello", "id": 1, "owner": {"id": 2}}
ALL_OF_THE_STRANGERS = "octo/hello@stranger"


def decided(name: str, payload: dict[str, Any]) -> Job | Mention:
    event = read_event(name, json.dumps({"repository": REPOSITORY, **payload}).encode())
    assert not isinstance(event, Malformed)
    job = decide(event, "guid")
    assert isinstance(job, Job | Mention)
    return job


def about_pull_request(
    action: str, association: str | None, sender: dict[str, str] = STRANGER, number: int = 7, **more: Any
) -> Job | Mention:
    pull = {"number": number, "user": STRANGER, "head": {"sha": HEAD}, "author_association": association}
    return decided("pull_request", {"action": action, "sender": sender, "pull_request": pull, **more})


def comment(association: str, number: int = 7) -> Job | Mention:
    said = {
        "id": 5,
        "node_id": "IC_5",
        "user": STRANGER,
        "body": "@kodiai review",
        "created_at": "2026-11-23T18:00:00Z",
        "author_association": association,
    }
    issue = {"number": number, "title": "T", "pull_request": {}}
    return decided("issue_comment", {"action": "created", "sender": STRANGER, "comment": said, "issue": issue})


@each_row("association", ["NONE", "CONTRIBUTOR", "FIRST_TIMER", "FIRST_TIME_CONTRIBUTOR", "MANNEQUIN"])
def test_a_thousand_pull_requests_of_a_stranger_are_one_group(association: str) -> None:
    """In both queues: one of them is worked on at a time, and the other slots are for everybody else."""
    opened = {about_pull_request("opened", association, number=number).group_id for number in range(1, 1_001)}
    said = {comment(association, number).group_id for number in range(1, 1_001)}

    assert opened == said == {ALL_OF_THE_STRANGERS}


@pytest.mark.parametrize("association", ["OWNER", "MEMBER", "COLLABORATOR", None])
def test_a_members_pull_requests_are_a_group_each(association: str | None) -> None:
    """They do not wait for each other."""
    assert about_pull_request("opened", association).group_id == "octo/hello#7"
    assert about_pull_request("opened", association, number=8).group_id == "octo/hello#8"
    assert comment("MEMBER").group_id == "octo/hello#7"


def test_a_members_request_for_a_strangers_pull_request_does_not_wait_behind_the_stranger() -> None:
    """A request of a member is reviewed next. What an automation does to each pull request of the stranger waits."""
    label: dict[str, Any] = {"label": {"name": "ready"}}

    assert about_pull_request("labeled", "NONE", MEMBER, **label).group_id == "octo/hello#7"
    assert about_pull_request("labeled", "NONE", LABELER, **label).group_id == ALL_OF_THE_STRANGERS


def test_a_job_that_goes_on_stays_in_its_group() -> None:
    """A continued review, and one that a newer push has overtaken; a message that was queued before has no outsider."""
    job = about_pull_request("synchronize", "NONE")
    assert isinstance(job, Job)

    assert job.continued().group_id == job.overtaken_by("b" * 40).group_id == ALL_OF_THE_STRANGERS
    old = json.loads(job.to_message())
    del old["outsider"]
    assert Job.from_message(json.dumps(old)).group_id == "octo/hello#7"
