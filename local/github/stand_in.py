"""GitHub on this machine: one real repository, its pull requests, and the people who work on it."""

import tempfile
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from starlette.types import ASGIApp

from local.github.acts import Acts
from local.github.api import Api, Seen
from local.github.app import Credentials, create_installation_token
from local.github.description import VERSIONS, describe, describe_webhooks
from local.github.hook_log import HookLog
from local.github.limits import Limits
from local.github.payloads import payload
from local.github.repository import Shadow, UnusableRepository
from local.github.routes import Routes
from local.github.server import Server
from local.github.state import Role, State
from local.github.trouble import Trouble, server_error
from local.github.webhooks import Delivery, Postman
from local.github.world import APP_PERMISSIONS, AppFacts, World

_APP_ID, _CLIENT_ID, _INSTALLATION, _HOOK = 424_242, "Iv23liKodiaiLocal", 77_001_234, 31_337


class GitHubStandIn(Acts):
    """A GitHub API over one git repository, on the loopback address; a context manager.

    `repository` is read and never written. `data` is the folder for what the stand-in itself stores, a temporary one
    unless given. Without `webhook_url` deliveries are logged and not sent. `permissions` are those that the App was
    granted, `events` the webhooks that it subscribed to, all unless given. `clock` gives epoch seconds.
    Raises UnusableRepository.
    """

    def __init__(
        self,
        repository: Path,
        *,
        full_name: str = "acme/widgets",
        data: Path | None = None,
        webhook_url: str | None = None,
        webhook_secret: str = "",
        clock: Callable[[], float] = time.time,
        private: bool = True,
        permissions: dict[str, str] | None = None,
        events: Collection[str] | None = None,
        bot: str = "kodiai",
        requests_per_hour: int = 5000,
        content_per_minute: int | None = None,
        port: int = 0,
    ) -> None:
        self._temporary = None if data else tempfile.TemporaryDirectory(prefix="github-", ignore_cleanup_errors=True)
        folder = data or Path(self._temporary.name if self._temporary else "")
        folder.mkdir(parents=True, exist_ok=True)
        try:
            shadow = Shadow(Path(repository), Path(tempfile.mkdtemp(dir=folder)) / "shadow.git")
        except UnusableRepository:
            self._remove()
            raise
        app = AppFacts(_APP_ID, _CLIENT_ID, bot, _INSTALLATION, _HOOK, dict(permissions or APP_PERMISSIONS))
        default = shadow.default_branch()
        if default:
            shadow.set_ref(f"refs/heads/{default[0]}", default[1])
        self._events = events
        self._credentials = Credentials(app.id, app.client_id, clock)
        self._postman = Postman(webhook_url, webhook_secret, app.id, app.hook, clock)
        super().__init__(
            World(
                full_name=full_name,
                private=private,
                default_branch=default[0] if default else "main",
                shadow=shadow,
                app=app,
                clock=clock,
                tell=self._tell,
                started=clock(),
            )
        )
        log = HookLog(self._postman)
        handlers = {
            "POST /app/installations/{installation_id}/access_tokens": create_installation_token(self._credentials),
            "GET /app/hook/deliveries": log.list_deliveries,
            "POST /app/hook/deliveries/{delivery_id}/attempts": log.attempt,
        }
        limits = Limits(clock, requests_per_hour, content_per_minute)
        self._api = Api(self._world, self._credentials, limits, Routes(handlers))
        self._server = Server(self._api, port)
        self._world.url = self._server.url
        self._world.state.user(self._world.owner, "admin")
        self._world.state.user(app.login, "write", "Bot")

    def __enter__(self) -> Self:
        """Start."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop."""
        self.stop()

    def start(self) -> None:
        """Begin to serve and to deliver."""
        for version in VERSIONS:
            describe(version)
        describe_webhooks()
        self._postman.start()
        self._server.start()

    def stop(self) -> None:
        """End serving and delivering, and remove what was stored in a temporary folder."""
        self._server.stop()
        self._postman.stop()
        self._remove()

    def _remove(self) -> None:
        if self._temporary:
            self._temporary.cleanup()

    @property
    def url(self) -> str:
        """The API's base address; GraphQL is at /graphql below it."""
        return self._server.url

    @property
    def world(self) -> World:
        """The inside, for whoever shows it to people."""
        return self._world

    def show(self, site: ASGIApp) -> None:
        """Let a web site answer at the addresses that people open, beside the API."""
        self._server.site = site

    @property
    def app_id(self) -> str:
        """The App's id."""
        return str(self._world.app.id)

    @property
    def private_key(self) -> str:
        """The App's private key as PEM."""
        return self._credentials.private_key()

    @property
    def installation_id(self) -> int:
        """The App's installation on the repository."""
        return self._world.app.installation

    @property
    def bot_login(self) -> str:
        """The login under which the App acts."""
        return self._world.app.login

    @property
    def full_name(self) -> str:
        """The repository, as "owner/name"."""
        return self._world.full_name

    @property
    def state(self) -> State:
        """Everything that was said and done, for whoever renders it; not to be changed."""
        return self._world.state

    @property
    def deliveries(self) -> list[Delivery]:
        """The log of webhook deliveries, oldest first."""
        return self._postman.deliveries

    @property
    def requests(self) -> list[Seen]:
        """The log of API requests, oldest first."""
        return self._api.requests

    @property
    def violations(self) -> list[str]:
        """Everything that strayed from GitHub's description: requests, answers, queries, payloads, unserved paths."""
        return self._api.violations

    @property
    def trusting(self) -> bool:
        """Whether requests, answers and webhooks pass unchecked: for many of a kind that was checked before."""
        return self._api.trusting

    @trusting.setter
    def trusting(self, trusting: bool) -> None:
        self._api.trusting = trusting

    @property
    def webhook_url(self) -> str | None:
        """Where webhooks go."""
        return self._postman.url

    @webhook_url.setter
    def webhook_url(self, url: str | None) -> None:
        self._postman.url = url

    def token_for(self, login: str, permission: Role = "write") -> str:
        """A token of a person who holds that role in the repository from now on."""
        with self._world.acting():
            self._world.state.user(login, permission)
            return self._credentials.user_token(login)

    def redeliver(self, guid: str) -> Delivery:
        """Deliver once more what has that GUID. Raises KeyError where nothing has."""
        found = next((delivery for delivery in self.deliveries if delivery.guid == guid), None)
        if found is None:
            raise KeyError(guid)
        return self._postman.post_again(found)

    def settle(self, seconds: float = 30.0) -> bool:
        """Wait until every webhook so far was answered; False where that took longer."""
        return self._postman.settle(seconds)

    def fail_next(self, route: str, trouble: Trouble | int, *, times: int = 1) -> None:
        """Let the next requests of a route fail ("POST /repos/{owner}/{repo}/pulls/{number}/reviews").

        "POST /graphql updateCheckRun" picks GraphQL requests by a word of their query. A number is that status without
        the effect; the other troubles are in local.github.trouble. Raises ValueError for what is no route.
        """
        planned = trouble if isinstance(trouble, Trouble) else server_error(trouble)
        with self._world.lock:
            self._api.plan.add(route, planned, times)

    def _tell(self, name: str, facts: Mapping[str, Any]) -> None:
        event, action = name.split(".")
        if self._events is not None and event not in self._events:
            return
        told = payload(self._world, event, action, facts)
        violation = None if self._api.trusting else describe_webhooks().check(event, action, told)
        if violation:
            self.violations.append(violation.sentence)
        self._postman.post(event, action, told)
