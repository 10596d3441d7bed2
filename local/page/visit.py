"""Who looks at which pull request, and what they may do there."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from local.github.state import PullRequest, Role, User
from local.github.world import World


@dataclass(frozen=True)
class Visit:
    """One request for a page of a pull request. `query` is that of its address, the last value of each name."""

    world: World
    pull: PullRequest
    viewer: User
    query: Mapping[str, str]

    @property
    def address(self) -> str:
        """Where the pull request's pages begin, without a slash at the end."""
        return f"/{quote(self.world.full_name)}/pull/{self.pull.number}"

    def may(self, role: Role) -> bool:
        """Whether the viewer holds that role or a stronger one."""
        return self.viewer.may(role)

    @property
    def may_resolve(self) -> bool:
        """Whether the viewer may resolve threads: writers may, and the author."""
        return self.viewer.may("write") or self.viewer.login == self.pull.author


Shown = Mapping[str, Any]
"""What a template is given."""
