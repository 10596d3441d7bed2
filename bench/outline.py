"""Measures the time to outline source code, by language: `python -m bench.outline [FILE …]`.

Without files, one program of each language among the evaluation cases is read, many times over as one long file.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from kodiai.core.code.grammar import grammar_of
from kodiai.core.code.language import language_of
from kodiai.core.code.names import bound_names
from kodiai.core.code.outline import outline

ROUNDS = 5
_ENDS = count()
LINES = 2_000
_CASES = Path(__file__).resolve().parent.parent / "evals/cases"
_LAYER = Path(__file__).resolve().parent.parent / "layers/common"
_FIRST = (
    "import sys, time; sys.path.insert(0, {layer!r})\n"
    "from kodiai.core.code.outline import outline\n"
    "size = lambda: int(open('/proc/self/statm').read().split()[1]) * 4\n"
    "before = size(); start = time.perf_counter()\n"
    "outline({path!r}, ['']); first = time.perf_counter() - start\n"
    "print(first, size() - before)\n"
)
_IMPORT = (
    "import sys, time; sys.path.insert(0, {layer!r}); start = time.perf_counter()\n"
    "import kodiai.core.code.outline, kodiai.core.code.names\n"
    "print(time.perf_counter() - start)\n"
)


def samples(paths: list[str]) -> Iterator[tuple[str, list[str]]]:
    """A path of each language with lines to read under it."""
    if not paths:
        first: dict[str, Path] = {}
        files = (path for path in _CASES.rglob("*") if path.is_file())
        for file in sorted(files, key=lambda path: path.stat().st_size, reverse=True):
            if (language := language_of(file.name)) is not None:
                first.setdefault(language, file)
        for file in first.values():
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
            yield file.name, lines * (LINES // max(len(lines), 1) + 1)
    for path in paths:
        yield path, Path(path).read_text(encoding="utf-8", errors="replace").splitlines()


def timed(ask: Callable[[str, list[str]], object], path: str, lines: list[str]) -> float:
    """How many seconds one question takes; the text is new each time, since the last tree is kept."""
    lines = [*lines, *[""] * next(_ENDS)]
    start = time.perf_counter()
    ask(path, lines)
    return time.perf_counter() - start


def names(path: str, lines: list[str]) -> object:
    """The names that a file binds."""
    return bound_names(path, lines, ())


def fresh(code: str, **slots: str) -> list[float]:
    """What a fresh interpreter prints, the middle one of some."""
    command = [sys.executable, "-c", code.format(layer=str(_LAYER), **slots)]
    runs = [
        [float(each) for each in subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()]
        for _ in range(ROUNDS)
    ]
    return [statistics.median(column) for column in zip(*runs, strict=True)]


def main() -> None:
    """Print milliseconds per 1,000 lines, and what the first file of a language costs a process."""
    rows = [(path, lines) for path, lines in samples(sys.argv[1:]) if language_of(path)]
    print(f"importing the package without any grammar: {fresh(_IMPORT)[0] * 1000:.0f} ms")
    print(f"{'ms per 1,000 lines':<22}{'lines':>8}{'outline':>9}{'names':>9}{'first ms':>10}{'first MB':>10}  grammar")
    rounds = [[(timed(outline, *row), timed(names, *row)) for row in rows] for _ in range(ROUNDS)]
    for at, (path, lines) in enumerate(rows):
        times = [statistics.median(column) for column in zip(*(one[at] for one in rounds), strict=True)]
        outlined, named = (each * 1_000_000 / len(lines) for each in times)
        first, size = fresh(_FIRST, path=path)
        costs = f"{len(lines):>8}{outlined:9.1f}{named:9.1f}{first * 1000:10.0f}{size / 1024:10.1f}"
        print(f"{path[-21:]:<22}{costs}  {grammar_of(language_of(path) or '').module}")


if __name__ == "__main__":
    main()
