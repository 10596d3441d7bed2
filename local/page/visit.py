"""Who looks at which pull request, and what they may do there."""

from collections.abc import Hashable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from local.github.state import Place, PullRequest, Role, User
from local.github.world import World


@dataclass(frozen=True)
class Visit:
    """One request for a page of a pull request. `query` is that of its address, the last value of each name.

    `places` is where threads were found before, by the commits that say so.
    """

    world: World
    pull: PullRequest
    viewer: User
    query: Mapping[str, str]
    places: MutableMapping[Hashable, Place | None] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """Where the pull request's pages begin, without a slash at the end."""
        return f"/{quote(self.world.full_name)}/pull/{self.pull.number}"

    def may(self, role: Role) -> bool:
        """Whether the viewer holds that role or a stronger one."""
        return self.viewer.may(role)

    def may_change(self, author: str) -> bool:
        """Whether the viewer may edit or delete what `author` wrote: its author may, and writers."""
        return self.viewer.login == author or self.viewer.may("write")

    @property
    def may_resolve(self) -> bool:
        """Whether the viewer may resolve threads: writers may, and the author."""
        return self.may_change(self.pull.author)

    @property
    def may_close(self) -> bool:
        """Whether the viewer may close the pull request: its author may, and whoever triages."""
        return self.viewer.login == self.pull.author or self.viewer.may("triage")

    @property
    def may_reopen(self) -> bool:
        """Whether the viewer may open it again: whoever triages may, and the author where they closed it."""
        timeline = reversed(self.world.state.timeline)
        closed = (event.actor for event in timeline if (event.number, event.what) == (self.pull.number, "closed"))
        return self.viewer.may("triage") or self.viewer.login == self.pull.author == next(closed, None)


Shown = Mapping[str, Any]
"""What a template is given."""
