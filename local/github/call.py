"""One API request after authentication, and how lists are cut into pages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, TypeVar
from urllib.parse import urlencode

from local.github.answers import Answer, refuse
from local.github.state import PullRequest, Role, User
from local.github.world import World

T = TypeVar("T")
MOST_PER_PAGE = 100


@dataclass(frozen=True)
class Actor:
    """Who asks: a person, the App's installation, the App itself (by JWT), or nobody.

    `permissions` are an installation token's, None for everybody else.
    """

    kind: str
    login: str | None = None
    permissions: Mapping[str, str] | None = None

    def holds(self, permission: str) -> bool:
        """Whether an installation token carries "name:level" or more."""
        name, level = permission.split(":")
        held = (self.permissions or {}).get(name)
        return held in ("write", "admin") or held == level


@dataclass(frozen=True)
class Call:
    """A request. `params` are the path's, decoded; bytes that are not UTF-8 are kept as surrogate escapes."""

    world: World
    actor: Actor
    path: str
    params: Mapping[str, str]
    query: Mapping[str, str]
    body: dict[str, Any]
    accept: str = ""
    rates: Callable[[str], dict[str, int]] = field(default=lambda _: {})

    @property
    def login(self) -> str:
        """The acting user's login; a Refused with 403 for whoever has none."""
        if self.actor.login is None:
            raise refuse(403, "Resource not accessible by integration")
        return self.actor.login

    @property
    def user(self) -> User:
        """The acting user."""
        return self.world.user(self.login)

    @property
    def may_read(self) -> bool:
        """Whether the repository is there at all for whoever asks."""
        if self.actor.kind == "installation":
            return True
        if self.actor.kind == "user":
            return not self.world.private or self.user.may("read")
        return not self.world.private and self.actor.kind == "nobody"

    def may_write(self, permission: str, role: Role) -> bool:
        """Whether an installation token may write that, or a person holds the role."""
        if self.actor.kind == "installation":
            return self.actor.holds(f"{permission}:write")
        return self.actor.kind == "user" and self.user.may(role)

    @property
    def viewer(self) -> str | None:
        """The login whose pending reviews may be shown."""
        return self.actor.login

    @property
    def pull(self) -> PullRequest:
        """The pull request that the path names, also by its issue's number."""
        return self.world.pull(self.number("pull_number" if "pull_number" in self.params else "issue_number"))

    def insist_on_right_to_change(self, author: str) -> None:
        """Raise Refused where what somebody wrote may not be changed by this caller: its author and writers may."""
        by_right = self.actor.kind == "user" and self.user.may("write")
        if author != self.login and not by_right:
            raise refuse(403, "You cannot update this comment.")

    def number(self, name: str) -> int:
        """A number in the path, which the description has already checked to be one."""
        return int(self.params[name])


def page(call: Call, items: Sequence[T], view: Callable[[T], Any]) -> Answer:
    """The asked page of a list, with GitHub's Link header to its neighbours."""
    views, links = cut(call, items)
    return Answer(body=[view(item) for item in views], headers=links)


class _Dated(Protocol):
    created_at: float
    edited_at: float | None


D = TypeVar("D", bound=_Dated)


def since(call: Call, items: Sequence[D]) -> list[D]:
    """Those that were said or changed at the asked time or after it, which GitHub takes to the second; all if none."""
    asked = call.query.get("since")
    at = datetime.fromisoformat(asked).timestamp() if asked else 0
    return [item for item in items if int(item.edited_at or item.created_at) >= int(at)]


def cut(call: Call, items: Sequence[T]) -> tuple[Sequence[T], dict[str, str]]:
    """The items of the asked page, and the Link header where there is more than one page."""
    per_page = min(max(_positive(call.query.get("per_page"), 30), 1), MOST_PER_PAGE)
    number = max(_positive(call.query.get("page"), 1), 1)
    last = max(-(-len(items) // per_page), 1)
    wanted = {"first": 1, "prev": number - 1} if number > 1 else {}
    wanted |= {"next": number + 1, "last": last} if number < last else {}
    links = [f'<{_address(call, page_number)}>; rel="{rel}"' for rel, page_number in wanted.items()]
    start = (number - 1) * per_page
    return items[start : start + per_page], {"Link": ", ".join(links)} if links else {}


def _positive(text: str | None, default: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() else default


def _address(call: Call, number: int) -> str:
    return f"{call.world.url}{call.path}?{urlencode({**call.query, 'page': str(number)})}"
