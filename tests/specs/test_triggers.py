"""Events that lead to a review by themselves, and those that do not: drafts, bots, labels, base branches."""

import pytest

from tests.specs.conftest import Opened, Stage
from tests.specs.scripts import a_finding, a_report, says
from tests.specs.talking import items

CHANGE = {"src/orders.py": "def total(prices):\n    return sum(prices) or 0\n"}
RENOVATE = "renovate[bot]"
NOT_NAMED = "renovate[bot] is a bot that review.bots does not include"


@pytest.fixture(autouse=True)
def finds_something(stage: Stage) -> None:
    stage.model.answers = says(a_report(a_finding()))


def ends(opened: Opened) -> list[tuple[str, str, str]]:
    """Trigger, outcome and reason of what came of each message."""
    return [(each["trigger"], each["outcome"], each["reason"]) for each in opened.outcomes]


def test_a_draft_is_left_alone_until_it_is_ready(stage: Stage) -> None:
    """Nothing is posted, the model is not asked, and the log says why.

    The event says only that there is something to look at: a message that comes late finds the pull request closed.
    """
    opened = stage.open(CHANGE, draft=True)
    stage.github.close(opened.number)
    opened.ask_for_review()

    reasons = [reason for _, _, reason in ends(opened)]
    assert (reasons[0], reasons[-1]) == ("the pull request is a draft", "the pull request is closed")
    check = opened.check
    assert (check["conclusion"], check["output"]["title"]) == ("skipped", "Waiting: the pull request is a draft")
    assert (opened.reviews, stage.asked) == ([], 0)

    stage.github.reopen(opened.number)
    stage.github.ready(opened.number)
    stage.settle()

    assert len(opened.reviews) == 1
    assert opened.check["id"] == check["id"]


def test_a_bots_pull_request_waits_until_a_person_asks(stage: Stage) -> None:
    """There are many of these: one look at the settings, and a check run that says why; the log says it too."""
    opened = stage.open(CHANGE, author=RENOVATE)

    assert ends(opened) == [("opened", "skipped", NOT_NAMED)]
    check = opened.check
    assert (check["conclusion"], check["output"]["title"]) == ("skipped", f"Skipped: {NOT_NAMED}")
    assert opened.reviews == []
    assert ([item["sk"] for item in items(opened, "")], stage.asked) == (["STATE"], 0)

    opened.ask_for_review()

    assert ends(opened)[-1][:2] == ("review_requested", "completed")
    assert len(opened.reviews) == 1
    assert opened.check["id"] == check["id"]


def test_a_label_that_comes_later_leads_to_the_review(stage: Stage) -> None:
    """No other label does, and it does so once."""
    opened = stage.open(CHANGE, config="review: {labels: {only: [Needs Review]}}")

    for label in ("bug", "needs review"):
        stage.github.label(opened.number, label)
        stage.settle()

    opening, other, wanted = ends(opened)
    assert opening == ("opened", "skipped", "its labels are not in labels.only")
    assert other == ("labeled", "skipped", "labels.only does not name bug")
    assert wanted[:2] == ("labeled", "completed")
    stage.github.unlabel(opened.number, "needs review")
    stage.settle()
    assert ends(opened)[-1] == ("unlabeled", "skipped", "labels.ignore does not name needs review")
    assert len(opened.reviews) == 1


def test_a_label_that_is_there_from_the_beginning_leads_to_one_review(stage: Stage) -> None:
    """GitHub tells of the pull request and of its label."""
    opened = stage.open(CHANGE, config="review: {labels: {only: [ready]}}", labels=["Ready"])

    assert ends(opened)[1:] == [("labeled", "skipped", f"reviewed at {opened.head[:7]} already")]
    assert len(opened.reviews) == 1


def test_a_label_that_is_to_be_ignored_leads_to_the_review_when_it_goes(stage: Stage) -> None:
    """Until then nothing by itself does."""
    opened = stage.open(CHANGE, config="review: {labels: {ignore: [wip]}}", labels=["wip"])
    opened.push(stage.commit({"src/more.py": "x = 1\n"}, opened.head))
    assert ends(opened)[-1] == ("synchronize", "skipped", "labels.ignore names wip")

    stage.github.unlabel(opened.number, "wip")
    stage.settle()

    assert ends(opened)[-1][:2] == ("unlabeled", "completed")
    assert len(opened.reviews) == 1


def test_a_pull_request_that_moves_to_a_named_branch_is_reviewed(stage: Stage) -> None:
    """The settings are those of the branch that it goes into."""
    base = stage.commit({".kodiai.yml": "review: {baseBranches: [main]}"})
    opened = stage.open(CHANGE, base=base)
    own = stage.github.state.pulls[opened.number].base_ref
    assert ends(opened)[-1][1:] == ("skipped", f"baseBranches does not name {own}")
    named = f"goal-{opened.number}"
    goal = stage.repository.commit({".kodiai.yml": f"review: {{baseBranches: [{named}]}}"}, base, branch=named)
    stage.github.repository.copy.set_ref(f"refs/heads/{named}", goal)

    stage.github.retarget(opened.number, named)
    stage.settle()

    assert ends(opened)[-1][:2] == ("edited", "completed")
    assert len(opened.reviews) == 1


def test_a_reviewed_head_is_looked_at_again_where_its_base_branch_is_another_one(stage: Stage) -> None:
    """The same commits may be another change there; where they are not, nobody is asked and nothing is posted."""
    opened = stage.open(CHANGE)
    asked = stage.asked
    other = f"other-{opened.number}"
    stage.github.repository.copy.set_ref(f"refs/heads/{other}", stage.base)

    stage.github.retarget(opened.number, other)
    stage.settle()

    assert [end[:2] for end in ends(opened)] == [("opened", "completed"), ("edited", "unchanged")]
    assert (stage.asked, len(opened.reviews)) == (asked, 1)
