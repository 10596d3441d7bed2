"""Each guard is needed: without it, a fault that is survived with it leaves something twice or loses something."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.faults.campaign import Case, Result, run
from tests.faults.deaths import Death
from tests.faults.flows import FLOWS
from tests.faults.scene import Pace, a_scene
from tests.faults.trial import Fault, Point

LAYER = Path(__file__).parents[2] / "layers" / "common" / "kodiai"
QUICK = Pace(timeout=5, visibility=3, answer=2, publish=1, at_once=2)
# Long enough for a second delivery to begin, and to end, beside the first.
LONG = Pace(timeout=12, visibility=3, answer=2, publish=1, at_once=2)
BY_NAME = {flow.name: flow for flow in FLOWS}


@dataclass(frozen=True)
class Guard:
    """A line of the layer, what it becomes where the guard is taken away, and the fault that it guards against."""

    name: str
    file: str
    line: str
    without: str
    call: str
    death: Death
    flow: str = "first review"

    @property
    def case(self) -> Case:
        return Case(BY_NAME[self.flow], Fault(Point(self.call, 1), self.death))


POST_REVIEW = "GitHub POST pulls/{id}/reviews"
GUARDS = (
    Guard(
        "lease",
        "edges/ledger.py",
        "ConditionExpression=free,",
        "",
        POST_REVIEW,
        Death.OVERTAKEN,
    ),
    Guard(
        "mark",
        "flows/review_pull_request.py",
        "world.ledger.stage(run.id, staged)",
        "pass",
        POST_REVIEW,
        Death.KILLED_AFTER,
        "first review, pushed meanwhile",
    ),
    Guard(
        "marker of a review",
        "flows/review/publish.py",
        "return None if world.settings.github.only_shows else world.github.find_review(run.id)",
        "return None",
        POST_REVIEW,
        Death.KILLED_AFTER,
    ),
    Guard(
        "marker of a check run",
        "flows/review/check.py",
        "return _noted(world, run, world.github.find_check(run.head, _external_id(run, pull_request)))",
        "return run",
        "GitHub POST check-runs",
        Death.KILLED_AFTER,
    ),
    Guard(
        "conditional write",
        "edges/ledger.py",
        'ConditionExpression="attribute_not_exists(seen_by) OR seen_by <> :run",',
        "",
        "DynamoDB UpdateItem FINDING",
        Death.KILLED_AFTER,
    ),
    Guard(
        "kept answer",
        "flows/answers.py",
        "if kept is not None:",
        "if False:",
        "DynamoDB TransactWriteItems ANSWER STATE MONTH",
        Death.KILLED_AFTER,
    ),
)


def test_with_every_guard_in_its_place_all_of_this_is_survived() -> None:
    """The same faults as below."""
    with a_scene(LONG) as scene:
        results = list(run(scene, [guard.case for guard in GUARDS]))

    assert [result for result in results if not result.survived] == []


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.name)
def test_without_this_guard_a_fault_is_not_survived(guard: Guard, tmp_path: Path) -> None:
    """The functions run with a layer of which one line was changed."""
    pace = LONG if guard.death is Death.OVERTAKEN else QUICK
    with a_scene(pace, layer=layer_without(guard, tmp_path)) as scene:
        [result] = run(scene, [guard.case])

    assert not result.survived
    assert (
        damage(result)
        == {
            "lease": "2 reviews",
            "mark": "loss",
            "marker of a review": "2 reviews",
            "marker of a check run": "check twice",
            "conditional write": "record twice",
            "kept answer": "paid again",
        }[guard.name]
    )


def layer_without(guard: Guard, folder: Path) -> Path:
    """A copy of the layer without one guard, which must be there exactly once."""
    copy = folder / "layer"
    shutil.copytree(LAYER, copy / "kodiai", ignore=shutil.ignore_patterns("__pycache__"))
    file = copy / "kodiai" / guard.file
    text = file.read_text("utf-8")
    assert text.count(guard.line) == 1
    file.write_text(text.replace(guard.line, guard.without), "utf-8")
    return copy


def damage(result: Result) -> str:
    """What a person, or the bookkeeping, sees of it."""
    verdict = result.verdict
    if result.kept_paid_again:
        return "paid again"
    if any(each.startswith("check of ") for each in verdict.duplicates):
        return "check twice"
    if any(each.startswith("2 reviews") for each in verdict.duplicates):
        return "2 reviews"
    if any(each.startswith("record of finding") for each in verdict.duplicates):
        return "record twice"
    return "loss" if verdict.losses else "none"
