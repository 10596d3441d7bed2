"""Measures speed and cost, part by part, as tables: `make bench`, or `python -m bench [PART …] [--quick]`.

The tables are printed and written as JSON and as a picture; parts that did not run keep what they had there.
The status is 1 if a part failed; the others run all the same.
"""

import argparse
import contextlib
import datetime as dt
import importlib
import io
import json
import os
import platform
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.table import Table, draw

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench/results"
QUICK_RESULTS = ROOT / "out/bench"


@dataclass(frozen=True)
class ReReviews:
    """The re-reviews of a pull request that asked the model, against full reviews of the same heads.

    `uncached` are the tokens that the cache did not serve.
    """

    pushes: str
    re_reviews: int
    tokens: int
    uncached: int
    tokens_of_full: int
    ratio: float | None
    overhead_each: float
    github_calls_at_most: int
    comments_repeated: int


def starts(*, quick: bool) -> list[Table]:
    """The time that the local system takes to start."""
    return list(_bench("start").measured(1 if quick else 3))


def cold_starts(*, quick: bool) -> list[Table]:
    """The time until each function is ready."""
    cold_start = _bench("cold_start")
    found = cold_start.measured(1 if quick else cold_start.ROUNDS)
    title = f"Cold start, Python {found.version}"
    return [Table.of(title, found.ready), Table.of(f"{title}: the first answer", found.answered)]


def webhooks(*, quick: bool) -> list[Table]:
    """The webhooks that ingest takes in a second."""
    webhooks = _bench("webhooks")
    return [webhooks.table(webhooks.measure(1.0 if quick else webhooks.SECONDS))]


def reviews(*, quick: bool) -> list[Table]:
    """The time and cost of a first review, by the size of the pull request."""
    reviews = _bench("reviews")
    sizes = reviews.SIZES[:1] if quick else reviews.SIZES
    return [Table.of("First reviews", [reviews.measured(size, rounds=1 if quick else 3) for size in sizes])]


def rebuilt(*, quick: bool) -> list[Table]:
    """The time and memory of patches that GitHub does not give."""
    rebuilt = _bench("rebuilt")
    return [Table.of("Rebuilt patches", rebuilt.measured(rebuilt.SIZES[:1] if quick else rebuilt.SIZES))]


def re_reviews(*, quick: bool) -> list[Table]:  # noqa: ARG001 - there is nothing smaller
    """Re-reviews against full reviews."""
    cases = _bench("cases")
    rows = [
        _replayed("one hunk of 24 files", cases.one_hunk_push),
        _replayed("each kind of push to 4 small files", cases.make_cases),
    ]
    return [Table.of("Re-reviews of made pull requests", rows)]


def _replayed(pushes: str, make: Callable[[Path], list[dict[str, Any]]]) -> ReReviews:
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        repository = Path(folder) / "cases"
        figures = _bench("rereview").replay("made", repository, make(repository))
    together = _bench("figures").sums(figures)
    return ReReviews(
        pushes=pushes,
        re_reviews=together.re_reviews,
        tokens=together.tokens,
        uncached=sum(push.tokens.uncached for push in figures if push.full),
        tokens_of_full=together.full_tokens,
        ratio=together.ratio,
        overhead_each=together.overhead_each,
        github_calls_at_most=together.most_github_calls,
        comments_repeated=together.repeated,
    )


def aws(*, quick: bool) -> list[Table]:  # noqa: ARG001 - there is nothing smaller
    """The cost of AWS, by service and by the model's time."""
    cost = _bench("aws_cost")
    return list(cost.tables(cost.count(), cost.Mix(), cost.template_sizes()))


def _bench(name: str) -> Any:
    """A benchmark, loaded for its part: one that cannot be loaded fails alone."""
    return importlib.import_module(f"bench.{name}")


Part = Callable[..., list[Table]]
PARTS: Mapping[str, Part] = {
    "start": starts,
    "cold": cold_starts,
    "webhooks": webhooks,
    "reviews": reviews,
    "rebuilt": rebuilt,
    "rereviews": re_reviews,
    "aws": aws,
}


def run(parts: Mapping[str, Part], *, quick: bool) -> dict[str, Any]:
    """Run the parts one after the other and print their tables; what failed has a table that says why."""
    done = {}
    for name, part in parts.items():
        start = time.monotonic()
        try:
            tables = part(quick=quick)
        except Exception as error:  # the other parts go on
            traceback.print_exc()
            tables = [Table(name, error=f"{type(error).__name__}: {error}")]
        done[name] = {
            "measured": dt.datetime.now(dt.UTC).date().isoformat(),
            "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
            "seconds": round(time.monotonic() - start),
            "tables": [table.written() for table in tables],
        }
        _print(tables)
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


def _print(tables: Sequence[Table]) -> None:
    for table in tables:
        print("\n".join([*table.lines, ""]), flush=True)


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
