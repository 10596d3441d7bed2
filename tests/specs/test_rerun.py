"""“Re-run all checks”: the review is requested again of every pull request that has this head."""

from typing import Any

from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT
from tests.specs.scripts import a_finding, a_report, says

ON_REQUEST = "review:\n  triggers:\n    onOpened: false\n"


def unreviewed(stage: Stage, **more: Any) -> Opened:
    """A pull request that is reviewed on request only; its check run says so."""
    stage.model.answers = says(a_report(a_finding()))
    opened = stage.open(DISCOUNT, config=ON_REQUEST, **more)
    assert (opened.check["conclusion"], opened.reviews) == ("skipped", [])
    return opened


def rerun(opened: Opened) -> None:
    opened.stage.github.rerun_checks(opened.head)
    opened.stage.settle()


def asked(opened: Opened) -> list[tuple[str, str]]:
    """The trigger and the outcome of every job after the first event."""
    return [(line["trigger"], line["outcome"]) for line in opened.outcomes[1:]]


def test_all_checks_run_again_are_a_request_for_a_review(stage: Stage) -> None:
    """It is one of the pull request that GitHub names. A repeat of the webhook leads to nothing."""
    opened = unreviewed(stage)

    rerun(opened)
    stage.github.redeliver(next(each.guid for each in stage.github.deliveries[::-1] if each.event == "check_suite"))
    stage.settle()

    assert (asked(opened), len(opened.reviews)) == ([("rerequested", "completed")], 1)


def test_all_checks_of_a_fork_run_again_are_a_request_too(stage: Stage) -> None:
    """GitHub does not name its pull request, and our check run does."""
    opened = unreviewed(stage, from_fork=True, author="stranger")

    rerun(opened)

    [line] = [each for each in stage.outcomes if each.get("head") == opened.head and "pull_request" not in each]
    assert (line["outcome"], line["reason"]) == ("done", "1 review requested again")
    assert (asked(opened), len(opened.reviews)) == ([("rerequested", "completed")], 1)


def test_all_checks_of_a_shared_head_run_again_are_a_request_of_each_pull_request(stage: Stage) -> None:
    """In a second pull request of the same commit, into another branch."""
    first = unreviewed(stage)
    base = stage.commit({".kodiai.yml": ON_REQUEST, "other.txt": "1\n"})
    second = Opened(stage, stage.github.open_pull_request(first.head, base))
    stage.settle()

    rerun(first)

    for opened in (first, second):
        assert (asked(opened), len(opened.reviews)) == ([("rerequested", "completed")], 1)


def test_all_checks_of_a_commit_without_pull_requests_run_again_are_a_line_in_the_log(stage: Stage) -> None:
    """The check run is of a kind that names none."""
    opened = unreviewed(stage, from_fork=True, author="stranger")
    [check] = stage.github.state.checks_of(opened.head)
    check.external_id = "something-else"

    rerun(opened)

    assert (stage.outcome()["outcome"], stage.outcome()["reason"]) == (
        "skipped",
        "neither GitHub nor a check run of ours on this commit names a pull request",
    )
    assert opened.reviews == []
