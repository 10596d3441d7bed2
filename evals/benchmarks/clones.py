"""Makes cases of pull requests of real repositories: fetches both trees and commits one on top of the other."""

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from evals.case_files import CaseDefinition

_UNSAFE = re.compile(r"[^A-Za-z0-9._#+-]+")
_WHO = {"NAME": "Ann Author", "EMAIL": "ann@example.org", "DATE": "1772442000 +0000"}


class FetchFailed(RuntimeError):
    """The commits of a pull request cannot be fetched; the text says why."""


@dataclass(frozen=True)
class Trees:
    """Two commits in a clone: the files before a pull request, and its child with the files after it."""

    base: str
    head: str


def fetch_trees(clone: Path, url: str, base: str, head: str, *, merge_base: str | None = None) -> Trees:
    """Fetch a pull request's commits into a bare clone, and commit their files without history.

    Without `merge_base` the whole history of both is fetched to find it. Raises FetchFailed.
    """
    if not clone.exists():
        _git(None, "init", "--quiet", "--bare", "--template=", str(clone))
    shallow = ["--depth=1"] if merge_base else []
    _git(clone, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", *shallow, url, merge_base or base, head)
    before = merge_base or _git(clone, "merge-base", base, head)
    parent = _git(clone, "commit-tree", f"{before}^{{tree}}", "-m", "Before")
    child = _git(clone, "commit-tree", f"{head}^{{tree}}", "-p", parent, "-m", "The change")
    for name in (parent, child):
        _git(clone, "update-ref", f"refs/evals/{name}", name)
    return Trees(parent, child)


def language_folder(language: str) -> str:
    """A language's name as a folder has it: "Jupyter Notebook" is "jupyter-notebook"."""
    return _UNSAFE.sub("-", language.lower()) or "unknown"


def write_definition(root: Path, name: str, definition: dict[str, Any]) -> Path:
    """Write the definition of a case below `root`, and return its folder. Raises pydantic.ValidationError."""
    CaseDefinition.model_validate(definition)
    folder = root / str(definition["language"]) / name
    folder.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(definition, sort_keys=False, allow_unicode=True, width=120)
    (folder / "case.yaml").write_text(text, encoding="utf-8")
    return folder


def case_definition(
    title: str,
    description: str,
    language: str,
    clone: Path,
    trees: Trees,
    expected: Sequence[dict[str, Any]],
    forbidden: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """Define a case with one push, in a clone with an absolute path."""
    push = {"message": title, "head": trees.head, "expected": list(expected), "forbidden": list(forbidden)}
    return {
        "title": title,
        "description": description,
        "language": language,
        "clean": not expected,
        "clone": {"path": str(clone.resolve()), "base": trees.base},
        "pushes": [push],
    }


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
