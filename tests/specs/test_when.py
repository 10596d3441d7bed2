"""When a pull request is reviewed, when it is not, and what it is told then."""

from tests.specs.conftest import Stage
from tests.specs.scripts import a_report, says

CHANGE = {"src/orders.py": "def total(prices):\n    return sum(prices) or 0\n"}


def test_a_draft_is_left_alone_until_it_is_ready(stage: Stage) -> None:
    """Nothing is posted, no check is opened, the model is not asked, and the log says why.

    The event says only that there is something to look at; the rest is read: a message that comes late finds the
    pull request closed.
    """
    stage.model.answers = says(a_report())
    asked = stage.asked

    opened = stage.open(CHANGE, draft=True)

    assert (stage.outcome()["outcome"], stage.outcome()["reason"]) == ("skipped", "the pull request is a draft")

    stage.github.close(opened.number)
    opened.ask_for_review()

    assert stage.outcome()["reason"] == "the pull request is closed"
    check = opened.check
    assert (check["conclusion"], check["output"]["title"]) == ("skipped", "Waiting: the pull request is a draft")
    assert (opened.reviews, stage.asked) == ([], asked)

    stage.github.reopen(opened.number)
    stage.github.ready(opened.number)
    stage.settle()

    assert len(opened.reviews) == 1
    assert (opened.check["id"], opened.check["conclusion"]) == (check["id"], "success")


def test_a_pull_request_that_the_settings_exclude_is_left_alone(stage: Stage) -> None:
    """The settings are those of the base branch."""
    opened = stage.open(CHANGE, config="review:\n  skipAuthors: [Octocat]\n", author="octocat")

    assert (stage.outcome()["outcome"], stage.outcome()["reason"]) == ("skipped", "skipAuthors names octocat")
    said = opened.check["conclusion"], opened.check["output"]["title"]
    assert (opened.reviews, said) == ([], ("skipped", "Skipped: skipAuthors names octocat"))


def test_settings_that_cannot_be_followed_stop_everything_and_say_so(stage: Stage) -> None:
    """A key that restricts fails closed: the check names it, nothing is posted."""
    stage.model.answers = says(a_report())

    opened = stage.open(CHANGE, config="review:\n  skipPaths: 7\n")

    assert opened.reviews == []
    [check] = opened.checks(opened.head)
    assert (check["status"], check["conclusion"]) == ("completed", "neutral")
    assert "skipPaths" in check["output"]["summary"]


def test_a_wrong_setting_that_restricts_nothing_is_named_in_the_review(stage: Stage) -> None:
    """The default serves for that key, the review goes out."""
    stage.model.answers = says(a_report())

    opened = stage.open(CHANGE, config="review:\n  maxComments: many\n  maxComment: 3\n")

    [review] = opened.reviews
    problems = [line for line in review["body"].splitlines() if line.startswith("- Problem: ")]
    assert len(problems) == 2
    assert any("maxComments" in problem for problem in problems)


def test_settings_come_from_the_base_and_never_from_the_change_itself(stage: Stage) -> None:
    """Else a pull request could turn its own review off."""
    stage.model.answers = says(a_report())

    opened = stage.open({**CHANGE, ".kodiai.yml": "review:\n  enabled: false\n"})

    assert len(opened.reviews) == 1


def test_a_budget_that_is_used_up_stops_the_review_and_says_so(stage: Stage) -> None:
    """The model is not asked; the check names the key and the sums."""
    stage.model.answers = says(a_report())
    asked = stage.asked

    opened = stage.open(CHANGE, config="budget:\n  perPullRequest: 0\n")

    assert opened.reviews == []
    assert stage.asked == asked
    assert opened.checks(opened.head)[0]["output"]["summary"] == (
        "The budget `budget.perPullRequest` is used up: $0.00 of $0.00 were spent.\n\n"
        "Once that is fixed, comment `@kodiai review`, or press “Review again”."
    )
