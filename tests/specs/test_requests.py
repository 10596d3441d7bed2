"""Requests for a review: by name, and by running all checks again, which asks for every pull request with this head."""

import time
from typing import Any

from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT
from tests.specs.pushing import opened_with_finding, push
from tests.specs.scripts import a_finding, a_report, says


def said(opened: Opened) -> list[str]:
    """Our comments in the conversation, without the marks."""
    found = opened.get(f"/issues/{opened.number}/comments")
    return [comment["body"].split("\n\n<!-- kodiai:answer ")[0] for comment in found]


def test_a_head_is_reviewed_once_whatever_asks_for_it(stage: Stage) -> None:
    """A redelivery keeps its GUID: the queue drops it, and not a single call is made to GitHub.

    Another event for the same head costs one look. Requests are answered in one line for each head, however often
    and in whichever way they come, and without a question to the model.
    """
    opened = opened_with_finding(stage)
    guid = [delivery.guid for delivery in stage.github.deliveries if delivery.event == "pull_request"][-1]
    before, asked = len(stage.github.requests), stage.asked

    stage.github.redeliver(guid)
    stage.settle()
    assert len(stage.github.requests) == before

    opened.close_and_reopen()
    already = f"reviewed at {opened.head[:7]} already"
    assert (stage.outcome()["outcome"], stage.outcome()["reason"]) == ("skipped", already)

    opened.ask_for_review()
    stage.github.rerequest_check(int(opened.check["id"]))
    stage.settle()
    assert (stage.outcome()["trigger"], stage.outcome()["reason"]) == ("rerequested", already)
    opened.ask_for_review()

    assert said(opened) == [f"Reviewed at {opened.head[:7]}; nothing changed since. `full review` looks again."]
    assert (stage.asked, len(opened.reviews)) == (asked, 1)


def test_a_request_that_a_review_has_met_needs_no_answer(stage: Stage) -> None:
    """The request came while the review was under way: the review is the answer."""
    clock = stage.machine.aws.clock
    ahead = clock.now() - time.time()  # other tests turn the queues' clock, but when a request came counts here
    clock.advance(-ahead)
    stage.model.answers = says(a_report())

    number = stage.github.open_pull_request(stage.commit(DISCOUNT), stage.base)
    stage.github.request_review(number)
    stage.settle()
    clock.advance(ahead)

    opened = Opened(stage, number)
    assert [line["trigger"] for line in opened.outcomes] == ["opened", "review_requested"]
    assert len(opened.reviews) == 1
    assert said(opened) == []


def test_a_push_that_is_asked_to_be_reviewed_is_reviewed(stage: Stage) -> None:
    """A request reviews the pushes that are not reviewed by themselves, and gets no other answer."""
    stage.model.answers = says(a_report(a_finding()))
    opened = stage.open(DISCOUNT, config="review: {triggers: {onSynchronize: false}}")
    push(opened, {"src/more.py": "x = 1\n"})

    opened.ask_for_review()

    assert (stage.outcome()["mode"], stage.outcome()["hunks_asked"]) == ("incremental", 1)
    assert said(opened) == []


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
    second = stage.open_at(first.head, base)

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
