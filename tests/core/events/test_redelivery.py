"""What GitHub's log of deliveries says was lost, and what of that is delivered again."""

import pytest

from kodiai.core.events.decide import may_lead_to_something
from kodiai.core.events.redelivery import FAILED_AGAIN, UNUSABLE, UNUSED, LoggedDelivery, failures
from tests.tables import each_row


def logged(
    guid: str,
    at: float,
    status: int,
    *,
    again: bool = False,
    event: str = "pull_request",
    action: str | None = "opened",
) -> LoggedDelivery:
    return LoggedDelivery(round(at * 10), guid, at, again, status, event, action)


@each_row("status", [0, 401, 403, 404, 408, 429, 500, 502, 503, 504])
def test_what_may_get_better_is_due(status: int) -> None:
    """No answer, a refused signature, a wrong address, a full or broken API: each may be over."""
    lost = logged("a", 1, status)

    assert failures([lost]).due == (lost,)


@pytest.mark.parametrize("status", [400, 413])
def test_what_stays_wrong_is_given_up(status: int) -> None:
    """A malformed or too large request is the same the next time."""
    found = failures([logged("a", 1, status)])

    assert (found.due, found.given_up) == ((), {UNUSABLE: 1})


@pytest.mark.parametrize("status", [200, 202, 302])
def test_what_arrived_is_not_due(status: int) -> None:
    """It tells when the API worked last."""
    found = failures([logged("a", 7, status)])

    assert (found.due, found.given_up, found.last_success) == ((), {}, 7)


def test_the_oldest_failure_comes_first() -> None:
    """GitHub lists the newest first, and tells times by the second."""
    first, second = logged("c", 1, 500), logged("a", 2, 500)
    third = LoggedDelivery(21, "b", 2, False, 500, "pull_request", "opened")

    assert failures([third, second, first]).due == (first, second, third)


def test_what_was_redelivered_is_not_redelivered_again() -> None:
    """Whether it arrived then or not, and whoever did it."""
    log = [logged("a", 1, 500), logged("b", 2, 401), logged("b", 3, 500, again=True), logged("a", 4, 202, again=True)]

    found = failures(log)

    assert (found.due, found.given_up, found.last_success) == ((), {FAILED_AGAIN: 1}, 4)


def test_a_redelivery_whose_first_attempt_is_not_in_the_log_is_left_alone() -> None:
    """An earlier sweep has counted it."""
    found = failures([logged("a", 3, 500, again=True)])

    assert (found.due, found.given_up) == ((), {})


@each_row(
    ("event", "action"),
    [
        ("ping", None),
        ("pull_request", "assigned"),
        ("check_run", "created"),
        ("installation", "created"),
        ("star", "x"),
    ],
)
def test_what_leads_to_nothing_is_not_redelivered(event: str, action: str | None) -> None:
    """It would be ignored."""
    found = failures([logged("a", 1, 500, event=event, action=action)])

    assert (found.due, found.given_up) == ((), {UNUSED: 1})
    assert not may_lead_to_something(event, action)


@each_row(
    ("event", "action"),
    [
        ("pull_request", "synchronize"),
        ("check_run", "rerequested"),
        ("issue_comment", "created"),
        ("pull_request_review", "submitted"),
        ("pull_request_review_comment", "created"),
        ("installation", "deleted"),
        ("installation_repositories", "removed"),
    ],
)
def test_what_may_lead_to_something_is_redelivered(event: str, action: str) -> None:
    """Each event that the App acts on."""
    assert len(failures([logged("a", 1, 500, event=event, action=action)]).due) == 1
