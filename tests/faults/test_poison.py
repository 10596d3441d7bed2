"""A message that nobody survives."""

import pytest

from cli.dead_letter_queue import DeadLetters
from tests.faults.deaths import Death
from tests.faults.invariants import Expected, judge
from tests.faults.scene import DISCOUNT, Pace, a_scene
from tests.faults.trial import Fault, Point, Trial

pytestmark = pytest.mark.proof

QUICK = Pace(timeout=7, visibility=8, answer=2.5, publish=0.5, at_once=2)


def test_a_message_that_kills_its_function_every_time_ends_among_the_dead_and_can_be_redriven() -> None:
    """It is put away after five tries, about a minute here; another pull request is reviewed meanwhile.

    The last try has closed the check run before it died, so that nobody waits for it.
    Once the cause is gone, the message is put back, and the review is posted, once.
    """
    with a_scene(QUICK) as scene:
        poison = Trial(Fault(Point("Model find", 1), Death.KILLED_EVERY_TIME))
        sick = scene.open(poison, {"src/orders.py": DISCOUNT})
        well = scene.open(None, {"src/orders.py": DISCOUNT, "notes.txt": "Another one.\n"})
        scene.settle()

        outcomes = [line for line in scene.machine.system.log_lines if line.get("attempt")]
        # A slow machine may hand its message out again before it is done; it is reviewed once all the same.
        assert [line["outcome"] for line in outcomes if line["pull_request"] == well].count("completed") == 1
        assert judge(scene, well, Expected()).holds
        assert {line["outcome"] for line in outcomes if line["pull_request"] == sick} <= {"retry", "broken"}
        [check] = [check for check in scene.github.state.checks.values() if f"#{sick}@" in check.external_id]
        assert (check.status, check.conclusion, check.title) == ("completed", "neutral", "Not reviewed")
        letters = DeadLetters.of_stage(scene.machine.aws.client("sqs"), "dev", "reviews")
        with letters.held() as held:
            [letter] = held
            assert letter.job is not None
            assert letter.job.subject == f"{scene.github.full_name}#{sick}"
            assert letter.reason == "the function was killed at every attempt"

            scene.trials.clear()
            letters.redrive(letter)
        scene.settle()

        assert judge(scene, sick, Expected()).holds
        [check] = [check for check in scene.github.state.checks.values() if f"#{sick}@" in check.external_id]
        assert check.title == "Address before merging · 1 major · not blocking: 1 medium"
