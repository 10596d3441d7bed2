"""The permissions of an installation's tokens: no more than the flow needs that asks for them.

Decided in docs/decisions/0042-what-a-token-may-do.md. Names and levels:
https://docs.github.com/en/rest/apps/apps#create-an-installation-access-token-for-an-app
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

Permissions = Mapping[str, str]
"""Permissions with their levels: {"contents": "read"}."""

_READS = {"contents": "read", "metadata": "read", "pull_requests": "read"}
_WRITES = {**_READS, "pull_requests": "write"}
_RESOLVES = {**_WRITES, "contents": "write"}


@dataclass(frozen=True)
class TokenPermissions:
    """The permissions of requests that read, of those that write, and of those that resolve a thread."""

    reads: Permissions
    writes: Permissions = field(default_factory=dict)
    resolves: Permissions = field(default_factory=dict)


_LOOKS = {**_READS, "issues": "read", "checks": "read", "statuses": "read"}
_REVIEWS = {**_WRITES, "issues": "read", "checks": "write", "statuses": "read"}

REVIEW = TokenPermissions(_REVIEWS, _REVIEWS, {**_RESOLVES, "checks": "write"})
"""A review: reads the results of other checks, posts the review, and shows its state in a check run."""

LOOK = TokenPermissions(_LOOKS, REVIEW.writes, REVIEW.resolves)
"""A review that most likely ends before it writes anything."""

DRY_RUN = TokenPermissions(_LOOKS)
"""A review that is not posted."""

ANSWER = TokenPermissions(_WRITES, _WRITES, _RESOLVES)
"""An answer to a comment, and the review of a proposal."""

CODE = TokenPermissions(_READS, {"contents": "write", "metadata": "read"})
"""The code of a repository, and the commit of an approved proposal."""

LIST = TokenPermissions({"metadata": "read", "pull_requests": "read"})
"""The open pull requests of all repositories of an installation."""

_QUEUES = {**_READS, "checks": "write", "merge_queues": "read"}
QUEUE = TokenPermissions(_QUEUES, _QUEUES)
"""The check run of a commit of a merge queue, and the pull requests in it."""

FILES = TokenPermissions({"contents": "read", "metadata": "read"})
"""Files of a repository."""

APP = TokenPermissions({})
"""The App itself, which asks with its own signature."""


def needed() -> Permissions:
    """All that the App has to be granted: the highest level of each permission in any of the above."""
    levels = [
        part
        for each in (REVIEW, LOOK, DRY_RUN, ANSWER, CODE, QUEUE)
        for part in (each.reads, each.writes, each.resolves)
    ]
    return {
        name: "write" if "write" in (part.get(name) for part in levels) else "read"
        for name in sorted({name for part in levels for name in part})
    }


def granted_part(needs: Permissions, granted: Permissions) -> Permissions:
    """The part of some permissions that was granted: "read" where "write" was not."""
    return {
        name: "read" if "read" in (level, granted[name]) else level for name, level in needs.items() if name in granted
    }
