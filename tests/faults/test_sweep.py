"""A sweep dies at each of its calls: the next one finishes its work, and nothing is redelivered or reviewed twice."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.faults.deaths import Death
from tests.faults.flows import ONE_KILL_ONE_LOSS
from tests.faults.scene import DISCOUNT, Scene, a_scene
from tests.faults.trial import Fault, Point, Trial

NOWHERE = "http://127.0.0.1:9/webhook"
_ABOUT_NO_PULL_REQUEST = 0
_LONGEST_SECONDS = 120


@dataclass(frozen=True)
class Seen:
    """What came of two pull requests, of one of which a webhook was lost, and of the other one none was ever sent."""

    struck: bool
    redeliveries: int
    reviews: tuple[int, int]
    heads: tuple[bool, bool]
    dead: int


AS_IF_NOTHING_HAD_HAPPENED = Seen(struck=True, redeliveries=1, reviews=(1, 1), heads=(True, True), dead=0)


@pytest.fixture(scope="module")
def scene() -> Iterator[Scene]:
    with a_scene() as scene:
        yield scene
        assert scene.github.violations == []


def lose(scene: Scene) -> tuple[int, int]:
    """Open two pull requests that nobody hears of; the numbers, first that of the one whose webhook is in the log."""
    numbers = []
    for address in (NOWHERE, None):
        right, scene.github.webhook_url = scene.github.webhook_url, address
        numbers.append(scene.open(None, {"src/orders.py": DISCOUNT, "n.txt": f"{len(scene.github.state.pulls)}\n"}))
        assert scene.github.settle(_LONGEST_SECONDS)
        scene.github.webhook_url = right
    return numbers[0], numbers[1]


def sweep(scene: Scene) -> None:
    """Let the schedule fire. A lease that a dead sweep has left is over by the time of the next one."""
    scene.machine.system.fire_schedules()
    table = scene.machine.aws.table(scene.machine.system.environment["KODIAI_TABLE"])
    table.update_item(Key={"pk": "SWEEP", "sk": "STATE"}, UpdateExpression="REMOVE lease_owner, lease_until")


def try_out(scene: Scene, fault: Fault | None) -> tuple[Trial, Seen]:
    """Lose two webhooks, and sweep twice, the first time with a fault."""
    numbers, trial, since = lose(scene), Trial(fault), len(scene.github.deliveries) - 2
    scene.watch(trial, _ABOUT_NO_PULL_REQUEST)
    sweep(scene)
    del scene.trials[_ABOUT_NO_PULL_REQUEST]
    assert scene.github.settle(_LONGEST_SECONDS)
    sweep(scene)
    scene.settle()
    first = scene.github.deliveries[since]
    again = [each for each in scene.github.deliveries if each.guid == first.guid and each.redelivery]
    state, us = scene.github.state, scene.github.bot_login
    reviews = [sum(each.author == us for each in state.reviews_of(number, us)) for number in numbers]
    heads = [scene.items(each)["STATE"].get("completed_head") == state.pulls[each].head_sha for each in numbers]
    seen = Seen(trial.struck, len(again), (reviews[0], reviews[1]), (heads[0], heads[1]), len(scene.dead()))
    return trial, seen


@pytest.mark.proof
def test_wherever_it_dies_the_next_sweep_finishes_its_work(scene: Scene) -> None:
    """Each call is tried once as the last one of a killed function, and once without an answer."""
    sweep(scene)  # the scene has a pull request of which no webhook came
    undisturbed, seen = try_out(scene, None)
    assert seen == Seen(False, 1, (1, 1), (True, True), 0)
    names = {point.call for point in undisturbed.calls}
    assert {
        "GitHub GET app/hook/deliveries",
        "GitHub POST app/hook/deliveries/{id}/attempts",
        "GitHub query OpenPullRequests",
        "SQS SendMessage",
        "DynamoDB UpdateItem SWEPT",
        "DynamoDB UpdateItem STATE",
    } <= names

    survived: dict[tuple[Point, Death], Seen] = {}
    for point in undisturbed.calls:
        for death in ONE_KILL_ONE_LOSS:
            _, survived[point, death] = try_out(scene, Fault(point, death))

    assert {case: seen for case, seen in survived.items() if seen != AS_IF_NOTHING_HAD_HAPPENED} == {}
