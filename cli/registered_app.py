"""Our App on GitHub as an operator's commands see it: what it was granted, and where its webhooks go.

Source: https://docs.github.com/en/rest/apps/webhooks
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from kodiai.core.settings import GitHubSettings
from kodiai.edges.github_app import GitHubApp

JSON = "json"
_MOST_DELIVERIES = 100


@dataclass(frozen=True)
class Hook:
    """Where the App's webhooks go, and how; GitHub shows no secret."""

    url: str
    content_type: str
    insecure_ssl: bool
    has_secret: bool


@dataclass(frozen=True)
class AppFacts:
    """The App: its id, slug, page, permissions by name, and the events that it subscribed to."""

    id: int
    slug: str
    page: str
    owner: str
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
            permissions=answer["permissions"],
            events=tuple(answer["events"]),
        )


@dataclass(frozen=True)
class AppInstallation:
    """An installation: whose, with which permissions, and whether its owner has suspended it."""

    id: int
    account: str
    permissions: Mapping[str, str]
    is_suspended: bool


@dataclass(frozen=True)
class SentDelivery:
    """One attempt of GitHub to deliver a webhook; `status` is 0 where nobody answered. `at` is GitHub's own text."""

    id: int
    guid: str
    at: str
    event: str
    action: str
    status: int
    says: str
    is_redelivery: bool


class RegisteredApp(GitHubApp):
    """Our App, with what an operator may ask and change. Raises Refused, Retry and Broken as the functions do."""

    def __init__(self, settings: GitHubSettings) -> None:
        super().__init__(settings)

    def facts(self) -> AppFacts:
        """What GitHub knows of it."""
        return AppFacts.read(self._get("/app"))

    def hook(self) -> Hook:
        """Where its webhooks go."""
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

    def installations(self) -> tuple[AppInstallation, ...]:
        """Where it is installed."""
        return tuple(
            AppInstallation(
                id=each["id"],
                account=each["account"].get("login") or each["account"]["slug"],
                permissions=each["permissions"],
                is_suspended=each["suspended_at"] is not None,
            )
            for each in self._pages("/app/installations")
        )

    def deliveries(self) -> tuple[SentDelivery, ...]:
        """The newest deliveries, at most a hundred, the newest first."""
        found: Iterable[Any] = self._get("/app/hook/deliveries", {"per_page": _MOST_DELIVERIES})
        return tuple(
            SentDelivery(
                id=each["id"],
                guid=each["guid"],
                at=each["delivered_at"],
                event=each["event"],
                action=each["action"] or "",
                status=each["status_code"],
                says=each["status"],
                is_redelivery=each["redelivery"],
            )
            for each in islice(found, _MOST_DELIVERIES)
        )

    def redeliver(self, delivery: int) -> None:
        """Have GitHub send a delivery once more."""
        self._send("POST", "/app/hook/deliveries/{delivery_id}/attempts", {"delivery_id": delivery}, tries=1)
