"""Comments on GitHub about a pull request, by anybody, and their threads."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from kodiai.core.github.names import MESSAGE, NodeId, Number, Surface, Title

Permission = Literal["admin", "write", "read", "none"]
Reaction = Literal["eyes", "+1", "heart", "confused"]

_AT = re.compile(r"(?<![A-Za-z0-9])@[A-Za-z0-9]")


@dataclass(frozen=True)
class Comment:
    """A comment in a thread or in the conversation, or a review's body; `is_ours` is whether we wrote it.

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
    """A review thread, whoever started it, as a question in it is answered.

    `root` is the id under which it is answered. `opening` is its first comment, None where that was deleted.
    `line` is its line now on the new side, None where it is outdated. `hunk` is the diff shown with it.
    `comments` are those that were fetched, the opening one included, oldest first.
    """

    root: int
    opening: Comment | None
    path: str
    line: int | None
    hunk: str
    comments: tuple[Comment, ...]


GHOST = "ghost"
"""The login of an account that is gone."""


@dataclass(frozen=True)
class Reply:
    """A comment in the thread of a finding, after the first one; `is_ours` is whether our own login wrote it."""

    id: str
    author: str
    is_bot: bool
    body: str
    is_ours: bool = False


@dataclass(frozen=True)
class Opening:
    """Our comment that started a thread: its text, its place, and the code that GitHub shows above it.

    `lines` are those of the head, 1-based, both included, on the new side; None where the comment is outdated.
    `original_lines` are those of the commit that it was written for. `hunk` is the diff hunk up to the last of them.
    """

    body: str
    path: str
    lines: tuple[int, int] | None
    original_lines: tuple[int, int]
    hunk: str


@dataclass(frozen=True)
class Thumb:
    """A person's reaction 👍 (`up`) or 👎."""

    login: str
    up: bool


@dataclass(frozen=True)
class Thread:
    """The review thread of a finding, known by the marker in its first comment.

    `resolved_by` is the login of the person who resolved it, None where it is not resolved (GHOST where that account is
    gone). `can_resolve` is whether GitHub says that we may. `replies` are those after the first comment, oldest first.
    `opening` is the first comment, None where GitHub does not say on which line it is.
    `thumbs` are people's reactions 👍 and 👎 to the first comment: the first 20 of each.
    """

    id: str
    finding: str
    comment_id: str
    resolved_by: str | None
    can_resolve: bool
    replies: tuple[Reply, ...]
    opening: Opening | None = None
    thumbs: tuple[Thumb, ...] = ()

    @property
    def is_resolved(self) -> bool:
        """Whether somebody resolved it."""
        return self.resolved_by is not None


def thread_of_reply(reply_id: str, threads: Iterable[Thread]) -> Thread | None:
    """Find the thread that holds a reply, None where none of these does."""
    return next((thread for thread in threads if any(each.id == reply_id for each in thread.replies)), None)


def of_people(replies: Iterable[Reply]) -> list[Reply]:
    """The replies of people: neither ours nor those of other bots."""
    return [reply for reply in replies if not reply.is_bot and not reply.is_ours]


def may_mention(text: str) -> bool:
    """Whether a comment could mention anybody; False only where `parse_comment` finds no mention.

    It takes no parser: the function that receives webhooks has no time to load one.
    """
    return _AT.search(text) is not None


class CommentPayload(BaseModel):
    """A comment as it was when it was written: nobody can change it afterwards.

    `id` and `node_id` are GitHub's ids of the comment, or of the review; `reply_to` is the review comment that it
    answers. `text` is Markdown, cut at MOST_SAID characters. `at` is in seconds since the epoch.
    `title` is the pull request's title then.
    """

    model_config = MESSAGE

    surface: Surface
    id: Number
    node_id: NodeId
    reply_to: Number | None
    text: str
    at: Annotated[int, Field(ge=0, lt=2**53)]
    title: Title

    @property
    def key(self) -> str:
        """Its name among all comments of a repository: "thread-123"."""
        return f"{self.surface}-{self.id}"
