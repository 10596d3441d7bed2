"""What no proposal may do."""

from collections.abc import Mapping, Sequence

from kodiai.core.proposals.proposal import Problem
from kodiai.core.proposals.target import TreeEntry


def forbidden_paths(diff: str, deny_paths: Sequence[str]) -> tuple[Problem, ...]:
    """The paths of a diff that no proposal may touch, and what it may not make of them."""
    raise NotImplementedError


def new_secrets(before: Mapping[str, TreeEntry], changes: Mapping[str, TreeEntry | None]) -> tuple[Problem, ...]:
    """The secrets that a change brings into files."""
    raise NotImplementedError
