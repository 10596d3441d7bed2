"""Writes all cases into one git repository, a history each, with the same commit ids on every machine."""

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.case import Case, UnreadableCase
from evals.case_files import Clone
from local.fast_import import NewCommit, run_git, write_commits

_FIRST_SECOND = 1_772_442_000  # 2 March 2026, 09:00 UTC
_HOUR = 3_600
_AUTHOR = "Ann Author <ann@example.org>"


@dataclass(frozen=True)
class History:
    """The commits of a case: the base, and the head of each push."""

    base: str
    heads: tuple[str, ...]


def write_histories(folder: Path, cases: Sequence[Case]) -> Mapping[str, History]:
    """Make a bare repository of all cases in a new folder; return their commits by slug.

    A case with a clone borrows the clone's objects. Raises UnreadableCase where there is no such clone.
    """
    written = [case for case in cases if case.states]
    commits: list[NewCommit] = []
    for case in written:
        commits += _commits(case, len(commits))
    ids = iter(write_commits(folder, commits, bare=True))
    histories = {case.slug: History(next(ids), tuple(next(ids) for _ in case.pushes)) for case in written}
    borrowed = {case.slug: _borrowed(case) for case in cases if not case.states}
    clones = sorted({str(_objects(case)) for case in cases if not case.states})
    if clones:
        (folder / "objects" / "info").mkdir(parents=True, exist_ok=True)
        (folder / "objects" / "info" / "alternates").write_text("".join(f"{clone}\n" for clone in clones))
    return histories | borrowed


def _commits(case: Case, first: int) -> Iterator[NewCommit]:
    messages = ["Begin", *(push.message or case.definition.title for push in case.pushes)]
    for at, (message, state) in enumerate(zip(messages, case.states, strict=True)):
        parent = first + at - 1 if at else None
        yield NewCommit(message, _AUTHOR, _FIRST_SECOND + at * _HOUR, state, parent, is_whole=True)


def _borrowed(case: Case) -> History:
    return History(_clone(case).base, tuple(push.head or "" for push in case.pushes))


def _clone(case: Case) -> Clone:
    if case.definition.clone is None:
        raise UnreadableCase(f"{case.folder}: neither files nor a clone")
    return case.definition.clone


def _objects(case: Case) -> Path:
    clone = case.folder / _clone(case).path
    try:
        return (clone / run_git(clone, "rev-parse", "--git-path", "objects").strip()).resolve()
    except (OSError, subprocess.CalledProcessError) as error:
        raise UnreadableCase(f"{case.folder / 'case.yaml'}: clone.path: no git repository at {clone}") from error
