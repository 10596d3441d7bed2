"""CPU and memory of the processes of the local functions, with everything that they start. Linux only.

What they have in common with the fork server that they come from is not theirs.
"""

import os
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

_PROC = Path("/proc")
_PROGRAM = b"bootstrap.py"
_TICK = 1 / os.sysconf("SC_CLK_TCK")
_SAMPLE_SECONDS = 0.02
_PARENT, _FIRST_TIME, _AFTER_TIMES = 1, 11, 15  # in /proc/…/stat, behind the name


@dataclass(frozen=True)
class Use:
    """CPU seconds since the start of a function's processes, and the megabytes that they hold now."""

    cpu: float = 0.0
    megabytes: float = 0.0


@dataclass
class Peaks:
    """The most megabytes that one process of each function held, with its children."""

    megabytes: dict[str, float] = field(default_factory=lambda: defaultdict(float))


def tree_cpu(root: int) -> float:
    """CPU seconds so far of a process and of all that came from it and are there or were waited for."""
    known = _processes()
    return sum(known[each].own + known[each].of_ended for each in _tree(root, _children(known)) if each in known)


def own_cpu(root: int) -> dict[int, float]:
    """CPU seconds so far of each process that came from this one, without those of its ended children."""
    known = _processes()
    return {each: known[each].own for each in _tree(root, _children(known)) if each in known and each != root}


@dataclass(frozen=True)
class _Process:
    """CPU seconds of a process and of its ended children."""

    parent: int
    own: float
    of_ended: float


def _processes() -> dict[int, _Process]:
    known = {}
    for folder in _PROC.iterdir() if _PROC.is_dir() else ():
        if folder.name.isdigit():
            with suppress(OSError):  # it has ended
                values = (folder / "stat").read_text().rpartition(")")[2].split()
                user, system, *ended = (int(value) * _TICK for value in values[_FIRST_TIME:_AFTER_TIMES])
                known[int(folder.name)] = _Process(int(values[_PARENT]), user + system, sum(ended))
    return known


def _children(known: Mapping[int, _Process]) -> Mapping[int, list[int]]:
    children: dict[int, list[int]] = defaultdict(list)
    for number, process in known.items():
        children[process.parent].append(number)
    return children


def uses() -> dict[str, list[Use]]:
    """The use of each process of each function ("ingest") of this process; CPU of ended children counts."""
    known = _processes()
    children = _children(known)
    found: dict[str, list[Use]] = defaultdict(list)
    for server in children.get(os.getpid(), ()):
        if _is_fork_server(server):
            for process in children.get(server, ()):
                tree = list(_tree(process, children))
                seconds = sum(known[each].own + known[each].of_ended for each in tree)
                use = Use(seconds, sum(megabytes(each) for each in tree))
                found[_name(process)].append(use)
    return found


def cpu() -> Mapping[str, float]:
    """CPU seconds of each function so far, all processes together."""
    return {name: sum(use.cpu for use in each) for name, each in uses().items()}


@contextmanager
def watching() -> Iterator[Peaks]:
    """Look again and again how much memory the functions hold."""
    peaks, ended = Peaks(), threading.Event()

    def watch() -> None:
        while not ended.wait(_SAMPLE_SECONDS):
            for name, each in uses().items():
                peaks.megabytes[name] = max(peaks.megabytes[name], *(use.megabytes for use in each))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield peaks
    finally:
        ended.set()
        watcher.join()


def _is_fork_server(process: int) -> bool:
    with suppress(OSError):
        return _PROGRAM in (_PROC / str(process) / "cmdline").read_bytes()
    return False


def _name(process: int) -> str:
    """The name of the function that a process runs, which it gives itself."""
    with suppress(OSError):
        return (_PROC / str(process) / "comm").read_text().strip()
    return ""


def _tree(process: int, children: Mapping[int, list[int]]) -> Iterator[int]:
    yield process
    for child in children.get(process, ()):
        yield from _tree(child, children)


def megabytes(process: int | None = None) -> float:
    """The megabytes that a process holds, this one by default; 0 if it has ended."""
    with suppress(OSError):
        pages = int((_PROC / str(process or "self") / "statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1024**2
    return 0.0
