"""What leads to a review by itself: bots' pull requests, labels, base branches."""

import pytest
from boto3.dynamodb.conditions import Key

from tests.specs.conftest import Opened, Stage
from tests.specs.scripts import a_finding, a_report, says

CHANGE = {"src/orders.py": "def total(prices):\n    return sum(prices) or 0\n"}
RENOVATE = "renovate[bot]"
NOT_NAMED = "renovate[bot] is a bot that review.bots does not include"


@pytest.fixture(autouse=True)
def finds_something(stage: Stage) -> None:
    stage.model.answers = says(a_report(a_finding()))


def ends(opened: Opened) -> list[tuple[str, str, str]]:
    """Trigger, outcome and reason of what came of each message."""
    return [(each["trigger"], each["outcome"], each["reason"]) for each in opened.outcomes]


def is_unreviewed(opened: Opened, asked: int) -> bool:
    """Whether nothing was asked, and the ledger knows no run."""
    table = opened.stage.machine.aws.table(opened.stage.machine.system.environment["KODIAI_TABLE"])
    items = table.query(KeyConditionExpression=Key("pk").eq(opened.partition))["Items"]
    return [item["sk"] for item in items] == ["STATE"] and opened.stage.asked == asked


def test_a_bots_pull_request_waits_until_a_person_asks(stage: Stage) -> None:
    """There are many of these: one look at the settings, and a check run that says why; the log says it too."""
    asked = stage.asked

    opened = stage.open(CHANGE, author=RENOVATE)

    assert ends(opened) == [("opened", "skipped", NOT_NAMED)]
    check = opened.check
    assert (check["conclusion"], check["output"]["title"]) == ("skipped", f"Skipped: {NOT_NAMED}")
    assert opened.reviews == []
    assert is_unreviewed(opened, asked)

    opened.ask_for_review()

    assert ends(opened)[-1][:2] == ("review_requested", "completed")
    assert len(opened.reviews) == 1
    assert opened.check["id"] == check["id"]


def test_a_bots_pull_request_is_reviewed_where_the_settings_want_it(stage: Stage) -> None:
    """This bot's, whatever its capitals."""
    opened = stage.open(CHANGE, config="review: {bots: ['Renovate[bot]']}", author=RENOVATE)

    assert [end[:2] for end in ends(opened)] == [("opened", "completed")]
    assert len(opened.reviews) == 1


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
    opened = Opened(stage, stage.github.open_pull_request(stage.commit(CHANGE, base), base))
    stage.settle()
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
