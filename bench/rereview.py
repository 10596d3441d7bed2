"""What re-reviews cost against full reviews of the same heads, and whether they repeat themselves.

`python -m bench.rereview [--data RECORDED.json --repo CLONE …] [--merge CLONE COMMIT …] [--json FILE]`: pull requests
that were recorded push by push, with a clone that has their commits, and branches that a clone has merged, one push for
each commit; without any, a small one that is made here.
The status is 1 where a comment was repeated.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.cases import make_cases, merged_pushes
from bench.figures import Figures, Sums, sums
from bench.replay import Replay
from bench.system import a_system
from local.model import OfflineReviewer

_NOTES = """\
Tokens are input tokens by the stand-in's measure, a quarter of the bytes, with what the cache reads and writes counted.
Full: a fresh pull request of the same head, in the same run, for each re-review that asked the model anything.
Uncached: those that the cache did not serve. Nothing expires in the stand-in's cache.
Overhead: tokens of the questions less the changed hunks and what the tools gave: prompts, the tools' descriptions, the
pull request's words, earlier findings, and the model's own words where they are sent back to it.
Calls: requests to GitHub, without the installation token. Repeated: inline comments whose finding, or whose path and
title, had a comment in an earlier push. ≠: asked otherwise than recorded; files that the reviewer skips by name are no
difference and are counted as "left out"."""
_HEADS = (
    *("push", "kind", "mode", "hunks", "tokens", "uncached", "full", "ratio"),
    *("overhead", "calls", "comments", "repeated", ""),
)
_WIDTHS = (4, 14, 12, 9, 9, 9, 9, 6, 9, 6, 9, 9, 0)
_LEFT = 3
_REMARKS = 3


def rows(pushes: Sequence[Figures]) -> Iterator[str]:
    """A line for each push."""
    for push in pushes:
        cells = (
            push.number,
            push.kind,
            push.mode,
            f"{push.asked_hunks}/{push.hunks}",
            f"{push.tokens.total:,}",
            f"{push.tokens.uncached:,}",
            f"{push.full.total:,}" if push.full else "",
            _ratio(push.ratio),
            f"{push.tokens.overhead:,}" if push.full else "",
            push.github_calls,
            push.comments,
            len(push.repeated) or "",
            _remark(push),
        )
        yield _line(cells)


def _line(cells: Sequence[object]) -> str:
    aligned = (
        f"{cell!s:<{width}}" if at < _LEFT else f"{cell!s:>{width}}"
        for at, (cell, width) in enumerate(zip(cells, _WIDTHS, strict=True))
    )
    return " ".join(aligned).rstrip()


def _remark(push: Figures) -> str:
    different = f"≠ {', '.join(push.differences[:_REMARKS])}" if push.differences else ""
    more = f"and {len(push.differences) - _REMARKS} more" if len(push.differences) > _REMARKS else ""
    left_out = f"({len(push.left_out)} left out)" if push.left_out else ""
    return " ".join(part for part in (different, more, left_out) if part)


def _ratio(ratio: float | None) -> str:
    return f"{ratio:.2f}" if ratio is not None else ""


def total(name: str, together: Sums) -> str:
    """One line for a pull request, or for all."""
    ratio = f"ratio {_ratio(together.ratio)}" if together.ratio is not None else "no ratio"
    return (
        f"{name}: {together.pushes} pushes, {together.re_reviews} re-reviews that asked, "
        f"{together.tokens:,} of {together.full_tokens:,} tokens, {ratio}, "
        f"overhead {together.overhead_each:,.0f} each, at most {together.most_github_calls} GitHub calls, "
        f"{together.repeated} comments repeated, {together.different} pushes asked otherwise than recorded"
    )


def replay(name: str, repository: Path, pushes: Sequence[dict[str, Any]]) -> list[Figures]:
    """Replay one pull request and print its table."""
    print(f"\n{name}\n{_line(_HEADS)}", flush=True)
    with a_system(repository, OfflineReviewer()) as system:
        figures = Replay(system).pull_request(name, pushes)
        for violation in system.violations:
            print(f"  against the description: {violation}")
    for row in rows(figures):
        print(row)
    for push in figures:
        for comment in push.repeated:
            print(f"  repeated in push {push.number}: {comment.path}: {comment.title} ({comment.finding})")
    print(total(name, sums(figures)))
    return figures


def main(arguments: Sequence[str] | None = None) -> int:
    """Replay everything, print it, and write it where that is asked for; return the exit status."""
    options = _options(arguments)
    replayed: dict[str, list[Figures]] = {}
    for data, repository in zip(options.data, options.repo, strict=True):
        recorded = json.loads(data.read_text(encoding="utf-8"))
        name = f"{recorded['repo']}#{recorded['pr']}"
        replayed[name] = replay(name, repository, recorded["pushes"])
    for clone, commit in options.merge:
        name = f"{Path(clone).name}@{commit[:7]}"
        replayed[name] = replay(name, Path(clone), merged_pushes(Path(clone), commit))
    if not replayed:
        with tempfile.TemporaryDirectory() as folder:
            repository = Path(folder) / "cases"
            replayed["generated"] = replay("generated", repository, make_cases(repository))
    everything = sums([push for pushes in replayed.values() for push in pushes])
    print(f"\n{total('together', everything)}\n\n{_NOTES}")
    if options.json:
        options.json.write_text(json.dumps(_as_json(replayed, everything), indent=1) + "\n", encoding="utf-8")
    return 1 if everything.repeated else 0


def _as_json(replayed: dict[str, list[Figures]], everything: Sums) -> dict[str, Any]:
    def summary(together: Sums) -> dict[str, Any]:
        return {**asdict(together), "ratio": together.ratio, "overhead_each": together.overhead_each}

    def push(figures: Figures) -> dict[str, Any]:
        return {**asdict(figures), "ratio": figures.ratio, "overhead": figures.tokens.overhead}

    return {
        "pull_requests": {
            name: {"pushes": [push(one) for one in pushes], "together": summary(sums(pushes))}
            for name, pushes in replayed.items()
        },
        "together": summary(everything),
    }


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.rereview", description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, action="append", default=[], help="a recorded pull request")
    parser.add_argument("--repo", type=Path, action="append", default=[], help="a clone that has its commits")
    parser.add_argument("--merge", nargs=2, action="append", default=[], metavar=("CLONE", "COMMIT"), help="a merge")
    parser.add_argument("--json", type=Path, help="write all figures there")
    options = parser.parse_args(arguments)
    if len(options.data) != len(options.repo):
        parser.error("each --data needs its --repo")
    return options


if __name__ == "__main__":
    sys.exit(main())
