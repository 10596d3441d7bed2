"""Access that is withdrawn: before, in the middle, behind the review."""

from collections import Counter

from local.github.failures import forbidden_field
from local.github.hosted_repository import APP_PERMISSIONS
from tests.specs.conftest import Stage
from tests.specs.moods import (
    DISCOUNT,
    FORBIDDEN,
    NOT_FOUND,
    NOTHING_THERE,
    REVIEWS,
    SNAPSHOT,
    TOKENS,
    TREES,
    UPDATES,
    assert_reviewed_once,
    tries,
)
from tests.specs.scripts import a_finding, a_report, says


def test_without_access_from_the_start_nothing_is_written(stage: Stage) -> None:
    """No token, then no repository: it is refused once and not tried again.

    The next event after access is back is dealt with at once.
    """
    stage.model.answers = says(a_report(a_finding()))
    stage.github.fail_next(TOKENS, FORBIDDEN)
    stage.github.fail_next(SNAPSHOT, NOTHING_THERE)

    opened = stage.open(DISCOUNT)
    opened.ask_for_review()

    assert tries(opened) == [("refused", 1)] * 2
    assert (opened.reviews, opened.checks(opened.head)) == ([], [])

    opened.ask_for_review()

    assert tries(opened)[2:] == [("completed", 1)]
    assert_reviewed_once(opened)


def test_access_that_is_withdrawn_in_the_middle_is_told_by_the_check(stage: Stage) -> None:
    """Nothing is posted; where not even the check may be written the run waits for access.

    The next event carries it through: the review as it was written down, in the check that was opened.
    """
    stage.model.answers = says(a_report(a_finding()))
    stage.github.fail_next(TREES, NOT_FOUND)

    opened = stage.open(DISCOUNT)

    assert (opened.check["status"], opened.check["output"]["title"]) == ("completed", "Not reviewed")
    assert "Not Found" in opened.check["output"]["summary"]

    stage.github.fail_next(REVIEWS, FORBIDDEN)
    stage.github.fail_next(UPDATES, FORBIDDEN, times=3)
    opened.ask_for_review()

    assert (tries(opened), opened.reviews) == ([("refused", 1)] * 2, [])

    asked = stage.asked
    opened.ask_for_review()

    assert tries(opened)[2:] == [("completed", 1)]
    assert stage.asked == asked
    assert_reviewed_once(opened)


def test_access_that_is_withdrawn_behind_the_review_leads_to_no_second_one(stage: Stage) -> None:
    """The next event finds the review and does only the rest."""
    stage.model.answers = says(a_report(a_finding()))
    stage.github.fail_next(UPDATES, forbidden_field("updateCheckRun"), times=2)

    opened = stage.open(DISCOUNT)
    opened.ask_for_review()

    assert_reviewed_once(opened)


def test_an_owner_who_has_not_accepted_new_permissions_is_served_as_before(stage: Stage) -> None:
    """A token with one of them is refused, GitHub says what was accepted, and another token is without them."""
    installation, before = stage.github.repository.installation, APP_PERMISSIONS | {"contents": "read"}

    def requests(name: str) -> Counter[str]:
        since = len(stage.github.requests)
        opened = stage.open({name: "x = 1\n"})
        routes = Counter(each.route for each in [*stage.github.requests][since:])
        assert opened.reviews or opened.check["conclusion"] == "success"
        return routes

    requests("first.py")  # the settings of the owner are read, and kept for some minutes
    usual = requests("accepted.py")
    installation.accepted = {name: level for name, level in before.items() if name not in ("merge_queues", "statuses")}
    try:
        more = requests("behind.py")
    finally:
        installation.accepted = None

    assert more - usual == Counter({"GET /repos/{owner}/{repo}/installation": 1, TOKENS: 1})
