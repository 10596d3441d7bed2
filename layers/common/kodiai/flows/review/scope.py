"""Scope: what of it is read in this run."""

from dataclasses import replace

from kodiai.core.changes.scope import Mode, Scope, choose_scope
from kodiai.core.changes.snapshot import shows_nothing_new
from kodiai.core.settings import Limits
from kodiai.flows.review.gather import Gathered


def scope(gathered: Gathered, limits: Limits) -> Scope:
    """Choose the mode and the files; nothing is read where every hunk was read before."""
    mode, reason = _mode(gathered)
    chosen = choose_scope(
        gathered.files,
        mode=mode,
        reason=reason,
        skip_paths=gathered.config.review.skip_paths,
        batch_characters=limits.batch_characters,
        read_files=limits.read_files,
    )
    return replace(chosen, batches=()) if mode == "unchanged" else chosen


def _mode(gathered: Gathered) -> tuple[Mode, str]:
    if gathered.previous_head is None:
        return "full", "no-prior-review"
    if gathered.previous_snapshot is None:
        return "full", "snapshot-missing"
    if gathered.snapshot.config != gathered.previous_snapshot.config:
        return "full", "config-changed"
    since = f"since-{gathered.previous_head[:7]}"
    return ("unchanged" if shows_nothing_new(gathered.snapshot, gathered.previous_snapshot) else "full"), since
