"""Makes the bundled sample: repository, pushes and the list of what is planted."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from local.fast_import import NewCommit, run_git, write_commits
from local.sample.history import BRANCH, HISTORY, MAIN, PUSHES, TITLE, Commit
from local.sample.leaks import fill
from local.sample.planted import PlantedProblem, read_planted

_FIRST_DAY = 1_772_442_000  # 2 March 2026, 09:00 UTC
_DAY = 86_400


class Push(NamedTuple):
    """The content of a push: the commit ids of the branch's new head and of main at that time."""

    head: str
    base: str


@dataclass(frozen=True)
class Sample:
    """A repository on disk and what to expect of its review.

    The pushes are to be delivered in order; the last one was rebased onto a main that had moved on.
    """

    path: Path
    title: str
    branch: str
    pushes: tuple[Push, ...]
    planted: tuple[PlantedProblem, ...]

    def planted_in(self, push: int) -> tuple[PlantedProblem, ...]:
        """Give the defects that the head of this push (from 0) has."""
        return tuple(planted for planted in self.planted if planted.stands_in(push))


def make_sample(folder: Path, pushed: int = len(PUSHES)) -> Sample:
    """Make the sample in this folder, which is created and must be empty; its branch has had that many pushes, from 1.

    The commit ids are the same everywhere and each time. Every push is also a tag, `push-1` and so on,
    so that no head is lost when the branch is rebased. Raises FileExistsError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty: name a new folder for the sample")
    heads = [head for head, _ in PUSHES]
    refs = {"refs/heads/main": MAIN, f"refs/heads/{BRANCH}": heads[pushed - 1]}
    refs |= {f"refs/tags/push-{number}": head for number, head in enumerate(heads, start=1)}
    names = [commit.name for commit in HISTORY]
    commits = (_written(commit, names.index(commit.parent) if commit.parent else None) for commit in HISTORY)
    ids = dict(zip(names, write_commits(folder, list(commits), bare=False), strict=True))
    for ref, name in refs.items():
        run_git(folder, "update-ref", ref, ids[name])
    run_git(folder, "reset", "--quiet", "--hard", "main")
    pushes = tuple(Push(ids[head], ids[base]) for head, base in PUSHES)
    return Sample(folder, TITLE, BRANCH, pushes, read_planted(fill))


def _written(commit: Commit, parent: int | None) -> NewCommit:
    author = f"{commit.author} <{commit.author.lower()}@harbour.example>"
    return NewCommit(commit.message, author, _FIRST_DAY + commit.day * _DAY, dict(commit.files()), parent)
