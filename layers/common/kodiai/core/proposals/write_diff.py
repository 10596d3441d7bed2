"""Writes a diff."""

from collections.abc import Mapping

from kodiai.core.proposals.target import TreeEntry


def diff_of(before: Mapping[str, TreeEntry | None], after: Mapping[str, TreeEntry | None]) -> str:
    """A diff as git writes it, of text files."""
    raise NotImplementedError
