"""A pull request, and the texts that explain it."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class PullRequest:
    """A pull request as it is now. `head` and `base` are commit ids, `base_ref` is its base branch.

    `repository` is "owner/name", `repository_id` GitHub's numeric id, which stays when it is renamed.
    `url` is its page, `labels` are the names of its labels. A merged one is closed too.
    `is_locked` is whether its conversation is locked for us.
    `body_edited` is when its description was last edited, in seconds since the epoch, None if it never was.
    """

    repository: str
    repository_id: int
    is_private: bool
    number: int
    url: str
    title: str
    body: str
    author: str
    author_is_bot: bool
    state: Literal["open", "closed"]
    is_merged: bool
    draft: bool
    head: str
    base: str
    base_ref: str
    body_edited: float | None = None
    labels: tuple[str, ...] = ()
    is_locked: bool = False


@dataclass(frozen=True)
class LinkedIssue:
    """An issue that the pull request closes; `repository` is "owner/name", which may be another one."""

    number: int
    title: str
    body: str
    repository: str


@dataclass(frozen=True)
class Guidance:
    """A file of the base branch that says how to work in the repository."""

    path: str
    text: str
