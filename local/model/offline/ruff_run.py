"""One run of ruff over texts, cut off from any configuration but this one."""

import json
import re
import subprocess
import sys
import tempfile
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path, PurePosixPath
from shutil import which
from typing import Any

from local.model.offline.rules import RULES

PYTHON_VERSION = "py314"
SYNTAX_ERROR, UNKNOWN_NAME = "invalid-syntax", "F821"
PYTHON_2_NAMES = frozenset(
    "apply basestring buffer cmp coerce execfile file intern long raw_input reduce reload unichr unicode xrange".split()
)
_NAMES_FROM_OUTSIDE = ["_", "get_ipython", "get_config", "reveal_type", *sorted(PYTHON_2_NAMES)]
_IN_BACKTICKS = re.compile(r"`([^`]+)`")
_NEW_SYNTAX = "(syntax was added in Python"
_STEPS = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")


@dataclass(frozen=True)
class Edit:
    """A replacement of the characters from `start` to `end` (offsets into the text)."""

    start: int
    end: int
    content: str


@dataclass(frozen=True)
class Diagnostic:
    r"""What ruff says of a text; lines are 1-based and counted by "\n" alone, both included."""

    path: str
    rule: str
    message: str
    start_line: int
    end_line: int
    start: int
    end: int
    safe_edits: tuple[Edit, ...] = field(default=())


def named_in(diagnostic: Diagnostic) -> list[str]:
    """The pieces of code that ruff's message names in backticks."""
    return _IN_BACKTICKS.findall(diagnostic.message)


class RuffFailed(RuntimeError):
    """Ruff could not be run; the text is what it said."""


def diagnose(texts: Mapping[str, str]) -> list[Diagnostic]:
    """Check Python texts, by path, with the rules of the offline reviewer; raises RuffFailed.

    Paths only tell stubs and packages from modules: the texts are checked under names of our own.
    """
    if not texts:
        return []
    paths = list(texts)
    with tempfile.TemporaryDirectory(prefix="kodiai-ruff-") as folder:
        names = [_write(Path(folder), number, path, texts[path]) for number, path in enumerate(paths)]
        told = _run(folder, names)
    charts = {path: _Chart(texts[path]) for path in paths}
    found = []
    for entry in told:
        path = paths[int(Path(entry["filename"]).parent.name)]
        if _NEW_SYNTAX not in entry["message"]:
            found.append(_diagnostic(path, entry, charts[path]))
    return found


def _write(folder: Path, number: int, path: str, text: str) -> str:
    """Write one text; a lone surrogate becomes one other character, so that columns stay right."""
    pure = PurePosixPath(path)
    stem = "__init__" if pure.stem == "__init__" else "module"
    target = folder / str(number) / f"{stem}{'.pyi' if pure.suffix == '.pyi' else '.py'}"
    target.parent.mkdir()
    target.write_bytes(re.sub(r"[\ud800-\udfff]", "\ufffd", text).encode())
    return f"{number}/{target.name}"


def _run(folder: str, names: Sequence[str]) -> list[dict[str, Any]]:
    selected = ",".join(rule for rule in RULES if rule != SYNTAX_ERROR)
    command = [
        *(_ruff(), "check", "--isolated", "--no-cache", "--exit-zero", "--quiet", "--output-format", "json"),
        *("--target-version", PYTHON_VERSION, "--select", selected),
        *("--config", f"builtins={json.dumps(_NAMES_FROM_OUTSIDE)}", "--", *names),
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    if done.returncode != 0:
        raise RuffFailed(done.stderr.decode(errors="replace")[-500:])
    told: list[dict[str, Any]] = json.loads(done.stdout)
    return told


def _ruff() -> str:
    beside = Path(sys.executable).with_name("ruff")
    found = str(beside) if beside.exists() else which("ruff")
    if found is None:
        raise RuffFailed("ruff is not installed")
    return found


class _Chart:
    r"""Where ruff's rows begin in a text and which line each is.

    For ruff a lone carriage return ends a row too; lines that GitHub knows end at "\n" only.
    """

    def __init__(self, text: str) -> None:
        rows = _STEPS.split(text)
        self.starts = [0, *accumulate(len(row) for row in rows)]
        self._breaks = [match.start() for match in re.finditer("\n", text)]
        self.size = len(text)

    def offset(self, place: Mapping[str, int]) -> int:
        row = min(place["row"], len(self.starts)) - 1
        return min(self.starts[row] + place["column"] - 1, self.size)

    def line(self, offset: int) -> int:
        return bisect_right(self._breaks, offset - 1) + 1


def _diagnostic(path: str, entry: Mapping[str, Any], chart: _Chart) -> Diagnostic:
    start, end = (chart.offset(entry[name]) for name in ("location", "end_location"))
    first = chart.line(start)
    last = max(first, chart.line(max(start, end - 1)))
    fix = entry["fix"]
    edits: list[Edit] = []
    if isinstance(fix, dict) and fix["applicability"] == "safe":
        edits = [Edit(chart.offset(e["location"]), chart.offset(e["end_location"]), e["content"]) for e in fix["edits"]]
    return Diagnostic(path, str(entry["code"]), str(entry["message"]), first, last, start, end, tuple(edits))
