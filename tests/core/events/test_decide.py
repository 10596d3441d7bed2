"""The result of each event: one job, or nothing and the reason that the maintainer reads."""

import json
from typing import Any

import pytest

from kodiai.core.events.decide import Ignored, decide
from kodiai.core.events.job import MOST_NAMED, ForgetJob, Job, MergeGroupJob, QueuedJob, RerunJob, Trigger
from kodiai.core.events.payloads import Malformed, read_event
from tests.builders import HEAD
from tests.tables import each_row

DELIVERY = "72d3162e-cc78-11e3-81ab-4c9367dc0958"
PERSON = {"login": "octocat", "type": "User"}
RENOVATE = {"login": "renovate[bot]", "type": "Bot"}
WE = {"login": "Kodiai[bot]", "type": "Bot"}


def _decide(name: str, payload: dict[str, Any], app: str | None = None) -> QueuedJob | Ignored:
    event = read_event(name, json.dumps(payload).encode())
    assert not isinstance(event, Malformed)
    return decide(event, DELIVERY, app)


def _pull_request(action: str, *, author: dict[str, str] | None = PERSON, **more: Any) -> QueuedJob | Ignored:
    given = {
        "action": action,
        "sender": PERSON,
        "repository": {"id": 11, "full_name": "octo/hello", "owner": {"id": 1}},
        "pull_request": {"number": 7, "user": author, "head": {"sha": HEAD}},
        "installation": {"id": 123},
    }
    return _decide("pull_request", given | more)


def _check_run(action: str, external_id: str | None, **more: Any) -> QueuedJob | Ignored:
    given = {
        "action": action,
        "sender": PERSON,
        "repository": {"id": 11, "full_name": "octo/hello", "owner": {"id": 1}},
        "check_run": {"external_id": external_id, "pull_requests": []},
    }
    return _decide("check_run", given | more)


def _job(trigger: Trigger, **more: Any) -> Job:
    given: dict[str, Any] = {
        "delivery": DELIVERY,
        "repository": "octo/hello",
        "repository_id": 11,
        "owner_id": 1,
        "number": 7,
        "installation": 123,
        "sender": "octocat",
    }
    return Job(trigger=trigger, **given | more)


@each_row(
    ("action", "given", "job"),
    [
        *((action, {}, {}) for action in ("opened", "reopened", "ready_for_review", "closed")),
        ("synchronize", {}, {"head": HEAD}),
        *((action, {"label": {"id": 5, "name": "Wip"}}, {"label": "Wip"}) for action in ("labeled", "unlabeled")),
        ("edited", {"changes": {"base": {"ref": {"from": "main"}, "sha": {"from": HEAD}}}}, {}),
        ("review_requested", {"requested_reviewer": WE}, {"requested": "Kodiai[bot]"}),
        *((action, {"author": RENOVATE}, {"by_bot": True}) for action in ("opened", "reopened", "ready_for_review")),
        ("review_requested", {"author": RENOVATE, "requested_reviewer": WE}, {"requested": "Kodiai[bot]"}),
        ("review_requested", {"requested_reviewer": {"login": "hubot"}}, {"requested": "hubot"}),
        ("opened", {"sender": WE}, {"sender": "Kodiai[bot]"}),
        ("closed", {"author": RENOVATE}, {}),
        ("opened", {"author": None}, {}),
        ("opened", {"installation": None}, {"installation": None}),
    ],
)
def test_an_event_that_changes_a_pull_request_is_a_job(
    action: Trigger, given: dict[str, Any], job: dict[str, Any]
) -> None:
    """The job names the trigger, the head that a push brought, the label, and a bot by the type of its account.

    Which login is ours is not known here: the job names who did it, and whose review was requested.

    Whether it leads to a review is for the repository's settings to say. A bot's pull request is like any other where
    our review is requested, and at its end, because findings may have been reported. An author may be gone, and a
    repository's own webhook names no installation.
    """
    assert _pull_request(action, **given) == _job(action, **job)


@pytest.mark.parametrize(
    ("action", "more", "why"),
    [
        ("edited", {"changes": {"title": {"from": "A change"}}}, "“edited” does not change what there is to review."),
        ("assigned", {}, "“assigned” does not change what there is to review."),
        ("brand_new_action", {}, "“brand_new_action” does not change what there is to review."),
        ("review_requested", {"requested_team": {"name": "us"}}, "The review of a team was requested, not ours."),
    ],
)
def test_other_actions_on_a_pull_request_lead_to_nothing(action: str, more: dict[str, Any], why: str) -> None:
    """Also an edited title, an action that GitHub invents tomorrow, and a request to a team: we are in none."""
    assert _pull_request(action, **more) == Ignored(why)


@pytest.mark.parametrize("action", ["rerequested", "requested_action"])
@pytest.mark.parametrize("repository", ["11", "octo/hello", "octo/its-name-before"])
def test_our_check_run_asked_for_again_is_a_job(action: str, repository: str) -> None:
    """Its external id names the pull request, which GitHub does not for forks.

    Older ones have the name that the repository had then.
    """
    assert _check_run(action, f"{repository}#7@01JD-run") == _job("rerequested", installation=None)


def _suite(
    action: str, *numbers: int, branch: str | None = "topic", app: str | None = None, **more: Any
) -> QueuedJob | Ignored:
    given = {
        "action": action,
        "sender": PERSON,
        "repository": {"id": 11, "full_name": "octo/hello", "owner": {"id": 1}},
        "check_suite": {"head_sha": HEAD, "head_branch": branch, "app": {"id": 3}, "pull_requests": _listed(*numbers)},
    }
    return _decide("check_suite", given | more, app)


def _listed(*numbers: int, repository: int = 11) -> list[dict[str, Any]]:
    return [{"number": number, "base": {"repo": {"id": repository}}} for number in numbers]


RERUN = RerunJob(
    delivery=DELIVERY,
    repository="octo/hello",
    repository_id=11,
    owner_id=1,
    installation=None,
    sender="octocat",
    head=HEAD,
)


def test_all_check_runs_asked_for_again_are_one_job() -> None:
    """For the pull requests that GitHub names, and those that our check runs name: GitHub names no fork's.

    It may name one of another repository, into which the same branch goes.
    """
    elsewhere = {"head_sha": HEAD, "head_branch": "topic", "pull_requests": _listed(9, repository=12)}

    assert _suite("rerequested", 8, 7, branch=None) == RERUN.model_copy(update={"numbers": (7, 8)})
    assert _suite("rerequested") == RERUN
    assert _suite("rerequested", check_suite=elsewhere) == RERUN


def test_a_check_run_of_a_shared_head_asks_for_all_its_pull_requests() -> None:
    """GitHub shows the newest of their check runs. Its own button is about its pull request alone."""
    shared = {"external_id": "11#7@r1", "head_sha": HEAD, "pull_requests": _listed(7, 8)}

    assert _check_run("rerequested", None, check_run=shared) == RERUN.model_copy(update={"numbers": (7, 8)})
    assert _check_run("requested_action", None, check_run=shared) == _job("rerequested", installation=None)


def test_checks_of_a_merge_queues_commit_asked_for_again_are_shown_again() -> None:
    """No review is requested: they say what those of the queue's pull requests say."""
    branch = "gh-readonly-queue/main/pr-7-" + HEAD
    run = {"external_id": "11#7@r1", "head_sha": HEAD, "check_suite": {"head_branch": branch}}
    suite, alone = _suite("rerequested", branch=branch), _check_run("rerequested", None, check_run=run)

    assert isinstance(suite, MergeGroupJob)
    assert (suite.trigger, suite.head, suite.base, suite.numbers) == ("checks_requested", HEAD, "main", (7,))
    assert suite == alone


def test_a_check_suite_of_another_app_that_is_complete_is_a_job_of_its_pull_requests() -> None:
    """It names none of a fork; our own one tells us nothing, nor one that begins, which each push has."""
    assert _suite("completed", 9, 7) == _job("checks_completed", installation=None, others=(9,))
    assert _suite("completed") == Ignored("The check suite names no pull request of this repository.")
    assert _suite("completed", 7, app="3") == Ignored("These are our own check runs.")
    assert _suite("requested", 7) == Ignored("A check suite's “requested” asks nothing of us.")


@each_row(
    "external_id",
    [
        *(None, "", "42", "octo/hello#7", "octo/hello#0@r1", "octo/hello#x@r1", "12#7@r1", "hello#7@r1"),
        *("octo/hello#7@", "octo/hello#7@r1\n", "octo/hello#" + "9" * 40 + "@r1", "octo/hello#٧@r1"),
    ],
)
def test_a_check_run_that_is_not_ours_is_nothing(external_id: str | None) -> None:
    """Other apps write what they like into their external ids; the life of our own asks nothing either."""
    assert _check_run("rerequested", external_id) == Ignored("The check run is not about a pull request of ours.")
    for action in ("created", "completed"):
        asks_nothing = Ignored(f"A check run's “{action}” asks nothing of us.")
        assert _check_run(action, external_id) == _check_run(action, "octo/hello#7@r1") == asks_nothing


def _installation(name: str, action: str, **more: Any) -> QueuedJob | Ignored:
    given = {"action": action, "sender": PERSON, "installation": {"id": 123, "account": {"login": "octo", "id": 1}}}
    return _decide(name, given | more)


def _removed(*names: str) -> list[dict[str, Any]]:
    return [{"id": at, "name": name, "full_name": f"octo/{name}"} for at, name in enumerate(names, start=1)]


def _forget(**more: Any) -> ForgetJob:
    return ForgetJob(delivery=DELIVERY, owner="octo", owner_id=1, installation=123, sender="octocat", **more)


UNINSTALLED = _forget(trigger="uninstalled")
ENTERPRISE = {"id": 123, "account": {"slug": "octo-business"}}


@each_row(
    ("name", "action", "given", "decided"),
    [
        ("installation", "deleted", {"repositories": _removed("hello")}, UNINSTALLED),
        ("installation", "deleted", {"sender": WE}, UNINSTALLED.model_copy(update={"sender": "Kodiai[bot]"})),
        (
            "installation_repositories",
            "removed",
            {"repositories_removed": _removed("hello", "world")},
            _forget(trigger="repositories_removed", repositories=(1, 2)),
        ),
        *(
            (name, action, {}, Ignored(f"An installation's “{action}” removes no repository."))
            for name, action in (
                ("installation", "created"),
                ("installation", "suspend"),
                ("installation", "new_permissions_accepted"),
                ("installation_repositories", "added"),
            )
        ),
        (
            "installation",
            "deleted",
            {"installation": ENTERPRISE},
            Ignored("The installation is that of an enterprise, which has no repositories."),
        ),
    ],
)
def test_an_uninstallation_and_removed_repositories_are_a_job(
    name: str, action: str, given: dict[str, Any], decided: QueuedJob | Ignored
) -> None:
    """An uninstallation, whoever did it, is for all of the owner: the deletion asks GitHub about each that has data.

    Removed ones are named by the ids that they keep when they are renamed. A suspended App may come back, and keeps
    what it knows.
    """
    more = {"repositories_added": _removed("hello"), "repositories_removed": [], **given}

    assert _installation(name, action, **more) == decided


def test_removed_repositories_that_are_not_named_are_looked_for() -> None:
    """GitHub names none when "all" becomes "selected", and more than fit into a message are not named either."""
    none = _installation("installation_repositories", "removed", repositories_removed=[])
    most = _removed(*map(str, range(MOST_NAMED)))
    named = _installation("installation_repositories", "removed", repositories_removed=most)
    too_many = _installation("installation_repositories", "removed", repositories_removed=[*most, *_removed("more")])

    assert none == too_many == _forget(trigger="repositories_removed")
    assert isinstance(named, ForgetJob)
    assert len(named.repositories) == MOST_NAMED


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("ping", "The webhook arrives here and its signature is right."),
        ("installation_target", "“installation_target” is not an event that we act on."),
        ("star", "“star” is not an event that we act on."),
    ],
)
def test_a_ping_and_other_events_lead_to_nothing_whatever_they_hold(name: str, reason: str) -> None:
    """A person who sets the App up reads the sentence; a webhook that sends everything is no error."""
    assert _decide(name, {"anything": [1, 2]}) == Ignored(reason)
