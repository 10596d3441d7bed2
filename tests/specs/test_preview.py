"""A preview: an operator sees what a first review would post, and every later review is as without it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from local.model import Script, is_judge
from tests.cli.running import Done, run_command
from tests.queued import job_of, put_into_queue
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT, NOT_FOUND, OFF_BY_ONE, SHELF, TREES, assert_reviewed_once
from tests.specs.scripts import a_finding, a_report, says
from tests.specs.talking import items
from tests.specs.test_dry_run import kept, paths, writes


def command(stage: Stage, *arguments: str) -> Done:
    """The output of an operator's command; the functions work meanwhile."""
    return run_command(*arguments, "--endpoint-url", stage.machine.aws.access_url)


def preview(opened: Opened, *more: str) -> Done:
    return command(opened.stage, "preview", opened.group, *more)


def show(opened: Opened, *more: str) -> Done:
    return command(opened.stage, "show", opened.group, *more)


def unopened(stage: Stage, **more: Any) -> Opened:
    """A pull request of which no webhook came."""
    with stage.sent_to(None):
        return Opened(stage, stage.github.open_pull_request(stage.commit(DISCOUNT), stage.base, **more))


def state(opened: Opened) -> Mapping[str, Mapping[str, Any]]:
    """The items that later reviews go by: all of the pull request but those of runs, which only the state leads to.

    What was spent, and until when things are kept, is left out.
    """
    of_runs = ("RUN#", "STAGED#", "SNAPSHOT#", "ANSWER#", "PREVIEW")
    return {
        item["sk"]: {name: value for name, value in item.items() if name not in ("spent", "expires_at")}
        for item in items(opened, "")
        if not item["sk"].startswith(of_runs)
    }


def without_marks(text: str) -> str:
    """A review's text without the run and the seconds in it."""
    lines = [line for line in text.splitlines() if not line.startswith(("- Time:", "<!-- kodiai"))]
    return "\n".join(lines)


@pytest.fixture
def answers(stage: Stage) -> Stage:
    """A system whose model finds one thing."""
    stage.model.answers = says(a_report(a_finding()))
    return stage


def test_a_preview_posts_nothing_and_the_first_review_is_as_without_it(answers: Stage) -> None:
    """It asks the model nothing that the preview has asked, and posts what that has shown."""
    opened, before = unopened(answers), len(writes(answers))

    done = preview(opened)

    assert done.status == 0, done.err
    assert "Address before merging" in done.out
    assert "src/orders.py:2" in done.out
    assert done.out.endswith(
        "Check run would be neutral: Address before merging · 1 major\nNothing was written to GitHub.\n\n"
    )
    steps = [line for line in done.err.splitlines() if not line.startswith("… waiting")]
    assert steps[:2] == ["… looking for the pull request", "… asking for the review"]
    [run] = kept(opened)
    assert (run.kept, paths(run), run.staged is not None) == ("preview", ["src/orders.py"], True)
    assert (len(writes(answers)), opened.reviews, opened.checks(opened.head)) == (before, [], [])
    assert set(state(opened)) == {"STATE"}

    asked = answers.asked
    opened.ask_for_review()

    assert answers.asked == asked
    assert_reviewed_once(opened)
    assert run.staged is not None
    assert run.staged.review is not None
    assert without_marks(opened.reviews[0]["body"]) == without_marks(run.staged.review.body)
    assert opened.outcomes[-1]["reason"] == "no-prior-review"


def test_a_preview_of_a_reviewed_pull_request_changes_nothing(answers: Stage) -> None:
    """It shows a first review, whatever was posted, and the next push continues what was."""
    opened = answers.open(DISCOUNT, config="review: {triggers: {onSynchronize: true}}")
    before, comments = state(opened), opened.comments

    assert preview(opened, "--json").status == 0
    again = preview(opened)

    assert "src/orders.py:2" in again.out
    assert (state(opened), opened.comments) == (before, comments)
    assert [run.kept for run in kept(opened)] == [None, "preview", "preview"]
    answers.model.answers = says(a_report(OFF_BY_ONE))
    opened.push(answers.commit(SHELF, opened.head))
    assert opened.outcomes[-1]["reason"].startswith("since-")
    assert [comment["path"] for comment in opened.comments] == ["src/orders.py", "src/stock.py"]


def test_a_merged_pull_request_can_be_previewed(answers: Stage) -> None:
    """Most pull requests are, and nobody is disturbed."""
    opened = unopened(answers)
    answers.github.close(opened.number, merged=True)
    answers.settle()

    assert preview(opened).status == 0
    assert paths(kept(opened)[-1]) == ["src/orders.py"]


def test_a_preview_goes_on_at_a_newer_head(answers: Stage) -> None:
    """It shows the review of the head as it is when it is done."""
    opened = unopened(answers)
    later = answers.commit(SHELF, opened.head)

    def push_meanwhile(_: object) -> None:
        answers.model.answers = says(a_report(a_finding(), OFF_BY_ONE))
        with answers.sent_to(None):
            answers.github.push(opened.number, later)

    answers.model.answers = Script(otherwise=says(a_report(a_finding()))).when(is_judge, push_meanwhile)

    assert preview(opened).status == 0

    first, second = kept(opened)
    assert (first.status, second.status, second.head) == ("superseded", "completed", later)
    assert paths(second) == ["src/orders.py", "src/stock.py"]
    assert set(state(opened)) == {"STATE"}


def test_a_preview_that_is_delivered_again_is_kept_once(answers: Stage) -> None:
    """Nothing is read a second time."""
    opened = unopened(answers)
    job = job_of(answers.github, opened.number, delivery="twice", trigger="review_requested", preview=True)
    for number in (1, 2):
        put_into_queue(answers.machine, job.to_message(), job.group_id, f"twice-{opened.number}-{number}")
    answers.settle()

    assert [line["outcome"] for line in opened.outcomes] == ["completed", "completed"]
    assert len(kept(opened)) == 1


def test_why_there_is_no_preview_is_said_in_one_line(answers: Stage) -> None:
    """Before anything is paid for, as far as that is known; else the function says it."""
    opened, name = unopened(answers), answers.github.full_name

    def said(*arguments: str) -> str:
        done = command(answers, "preview", *arguments)
        assert done.status == 1
        return done.errors[-1]

    assert said(f"{name}#999") == f"kodiai: {name} has no pull request 999."
    assert said("acme/nothing#1") == (
        "kodiai: The App is not installed on acme/nothing: check the name, or install it there."
    )
    assert said(f"{name}#1", "--stage", "nope") == (
        "kodiai: There are no parameters below /kodiai/nope: check the stage and the region."
    )
    answers.github.fail_next(TREES, NOT_FOUND)
    assert said(f"{name}#{opened.number}").startswith(f"kodiai: {name}#{opened.number} was not reviewed: ")
    closed = answers.open(DISCOUNT, config="review: {enabled: false}\n")
    assert said(f"{name}#{closed.number}") == (
        f"kodiai: {name}#{closed.number} was not reviewed: reviews are turned off in .kodiai.yml"
    )


def test_show_lists_the_reviews_and_prints_the_last_one(answers: Stage, tmp_path: Path) -> None:
    """As text, as JSON with everything, and as a page that loads nothing."""
    opened = unopened(answers)
    assert preview(opened).status == 0
    opened.ask_for_review()

    shown, everything = show(opened), show(opened, "--all")
    written = show(opened, "--json", "--html", str(tmp_path / "review.html"))

    name = f"{answers.github.full_name}#{opened.number}"
    heading, columns, first, second, *_ = shown.out.splitlines()
    assert heading == f"{name}: 2 reviews"
    assert columns.split("  ")[0] == "began (UTC)"
    assert " preview  full (first review)  address before merging  1 new " in first
    assert " posted   full (first review)  address before merging  1 new " in second
    assert "Posted, " in shown.out
    assert "Check run was neutral: Address before merging · 1 major" in shown.out
    assert "Preview, " not in shown.out
    assert everything.out.count("Address before merging · 1 major") > shown.out.count(
        "Address before merging · 1 major"
    )
    assert '"kept": "preview"' in written.out
    page = (tmp_path / "review.html").read_text("utf-8")
    assert name in page
    assert "The discount is added" in page
    assert page.count("preview, not posted") == 1


def test_show_says_what_there_is_not(answers: Stage) -> None:
    """A repository nobody has heard of, a pull request without a review, a stage without a table."""
    answers.open(DISCOUNT)

    def said(*arguments: str) -> str:
        done = command(answers, "show", *arguments)
        assert (done.status, done.out) == (1, "")
        return done.err.strip()

    assert said("acme/other#1") == (
        "kodiai: Nothing is stored about acme/other: check the spelling and the stage. "
        "After a rename, the new name works from the next webhook on."
    )
    assert said(f"{answers.github.full_name}#999") == (
        f"kodiai: No review of {answers.github.full_name}#999 is stored: none has begun, or all have "
        "expired. The line “outcome” in the log of the review function has the reason."
    )
    assert said("acme/other#1", "--stage", "nope").startswith("kodiai: The table cannot be used: DynamoDB says ")
