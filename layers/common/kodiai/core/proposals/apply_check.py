"""Whether a diff applies, as strict as `git apply --check`."""

from collections.abc import Mapping
from dataclasses import dataclass

from kodiai.core.proposals.proposal import Problem
from kodiai.core.proposals.target import TreeEntry


@dataclass(frozen=True)
class Applied:
    """What a diff makes of files: each changed path with what is there then, None where it is removed.

    With `problems` nothing is changed.
    """

    changes: Mapping[str, TreeEntry | None]
    problems: tuple[Problem, ...] = ()


def touched_paths(diff: str) -> tuple[str, ...]:
    """Every path that a diff reads or writes, as far as it can be read."""
    raise NotImplementedError


def apply_diff(diff: str, entries: Mapping[str, TreeEntry]) -> Applied:
    """Apply a diff to what is at the paths that it touches, in memory: all of it or nothing."""
    raise NotImplementedError
