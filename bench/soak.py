"""A soak of the local system: `python -m bench.soak [--pull-requests N]`. Linux only.

Each pull request is opened and pushed to three times, and every head is reviewed. The exit status is 1
if a head was missed or reviewed twice, a finding was posted twice, a check run was left open, the memory did not level
off, or it took more CPU than ten minutes of two cores have for 200 pull requests.
"""

import argparse
import ctypes
import gc
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from bench.cases import Work
from bench.made_code import made_files
from bench.processes import megabytes, tree_cpu, uses
from bench.reader import Reader
from bench.system import System, a_system
from bench.table import Table
from kodiai.core.findings.markers import finding_of

PULL_REQUESTS = 200
_CPU_EACH = 6.0  # seconds for each pull request
_CPU_OF_START = 60.0
_QUARTERS, _PUSHES = 4, 3
_MODULES, _CHANGED, _FUNCTIONS = 60, 12, 6
_SECONDS = 3_600.0


@dataclass(frozen=True)
class Quarter:
    """A quarter of the pull requests: how many there were by then, the speed, and the megabytes that are held now.

    A function counts with its largest process.
    """

    pull_requests: int
    a_minute: float
    cpu_seconds: float
    megabytes: Mapping[str, float]


@dataclass(frozen=True)
class Soak:
    """The result: the quarters, the memory before the first one, and the faults in words."""

    quarters: Sequence[Quarter]
    before: Mapping[str, float]
    faults: Sequence[str]


def measure(pull_requests: int = PULL_REQUESTS) -> Soak:
    """Review the pull requests, look at the memory after each quarter, and at GitHub and the table in the end."""
    with tempfile.TemporaryDirectory() as folder:
        work = Work(Path(folder) / "repository")
        base = work.commit("Base", dict(made_files(_MODULES)))
        heads = [_heads(work, base, number) for number in range(pull_requests)]
        with a_system(Path(folder) / "repository", Reader(), {"embeddings/model": "off"}) as system:
            before = _held()
            quarters = list(_quarters(system, base, heads))
            return Soak(quarters, before, [*_wrong(system, heads), *_grown(before, quarters), *_slow(quarters)])


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


def _quarters(system: System, base: str, heads: Sequence[Sequence[str]]) -> Iterator[Quarter]:
    """Review a quarter after the other: all of its pull requests are opened, then all are pushed to."""
    left, done = iter(heads), 0
    while some := list(islice(left, -(-len(heads) // _QUARTERS))):
        began, cpu = time.monotonic(), tree_cpu(os.getpid())
        numbers = [system.github.open_pull_request(each[0], base, title="Limits") for each in some]
        _settle(system)
        for push in range(1, _PUSHES + 1):
            for number, each in zip(numbers, some, strict=True):
                system.github.push(number, each[push])
            _settle(system)
        done += len(some)
        spent = time.monotonic() - began
        yield Quarter(done, len(some) / spent * 60, tree_cpu(os.getpid()) - cpu, _held())


def _settle(system: System) -> None:
    if not system.github.settle(_SECONDS):
        raise TimeoutError("a webhook was not answered")
    system.machine.system.wait_until_quiet(_SECONDS)


def _held() -> dict[str, float]:
    """The megabytes of this process, which is everything but the functions, and of each function.

    What the allocator has kept of freed memory is given back first: it is not held.
    """
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return {"local system": megabytes(), **{name: max(use.megabytes for use in each) for name, each in uses().items()}}


def _wrong(system: System, heads: Sequence[Sequence[str]]) -> Iterator[str]:
    """Heads, findings and check runs that were lost, or are there twice."""
    github, reviews = system.github, system.reviews()
    pushed = {(number, head) for number, each in enumerate(heads, 1) for head in each}
    findings = Counter(
        (each.number, finding_of(each.body))
        for each in github.state.comments.values()
        if each.author == github.bot_login and each.in_reply_to is None
    )
    counts = {
        "missed heads": len(pushed - (reviews.runs.keys() & reviews.posted.keys())),
        "heads that were reviewed twice": reviews.twice,
        "findings that were posted twice": sum(times > 1 for times in findings.values()),
        "check runs that were left open": sum(each.status != "completed" for each in github.state.checks.values()),
        "dead letters": system.messages(system.machine.system.outputs["ReviewsDeadQueueUrl"]),
    }
    yield from (f"{what}: {count}" for what, count in counts.items() if count)
    yield from system.violations


def _grown(before: Mapping[str, float], quarters: Sequence[Quarter]) -> Iterator[str]:
    """The memory levels off if the last quarter adds less than half of what the first one added."""
    before_last, end = (quarters[at].megabytes for at in (-2, -1))
    for name, megabytes_then in end.items():
        first, last = quarters[0].megabytes[name] - before.get(name, 0), megabytes_then - before_last[name]
        if last >= first / 2:
            yield f"{name}: {first:.0f} MB more after the first quarter, {last:.0f} MB more after the last one"


def _slow(quarters: Sequence[Quarter]) -> Iterator[str]:
    spent, most = sum(each.cpu_seconds for each in quarters), quarters[-1].pull_requests * _CPU_EACH + _CPU_OF_START
    if spent > most:
        yield f"{spent:.0f} CPU seconds, of {most:.0f}"


def main() -> int:
    """Measure and print; 1 if anything went wrong."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__.partition("\n")[0])
    parser.add_argument("--pull-requests", type=int, default=PULL_REQUESTS)
    soak = measure(parser.parse_args().pull_requests)
    note = f"Megabytes at the beginning: {', '.join(f'{name} {each:.0f}' for name, each in soak.before.items())}."
    print("\n".join([*Table.of("A soak", soak.quarters, [note]).lines, *soak.faults]))
    return 1 if soak.faults else 0


if __name__ == "__main__":
    sys.exit(main())
