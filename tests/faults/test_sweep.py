"""A sweep dies at each of its calls: the next one finishes its work, and nothing is redelivered or reviewed twice."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from tests.faults.acts import push
from tests.faults.deaths import Death
from tests.faults.flows import ONE_KILL_ONE_LOSS
from tests.faults.scene import DISCOUNT, Scene, a_scene
from tests.faults.trial import Fault, Trial

NOWHERE = "http://127.0.0.1:9/webhook"
LIST = "GitHub GET app/hook/deliveries"
_ABOUT_NO_PULL_REQUEST = 0
_LOOKS = 2
_LONGEST_SECONDS = 120


@dataclass(frozen=True)
class Seen:
    """The outcome of a push whose webhook was lost, and of a pull request of which no webhook was ever sent.

    `runs` are the completed runs of either head.
    """

    struck: bool
    redeliveries: int
    runs: tuple[int, int]
    dead: int


AS_IF_NOTHING_HAD_HAPPENED = Seen(struck=True, redeliveries=1, runs=(1, 1), dead=0)


@pytest.fixture(scope="module")
def scene() -> Iterator[Scene]:
    with a_scene() as scene:
        yield scene
        assert scene.github.violations == []


@contextmanager
def sent_to(scene: Scene, address: str | None) -> Iterator[None]:
    """Within, webhooks go to another address, or nowhere."""
    right, scene.github.webhook_url = scene.github.webhook_url, address
    yield
    assert scene.github.settle(_LONGEST_SECONDS)
    scene.github.webhook_url = right


def sweep(scene: Scene) -> None:
    """Let the schedule fire. A lease that a dead sweep has left is over by the time of the next one."""
    scene.machine.system.fire_schedules()
    table = scene.machine.aws.table(scene.machine.system.environment["KODIAI_TABLE"])
    table.update_item(Key={"pk": "SWEEP", "sk": "STATE"}, UpdateExpression="REMOVE lease_owner, lease_until")


def try_out(scene: Scene, pushed: int, fault: Fault | None) -> tuple[Trial, Seen]:
    """Lose the webhook of a push and that of a new pull request, and sweep twice, the first time with a fault.

    The push is of an old commit, which no sweep takes for a new one: only its webhook tells of it.
    """
    with sent_to(scene, NOWHERE):
        push(scene, pushed, {"src/more.py": f"n = {len(scene.github.deliveries)}\n"})
    lost = scene.github.deliveries[-1]
    with sent_to(scene, None):
        missed = scene.open(None, {"src/orders.py": DISCOUNT, "n.txt": f"{len(scene.github.state.pulls)}\n"})
    trial = Trial(fault)
    scene.watch(trial, _ABOUT_NO_PULL_REQUEST)
    sweep(scene)
    del scene.trials[_ABOUT_NO_PULL_REQUEST]
    assert scene.github.settle(_LONGEST_SECONDS)
    sweep(scene)
    scene.settle()
    again = [each for each in scene.github.deliveries if each.guid == lost.guid and each.redelivery]
    seen = Seen(trial.struck, len(again), (runs(scene, pushed), runs(scene, missed)), len(scene.dead()))
    return trial, seen


def runs(scene: Scene, number: int) -> int:
    """The number of completed runs of the last head."""
    head = scene.github.state.pulls[number].head_sha
    items = [item for key, item in scene.items(number).items() if key.startswith("RUN#")]
    return sum((item["head"], item["status"]) == (head, "completed") for item in items)


@pytest.mark.proof
def test_wherever_it_dies_the_next_sweep_finishes_its_work(scene: Scene) -> None:
    """Each call is tried once as the last one of a killed function, and once without an answer."""
    pushed = scene.open(None, {"src/orders.py": DISCOUNT})
    scene.settle()
    sweep(scene)  # the scene has a pull request of which no webhook came
    scene.settle()
    undisturbed, seen = try_out(scene, pushed, None)
    assert seen == Seen(False, 1, (1, 1), 0)
    # How often it looks for the redelivery depends on the machine.
    points = [point for point in undisturbed.calls if point.call != LIST or point.nth <= _LOOKS]
    assert {
        LIST,
        "GitHub POST app/hook/deliveries/{id}/attempts",
        "GitHub query OpenPullRequests",
        "SQS SendMessage",
        "DynamoDB UpdateItem SWEPT",
        "DynamoDB UpdateItem STATE",
    } <= {point.call for point in points}

    survived: dict[tuple[str, Death], Seen] = {}
    for point in points:
        for death in ONE_KILL_ONE_LOSS:
            _, survived[str(point), death] = try_out(scene, pushed, Fault(point, death))

    assert {case: seen for case, seen in survived.items() if seen != AS_IF_NOTHING_HAD_HAPPENED} == {}
