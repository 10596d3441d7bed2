"""Our App on GitHub as an operator's commands see it: what it was granted, and where its webhooks go.

Source: https://docs.github.com/en/rest/apps/webhooks
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from kodiai.core.config.settings import GitHubSettings
from kodiai.core.events.payloads import SUBSCRIPTIONS
from kodiai.core.events.redelivery import LoggedDelivery
from kodiai.edges.github_app import GitHubApp
from kodiai.edges.github_permissions import needed

JSON = "json"
_MOST_DELIVERIES = 100
_PING_SECONDS = 30
_POLL_SECONDS = 0.5
_KEPT_SECONDS = 3 * 86_400


def covers(granted: str | None, level: str) -> bool:
    """Whether a permission that was granted at a level, None for not at all, is enough for another one."""
    return granted in ("write", "admin") or granted == level


@dataclass(frozen=True)
class Hook:
    """The webhook configuration of the App; GitHub never shows the secret."""

    url: str
    content_type: str
    insecure_ssl: bool
    has_secret: bool


@dataclass(frozen=True)
class AppFacts:
    """The App: its id, slug and page, whose it is, its permissions by name, and the events that it subscribed to."""

    id: int
    slug: str
    page: str
    owner: str
    is_of_organization: bool
    permissions: Mapping[str, str]
    events: tuple[str, ...]

    @classmethod
    def read(cls, answer: Mapping[str, Any]) -> "AppFacts":
        """Read what GitHub says of an App."""
        return cls(
            id=answer["id"],
            slug=answer["slug"],
            page=answer["html_url"],
            owner=answer["owner"].get("login") or answer["owner"]["slug"],
            is_of_organization=answer["owner"].get("type") == "Organization",
            permissions=answer["permissions"],
            events=tuple(answer["events"]),
        )

    @property
    def lacks(self) -> list[str]:
        """The permissions that it needs and does not have, with their levels."""
        return [f"{name}: {level}" for name, level in needed().items() if not covers(self.permissions.get(name), level)]

    @property
    def unheard(self) -> list[str]:
        """The events that it needs and is not subscribed to."""
        return sorted(set(SUBSCRIPTIONS) - set(self.events))

    @property
    def installation_page(self) -> str:
        """The page that installs the App."""
        return f"{self.page}/installations/new"

    @property
    def permissions_page(self) -> str:
        """The page of its permissions and events. Its own page is below /apps/, on a server below /github-apps/."""
        github = self.page.removesuffix(self.slug).removesuffix("/apps/").removesuffix("/github-apps/")
        place = f"organizations/{self.owner}/settings" if self.is_of_organization else "settings"
        return f"{github}/{place}/apps/{self.slug}/permissions"


@dataclass(frozen=True)
class AppInstallation:
    """An installation: whose, its page, with which permissions, and whether its owner has suspended it."""

    account: str
    page: str
    permissions: Mapping[str, str]
    is_suspended: bool


class RegisteredApp(GitHubApp):
    """Our App, with what an operator may ask and change. Raises Refused, Retry and Broken as the functions do."""

    def __init__(self, settings: GitHubSettings) -> None:
        super().__init__(settings)

    def facts(self) -> AppFacts:
        """The App as GitHub knows it."""
        return AppFacts.read(self._get("/app"))

    def hook(self) -> Hook:
        """The webhook configuration."""
        found = self._get("/app/hook/config")
        return Hook(
            url=found.get("url", ""),
            content_type=found.get("content_type", "form"),
            insecure_ssl=str(found.get("insecure_ssl", "0")) == "1",
            has_secret=bool(found.get("secret")),
        )

    def set_hook(self, url: str, secret: str) -> None:
        """Send its webhooks to this address from now on, as JSON and signed with this secret."""
        body = {"url": url, "secret": secret, "content_type": JSON, "insecure_ssl": "0"}
        self._send("PATCH", "/app/hook/config", {}, json=body)

    def owners(self) -> tuple[AppInstallation, ...]:
        """The installations, suspended ones included."""
        return tuple(
            AppInstallation(
                account=each["account"].get("login") or each["account"]["slug"],
                page=each["html_url"],
                permissions=each["permissions"],
                is_suspended=each["suspended_at"] is not None,
            )
            for each in self._pages("/app/installations")
        )

    def newest_deliveries(self) -> tuple[LoggedDelivery, ...]:
        """The newest hundred of the three days that GitHub keeps, the newest first."""
        return tuple(islice(self.deliveries(time.time() - _KEPT_SECONDS), _MOST_DELIVERIES))

    def redelivered_ping(self) -> int | None:
        """Have GitHub send its own ping once more: the status of the answer, None if there is none in time.

        GitHub has no request that sends a new one. Source:
        https://docs.github.com/en/rest/apps/webhooks#redeliver-a-delivery-for-an-app-webhook
        """
        ping = next((each for each in self.newest_deliveries() if each.event == "ping"), None)
        if ping is None:
            return None
        self.redeliver(ping.id)
        end = time.monotonic() + _PING_SECONDS
        while time.monotonic() < end:
            newest = next(each for each in self.newest_deliveries() if each.guid == ping.guid)
            if newest.id != ping.id:
                return newest.status_code
            time.sleep(_POLL_SECONDS)
        return None
