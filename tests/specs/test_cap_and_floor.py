"""Cap and floor decide what is shown in which place, never what counts."""

from tests.review_form.reading import unlinked
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT, OFF_BY_ONE, SHELF
from tests.specs.pushing import EDITED, FIXED, ON_PUSH, opened_with_finding, push, statuses
from tests.specs.scripts import a_finding, a_report, an_answer

VERDICT = f"{ON_PUSH}  event: verdict\n"


def ids(opened: Opened) -> dict[str, str]:
    """The ids of the findings in the ledger, by title."""
    return {known.finding.title: known.id for known in opened.ledger.findings()}


def test_a_blocking_finding_over_the_cap_counts_once_the_posted_one_is_fixed(stage: Stage) -> None:
    """Both are remembered; the one without a comment keeps the pull request from being approved."""
    config = f"{VERDICT}  maxComments: 1\n"
    opened = opened_with_finding(stage, a_finding(), OFF_BY_ONE, config=config, files={**DISCOUNT, **SHELF})
    assert [comment["path"] for comment in opened.comments] == ["src/orders.py"]
    assert ":red_circle: **Address before merging** -- 2 MAJOR findings" in opened.reviews[0]["body"]
    assert statuses(opened) == ["open", "open"]

    push(opened, FIXED, a_report(earlier=[an_answer(ids(opened)["The discount is added"])]))

    assert sorted(statuses(opened)) == ["fixed", "open"]
    assert [review["state"] for review in opened.reviews] == ["CHANGES_REQUESTED"] * 2
    body = unlinked(opened.reviews[1]["body"])
    assert ":red_circle: **Blockers still open** -- 1 earlier finding still blocks" in body
    assert "Blockers resolved" not in body
    assert "- [MAJOR] src/stock.py: One is missing" in body


def test_a_minor_finding_below_the_floor_counts_and_is_known_at_the_next_push(stage: Stage) -> None:
    """It is counted and not listed; reported again, in other words, it is no new finding."""
    config = f"{ON_PUSH}  severity:\n    minLevel: critical\n"
    minor = a_finding(severity="MINOR", replacement="    return sum(prices) - discount")
    opened = opened_with_finding(stage, minor, config=config)

    [review] = opened.reviews
    assert opened.comments == []
    assert "[MINOR]" not in review["body"]
    assert review["body"].startswith(":yellow_circle: **Ready to merge with minor items** · 1 minor\n")
    assert "- Not listed: 1 below the severity floor CRITICAL\n" in review["body"]
    assert ":yellow_circle: **Ready to merge with minor items** -- 1 finding, not blocking" in review["body"]

    push(opened, EDITED, a_report(a_finding(severity="MINOR", title="Orders get dearer by their rebate")))

    assert (statuses(opened), len(opened.reviews), opened.comments) == (["open"], 1, [])
    assert stage.outcome()["delta"] == {"new": 0, "resolved": 0, "still_open": 1, "settled": 0}
