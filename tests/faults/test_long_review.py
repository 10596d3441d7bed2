"""A review that takes longer than a function may run."""

from collections import Counter

import pytest

from tests.faults.scene import Pace, a_scene

pytestmark = pytest.mark.proof

# Nobody dies here: a message stays hidden however long a slow machine takes to begin with it.
SHORT = Pace(timeout=10, visibility=120, answer=3, publish=0.5, at_once=2)
SMALL_BATCHES = {"limits/batch-tokens": "1000", "limits/read-files": "500"}


def test_a_pull_request_of_500_files_is_read_whole_by_several_messages() -> None:
    """With the clock shortened to 10 seconds the review goes on as a fresh message, as often as it takes.

    It takes half a minute: the model's 0.5 seconds for each answer are what the time runs out by.
    Nothing is asked twice, every message succeeds at its first attempt, and one review comes of it.
    """
    with a_scene(SHORT, parameters=SMALL_BATCHES) as scene:
        scene.reviewer.slow_seconds = 0.5
        scene.reviewer.slow.add(scene.github.state.new_number())
        files = {f"src/part_{number:03}.py": f"number = {number}\n" for number in range(500)}

        number = scene.open(None, files)
        scene.settle()

        outcomes = [line for line in scene.machine.system.log_lines if line.get("attempt")]
        assert [line["outcome"] for line in outcomes[:-1]] == ["continued"] * (len(outcomes) - 1)
        assert len(outcomes) >= 3
        assert (outcomes[-1]["outcome"], outcomes[-1]["files_read"]) == ("completed", 500)
        assert {line["attempt"] for line in outcomes} == {1}
        [review] = scene.github.state.reviews_of(number, scene.github.bot_login)
        assert "500 of 500 files" in review.body
        [check] = scene.github.state.checks.values()
        assert check.status == "completed"
        assert scene.machine.model is not None
        asked = Counter(repr(request.body) for request in scene.machine.model.requests)
        assert len(asked) > 20
        assert set(asked.values()) == {1}
