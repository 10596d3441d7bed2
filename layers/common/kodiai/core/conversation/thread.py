"""A review thread that one of our comments began, as it is on GitHub now."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Reply:
    """What somebody said in a thread; `is_ours` is whether it was our own login.

    `association` is GitHub's word for how the author belongs to the repository.

    Source: https://docs.github.com/en/graphql/reference/enums#commentauthorassociation
    """

    id: str
    author: str
    is_bot: bool
    association: str
    body: str
    is_ours: bool = False


@dataclass(frozen=True)
class Opening:
    """Our comment that began a thread: its text, its place, and the code that GitHub shows above it.

    `lines` are those of the head, 1-based, both included, on the new side; None where the comment is outdated.
    `original_lines` are those of the commit that it was written for. `hunk` is the diff hunk up to the last of them.
    """

    body: str
    path: str
    lines: tuple[int, int] | None
    original_lines: tuple[int, int]
    hunk: str


@dataclass(frozen=True)
class Thread:
    """The thread of a finding, known by the marker in its first comment.

    `resolved_by` is the login of who resolved it, None where it is not resolved ("" where that account is gone).
    `can_resolve` is whether GitHub says that we may. `replies` are those after the first comment, oldest first.
    `opening` is the first comment, None where GitHub does not say where it stands.
    """

    id: str
    finding: str
    comment_id: str
    resolved_by: str | None
    can_resolve: bool
    replies: tuple[Reply, ...]
    opening: Opening | None = None

    @property
    def is_resolved(self) -> bool:
        """Whether somebody resolved it."""
        return self.resolved_by is not None


def thread_of_reply(reply: str, threads: Iterable[Thread]) -> Thread | None:
    """The thread that a reply of this id stands in, None where it stands in none of these."""
    return next((thread for thread in threads if any(each.id == reply for each in thread.replies)), None)
