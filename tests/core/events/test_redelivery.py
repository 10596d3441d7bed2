"""The lost deliveries of GitHub's log, and those of them that are delivered again."""

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


@each_row(
    ("status", "is_due", "given_up", "last_success"),
    [
        *((status, True, {}, None) for status in (0, 401, 403, 404, 408, 429, 500, 502, 503, 504)),
        *((status, False, {UNUSABLE: 1}, None) for status in (400, 413)),
        *((status, False, {}, 7) for status in (200, 202, 302)),
    ],
)
def test_a_failure_that_may_pass_is_due(
    status: int, is_due: bool, given_up: dict[str, int], last_success: float | None
) -> None:
    """A refused signature, a wrong address or a broken API may be over; a malformed request is the same next time."""
    lost = logged("a", 7, status)

    found = failures([lost])

    assert (found.due, found.given_up) == ((lost,) if is_due else (), given_up)
    assert last_success is None or found.last_success == last_success


@each_row(
    ("event", "action", "is_used"),
    [
        ("ping", None, False),
        ("pull_request", "assigned", False),
        ("check_run", "created", False),
        ("installation", "created", False),
        ("star", "x", False),
        ("pull_request", "synchronize", True),
        ("check_run", "rerequested", True),
        ("issue_comment", "created", True),
        ("pull_request_review", "submitted", True),
        ("pull_request_review_comment", "created", True),
        ("installation", "deleted", True),
        ("installation_repositories", "removed", True),
    ],
)
def test_only_what_may_lead_to_something_is_redelivered(event: str, action: str | None, is_used: bool) -> None:
    """The rest would be ignored."""
    found = failures([logged("a", 1, 500, event=event, action=action)])

    assert (len(found.due), found.given_up) == (is_used, {} if is_used else {UNUSED: 1})
    assert may_lead_to_something(event, action) is is_used


def test_the_oldest_failure_comes_first() -> None:
    """GitHub lists the newest first, and tells times by the second."""
    first, second = logged("c", 1, 500), logged("a", 2, 500)
    third = LoggedDelivery(21, "b", 2, False, 500, "pull_request", "opened")

    assert failures([third, second, first]).due == (first, second, third)


def test_a_redelivered_event_is_not_redelivered_again() -> None:
    """Whether it arrived then or not, and whoever did it; one whose first attempt is not in the log is left alone."""
    log = [logged("a", 1, 500), logged("b", 2, 401), logged("b", 3, 500, again=True), logged("a", 4, 202, again=True)]

    found, alone = failures(log), failures([logged("a", 3, 500, again=True)])

    assert (found.due, found.given_up, found.last_success) == ((), {FAILED_AGAIN: 1}, 4)
    assert (alone.due, alone.given_up) == ((), {})
