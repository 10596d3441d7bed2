"""Check: whether a diff applies to a commit, and may."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kodiai.core.config.keys import Config
from kodiai.core.diffs.apply_check import apply_diff, touched_paths
from kodiai.core.diffs.results import Problem
from kodiai.core.diffs.tree import TreeEntry
from kodiai.core.proposals.policy import forbidden_paths, new_deceptions, new_links, new_secrets
from kodiai.core.words import proposals as words
from kodiai.ports.github import Code

MOST_FILES = 150
"""The most paths that one diff may touch: each file is a request to GitHub, and an answer over HTTP has 30 seconds."""


@dataclass(frozen=True)
class CheckedDiff:
    """The entries at the paths that a diff touches, before it and with it (None: nothing).

    `problems` are why it does not apply, or may not; then there are no changes.
    """

    problems: tuple[Problem, ...] = ()
    before: Mapping[str, TreeEntry] = field(default_factory=dict)
    changes: Mapping[str, TreeEntry | None] = field(default_factory=dict)


def check_diff(diff: str, code: Code, commit: str, config: Config) -> CheckedDiff:
    """Apply a diff to the files of a commit in memory, as far as git and the settings allow it.

    Everything that fails is named at once; a file that may not be touched is named once, and nothing of it is shown.
    """
    forbidden, paths = forbidden_paths(diff, config.proposals.deny_paths), touched_paths(diff)
    if len(paths) > MOST_FILES:
        return CheckedDiff((*forbidden, Problem(message=words.too_many_files(len(paths)))))
    before = code.entries(commit, paths)
    applied = apply_diff(diff, before)
    found = applied.problems or (
        new_links(applied.changes) + new_secrets(before, applied.changes) + new_deceptions(before, applied.changes)
    )
    names = {each.path for each in forbidden}
    problems = (*forbidden, *(each for each in found if each.path not in names))
    return CheckedDiff(problems) if problems else CheckedDiff((), before, applied.changes)
