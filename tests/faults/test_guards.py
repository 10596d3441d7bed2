"""Each guard is needed: without it, a fault that is survived with it leaves something twice or loses something."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.faults.campaign import Result, run
from tests.faults.guards import APART, GUARDS, LEASE, MARK, MARKER_OF_A_REVIEW, PREFIX_OF_THINKING, TALK, Guard
from tests.faults.scene import Pace, a_scene
from tests.layers import LAYER, changed_layer

# Time enough for a review on a machine with other things to do; a lease that nobody gives back is waited for.
QUICK = Pace(timeout=8, visibility=3, answer=2, publish=1, at_once=2)
# Long enough for a second delivery to begin, and to end, during the first.
LONG = Pace(timeout=12, visibility=3, answer=2, publish=1, at_once=2)


@pytest.mark.parametrize("guard", [*GUARDS, *TALK], ids=lambda guard: guard.name)
def test_each_guard_is_one_line_of_the_layer(guard: Guard) -> None:
    """A commit that moves the line moves the guard with it."""
    assert (LAYER / guard.file).read_text("utf-8").count(guard.line) == 1


@pytest.mark.proof
def test_with_every_guard_in_its_place_all_of_this_is_survived() -> None:
    """The same faults as below."""
    with a_scene(LONG) as scene:
        results = list(run(scene, [guard.case for guard in GUARDS]))

    assert [result for result in results if not result.survived] == []


@pytest.mark.proof
@pytest.mark.parametrize(
    "guards",
    [(LEASE,), (MARK,), (MARKER_OF_A_REVIEW,), (PREFIX_OF_THINKING,), APART, TALK],
    ids=lambda all_: all_[0].name,
)
def test_without_this_guard_a_fault_is_not_survived(guards: Sequence[Guard], tmp_path: Path) -> None:
    """The functions run with a layer of which a line was changed; guards with nothing in common go together."""
    pace = LONG if guards == (LEASE,) else QUICK
    layer = layer_without(guards, tmp_path)
    with a_scene(pace, layer=layer, may_resolve=guards[0].case.flow.may_resolve) as scene:
        results = list(run(scene, [guard.case for guard in guards]))

    for guard, result in zip(guards, results, strict=True):
        seen = damages(result)
        assert any(each.removeprefix("later: ").startswith(guard.damage) for each in seen), (guard.name, seen)


def layer_without(guards: Sequence[Guard], folder: Path) -> Path:
    """A copy of the layer without these guards."""
    return changed_layer(folder, [(guard.file, guard.line, guard.without) for guard in guards])


def damages(result: Result) -> list[str]:
    """The damage that a person, or the bookkeeping, sees."""
    paid = ["a kept answer was paid for again"] if result.kept_paid_again else []
    return [*result.verdict.duplicates, *result.verdict.losses, *paid]
