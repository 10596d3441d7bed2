"""Does the local system stay small? `python -m bench.soak [--pull-requests N] [--at-a-time N]`.

Pull requests with three pushes each are reviewed by the offline reviewer, some at a time. What is recorded of them is
bounded, so the memory of this process levels off; those of the functions are not counted. Linux only.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.cases import Work
from bench.made_code import made_files
from bench.processes import megabytes
from bench.system import System, a_system
from bench.table import Table
from local.model import OfflineReviewer

PULL_REQUESTS, AT_A_TIME = 60, 20
_MOST_GROWTH = 4.0  # megabytes for each pull request: what GitHub and the table keep of it
_PUSHES = 3
_MODULES, _CHANGED, _FUNCTIONS = 60, 12, 6
_SECONDS = 1_800.0


@dataclass(frozen=True)
class Batch:
    """The megabytes that this process holds after some pull requests, and its growth by each of the last ones."""

    pull_requests: int
    megabytes: float
    growth_each: float


def measure(pull_requests: int = PULL_REQUESTS, at_a_time: int = AT_A_TIME) -> list[Batch]:
    """Review the pull requests, and look at the memory after each batch."""
    with tempfile.TemporaryDirectory() as folder:
        work = Work(Path(folder) / "repository")
        base = work.commit("Base", dict(made_files(_MODULES)))
        heads = [_heads(work, base, number) for number in range(pull_requests)]
        with a_system(Path(folder) / "repository", OfflineReviewer(), {"embeddings/model": "off"}) as system:
            return list(_batches(system, base, heads, at_a_time))


def _heads(work: Work, base: str, number: int) -> list[str]:
    """The heads of a pull request: each changes the same functions once more, and adds a defect."""
    work.git("checkout", "--quiet", "--detach", base)
    changed = range(number % (_MODULES - _CHANGED), number % (_MODULES - _CHANGED) + _CHANGED)
    heads = []
    for push in range(_PUSHES + 1):
        versions = dict.fromkeys(changed, number * (_PUSHES + 1) + push + 1)
        defects = "\n\n".join(f"def is_{at}(each):\n    return each is '{at}'\n" for at in range(push + 1))
        files = {**dict(made_files(_MODULES, versions, _FUNCTIONS)), f"src/part_{number}.py": defects}
        heads.append(work.commit("Change", files))
    return heads


def _batches(system: System, base: str, heads: Sequence[Sequence[str]], at_a_time: int) -> Iterator[Batch]:
    """Review a batch after the other: all are opened, then all are pushed to."""
    before = megabytes()
    for first in range(0, len(heads), at_a_time):
        batch = heads[first : first + at_a_time]
        numbers = [system.github.open_pull_request(each[0], base, title="Limits") for each in batch]
        _settle(system)
        for push in range(1, _PUSHES + 1):
            for number, each in zip(numbers, batch, strict=True):
                system.github.push(number, each[push])
            _settle(system)
        now = megabytes()
        yield Batch(first + len(batch), now, (now - before) / len(batch))
        before = now


def _settle(system: System) -> None:
    if not system.github.settle(_SECONDS):
        raise TimeoutError("a webhook was not answered")
    system.machine.system.wait_until_quiet(_SECONDS)


def table(batches: Sequence[Batch]) -> Table:
    """The figures as a table."""
    notes = (f"Megabytes of this process. The last pull requests may add {_MOST_GROWTH:g} each.",)
    return Table.of("A soak", batches, notes)


def main() -> int:
    """Measure and print; 1 if the last batch grew by too much."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__.partition("\n")[0])
    parser.add_argument("--pull-requests", type=int, default=PULL_REQUESTS)
    parser.add_argument("--at-a-time", type=int, default=AT_A_TIME)
    options = parser.parse_args()
    batches = measure(options.pull_requests, options.at_a_time)
    print("\n".join(table(batches).lines))
    return int(batches[-1].growth_each > _MOST_GROWTH)


if __name__ == "__main__":
    sys.exit(main())
