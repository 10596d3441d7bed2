"""The start time by phase: of `kodiai review` on a change of one file, and of systems in one process."""

import itertools
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.cases import Work
from bench.processes import tree_cpu
from bench.table import Table
from local.connected import connected
from local.model import OfflineReviewer

_BASE = "def total(prices):\n    return sum(prices)\n"
_HEAD = "def total(prices):\n    return sum(prices) / len(prices)\n"
_SYSTEMS = 3


@dataclass(frozen=True)
class Step:
    """A step, with all processes that take part in it."""

    step: str
    seconds: float
    cpu_seconds: float


def measured(quick: bool) -> list[Table]:
    """The steps of the fastest of some rounds, and the systems."""
    best = min((_command() for _ in range(1 if quick else 3)), key=lambda steps: steps[-1].cpu_seconds)
    return [
        Table.of("`kodiai review` of a change of one file", best),
        Table.of("Systems in one process, one after another", list(_systems())),
    ]


def _command() -> list[Step]:
    """Run the command, and read its clock and its CPU at each line that names a step."""
    with _changed() as repository:
        before, began = _ended_cpu(), time.perf_counter()
        environment = {name: value for name, value in os.environ.items() if not name.startswith("ANTHROPIC_")}
        with subprocess.Popen(
            [Path(sys.executable).parent / "kodiai", "review"],
            cwd=repository,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stderr is not None
            marks = [("python", 0.0, 0.0)]
            for line in process.stderr:
                name = line.strip("… \n")
                marks.append((name, time.perf_counter() - began, tree_cpu(process.pid)))
        if process.returncode:
            raise SystemExit(f"kodiai review ended with {process.returncode}")
        marks.append(("", time.perf_counter() - began, _ended_cpu() - before))
    steps = [Step(name, then[1] - at, then[2] - cpu) for (name, at, cpu), then in itertools.pairwise(marks)]
    return [*steps, Step("together", marks[-1][1], marks[-1][2])]


def _systems() -> Iterator[Step]:
    """Start and stop a system as tests do."""
    with _changed() as repository:
        for number in range(1, _SYSTEMS + 1):
            began, before = time.perf_counter(), tree_cpu(os.getpid())
            with connected(repository, answers=OfflineReviewer()):
                pass
            yield Step(f"system {number}", time.perf_counter() - began, tree_cpu(os.getpid()) - before)


@contextmanager
def _changed() -> Iterator[Path]:
    """A repository whose branch changes one file."""
    with tempfile.TemporaryDirectory() as folder:
        work = Work(Path(folder) / "shop")
        work.commit("Base", {"shop.py": _BASE})
        work.git("checkout", "--quiet", "-b", "work")
        work.commit("Divide", {"shop.py": _HEAD})
        yield Path(folder) / "shop"


def _ended_cpu() -> float:
    """CPU seconds of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
