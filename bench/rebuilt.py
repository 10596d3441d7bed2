"""Time and memory of the patches that are computed from both contents, by the lines of the file."""

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, replace

from bench.large import large_file
from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.contents import Entry, with_contents

SIZES = (640, 5_120, 20_480)
"""Changes, one in nine lines: the last file is almost as large as one may be."""


@dataclass(frozen=True)
class Rebuilt:
    """One file; `ratio` is its CPU seconds for each line against those of the smallest one."""

    lines: int
    hunks: int
    content_mb: float
    cpu_seconds: float
    peak_mb: float
    ratio: float = 1.0


def measured(sizes: tuple[int, ...] = SIZES) -> list[Rebuilt]:
    """Each size once with the clock, and once with memory traced, which slows it down."""
    rows = [_measured(size) for size in sizes]
    first = rows[0].cpu_seconds / rows[0].lines
    return [replace(row, ratio=row.cpu_seconds / row.lines / first) for row in rows]


def _measured(size: int) -> Rebuilt:
    made = large_file(size)
    contents = {name: "\n".join(lines).encode() for name, lines in (("1", made.then), ("2", made.now))}
    old, new = (Entry("100644", name, len(content)) for name, content in contents.items())

    def rebuild() -> ChangedFile:
        hidden = replace(made.changed, patch=None, blob=new.oid)
        file = with_contents(hidden, old, new, lambda entry: contents[entry.oid])
        assert len(file.hunks) == size
        return file

    return Rebuilt(len(made.now), size, len(contents["2"]) / 1e6, _cpu(rebuild), _peak(rebuild))


def _cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _peak(work: Callable[[], object]) -> float:
    tracemalloc.start()
    work()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 1e6
