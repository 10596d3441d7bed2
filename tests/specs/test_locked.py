"""A conversation that takes no review: the findings are in the check run, once, and nothing is lost or repeated."""

from local.github.failures import PlannedFailure, refusal
from tests.review_form.reading import unlinked
from tests.specs import talking
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT, FORBIDDEN, OFF_BY_ONE, REVIEWS, SHELF, tries
from tests.specs.pushing import FIXED, ON_PUSH, opened_with_finding, push
from tests.specs.scripts import Json, a_finding, a_report, an_answer, rules, says
from tests.tables import each_row

CHECKS = "POST /repos/{owner}/{repo}/check-runs"
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


def opened_locked(stage: Stage) -> Opened:
    """A pull request whose conversation was locked before its first review, while it was a draft."""
    stage.model.answers = says(a_report(a_finding()), RULING)
    opened = stage.open(DISCOUNT, config=GATED, draft=True)
    stage.github.lock(opened.number, "too heated")
    stage.github.ready(opened.number)
    stage.settle()
    return opened


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


def test_a_locked_conversation_has_its_review_in_the_check_run(stage: Stage) -> None:
    """No review is tried. A push into it tells all that is open; after it is unlocked reviews are posted as usual."""
    before = stage.sent(REVIEWS)

    opened = opened_locked(stage)

    assert_told_by_check(opened, LOCKED)
    assert (stage.outcome()["outcome"], stage.outcome()["review_refused"]) == ("completed", LOCKED.partition(",")[0])

    push(opened, SHELF, a_report(OFF_BY_ONE))

    summary = unlinked(opened.check["output"]["summary"])
    assert summary.startswith(LOCKED)
    assert "- [MAJOR] src/orders.py (2): The discount is added\n\n  An order of 100 costs 105.\n\n" in summary
    assert f"- [MAJOR] src/stock.py (2): One is missing\n\n  {OFF_BY_ONE['explanation']}\n\n" in summary
    assert [note["path"] for note in annotations(opened)] == ["src/orders.py", "src/stock.py"]
    assert (stage.sent(REVIEWS) - before, tries(opened)[1:]) == (0, [("completed", 1)] * 2)

    stage.github.unlock(opened.number)
    known = {each.finding.path: each.id for each in opened.ledger.findings()}
    push(opened, FIXED, a_report(earlier=[an_answer(known["src/orders.py"])]))

    [review] = opened.reviews
    assert "[MAJOR] src/stock.py (2): One is missing\n" in unlinked(review["body"])
    assert (opened.comments, [note["path"] for note in annotations(opened)]) == ([], ["src/stock.py"])
    assert {each.finding.path: each.status for each in opened.ledger.findings()} == {
        "src/orders.py": "fixed",
        "src/stock.py": "open",
    }
    assert (stage.sent(REVIEWS) - before, opened.dead) == (1, [])


def test_threads_of_a_locked_conversation_stay_as_they_are(stage: Stage) -> None:
    """Our reply is refused, and so is the answer to a request for what is reviewed: neither fails anything."""
    opened = opened_with_finding(stage)
    stage.github.lock(opened.number)
    [known] = opened.ledger.findings()

    push(opened, FIXED, a_report(earlier=[an_answer(known.id)]))
    opened.ask_for_review()

    assert opened.check["output"]["summary"].startswith(LOCKED)
    assert (opened.check["conclusion"], opened.ledger.findings()[0].status) == ("success", "fixed")
    assert (len(opened.reviews), len(opened.comments), opened.dead) == (1, 1, [])
    assert tries(opened) == [("completed", 1), ("completed", 1), ("skipped", 1)]
    assert opened.get(f"/issues/{opened.number}/comments") == []


def test_a_locked_conversation_without_a_check_run_is_refused_once(stage: Stage) -> None:
    """The log says so, and no finding counts as told: the next event posts the review, and asks nobody again."""
    stage.github.fail_next(CHECKS, FORBIDDEN, times=2)

    opened = opened_locked(stage)

    assert (stage.outcome()["outcome"], stage.outcome()["reason"]) == ("refused", LOCKED.partition(",")[0])
    assert (tries(opened)[1:], opened.ledger.findings(), opened.dead) == ([("refused", 1)], (), [])

    asked = stage.asked
    stage.github.unlock(opened.number)
    opened.ask_for_review()

    assert (len(opened.reviews), len(opened.comments), stage.asked) == (1, 1, asked)


def test_a_mention_in_a_locked_conversation_is_acted_on_and_not_answered(talk: Stage) -> None:
    """People with write access can still write there. Nobody is asked for what cannot be posted."""
    pull = talking.opened(talk)
    talk.github.lock(pull.number)
    asked = talk.asked

    talking.say(pull, "@kodiai why?")
    talking.say(pull, "@kodiai fix all")
    talking.reply(pull, "@kodiai resolve")

    lines = talking.outcomes(pull)
    assert [(line["outcome"], line["attempt"]) for line in lines] == [("refused", 1)] * 3
    assert {line["reason"] for line in lines} == {"the conversation is locked: no answer can be posted"}
    assert (talk.asked, talking.conversation(pull), [each.status for each in pull.ledger.findings()]) == (
        asked,
        [],
        ["dismissed"],
    )
