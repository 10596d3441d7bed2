"""A person asks for a review by name: of what is reviewed already, of what is not, and while one is under way."""

import time

from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT
from tests.specs.pushing import opened_with_finding, push
from tests.specs.scripts import a_finding, a_report, says


def said(opened: Opened) -> list[str]:
    """What was said in the conversation, without the marks."""
    found = opened.get(f"/issues/{opened.number}/comments")
    return [comment["body"].split("\n\n<!-- kodiai:answer ")[0] for comment in found]


def test_a_head_that_is_reviewed_is_answered_in_one_line(stage: Stage) -> None:
    """Once for each head, however often and in whichever way it is asked for, and without a question to the model."""
    opened = opened_with_finding(stage)
    asked = stage.asked

    opened.ask_for_review()
    stage.github.redeliver(stage.github.deliveries[-1].guid)
    stage.settle()
    stage.github.rerequest_check(int(opened.check["id"]))
    stage.settle()
    opened.ask_for_review()

    line = f"Reviewed at {opened.head[:7]}; nothing changed since. `full review` looks again."
    assert said(opened) == [line]
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
    """Where pushes are not reviewed by themselves a request reviews what came since, and says nothing else."""
    stage.model.answers = says(a_report(a_finding()))
    opened = stage.open(DISCOUNT, config="review: {triggers: {onSynchronize: false}}")
    push(opened, {"src/more.py": "x = 1\n"})

    opened.ask_for_review()

    assert (stage.outcome()["mode"], stage.outcome()["hunks_asked"]) == ("incremental", 1)
    assert said(opened) == []
