"""One API request after authentication, and how lists are cut into pages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeVar

from starlette.datastructures import URL

from local.github.answers import ApiResponse, api_error
from local.github.credentials import Actor, Credentials
from local.github.hosted_repository import HostedRepository
from local.github.state import PullRequest, Role, User
from local.github.webhooks import WebhookSender
from local.recent import Recent

T = TypeVar("T")
MOST_PER_PAGE = 100


@dataclass(frozen=True)
class Call:
    """A request. `params` are the path's; `forbidden` are GraphQL fields that fail as if they were not permitted."""

    repository: HostedRepository
    actor: Actor
    url: URL
    params: Mapping[str, str]
    query: Mapping[str, str]
    body: dict[str, Any]
    violations: Recent[str]
    credentials: Credentials
    webhooks: WebhookSender
    forbidden: frozenset[str] = frozenset()

    @property
    def login(self) -> str:
        """The acting user's login. Raises ApiError with 403 if there is none."""
        if self.actor.login is None:
            raise api_error(403, "Resource not accessible by integration")
        return self.actor.login

    @property
    def user(self) -> User:
        """The acting user."""
        return self.repository.user(self.login)

    @property
    def may_read(self) -> bool:
        """Whether the caller may read the repository; everybody has a role in it, also where it is public."""
        if self.actor.kind == "installation" and self.actor.repositories is not None:
            is_covered = self.repository.id in self.actor.repositories
            return self.repository.has_app if is_covered else not self.repository.is_private
        if self.actor.kind in ("app", "installation"):
            return self.repository.has_app
        return self.actor.kind == "user" and self.user.may("read")

    def lacks(self, *permissions: str) -> bool:
        """Whether the token has none of these, "name:level"; a person's whole token is asked for their role instead."""
        if self.actor.permissions is None or any(map(self.actor.holds, permissions)):
            self.actor.needed.add(permissions)
            return False
        return True

    def may_write(self, permission: str, role: Role) -> bool:
        """Whether an installation token may write that, or a person holds the role."""
        if self.actor.kind == "installation":
            return self.may_read and not self.lacks(f"{permission}:write")
        return self.actor.kind == "user" and self.user.may(role)

    @property
    def pull(self) -> PullRequest:
        """The pull request that the path names, also by its issue's number."""
        return self.repository.pull(self.number("pull_number" if "pull_number" in self.params else "issue_number"))

    def number(self, name: str) -> int:
        """A number in the path, which the description has already checked to be one."""
        return int(self.params[name])


def page(call: Call, items: Sequence[T], view: Callable[[HostedRepository, T], Any]) -> ApiResponse:
    """The requested page of a list, with GitHub's Link header to its neighbors."""
    part, links = cut(call, items)
    return ApiResponse(body=[view(call.repository, item) for item in part], headers=links)


class _Dated(Protocol):
    created_at: float
    edited_at: float | None


D = TypeVar("D", bound=_Dated)


def since(call: Call, items: Sequence[D]) -> list[D]:
    """Return the items written or edited at `since` or later, to the second; all without it."""
    given = call.query.get("since")
    at = datetime.fromisoformat(given).timestamp() if given else 0
    return [item for item in items if int(item.edited_at or item.created_at) >= int(at)]


def cut(call: Call, items: Sequence[T]) -> tuple[Sequence[T], dict[str, str]]:
    """The items of the requested page, and the Link header where there is more than one page."""
    per_page = min(int(call.query.get("per_page", 30)), MOST_PER_PAGE)
    number = int(call.query.get("page", 1))
    last = max(-(-len(items) // per_page), 1)
    wanted = {"first": 1, "prev": number - 1} if number > 1 else {}
    wanted |= {"next": number + 1, "last": last} if number < last else {}
    links = [f'<{call.url.include_query_params(page=at)}>; rel="{rel}"' for rel, at in wanted.items()]
    start = (number - 1) * per_page
    return items[start : start + per_page], {"Link": ", ".join(links)} if links else {}
