"""Killed while several questions are under way at the same time."""

import pytest

from tests.faults.campaign import Case, run
from tests.faults.deaths import Death
from tests.faults.flows import KEEP_ANSWER, READ_BY_FOUR
from tests.faults.scene import a_scene
from tests.faults.trial import Fault, Point

pytestmark = pytest.mark.proof

AT_ONCE = 4


def test_questions_under_way_are_asked_again_and_nothing_else_shows() -> None:
    """Each question that was under way may be paid for twice, no other; the review is the same."""
    faults = [
        *(Fault(Point("Model find", nth), Death.KILLED_AFTER) for nth in (1, 2, 4)),
        *(Fault(Point(KEEP_ANSWER, nth), Death.KILLED_BEFORE) for nth in (2, 5)),
        Fault(Point("Model find", 3), Death.ERRORS),
        Fault(Point("Model judge", 1), Death.KILLED_AFTER),
    ]
    with a_scene(parameters={"limits/parallel-calls": f"{AT_ONCE}"}) as scene:
        results = list(run(scene, [Case(READ_BY_FOUR, fault) for fault in faults]))

    assert [result.verdict for result in results if not result.verdict.holds] == []
    assert max(result.paid_again for result in results) <= AT_ONCE
