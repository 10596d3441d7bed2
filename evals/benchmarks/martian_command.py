"""The command for Martian's code-review-benchmark."""

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import httpx

from evals.benchmarks.clones import FetchFailed, case_definition, fetch_trees, language_folder, write_definition
from evals.benchmarks.martian import GoldenPull, NotMartian, Row, candidates, case_name, golden_pulls, offline_folder
from evals.benchmarks.martian import rows as all_rows
from evals.commands import CommandFailed, load_run

_TOLERANCE = 0.01
_API = "https://api.github.com"
_SEVERITIES = {"Low": "MINOR", "Medium": "MEDIUM", "High": "MAJOR", "Critical": "CRITICAL"}
_CANDIDATES, _REVIEWS = "candidates.json", "reviews.json"


def martian(arguments: argparse.Namespace) -> int:
    """Recompute the published figures; or make cases; or write a run in the benchmark's format."""
    try:
        offline = offline_folder(arguments.path)
        if arguments.cases is not None:
            api = GitHubApi(os.environ.get("GITHUB_API_URL", _API), os.environ.get("GITHUB_TOKEN"))
            return make_cases(offline, arguments.cases, api, arguments.limit)
        if arguments.export is not None:
            return _export(golden_pulls(offline), arguments)
        found = list(all_rows(offline))
    except (NotMartian, FetchFailed, httpx.HTTPError) as why:
        raise CommandFailed(str(why)) from why
    for line in table(found):
        print(line)
    return 0 if all((row.difference or 0.0) <= _TOLERANCE for row in found) else 1


def table(found: Sequence[Row]) -> list[str]:
    """A line for each tool by each judge: precision, recall and F1 in percent, ours / published."""
    lines = [f"{'judge':<38} {'tool':<12} {'reviews':>7}  {'precision':>13} {'recall':>13} {'F1':>13}  difference"]
    for row in found:
        ours, theirs = row.figures.shares, row.published.shares if row.published else (None, None, None)
        cells = " ".join(f"{_percent(one):>5} / {_percent(two):>5}" for one, two in zip(ours, theirs, strict=True))
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
    exported = candidates(pulls, load_run(arguments.export), arguments.tool)
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


class Api(Protocol):
    """Reads of GitHub's REST API."""

    def get(self, path: str) -> dict[str, Any]:
        """Read one resource."""


class GitHubApi:
    """Reads of GitHub's REST API over HTTP."""

    def __init__(self, address: str, token: str | None) -> None:
        headers = {"accept": "application/vnd.github+json"}
        headers |= {"authorization": f"Bearer {token}"} if token else {}
        self._client = httpx.Client(base_url=address, headers=headers, timeout=60, follow_redirects=True)

    def get(self, path: str) -> dict[str, Any]:
        """Read one resource. Raises httpx.HTTPError."""
        answer: dict[str, Any] = self._client.get(path).raise_for_status().json()
        return answer


def make_cases(offline: Path, root: Path, api: Api, limit: int | None) -> int:
    """Write a case for each pull request, with clones in a folder next to them.

    Raises FetchFailed and httpx.HTTPError.
    """
    labels = _languages(offline)
    for pull in golden_pulls(offline)[:limit]:
        owner, repository, _, number = pull.url.rstrip("/").split("/")[-4:]
        facts = api.get(f"/repos/{owner}/{repository}/pulls/{number}")
        base, head = facts["base"]["sha"], facts["head"]["sha"]
        between = api.get(f"/repos/{owner}/{repository}/compare/{base}...{head}")
        clone = root / "clones" / f"{owner}-{repository}.git"
        clone.parent.mkdir(parents=True, exist_ok=True)
        url = facts["base"]["repo"]["clone_url"]
        trees = fetch_trees(clone, url, base, head, merge_base=between["merge_base_commit"]["sha"])
        language = language_folder(labels.get(pull.url) or facts["base"]["repo"].get("language") or "unknown")
        definition = case_definition(facts["title"], facts["body"] or "", language, clone, trees, _expected(pull))
        print(write_definition(root, case_name(pull.url), definition), flush=True)
    return 0


def _languages(offline: Path) -> dict[str, str]:
    file = offline / "results" / "pr_labels.json"
    labels = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return {url: one.get("derived", {}).get("language", "") for url, one in labels.items()}


def _expected(pull: GoldenPull) -> list[dict[str, Any]]:
    """The golden comments as expected problems without a place; they have no category, so all get the same one."""
    return [
        {
            "id": f"golden-{number}",
            "category": "correctness",
            "severity": _SEVERITIES.get(comment.severity, "MEDIUM"),
            "mechanism": comment.comment,
        }
        for number, comment in enumerate(pull.comments, 1)
    ]
