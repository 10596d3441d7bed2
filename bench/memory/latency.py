"""How long one query takes while the index grows, and the memory of the process."""

import itertools
import resource
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kodiai.core.memory.remembered import RememberedFinding, Vector
from kodiai.ports import VectorIndex

ONE_REPOSITORY = 500
_BATCH = 500
_QUERIES = 40


@dataclass(frozen=True)
class Latency:
    """Seconds of one query among so many vectors, and the most memory of the process so far in bytes."""

    vectors: int
    median: float
    p95: float
    memory: int


def measure(
    index: VectorIndex, findings: Sequence[tuple[RememberedFinding, Vector]], sizes: Sequence[int]
) -> Iterator[Latency]:
    """Fill an empty index up to each size with copies of findings, and ask for one repository of 500 each time."""
    count = 0
    for size in sorted(sizes):
        copies = list(_copies(findings, count, size))
        for start in range(0, size - count, _BATCH):
            index.put(copies[start : start + _BATCH])
        count = size
        taken = []
        for _, vector in itertools.islice(itertools.cycle(findings), _QUERIES):
            start_time = time.perf_counter()
            index.nearest(vector, [0], 5)
            taken.append(time.perf_counter() - start_time)
        yield Latency(size, statistics.median(taken), statistics.quantiles(taken, n=20)[-1], _memory())


def _copies(
    findings: Sequence[tuple[RememberedFinding, Vector]], first: int, last: int
) -> Iterator[tuple[RememberedFinding, Vector]]:
    for number in range(first, last):
        finding, vector = findings[number % len(findings)]
        yield replace(finding, repository_id=number // ONE_REPOSITORY, number=number), vector


def _memory() -> int:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
