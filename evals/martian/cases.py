"""Cases of the benchmark's pull requests: both trees are fetched, and committed one on top of the other."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from evals.case_files import CaseDefinition
from evals.errors import CommandFailed
from evals.martian.files import GoldenPull, case_name, golden_pulls

_SEVERITIES = {"Low": "MINOR", "Medium": "MEDIUM", "High": "MAJOR", "Critical": "CRITICAL"}
_UNSAFE = re.compile(r"[^A-Za-z0-9._#+-]+")
_WHO = {"NAME": "Ann Author", "EMAIL": "ann@example.org", "DATE": "1772442000 +0000"}

Get = Callable[[str], dict[str, Any]]
"""Reads one resource of GitHub's REST API by its path."""


class FetchFailed(CommandFailed):
    """The commits of a pull request cannot be fetched; the text says why."""


@dataclass(frozen=True)
class Trees:
    """Two commits in a clone: the files before a pull request, and its child with the files after it."""

    base: str
    head: str


def make_cases(offline: Path, root: Path, get: Get, limit: int | None) -> int:
    """Write a case for each pull request, with clones in a folder next to them.

    Raises FetchFailed, and what `get` raises.
    """
    labels = _languages(offline)
    for pull in golden_pulls(offline)[:limit]:
        owner, repository, _, number = pull.url.rstrip("/").split("/")[-4:]
        facts = get(f"/repos/{owner}/{repository}/pulls/{number}")
        origin = facts["base"]["repo"]
        between = get(f"/repos/{owner}/{repository}/compare/{facts['base']['sha']}...{facts['head']['sha']}")
        clone = root / "clones" / f"{owner}-{repository}.git"
        clone.parent.mkdir(parents=True, exist_ok=True)
        trees = _fetch(clone, origin["clone_url"], between["merge_base_commit"]["sha"], facts["head"]["sha"])
        language = _folder(labels.get(pull.url) or origin.get("language") or "unknown")
        expected = _expected(pull)
        definition = {
            "title": facts["title"],
            "description": facts["body"] or "",
            "language": language,
            "clean": not expected,
            "clone": {"path": str(clone.resolve()), "base": trees.base},
            "pushes": [{"message": facts["title"], "head": trees.head, "expected": expected}],
        }
        CaseDefinition.model_validate(definition)
        folder = root / language / case_name(pull.url)
        folder.mkdir(parents=True, exist_ok=True)
        text = yaml.safe_dump(definition, sort_keys=False, allow_unicode=True, width=120)
        (folder / "case.yaml").write_text(text, encoding="utf-8")
        print(folder, flush=True)
    return 0


def _fetch(clone: Path, url: str, before: str, after: str) -> Trees:
    """Fetch two commits into a bare clone, and commit their files without history. Raises FetchFailed."""
    if not clone.exists():
        _git(None, "init", "--quiet", "--bare", "--template=", str(clone))
    _git(clone, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--depth=1", url, before, after)
    parent = _git(clone, "commit-tree", f"{before}^{{tree}}", "-m", "Before")
    child = _git(clone, "commit-tree", f"{after}^{{tree}}", "-p", parent, "-m", "The change")
    for name in (parent, child):
        _git(clone, "update-ref", f"refs/evals/{name}", name)
    return Trees(parent, child)


def _folder(language: str) -> str:
    """A language's name as a folder has it: "Jupyter Notebook" is "jupyter-notebook"."""
    return _UNSAFE.sub("-", language.lower()) or "unknown"


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


def _git(clone: Path | None, *arguments: str) -> str:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    ours |= {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in _WHO.items()}
    ours |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
    command = ["git", *(("-C", str(clone)) if clone else ()), *arguments]
    done = subprocess.run(command, env=ours, check=False, capture_output=True)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise FetchFailed(said[-1] if said else f"git {arguments[0]} ended with {done.returncode}")
    return done.stdout.decode().strip()
