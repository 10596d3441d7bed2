"""What each event leads to: one job, or nothing and the reason that the maintainer reads."""

import json
from typing import Any

import pytest

from kodiai.core.events.decide import Ignored, decide
from kodiai.core.events.job import Job, Mention, Trigger
from kodiai.core.events.payloads import Malformed, read_event
from tests.builders import HEAD

BOT = "kodiai[bot]"
DELIVERY = "72d3162e-cc78-11e3-81ab-4c9367dc0958"
PERSON = {"login": "octocat", "type": "User"}
RENOVATE = {"login": "renovate[bot]", "type": "Bot"}
WE = {"login": "Kodiai[bot]", "type": "Bot"}


def _decide(name: str, payload: dict[str, Any]) -> Job | Mention | Ignored:
    event = read_event(name, json.dumps(payload).encode())
    assert not isinstance(event, Malformed)
    return decide(event, DELIVERY, BOT)


def _pull_request(action: str, *, author: dict[str, str] | None = PERSON, **more: Any) -> Job | Mention | Ignored:
    given = {
        "action": action,
        "sender": PERSON,
        "repository": {"full_name": "octo/hello"},
        "pull_request": {"number": 7, "user": author, "head": {"sha": HEAD}},
        "installation": {"id": 123},
    }
    return _decide("pull_request", given | more)


def _check_run(action: str, external_id: str | None, **more: Any) -> Job | Mention | Ignored:
    given = {
        "action": action,
        "sender": PERSON,
        "repository": {"full_name": "octo/hello"},
        "check_run": {"external_id": external_id, "pull_requests": []},
    }
    return _decide("check_run", given | more)


def _job(trigger: Trigger, **more: Any) -> Job:
    return Job(
        delivery=DELIVERY,
        repository="octo/hello",
        number=7,
        installation=123,
        trigger=trigger,
        sender="octocat",
        **more,
    )


@pytest.mark.parametrize("action", ["opened", "reopened", "ready_for_review", "closed"])
def test_what_changes_a_pull_request_asks_to_look_at_it(action: Trigger) -> None:
    """The job names the trigger; whether it leads to a review is for the repository's settings to say."""
    assert _pull_request(action) == _job(action)


def test_a_push_names_the_head_that_it_brought() -> None:
    """So that a newer push can be told from it once it has waited."""
    assert _pull_request("synchronize") == _job("synchronize", head=HEAD)


@pytest.mark.parametrize("action", ["labeled", "unlabeled"])
def test_a_label_that_comes_or_goes_is_a_job_that_names_it(action: Trigger) -> None:
    """Only the repository's settings know whether it matters."""
    assert _pull_request(action, label={"id": 5, "name": "Needs Review"}) == _job(action, label="Needs Review")


def test_another_base_branch_is_a_job() -> None:
    """It changes what there is to review."""
    changes = {"base": {"ref": {"from": "main"}, "sha": {"from": HEAD}}}

    assert _pull_request("edited", changes=changes) == _job("edited")


def test_our_requested_review_is_a_job() -> None:
    """Logins do not tell capitals from small letters."""
    job = _pull_request("review_requested", requested_reviewer=WE)

    assert isinstance(job, Job)
    assert job.trigger == "review_requested"


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"requested_reviewer": {"login": "hubot"}}, "The review of hubot was requested, not ours."),
        ({"requested_team": {"name": "reviewers"}}, "The review of a team was requested, not ours."),
    ],
)
def test_somebody_elses_requested_review_is_nothing(asked: dict[str, Any], reason: str) -> None:
    """Neither another person's nor a team's."""
    assert _pull_request("review_requested", **asked) == Ignored(reason)


@pytest.mark.parametrize(
    ("action", "more"),
    [
        ("edited", {"changes": {"title": {"from": "A change"}}}),
        ("assigned", {}),
        ("review_request_removed", {}),
        ("brand_new_action", {}),
    ],
)
def test_other_actions_on_a_pull_request_lead_to_nothing(action: str, more: dict[str, Any]) -> None:
    """Also an edited title, and an action that GitHub invents tomorrow."""
    assert _pull_request(action, **more) == Ignored(f"“{action}” does not change what there is to review.")


@pytest.mark.parametrize("action", ["opened", "reopened", "ready_for_review"])
def test_a_bots_pull_request_is_a_job_that_says_so(action: Trigger) -> None:
    """By the type of the account; what the repository wants of bots is for its settings to say."""
    assert _pull_request(action, author=RENOVATE) == _job(action, by_bot=True)


def test_a_bots_pull_request_is_like_any_other_when_our_review_is_requested() -> None:
    """And at its end too, because findings may have been reported of it."""
    assert _pull_request("review_requested", author=RENOVATE, requested_reviewer=WE) == _job("review_requested")
    assert _pull_request("closed", author=RENOVATE) == _job("closed")


def test_a_pull_request_whose_author_is_gone_is_a_job() -> None:
    """GitHub gives no user then."""
    assert isinstance(_pull_request("opened", author=None), Job)


def test_a_job_without_an_installation_is_one_for_a_token() -> None:
    """A repository's own webhook names no installation."""
    job = _pull_request("opened", installation=None)

    assert isinstance(job, Job)
    assert job.installation is None


def test_what_we_did_ourselves_is_nothing() -> None:
    """Or we would answer ourselves forever."""
    nothing = Ignored("Kodiai[bot] did this: we do not act on what we did ourselves.")

    assert _pull_request("opened", sender=WE) == nothing
    assert _pull_request("review_requested", sender=WE, requested_reviewer=WE) == nothing
    assert _check_run("rerequested", "octo/hello#7@r1", sender=WE) == nothing


@pytest.mark.parametrize("action", ["rerequested", "requested_action"])
def test_our_check_run_asked_for_again_is_a_job(action: str) -> None:
    """Its external id names the pull request, which GitHub does not for forks."""
    assert _check_run(action, "Octo/Hello#7@01JD-run") == Job(
        delivery=DELIVERY,
        repository="octo/hello",
        number=7,
        installation=None,
        trigger="rerequested",
        sender="octocat",
    )


@pytest.mark.parametrize(
    "external_id",
    [
        None,
        "",
        "42",
        "octo/hello#7",
        "octo/hello#0@r1",
        "octo/hello#x@r1",
        "octo/other#7@r1",
        "octo/hello#7@",
        "octo/hello#7@r1\n",
        "octo/hello#" + "9" * 40 + "@r1",
        "octo/hello#٧@r1",
    ],
)
def test_a_check_run_that_is_not_ours_is_nothing(external_id: str | None) -> None:
    """Other apps write what they like into their external ids."""
    assert _check_run("rerequested", external_id) == Ignored(
        "The check run is not ours, or the repository was renamed after it."
    )


@pytest.mark.parametrize("action", ["created", "completed"])
def test_the_life_of_a_check_run_is_nothing(action: str) -> None:
    """Our own check runs send these too."""
    assert _check_run(action, "octo/hello#7@r1") == Ignored(f"A check run's “{action}” asks nothing of us.")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("ping", "The webhook arrives here and its signature is right."),
        ("installation", "“installation” is not an event that we act on."),
        ("star", "“star” is not an event that we act on."),
    ],
)
def test_a_ping_and_other_events_lead_to_nothing_whatever_they_hold(name: str, reason: str) -> None:
    """A person who sets the App up reads the sentence; a webhook that sends everything is no error."""
    assert _decide(name, {"anything": [1, 2]}) == Ignored(reason)
