"""Reviewers: who reads a batch of changes, each with a prompt and a concern of its own."""

from collections.abc import Sequence
from typing import Literal

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.kinds import is_data, is_prose, is_sensitive, is_test
from kodiai.core.changes.tier import TRIVIAL_LINES, Tier

Reviewer = Literal["generalist", "correctness", "security", "performance", "tests-and-documentation"]

SPECIALISTS: tuple[Reviewer, ...] = ("correctness", "security", "performance", "tests-and-documentation")


def reviewers(tier: Tier, files: Sequence[ChangedFile]) -> tuple[Reviewer, ...]:
    """Say who reads a batch; the first one also sums it up and answers about earlier findings.

    The tier is that of all that is read in the run, the files are those of this batch.
    """
    if tier == "trivial" or not files:
        return ("generalist",)
    if tier == "lite":
        return ("generalist", "correctness")
    code = [file for file in files if _is_code(file.path)]
    if code:
        if sum(file.changed_lines for file in code) > TRIVIAL_LINES:
            return SPECIALISTS
        is_risky = any(is_sensitive(file.path) for file in code)
        return ("correctness", "security" if is_risky else "tests-and-documentation")
    if any(is_test(file.path) for file in files):
        return ("correctness", "tests-and-documentation")
    return ("generalist", "tests-and-documentation")


def _is_code(path: str) -> bool:
    return not (is_test(path) or is_prose(path) or is_data(path))
