"""Reads a diff."""

from kodiai.core.proposals.proposal import AffectedFile


def affected_files(diff: str) -> tuple[AffectedFile, ...]:
    """The files that a diff touches, in its order, as far as it can be read."""
    raise NotImplementedError
