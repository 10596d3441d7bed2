"""What the benchmark of the pure parts measures, and how it tells what is linear."""

from pathlib import Path

import pytest

from bench.curve_parts import PARTS, Part
from bench.curves import Curve, curves, draw, rows
from kodiai.core.review.plan import ReviewPlan


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_every_part_works_on_an_input_of_any_size(part: Part) -> None:
    """Small ones here, large ones in the benchmark."""
    for size in (1, 8):
        part.prepare(size)()


def test_the_plan_that_is_measured_reads_every_hunk() -> None:
    """An input in which nothing is new would take no time at all."""
    [part] = (part for part in PARTS if part.name == "plan a review")

    plan = part.prepare(8)()

    assert isinstance(plan, ReviewPlan)
    assert plan.scope.asked_hunks == 8


@pytest.mark.parametrize(("power", "is_linear"), [(1, True), (1.1, True), (2, False)])
def test_the_exponent_is_the_slope_of_the_larger_half(power: float, is_linear: bool) -> None:
    """What small inputs cost at least does not count."""
    sizes = (10, 40, 160, 640, 2_560)
    curve = Curve("part", "hunks", 2_560, sizes, (1.0, 1.0, *(size**power / 1_000 for size in sizes[2:])))

    assert curve.exponent == pytest.approx(power)
    assert curve.is_linear is is_linear
    assert rows([curve])[0]["exponent"] == pytest.approx(power)


def test_a_part_that_does_not_reach_its_largest_size_is_not_linear() -> None:
    """It would have taken too long."""
    curve = Curve("part", "hunks", 10_240, (10, 40, 160), (0.1, 0.4, 1.6))

    assert not curve.is_whole
    assert not curve.is_linear


def test_a_part_is_measured_at_growing_sizes_and_drawn(tmp_path: Path) -> None:
    """Each round works on an input of its own."""
    made: list[int] = []

    def prepare(size: int):  # type: ignore[no-untyped-def]
        made.append(size)
        return lambda: sum(range(size))

    [curve] = curves([Part("sum", "numbers", 256_000, prepare)], most_rounds=2)
    draw([curve], tmp_path / "curves.png")

    assert curve.sizes == (1_000, 4_000, 16_000, 64_000, 256_000)
    assert made == [size for size in curve.sizes for _ in range(2)]
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
