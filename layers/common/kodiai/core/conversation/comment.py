"""What was said on GitHub about a pull request, by anybody."""

from dataclasses import dataclass
from typing import Literal

Permission = Literal["admin", "write", "read", "none"]
Reaction = Literal["eyes", "+1", "heart", "confused"]


@dataclass(frozen=True)
class Comment:
    """What somebody said in a thread, in the conversation, or as a review's body; `is_ours` is whether we did.

    `created` and `edited` (the last time; the same where it never was) are in seconds since the epoch.
    """

    id: int
    author: str
    is_bot: bool
    is_ours: bool
    body: str
    created: float
    edited: float


@dataclass(frozen=True)
class Discussion:
    """A review thread, whoever began it.

    `root` is the id under which it is answered. `opening` is its first comment, None where that was deleted.
    `line` is where it stands now on the new side, None where it is outdated. `hunk` is the diff shown with it.
    `comments` are those that were fetched, the opening one included, oldest first.
    """

    root: int
    opening: Comment | None
    path: str
    line: int | None
    hunk: str
    comments: tuple[Comment, ...]
