"""The App is uninstalled, and what deletes its data dies at each of its calls: nothing is left, and nothing is lost."""

import time
from collections.abc import Iterator, Sequence

import pytest

from kodiai.flows.forget_repositories import WAIT_SECONDS
from tests.faults.deaths import Death
from tests.faults.flows import ONE_KILL_ONE_LOSS
from tests.faults.scene import DISCOUNT, Pace, Scene, a_scene
from tests.faults.trial import Fault, Point, Trial
from tests.waits import Waits

PACE = Pace(timeout=8, visibility=3, answer=2, publish=1, at_once=2)
STRANGER = {"pk": "PR#9#1", "sk": "STATE"}
_ABOUT_NO_PULL_REQUEST = 0
_IDLE_SECONDS = PACE.visibility + 2
"""After this time without an event every message that is left waits, and the function that put it back is dead."""
_LONGEST_SECONDS = 120


def uninstall(scene: Scene, waits: Waits, fault: Fault | None) -> Trial:
    """Let a reviewed repository lose the App, with a fault on the way, and install it again in the end."""
    scene.open(None, {"src/orders.py": DISCOUNT, "notes.txt": f"{len(scene.github.state.pulls)}\n"})
    scene.settle()
    assert all(left(scene))
    trial = Trial(fault)
    scene.watch(trial, _ABOUT_NO_PULL_REQUEST)
    scene.github.uninstall()
    settle(scene, waits)
    del scene.trials[_ABOUT_NO_PULL_REQUEST]
    return trial


def settle(scene: Scene, waits: Waits) -> None:
    """Wait until all is quiet. What was told to wait does not, and a webhook that was not answered is redelivered."""
    busy = time.monotonic()
    end = busy + _LONGEST_SECONDS
    while True:
        assert scene.github.settle(_LONGEST_SECONDS)
        try:
            scene.machine.system.wait_until_quiet(0.2)
        except TimeoutError:
            assert time.monotonic() < end
            if scene.machine.system.running_events():
                busy = time.monotonic()
            elif time.monotonic() > busy + _IDLE_SECONDS:
                scene.machine.aws.clock.advance(WAIT_SECONDS)
                busy = time.monotonic()
            else:
                waits.turn()
            continue
        last = scene.github.deliveries[-1]
        if last.status == 202:
            return
        scene.github.redeliver(last.guid)


def left(scene: Scene) -> tuple[set[str], set[str]]:
    """The partitions in the table, and the keys in the index, of the repository's owner; the counters stay."""
    aws, variables = scene.machine.aws, scene.machine.system.environment
    items = aws.table(variables["KODIAI_TABLE"]).scan()["Items"]
    where = {"vectorBucketName": variables["KODIAI_VECTOR_BUCKET"], "indexName": "titan-embed-text-v2-1024"}
    vectors = aws.client("s3vectors").list_vectors(**where)["vectors"]
    kept = [item for item in items if item["pk"].startswith("OWNER#") and item["sk"].startswith(("DAY#", "MONTH#"))]
    return {item["pk"] for item in items if item not in kept} - {STRANGER["pk"]}, {vector["key"] for vector in vectors}


@pytest.fixture(scope="module")
def scene() -> Iterator[Scene]:
    with a_scene(PACE) as scene:
        scene.machine.aws.table(scene.machine.system.environment["KODIAI_TABLE"]).put_item(Item=STRANGER)
        yield scene
        assert scene.github.violations == []


@pytest.fixture(scope="module")
def waits(scene: Scene) -> Waits:
    return Waits(scene.machine)


def points(scene: Scene, waits: Waits) -> Sequence[Point]:
    """The calls of an uninstallation that nothing disturbs."""
    undisturbed = uninstall(scene, waits, None)
    assert left(scene) == (set(), set())
    scene.github.install()
    return undisturbed.calls


@pytest.mark.proof
def test_wherever_it_dies_nothing_is_left(scene: Scene, waits: Waits) -> None:
    """Each call is tried once as the last one of a killed function, and once without an answer."""
    calls = points(scene, waits)
    names = {point.call for point in calls}
    table, vectors = {"DynamoDB Scan", "DynamoDB BatchWriteItem"}, {"S3Vectors DeleteVectors", "S3Vectors QueryVectors"}
    assert {*table, *vectors, "GitHub GET repositories/{id}/installation"} <= names

    survived: dict[tuple[str, Death], tuple[bool, set[str], set[str], int]] = {}
    for point in calls:
        for death in ONE_KILL_ONE_LOSS:
            trial = uninstall(scene, waits, Fault(point, death))
            survived[str(point), death] = (trial.struck, *left(scene), len(scene.dead()))
            scene.github.install()

    assert {case: seen for case, seen in survived.items() if seen != (True, set(), set(), 0)} == {}
    items = scene.machine.aws.table(scene.machine.system.environment["KODIAI_TABLE"]).scan()["Items"]
    # What the owner has spent stays: an App that is installed again goes on counting.
    assert [item for item in items if not item["sk"].startswith(("MONTH#", "DAY#"))] == [STRANGER]
