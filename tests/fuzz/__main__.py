"""Fuzz everything that reads what others wrote: `python -m tests.fuzz --inputs 1000000`."""

import argparse
import json
import resource
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.fuzz.fuzzing import Found, fuzz
from tests.fuzz.targets import targets

_MOST_BYTES = 3 * 1024**3
_HEAD = "| target | inputs | refused | failures | slowest, ms | largest, characters |\n|---|---:|---:|---:|---:|---:|"


def _run(name: str, inputs: int, seed: int) -> Found:
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
    return fuzz(next(each for each in targets() if each.name == name), inputs, seed)


def _row(found: Found) -> str:
    slowest = f"{found.slowest * 1_000:,.0f}"
    return f"| {found.name} | {found.inputs:,} | {found.refused:,} | {len(found.failures)} | {slowest} | {found.largest:,} |"


def main() -> int:
    """Fuzz, and print what came of it; the exit code is 1 where anything but a documented error came out."""
    every = [each.name for each in targets()]
    options = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    options.add_argument("--inputs", type=int, default=1_000_000, help="of all targets together")
    options.add_argument("--target", action="append", choices=every)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--processes", type=int, default=2)
    options.add_argument("--failures", type=Path, help="a file for the inputs that fail, as JSON")
    given = options.parse_args()
    names = given.target or every
    print(_HEAD, flush=True)
    failures: dict[str, dict[str, str]] = {}
    total = 0
    with ProcessPoolExecutor(given.processes) as pool:
        runs = [pool.submit(_run, name, -(-given.inputs // len(names)), given.seed) for name in names]
        for found in (run.result() for run in runs):
            print(_row(found), flush=True)
            total += found.inputs
            if found.failures:
                failures[found.name] = found.failures
    print(f"\n{total:,} inputs, seed {given.seed}.")
    for name, texts in failures.items():
        for error, text in list(texts.items())[:20]:
            print(f"{name}: {error}\n  {text[:300]!r}")
    if given.failures:
        given.failures.write_text(json.dumps(failures, indent=1))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
