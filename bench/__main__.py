"""Measures speed and cost, part by part, as tables: `make bench`, or `python -m bench [PART …] [--quick]`.

The tables are printed and written as JSON and as a picture; parts that did not run keep what they had there.
The status is 1 if a part failed; the others run all the same.
"""

import argparse
import datetime as dt
import json
import os
import platform
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench import aws_cost, cold_start, repository_sizes, rereview, reviews, shares
from bench.table import Table, draw

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench/results"
QUICK_RESULTS = ROOT / "out/bench"

Part = Callable[[bool], Sequence[Table]]
"""Measures everything, or the smallest part of it if it is to be quick."""

PARTS: Mapping[str, Part] = {
    "cold": cold_start.measured,
    "reviews": reviews.measured,
    "rereviews": rereview.measured,
    "shares": shares.measured,
    "sizes": repository_sizes.measured,
    "aws": aws_cost.measured,
}


def run(parts: Mapping[str, Part], *, quick: bool) -> dict[str, Any]:
    """Run the parts one after the other and print their tables; what failed has a table that says why."""
    done = {}
    for name, part in parts.items():
        began = time.monotonic()
        try:
            tables = part(quick)
        except Exception as error:  # the other parts go on
            traceback.print_exc()
            tables = [Table(name, error=f"{type(error).__name__}: {error}")]
        done[name] = {
            "measured": dt.datetime.now(dt.UTC).date().isoformat(),
            "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
            "seconds": round(time.monotonic() - began),
            "tables": [table.written() for table in tables],
        }
        for table in tables:
            print("\n".join([*table.lines, ""]), flush=True)
    return done


def tables_of(parts: Iterable[Mapping[str, Any]]) -> list[Table]:
    """All tables of parts as they are written."""
    return [Table.read(table) for part in parts for table in part["tables"]]


def write(done: Mapping[str, Any], folder: Path) -> None:
    """Write the parts over what the folder has of them, and draw everything that it has then."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "bench.json"
    known = json.loads(file.read_text("utf-8")) if file.exists() else {}
    every = {name: part for name in PARTS if (part := {**known, **done}.get(name))}
    file.write_text(json.dumps(every, indent=1, ensure_ascii=False) + "\n", "utf-8")
    draw(tables_of(every.values()), folder / "bench.png")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print and write; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all without any")
    parser.add_argument("--quick", action="store_true", help="the smallest of each part, into out/bench")
    parser.add_argument("--folder", type=Path, help="where bench.json and bench.png go")
    options = parser.parse_args(arguments)
    if unknown := set(options.parts) - PARTS.keys():
        parser.error(f"there is no part {', '.join(sorted(unknown))}")
    chosen = {name: part for name, part in PARTS.items() if name in (options.parts or PARTS)}
    done = run(chosen, quick=options.quick)
    write(done, options.folder or (QUICK_RESULTS if options.quick else RESULTS))
    return 1 if any(table.error for table in tables_of(done.values())) else 0


if __name__ == "__main__":
    sys.exit(main())
