"""Our App on GitHub, which asks with its own signature and not as an installation.

Source: https://docs.github.com/en/rest/apps/apps#get-a-repository-installation-for-the-authenticated-app
"""

from collections.abc import Iterator, Sequence
from typing import Any, Self, cast

import httpx
from githubkit.auth.app import AppAuth

from kodiai.core.config.settings import GitHubSettings
from kodiai.core.errors import Refused, Retry
from kodiai.core.events.missed import Installation
from kodiai.core.events.redelivery import LoggedDelivery
from kodiai.core.github.names import RepositoryRef
from kodiai.edges.github_connection import Access, GitHubConnection
from kodiai.edges.github_permissions import APP, DRY_RUN
from kodiai.edges.github_snapshot import epoch

_PAGE = 100
_NO_APP = (
    "GitHub tells only an App where it is installed, and this deployment has a token (`github/token`): "
    "nothing is deleted. `kodiai forget` deletes what is stored."
)


class GitHubApp(GitHubConnection):
    """The ports `App` and `WebhookLog`. Raises Refused where there is a token and no App."""

    def __init__(self, settings: GitHubSettings, *, pause_seconds: float = 0.2) -> None:
        if settings.app_id is None or settings.private_key is None:
            raise Refused(_NO_APP)
        as_app = settings.model_copy(update={"token": None})
        super().__init__(Access(as_app, 0, APP, pause_seconds), repository="")
        self._signs_in = False  # each request is signed with the App's key

    def login(self) -> str:
        """The login of its bot: https://docs.github.com/en/rest/apps/apps#get-the-authenticated-app ."""
        return f"{self._get('/app')['slug']}[bot]"

    def __enter__(self) -> Self:
        """Keep connections, and sign every request: githubkit knows no address by a repository's id as the App's."""
        super().__enter__()
        with self._github.get_sync_client() as client:
            app = cast("AppAuth", client.auth)
            client.auth = lambda request: _signed(request, app.get_jwt())
        return self

    def installation_on(self, repository: str) -> int | None:
        """The installation on a repository of this name, None where there is none."""
        owner, _, name = repository.partition("/")
        found = self._find("/repos/{owner}/{repo}/installation", owner=owner, repo=name)
        return None if found is None else int(found["id"])

    def installation(self, repository_id: int) -> int | None:
        """Ask the address to which GitHub redirects the documented one from an earlier name of the repository."""
        found = self._find("/repositories/{repository_id}/installation", repository_id=repository_id)
        return None if found is None else int(found["id"])

    def installations(self) -> Sequence[Installation]:
        """List the installations that are not suspended.

        Source: https://docs.github.com/en/rest/apps/apps#list-installations-for-the-authenticated-app
        """
        return [
            Installation(each["id"], epoch(each["created_at"]), each["permissions"])
            for each in self._pages("/app/installations")
            if each["suspended_at"] is None
        ]

    def deliveries(self, since: float) -> Iterator[LoggedDelivery]:
        """Source: https://docs.github.com/en/rest/apps/webhooks#list-deliveries-for-an-app-webhook ."""
        cursor: dict[str, str] = {}
        while True:
            query = {"per_page": _PAGE, **cursor}
            response = self._send("GET", "/app/hook/deliveries", {}, params=query)
            entries = response.json()
            if not isinstance(entries, list):
                raise Retry("GitHub's answer is no listing")
            for entry in map(_delivery, entries):
                if entry.delivered_at < since:
                    return
                yield entry
            following = response.raw_response.links.get("next")
            if following is None:
                return
            cursor = {"cursor": httpx.URL(following["url"]).params["cursor"]}

    def redeliver(self, delivery_id: int) -> None:
        """Source: https://docs.github.com/en/rest/apps/webhooks#redeliver-a-delivery-for-an-app-webhook ."""
        self._write("POST", "/app/hook/deliveries/{delivery_id}/attempts", delivery_id=delivery_id)


class GitHubRepository(GitHubConnection):
    """A repository of which somebody knows only the name. Raises Refused without access to it."""

    def __init__(self, settings: GitHubSettings, repository: str, installation: int | None) -> None:
        super().__init__(Access(settings, installation, DRY_RUN), repository)

    def ref(self) -> RepositoryRef:
        """Its ids, and its name as GitHub spells it."""
        found = self._get("/repos/{owner}/{repo}")
        return RepositoryRef(name=found["full_name"], id=found["id"], owner_id=found["owner"]["id"])

    def has_pull_request(self, number: int) -> bool:
        """Whether it has a pull request of this number."""
        return self._find("/repos/{owner}/{repo}/pulls/{pull_number}", pull_number=number) is not None


class GitHubUser(GitHubConnection):
    """The account of the deployment's token."""

    def __init__(self, settings: GitHubSettings) -> None:
        super().__init__(Access(settings, None, APP), repository="")

    def login(self) -> str:
        """Its login: https://docs.github.com/en/rest/users/users#get-the-authenticated-user ."""
        return str(self._get("/user")["login"])


def own_login(settings: GitHubSettings) -> str:
    """The login under which we write: that of the token's account, else that of the App's bot."""
    us = GitHubUser if settings.token is not None else GitHubApp
    with us(settings) as edge:
        return edge.login()


def _delivery(entry: Any) -> LoggedDelivery:
    return LoggedDelivery(
        id=entry["id"],
        guid=entry["guid"],
        delivered_at=epoch(entry["delivered_at"]),
        redelivery=entry["redelivery"],
        status_code=entry["status_code"] or 0,
        event=entry["event"],
        action=entry["action"],
    )


def _signed(request: httpx.Request, token: str) -> httpx.Request:
    request.headers["Authorization"] = f"Bearer {token}"
    return request
