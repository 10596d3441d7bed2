"""A conversation that takes no review: the findings are in the check run, once, and nothing is lost or repeated."""

from local.github.failures import PlannedFailure, refusal
from tests.review_form.reading import unlinked
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT, FORBIDDEN, REVIEWS, tries
from tests.specs.pushing import FIXED, ON_PUSH, push
from tests.specs.scripts import Json, a_finding, a_report, an_answer, rules, says
from tests.tables import each_row

GATED = f"{ON_PUSH}  check:\n    failOn: MAJOR\n"
LOCKED = "The conversation of this pull request is locked, so the findings are here.\n\n"
NOT_PERMITTED = (
    "GitHub says 403 Resource not accessible by integration: look at what the App or the token is permitted here"
)
RULING = rules(1, problem="An order of 100 costs 105.", fix="Subtract the discount.")


def unprocessable(error: str) -> Json:
    return {"message": "Unprocessable Entity", "errors": [error], "status": "422"}


def annotations(opened: Opened) -> list[Json]:
    return opened.stage.github.state.checks[opened.check["id"]].annotations


def assert_told_by_check(opened: Opened, first: str) -> None:
    """The check run begins with the reason, and has the finding with its problem and fix, listed and at its line."""
    check = opened.check
    summary, [note] = unlinked(check["output"]["summary"]), annotations(opened)
    assert summary.startswith(first)
    assert (
        "- [MAJOR] src/orders.py (2): The discount is added\n\n"
        "  An order of 100 costs 105.\n\n"
        "  Subtract the discount.\n\n<!-- kodiai:counts {"
    ) in summary
    assert (note["path"], note["start_line"], note["title"]) == ("src/orders.py", 2, "[MAJOR] The discount is added")
    assert note["message"] == "An order of 100 costs 105.\n\nSubtract the discount."
    assert (check["conclusion"], check["output"]["title"]) == ("failure", "Address before merging · 1 major")
    assert (opened.reviews, opened.comments, opened.dead) == ([], [], [])


@each_row(
    ("answer", "first"),
    [
        (
            FORBIDDEN,
            f"GitHub refused the review ({NOT_PERMITTED}), so the findings are here.\n\n",
        ),
        (
            refusal(422, unprocessable("Something new")),
            "GitHub refused the review (Unprocessable Entity: Something new), so the findings are here.\n\n",
        ),
        (refusal(422, unprocessable("lock prevents review")), LOCKED),
    ],
)
def test_a_review_that_github_refuses_is_in_the_check_run(stage: Stage, answer: PlannedFailure, first: str) -> None:
    """The run is complete: the next push continues it, and its review is posted as usual.

    A conversation may be locked while the model reads.
    """
    stage.model.answers = says(a_report(a_finding()), RULING)
    before = stage.sent(REVIEWS)
    stage.github.fail_next(REVIEWS, answer)

    opened = stage.open(DISCOUNT, config=GATED)

    assert_told_by_check(opened, first)
    assert (tries(opened), stage.sent(REVIEWS) - before) == ([("completed", 1)], 1)
    assert f"{stage.outcome()['review_refused']}, so the findings are here.\n\n" == first
    [known] = opened.ledger.findings()
    assert (known.status, known.comment_id) == ("open", None)

    push(opened, FIXED, a_report(earlier=[an_answer(known.id)]))

    [review] = opened.reviews
    assert "1 resolved" in review["body"]
    assert (opened.check["conclusion"], opened.ledger.findings()[0].status) == ("success", "fixed")
