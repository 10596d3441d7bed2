"""Runs the tests, and says how much CPU they took and which programs took it, where there is /proc: `make test`.

CPU minutes depend on the machine and on what else it does. So a small fixed calculation is repeated all the time, and
what it takes tells how many minutes the tests would have taken on the machine of docs/test-cpu.md. In CI these may not
be a tenth more than the last line there says: whoever adds more adds a line, with the reason.
"""

import os
import re
import resource
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from bench.processes import megabytes, own_cpu

BUDGET = Path("docs/test-cpu.md")
_LOOK_SECONDS = 1.0
_STEPS = 200_000
_STEPS_SECONDS = 0.0178
"""CPU seconds of the calculation on the machine of the budget while tests run."""
_MOST_GROWTH = 1.1
_ROW = re.compile(r"^\| \d{4}-\d\d-\d\d \| (\d+\.\d) \|", re.MULTILINE)
_FUNCTIONS = frozenset({"ingest", "review", "mention", "proposals", "sweep"})
_WORKER = "tests and stand-ins"
_PROGRAMS = {
    "parser_process": "parsers of functions",
    "bootstrap.py": "imports of functions",
    "exec(eval": _WORKER,
    "chrom": "browsers",
    "bin/sam": "SAM",
    "kodiai": "commands",
    "git": "git",
}


@dataclass
class Watch:
    """CPU seconds of the programs below this process, as often as it looks, and of the calculation."""

    seconds: dict[int, float] = field(default_factory=dict)
    programs: dict[int, str] = field(default_factory=dict)
    steps: list[float] = field(default_factory=list)
    worker_megabytes: float = 0.0
    ended: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Look until it is over."""
        while not self.ended.wait(_LOOK_SECONDS):
            self.steps.append(_calculate())
            for process, seconds in own_cpu(os.getpid()).items():
                self.seconds[process] = seconds
                self.programs[process] = _program(process) or self.programs.get(process, "others")
                if self.programs[process] == _WORKER:
                    self.worker_megabytes = max(self.worker_megabytes, megabytes(process))

    @property
    def slowness(self) -> float:
        """The ratio of the time of the calculation to that on the machine of the budget."""
        return sorted(self.steps)[len(self.steps) // 2] / _STEPS_SECONDS if self.steps else 1.0

    def by_program(self, together: float) -> list[tuple[str, float]]:
        """CPU seconds by program; those that ended between two looks are short ones, such as git."""
        found: dict[str, float] = defaultdict(float)
        for process, seconds in self.seconds.items():
            found[self.programs[process]] += seconds
        found["short programs, such as git"] += max(0.0, together - sum(found.values()))
        return sorted(found.items(), key=lambda each: -each[1])


def _calculate() -> float:
    """CPU seconds of the fixed calculation."""
    began, number = time.thread_time(), 1
    for _ in range(_STEPS):
        number = number * 1_103_515_245 % 2_147_483_647
    return time.thread_time() - began


def _program(process: int) -> str | None:
    """The kind of a process, None where it has ended."""
    folder = Path("/proc") / str(process)
    with suppress(OSError):
        if (folder / "comm").read_text().strip() in _FUNCTIONS:
            return "functions"
        command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        return next((name for part, name in _PROGRAMS.items() if part in command), "others") if command else None
    return None


def allowed(budget: str) -> float:
    """The CPU minutes that the tests may take by the last line of a budget."""
    return float(_ROW.findall(budget)[-1]) * _MOST_GROWTH


def main(arguments: Sequence[str], budget: Path = BUDGET) -> int:
    """Run pytest with these arguments; the exit status is pytest's, or 1 where the tests took too much in CI."""
    watch = Watch()
    watcher = threading.Thread(target=watch.run)
    watcher.start()
    status = subprocess.run([sys.executable, "-m", "pytest", *arguments], check=False).returncode
    watch.ended.set()
    watcher.join()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    together = used.ru_utime + used.ru_stime
    minutes = together / 60 / watch.slowness
    for name, seconds in watch.by_program(together):
        print(f"{seconds / 60:5.1f} CPU minutes  {name}")
    print(
        f"{together / 60:5.1f} CPU minutes  together, {minutes:.1f} on the machine of {budget}; "
        f"at most {watch.worker_megabytes:.0f} MB in one worker"
    )
    most = allowed(budget.read_text("utf-8"))
    if minutes > most:
        print(f"{budget} allows {most:.1f} CPU minutes: make the tests cheaper, or add a line that says why they grew.")
        return status or int(bool(os.environ.get("CI")))
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
