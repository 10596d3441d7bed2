"""A request for a page of a pull request: its viewer, and what they may do there."""

from collections.abc import Hashable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from local.github.hosted_repository import HostedRepository
from local.github.state import CommentPosition, PullRequest, Role, User


@dataclass(frozen=True)
class PageRequest:
    """One request for a page of a pull request. `query` is that of its URL, the last value of each name.

    `places` caches where threads are, by the commits that determine it.
    """

    repository: HostedRepository
    pull: PullRequest
    viewer: User
    query: Mapping[str, str]
    places: MutableMapping[Hashable, CommentPosition | None] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """The path of the pull request's pages, without a slash at the end."""
        return f"/{quote(self.repository.full_name)}/pull/{self.pull.number}"

    def may(self, role: Role) -> bool:
        """Whether the viewer holds that role or a stronger one."""
        return self.viewer.may(role)

    def may_change(self, author: str) -> bool:
        """Whether the viewer may edit or delete what `author` wrote: its author may, and write access is enough."""
        return self.viewer.login == author or self.viewer.may("write")

    @property
    def may_comment(self) -> bool:
        """Whether the viewer may comment and reply: in a locked conversation that takes write access."""
        return not self.pull.locked or self.viewer.may("write")

    @property
    def may_resolve(self) -> bool:
        """Whether the viewer may resolve threads: the author may, and write access is enough."""
        return self.may_change(self.pull.author)

    @property
    def may_close(self) -> bool:
        """Whether the viewer may close the pull request: its author may, and triage access is enough."""
        return self.viewer.login == self.pull.author or self.viewer.may("triage")

    @property
    def may_reopen(self) -> bool:
        """Whether the viewer may reopen it: triage access is enough, and the author may if they closed it."""
        timeline = reversed(self.repository.state.timeline)
        closed = (event.actor for event in timeline if (event.number, event.what) == (self.pull.number, "closed"))
        return self.viewer.may("triage") or self.viewer.login == self.pull.author == next(closed, None)


Context = Mapping[str, Any]
"""The values that a template is given."""
