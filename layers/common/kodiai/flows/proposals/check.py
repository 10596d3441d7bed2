"""Check: whether a diff applies to a commit, and may."""

from kodiai.core.config import Config
from kodiai.core.proposals.apply_check import Applied, apply_diff, touched_paths
from kodiai.core.proposals.policy import forbidden_paths, new_links, new_secrets
from kodiai.ports import Code


def check_diff(diff: str, code: Code, commit: str, config: Config) -> Applied:
    """Apply a diff to the files of a commit in memory; nothing that the settings or git forbid."""
    problems = forbidden_paths(diff, config.proposals.deny_paths)
    if problems:
        return Applied({}, problems)
    entries = code.entries(commit, touched_paths(diff))
    applied = apply_diff(diff, entries)
    if applied.problems:
        return applied
    problems = new_links(applied.changes) + new_secrets(entries, applied.changes)
    return Applied(applied.changes, problems)
