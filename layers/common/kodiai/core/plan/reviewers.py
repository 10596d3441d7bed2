"""Readers: who reads a batch of changes, each with a question of its own."""

from collections.abc import Sequence
from typing import Literal

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.kinds import is_sensitive
from kodiai.core.changes.tier import LITE_LINES

Reviewer = Literal["generalist", "behavior", "promises", "security", "rules"]

RULES_ONLY: tuple[Reviewer, ...] = ("rules",)
"""The reader of a review that only rules on the team's rules."""

SMALL_LINES = 30
"""The most new lines of a push whose reader also rules on what it reports."""


def reviewers(files: Sequence[ChangedFile], lines: int, *, again: bool) -> tuple[Reviewer, ...]:
    """Say who reads a batch; the first one also sums it up and answers about earlier findings.

    One reader asks both what a small change does and what it promises. `lines` are those of everything that is read in
    a run, or of the batch that a push changes `again`; only first reviews, and large pushes, have a reader of security,
    for batches with files that an outsider may reach.
    """
    is_large = lines > LITE_LINES
    first: tuple[Reviewer, ...] = ("behavior", "promises") if files and is_large else ("generalist",)
    is_risky = any(is_sensitive(file.path) for file in files) and (is_large or not again)
    return (*first, "security") if is_risky else first
