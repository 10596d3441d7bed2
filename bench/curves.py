"""Measures whether every pure part takes time in proportion to its input: `python -m bench.curves [PART …]`.

The time is that of the processor, of the fastest of some rounds, over inputs that grow by a factor of four. It is
without that of Python's collector of cycles, which depends on everything else that is in memory. The
exponent is the slope of the larger half of the sizes on logarithmic axes: 1 is linear, 2 is quadratic.
"""

import argparse
import gc
import json
import math
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.curve_parts import PARTS, Part

FACTOR = 4
STEPS = 5
# To sort takes n log n, which has 1.15 at these sizes; what the processor's cache no longer holds adds to that.
MOST_EXPONENT = 1.25
# A part that is not linear would never end: after a size that took so long no larger one is tried.
_MOST_SECONDS = 4.0
_ROUND_SECONDS = 0.3
_MOST_ROUNDS = 7
_COLUMNS = 5


@dataclass(frozen=True)
class Curve:
    """The processor seconds of one part at growing sizes; `unit` is what is counted, such as "hunks".

    `largest` is the size that it is meant to reach: where the last of `sizes` is below it, the rest would take too
    long.
    """

    part: str
    unit: str
    largest: int
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]

    @property
    def exponent(self) -> float:
        """The slope of the larger half on logarithmic axes, the middle one included."""
        half = len(self.sizes) // 2
        logs = [[math.log(each) for each in row[half:]] for row in (self.sizes, self.seconds)]
        return statistics.linear_regression(*logs).slope if len(logs[0]) > 1 else math.nan

    @property
    def is_whole(self) -> bool:
        """Whether the largest size was reached."""
        return self.sizes[-1] == self.largest

    @property
    def is_linear(self) -> bool:
        """Whether it reached the largest size in linear time, or as good as."""
        return self.is_whole and self.exponent <= MOST_EXPONENT


def curves(parts: Iterable[Part] = PARTS, most_rounds: int = _MOST_ROUNDS) -> Iterator[Curve]:
    """Measure parts, one after the other."""
    for part in parts:
        sizes = [part.largest // FACTOR**step for step in reversed(range(STEPS))]
        seconds: list[float] = []
        for size in sizes:
            seconds.append(_seconds(part, size, most_rounds))
            if seconds[-1] > _MOST_SECONDS:
                break
        yield Curve(part.name, part.unit, part.largest, tuple(sizes[: len(seconds)]), tuple(seconds))


def _seconds(part: Part, size: int, most_rounds: int) -> float:
    """The processor seconds of the fastest round; each has an input of its own, in which nothing is kept yet."""
    rounds: list[float] = []
    while not rounds or (sum(rounds) < _ROUND_SECONDS and len(rounds) < most_rounds):
        work = part.prepare(size)
        rounds.append(_timed(work))
    return min(rounds)


def _timed(work: Callable[[], object]) -> float:
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        kept = work()
        seconds = time.process_time() - start
    finally:
        gc.enable()
    del kept  # to free it is no part of the work
    return max(seconds, 1e-6)


def draw(measured: Sequence[Curve], path: Path) -> None:
    """Draw the curves, each beside a line of the slope 1 through its largest size."""
    import matplotlib as mpl  # noqa: PLC0415 - only pictures need it

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    rows = math.ceil(len(measured) / _COLUMNS)
    figure, panels = plt.subplots(rows, _COLUMNS, figsize=(3.4 * _COLUMNS, 2.6 * rows), squeeze=False)
    for panel in panels.flat[len(measured) :]:
        panel.axis("off")
    for panel, curve in zip(panels.flat, measured, strict=False):
        reference = [curve.seconds[-1] * size / curve.sizes[-1] for size in curve.sizes]
        panel.loglog(curve.sizes, reference, color="0.6", linestyle="--", linewidth=1)
        panel.loglog(curve.sizes, curve.seconds, color="tab:blue" if curve.is_linear else "tab:red", marker="o")
        panel.set_title(f"{curve.part}\nslope {curve.exponent:.2f}", fontsize=9)
        panel.set_xlabel(curve.unit, fontsize=8)
        panel.set_ylabel("CPU seconds", fontsize=8)
        panel.tick_params(labelsize=7)
        panel.grid(visible=True, which="major", linewidth=0.3)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def rows(measured: Iterable[Curve]) -> list[dict[str, object]]:
    """The curves as JSON has them."""
    return [{**asdict(each), "exponent": round(each.exponent, 3)} for each in measured]


def main() -> None:
    """Print a line for each part as it is measured, and say which parts are not linear."""
    parser = argparse.ArgumentParser(prog="python -m bench.curves", description=__doc__)
    parser.add_argument("parts", nargs="*", help="only the parts whose names contain one of these")
    parser.add_argument("--json", type=Path, help="a file for the results")
    parser.add_argument("--png", type=Path, help="a file for the picture")
    asked = parser.parse_args()
    wanted = [part for part in PARTS if not asked.parts or any(name in part.name for name in asked.parts)]
    print(f"{'':<44}{'unit':<10}{'largest':>9}{'seconds':>10}{'µs each':>9}{'exponent':>10}")
    measured = []
    for curve in curves(wanted):
        measured.append(curve)
        each = curve.seconds[-1] / curve.sizes[-1] * 1_000_000
        figures = f"{curve.sizes[-1]:>9,}{curve.seconds[-1]:>10.3f}{each:>9.1f}{curve.exponent:>10.2f}"
        print(f"{curve.part:<44}{curve.unit:<10}{figures}{'' if curve.is_linear else '  not linear'}", flush=True)
    if asked.json:
        asked.json.write_text(json.dumps(rows(measured), indent=1) + "\n", "utf-8")
    if asked.png:
        draw(measured, asked.png)


if __name__ == "__main__":
    main()
