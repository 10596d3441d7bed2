"""The command for Martian's code-review-benchmark."""

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx

from evals.martian.cases import FetchFailed, make_cases
from evals.martian.files import Figures, GoldenPull, Row, candidates, golden_pulls, offline_folder, rows
from evals.result import read_run

_TOLERANCE = 0.01
_API = "https://api.github.com"
_CANDIDATES, _REVIEWS = "candidates.json", "reviews.json"


def martian(arguments: argparse.Namespace) -> int:
    """Recompute the published figures; or make cases; or write a run in the benchmark's format."""
    offline = offline_folder(arguments.path)
    if arguments.cases is not None:
        return make_cases(offline, arguments.cases, _get, arguments.limit)
    if arguments.export is not None:
        return _export(golden_pulls(offline), arguments)
    found = list(rows(offline))
    for line in table(found):
        print(line)
    return 0 if all((row.difference or 0.0) <= _TOLERANCE for row in found) else 1


def table(found: Sequence[Row]) -> list[str]:
    """A line for each tool by each judge: precision, recall and F1 in percent, ours / published."""
    lines = [f"{'judge':<38} {'tool':<12} {'reviews':>7}  {'precision':>13} {'recall':>13} {'F1':>13}  difference"]
    for row in found:
        pairs = zip(row.figures, row.published or (None,) * len(Figures._fields), strict=True)
        cells = " ".join(f"{_percent(one):>5} / {_percent(two):>5}" for one, two in pairs)
        apart = f"{row.difference:.4f}" if row.difference is not None else "not published"
        lines.append(f"{row.judge:<38} {row.tool:<12} {row.reviews:>7}  {cells}  {apart}")
    compared = [row.difference for row in found if row.difference is not None]
    worst = f"the largest difference is {max(compared):.4f}" if compared else "nothing is published"
    return [*lines, f"{len(compared)} of {len(found)} compared, {worst}"]


def _percent(share: float | None) -> str:
    return f"{share * 100:.1f}" if share is not None else "–"


def _export(pulls: Sequence[GoldenPull], arguments: argparse.Namespace) -> int:
    """Add our findings to candidates.json, and write the reviews for benchmark_data.json."""
    out: Path = arguments.out or arguments.export
    exported = candidates(pulls, read_run(arguments.export), arguments.tool)
    file = out / _CANDIDATES
    known: dict[str, dict[str, Any]] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    merged = {url: {**known.get(url, {}), **exported.get(url, {})} for url in dict.fromkeys([*known, *exported])}
    reviews = {
        url: {
            "tool": arguments.tool,
            "pr_url": url,
            "review_comments": [
                {"path": one["path"], "line": one["line"], "body": one["text"], "created_at": None}
                for one in tools[arguments.tool]
            ],
        }
        for url, tools in exported.items()
    }
    out.mkdir(parents=True, exist_ok=True)
    for name, content in ((_CANDIDATES, merged), (_REVIEWS, reviews)):
        (out / name).write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(exported)} pull requests: {file}; add those of {_REVIEWS} to the reviews in benchmark_data.json")
    return 0


def _get(path: str) -> dict[str, Any]:
    """Read one resource of GitHub's REST API, with the token of the environment. Raises FetchFailed."""
    token = os.environ.get("GITHUB_TOKEN")
    headers = {"accept": "application/vnd.github+json"} | ({"authorization": f"Bearer {token}"} if token else {})
    url = os.environ.get("GITHUB_API_URL", _API) + path
    try:
        answer = httpx.get(url, headers=headers, timeout=60, follow_redirects=True).raise_for_status()
    except httpx.HTTPError as why:
        raise FetchFailed(str(why)) from why
    read: dict[str, Any] = answer.json()
    return read
