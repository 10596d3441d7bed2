"""A pull request is opened, and one review is posted: the whole way, over real HTTP, through the real store."""

from tests.specs.conftest import Opened, Stage

DEFECTS = """\
import subprocess


def add(item, items=[]):
    items.append(item)
    return items


def run(command):
    return subprocess.run(f"tar {command}", shell=True)
"""


def test_an_opened_pull_request_gets_one_review(stage: Stage) -> None:
    """Its summary has the first-review form, and its comments stand on the lines that they are about."""
    opened = stage.open({"src/add.py": DEFECTS})

    [review] = opened.reviews
    assert review["user"]["login"] == "kodiai[bot]"
    assert review["state"] == "COMMENTED"
    assert review["commit_id"] == opened.head
    assert review["body"].startswith(
        ":red_circle: **Address before merging** · 1 major, 1 medium\n\n"
        "<details><summary>Kodiai Review Summary</summary>\n\n## What Changed\n\n"
    )
    assert ":red_circle: **Address before merging** -- " in review["body"]
    lines = {comment["line"]: comment["body"].splitlines()[0] for comment in opened.comments}
    assert set(lines) == {4, 10}
    assert all(first.startswith("**[") for first in lines.values())


def test_the_review_says_that_the_offline_reviewer_wrote_it(stage: Stage) -> None:
    """Nobody takes ruff for Claude."""
    opened = stage.open({"src/add.py": DEFECTS})

    assert "Offline checks only" in opened.reviews[0]["body"]


def test_a_check_run_says_what_it_came_to(stage: Stage) -> None:
    """It is completed, named, and knows its run."""
    opened = stage.open({"src/add.py": DEFECTS})

    [check] = opened.checks(opened.head)
    assert (check["name"], check["status"], check["conclusion"]) == ("Kodiai", "completed", "neutral")
    assert check["output"]["title"] == "Address before merging · 1 major, 1 medium"
    assert check["external_id"].startswith(f"{stage.github.full_name}#{opened.number}@")


def test_a_clean_change_is_ready_to_merge(stage: Stage) -> None:
    """No finding, no comment, a green verdict and a green check."""
    opened = stage.open({"src/orders.py": "def total(prices):\n    return sum(prices, start=0)\n"})

    [review] = opened.reviews
    assert ":green_circle: **Ready to merge** -- nothing found in 1 file" in review["body"]
    assert "## Observations" not in review["body"]
    assert opened.comments == []
    assert opened.checks(opened.head)[0]["conclusion"] == "success"


def test_findings_are_remembered_with_their_comments(stage: Stage) -> None:
    """The next review and a reply find the finding by its comment."""
    opened = stage.open({"src/add.py": DEFECTS})

    known = {finding.comment_id: finding.finding.start_line for finding in opened.ledger.findings()}

    assert known == {str(comment["id"]): comment["line"] for comment in opened.comments}


def test_the_same_delivery_again_costs_nothing(stage: Stage) -> None:
    """GitHub's redelivery keeps the GUID: the queue drops it, and not a single call is made to GitHub."""
    opened = stage.open({"src/add.py": DEFECTS})
    guid = [delivery.guid for delivery in stage.github.deliveries if delivery.event == "pull_request"][-1]
    before = len(stage.github.requests), stage.asked

    stage.github.redeliver(guid)
    stage.settle()

    assert (len(stage.github.requests), stage.asked) == before
    assert len(opened.reviews) == 1


def test_another_event_for_the_same_head_costs_one_look(stage: Stage) -> None:
    """A head that has a completed review is not reviewed again, whatever asks for it."""
    opened = stage.open({"src/add.py": DEFECTS})
    asked = len(stage.machine.model.requests) if stage.machine.model else 0

    stage.github.close(opened.number)
    stage.github.reopen(opened.number)
    stage.settle()

    outcome = stage.outcome()
    assert (outcome["outcome"], outcome["reason"]) == ("skipped", f"reviewed at {opened.head[:7]} already")
    assert len(opened.reviews) == 1
    assert stage.machine.model is not None
    assert len(stage.machine.model.requests) == asked


def test_pull_requests_that_are_opened_at_once_each_get_their_review(stage: Stage) -> None:
    """They are different groups of the queue: none waits for the other, none gets the other's findings."""
    numbers = [
        stage.github.open_pull_request(stage.commit({f"src/add_{name}.py": DEFECTS}), stage.base) for name in "abc"
    ]
    stage.settle()

    for name, number in zip("abc", numbers, strict=True):
        opened = Opened(stage, number)
        assert len(opened.reviews) == 1
        assert {comment["path"] for comment in opened.comments} == {f"src/add_{name}.py"}
