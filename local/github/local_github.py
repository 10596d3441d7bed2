"""GitHub on this machine: one real repository, its pull requests, and the people who work on it."""

import secrets
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Literal, Self

from starlette.types import ASGIApp

from kodiai.core.config.read import OWNER_REPOSITORY
from local.folder import locked_folder
from local.github.api import Api, LoggedRequest
from local.github.credentials import Actor, Credentials, private_key
from local.github.description import describe
from local.github.failures import PlannedFailure, server_error
from local.github.hosted_repository import (
    APP_EVENTS,
    APP_PERMISSIONS,
    EVENT_PERMISSIONS,
    REPOSITORY_ID,
    AppFacts,
    HostedRepository,
)
from local.github.merge_queue import advance
from local.github.payloads import OWN_ACTIONS, UNSUBSCRIBED_EVENTS, payload
from local.github.repository import RepositoryCopy
from local.github.state import Installation, IssueComment, Review, ReviewComment, Role, State
from local.github.storage import Storage
from local.github.user_actions import UserActions
from local.github.webhooks import TIMEOUT_SECONDS, Delivery, WebhookSender, delivery_log
from local.recent import Recent
from local.server import Server

_APP, _APP_ID, _CLIENT_ID, _HOOK = "kodiai", 424_242, "Iv23liKodiaiLocal", 31_337
_FIRST_INSTALLATION = 77_001_234


@dataclass(frozen=True)
class AppSetup:
    """The App's settings on GitHub.

    `permissions` are those granted to it. `events` are its webhooks, all that the permissions support unless given.
    Without `webhook_url` deliveries are logged and not sent. Unless `registered` there is no App until somebody
    registers one from a manifest, as on GitHub (local.github.registration).
    """

    permissions: Mapping[str, str] = field(default_factory=lambda: APP_PERMISSIONS)
    events: Collection[str] | None = None
    webhook_url: str | None = None
    webhook_secret: str = ""
    registered: bool = True


class LocalGitHub(UserActions):
    """A GitHub API over one git repository, on the loopback address; a context manager.

    `source` is read and never written. `data` is a folder that stores everything, with every pushed commit: the next
    one over it continues where this one stops, however it stops. Only tokens, the App's key and the log of requests
    are new each time. Without it nothing is stored; with it, deliveries wait for a webhook address.
    With `enterprise` it is a GitHub Enterprise Server, open or in private mode.
    `deliveries`, `requests` and the installation's `tokens` are logs, oldest first. `violations` is everything that
    does not fit GitHub's description: requests, answers, queries, payloads, unserved paths.
    Raises UnusableRepository, UnusableFolder, OSError where the port is taken, and ValueError for events that the
    permissions do not permit.
    """

    def __init__(
        self,
        source: Path,
        *,
        full_name: str = "acme/widgets",
        data: Path | None = None,
        app: AppSetup = AppSetup(),
        enterprise: Literal["open", "private"] | None = None,
        port: int = 0,
    ) -> None:
        granted = dict(app.permissions)
        permitted = [event for event, needs in EVENT_PERMISSIONS.items() if needs in granted]
        if unsupported := sorted(set(app.events or ()) - set(permitted)):
            raise ValueError(f"Default events are not supported by permissions: {', '.join(unsupported)}")
        facts = AppFacts(
            _APP_ID,
            _CLIENT_ID,
            _APP,
            _HOOK,
            granted,
            [event for event in APP_EVENTS if event in permitted] if app.events is None else list(app.events),
            hook_url=app.webhook_url,
            hook_secret=app.webhook_secret,
        )
        with ExitStack() as opened:
            folder = opened.enter_context(locked_folder(data) if data else _temporary())
            copy = RepositoryCopy(Path(source), folder / "shadow.git", lasting=data is not None)
            storage = opened.enter_context(closing(Storage(folder / "github.sqlite"))) if data else None
            default = copy.default_branch()
            super().__init__(
                HostedRepository(
                    full_name=full_name,
                    id=REPOSITORY_ID,
                    default_branch=default[0] if default else "main",
                    copy=copy,
                    app=facts,
                    send_webhook=self._send_webhook,
                    started=time.time(),
                    state=storage.state if storage else State(),
                    is_server=enterprise is not None,
                )
            )
            self.repository.watchers.append(partial(advance, self.repository))
            if storage:
                self.repository.watchers.append(storage.write)
                opened.callback(self.repository.watchers.remove, storage.write)
            self._webhooks = WebhookSender(
                self.repository, storage.deliveries if storage else delivery_log(), waits_for_url=storage is not None
            )
            self.repository.watchers.append(self._webhooks.look_again)
            self._credentials = Credentials(facts)
            self._api = Api(self.repository, self._credentials, self._webhooks, is_private=enterprise == "private")
            self.deliveries: Recent[Delivery] = self._webhooks.deliveries
            self.requests: Recent[LoggedRequest] = self._api.requests
            self.violations: Recent[str] = self._api.violations
            self.tokens: list[Actor] = self._credentials.issued
            self._server = Server(self._api, port)
            self.repository.url = self._server.url
            self._begin(default, registered=app.registered)
            self._opened = opened.pop_all()

    def _begin(self, default: tuple[str, str] | None, *, registered: bool) -> None:
        """Make who is always there, and point the branches to where the state says that they are."""
        with self.repository.acting():
            if self.repository.owner not in self.state.users:
                self.state.user(self.repository.owner, "admin")
            if not self.state.installations:
                self.state.installations[_FIRST_INSTALLATION] = Installation(_FIRST_INSTALLATION, exists=registered)
            if registered and self.bot_login not in self.state.users:
                self.state.user(self.bot_login, "write", "Bot")
            refs = {}
            for pull in self.state.pulls.values():
                refs[f"refs/pull/{pull.number}/head"] = pull.head_sha
                if pull.state == "open":
                    refs[f"refs/heads/{pull.base_ref}"] = pull.base_sha
                    refs |= {} if pull.from_fork else {f"refs/heads/{pull.head_ref}": pull.head_sha}
            for group in self.state.groups.values():
                refs |= {} if group.ended else {f"refs/heads/{group.ref}": group.head}
            if default and not any(pull.base_ref == default[0] for pull in self.state.pulls.values()):
                refs[f"refs/heads/{default[0]}"] = default[1]
            self.repository.copy.set_refs(refs)

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
        if not self.trusting:
            describe()
        self._webhooks.start()
        self._server.start()

    def stop(self) -> None:
        """End serving and delivering, and let go of the folder."""
        self._server.stop()
        self._webhooks.stop()
        self._opened.close()

    @property
    def url(self) -> str:
        """The API's base address."""
        return f"{self._server.url}/api/v3" if self.repository.is_server else self._server.url

    def show(self, site: ASGIApp) -> None:
        """Let a web site answer at the addresses that people open, next to the API."""
        self._api.site = site

    @property
    def app_id(self) -> str:
        """The App's id."""
        return str(self.repository.app.id)

    @property
    def private_key(self) -> str:
        """The App's private key as PEM."""
        return private_key()

    @property
    def credentials(self) -> dict[str, str]:
        """The App's credentials, by the names of a deployment's parameters."""
        return {"github/app-id": self.app_id, "github/private-key": self.private_key}

    @property
    def installation_id(self) -> int:
        """The App's newest installation."""
        return self.repository.installation.id

    @property
    def bot_login(self) -> str:
        """The login under which the App acts."""
        return self.repository.app.login

    @property
    def full_name(self) -> str:
        """The repository, as "owner/name"."""
        return self.repository.full_name

    @property
    def state(self) -> State:
        """Everything that happened so far; not to be changed."""
        return self.repository.state

    @property
    def sent_bytes(self) -> int:
        """The bytes of all responses so far."""
        return self._api.sent_bytes

    @property
    def trusting(self) -> bool:
        """Whether requests, answers and webhooks pass unchecked, which saves most of the time; False at the start."""
        return self._api.trusting

    @trusting.setter
    def trusting(self, trusting: bool) -> None:
        self._api.trusting = trusting

    @property
    def webhook_url(self) -> str | None:
        """The address that webhooks are sent to."""
        return self.repository.app.hook_url

    @webhook_url.setter
    def webhook_url(self, url: str | None) -> None:
        if self.repository.app.hook_url is None:
            self._webhooks.settle(TIMEOUT_SECONDS)  # what happened while there was no address is not sent
        with self.repository.acting():
            self.repository.app.hook_url = url

    @property
    def webhook_secret(self) -> str:
        """The secret that signs webhooks."""
        return self.repository.app.hook_secret

    @webhook_secret.setter
    def webhook_secret(self, secret: str) -> None:
        self.repository.app.hook_secret = secret

    def token_for(self, login: str, permission: Role = "write", *, grants: Mapping[str, str] | None = None) -> str:
        """A token of a person who holds that role in the repository from now on.

        With `grants` ({"contents": "read"}) it is a fine-grained token, which may do no more than these.
        """
        with self.repository.acting():
            self.repository.state.user(login, permission)
            return self._credentials.user_token(login, grants)

    def host_owners(self, source: Path, *, is_private: bool = True, has_app: bool = False) -> None:
        """Host the owner's `.github` repository too, from a git repository that is only read.

        Nothing can be done in it but to read it. `has_app` is whether the App is installed on it.
        """
        here = self.repository
        before = len([*here.copy.folder.parent.glob("owners-*.git")])
        copy = RepositoryCopy(source, here.copy.folder.with_name(f"owners-{before}.git"))
        branch, tip = copy.default_branch() or ("main", None)
        copy.set_refs({f"refs/heads/{branch}": tip} if tip else {})
        installation = replace(here.installation, has_repository=has_app)
        with here.acting():
            here.owners = replace(
                here,
                full_name=f"{here.owner}/{OWNER_REPOSITORY}",
                id=here.id + 1,
                default_branch=branch,
                copy=copy,
                is_private=is_private,
                archives={},
                state=State(users=here.state.users, installations={installation.id: installation}),
                watchers=[],
            )

    def register_another_app(self, owner: str) -> str:
        """Have somebody register an App of their own, of which there is only the code for its keys, and return that."""
        with self.repository.acting():
            self.repository.user(owner)
            code = secrets.token_hex(20)
            self.repository.app.codes[code] = owner
            return code

    def rename_app(self, slug: str) -> None:
        """Rename the App: all that it ever wrote is by its new login from now on."""
        with self.repository.acting():
            state, old = self.state, self.bot_login
            self.repository.app.slug = slug
            state.users[self.bot_login] = replace(state.users.pop(old), login=self.bot_login)
            texts: tuple[Review | ReviewComment | IssueComment, ...] = (
                *state.reviews.values(),
                *state.comments.values(),
                *state.issue_comments.values(),
            )
            for written in texts:
                if written.author == old:
                    written.author = self.bot_login
            for thread, resolution in state.resolutions.items():
                if resolution.by == old:
                    state.resolutions[thread] = replace(resolution, by=self.bot_login)
            for number, reaction in state.reactions.items():
                if reaction.author == old:
                    state.reactions[number] = replace(reaction, author=self.bot_login)

    def redeliver(self, guid: str) -> Delivery:
        """Deliver once more what has that GUID. Raises KeyError where nothing has."""
        found = next((delivery for delivery in self.deliveries.kept if delivery.guid == guid), None)
        if found is None:
            raise KeyError(guid)
        with self.repository.acting():
            return self._webhooks.redeliver(found)

    def lose_webhooks(self, times: int = 1) -> None:
        """Let the next webhooks get no answer: nobody hears of them."""
        self._webhooks.lose_next(times)

    def shuffled(self, order: Random) -> AbstractContextManager[None]:
        """Within, webhooks wait; then all that wait are sent in another order, for GitHub promises none."""
        return self._webhooks.shuffled(order)

    def settle(self, seconds: float = 30.0) -> bool:
        """Wait until every webhook so far was answered; False where that took longer."""
        return self._webhooks.settle(seconds)

    def fail_next(self, route: str, failure: PlannedFailure | int, *, times: int = 1) -> None:
        """Let the next requests of a route fail ("POST /repos/{owner}/{repo}/pulls/{number}/reviews").

        "POST /graphql updateCheckRun" picks GraphQL requests by a word of their query. A number is that status without
        the effect; the other failures are in local.github.failures. Raises ValueError for what is no route.
        """
        planned = failure if isinstance(failure, PlannedFailure) else server_error(failure)
        with self.repository.lock:
            self._api.failures.add(route, planned, times)

    def _send_webhook(self, name: str, facts: Mapping[str, Any]) -> None:
        event, _, action = name.partition(".")
        here = self.repository
        is_ours = action in OWN_ACTIONS.get(event, ()) and here.granted.get("checks") == "write"
        is_subscribed = event in here.app.events and EVENT_PERMISSIONS.get(event) in here.granted
        is_wanted = here.has_app and (is_subscribed or is_ours)
        if not is_wanted and event not in UNSUBSCRIBED_EVENTS:
            return
        sent = payload(self.repository, event, action, facts)
        violation = None if self._api.trusting else describe().check_webhook(event, action, sent)
        if violation:
            self.violations.append(violation.sentence)
        self._webhooks.send(event, action, sent)


@contextmanager
def _temporary() -> Iterator[Path]:
    with TemporaryDirectory(prefix="github-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)
