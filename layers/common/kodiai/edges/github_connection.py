"""The requests to GitHub through githubkit: signing in, paging, downloads, retries and counts.

What githubkit does and what we do ourselves is decided in docs/decisions/0030-what-githubkit-does.md.
REST reference: https://docs.github.com/en/rest?apiVersion=2026-03-10
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from json import JSONDecodeError
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple, Self, cast
from urllib.parse import quote

import httpx
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from githubkit import AppAuthStrategy, GitHub, Response, TokenAuthStrategy
from githubkit.cache import MemCacheStrategy
from githubkit.exception import GitHubException, GraphQLFailed, PrimaryRateLimitExceeded, RequestError, RequestFailed
from githubkit.typing import RetryOption

from kodiai.core.config.settings import GitHubSettings
from kodiai.core.errors import Broken, Refused, Retry
from kodiai.core.json_object import JsonObject
from kodiai.core.text.posted import cleaned
from kodiai.edges.calls import CallLog
from kodiai.edges.github_errors import Missing, Transient, Unprocessable, translate_status
from kodiai.edges.github_permissions import Permissions, TokenPermissions, granted_part
from kodiai.edges.https import trusted
from kodiai.edges.trees import copy, full_disk_is_broken

# Each GitHub Enterprise Server refuses the versions that it does not know, and all know the first one.
# https://docs.github.com/en/enterprise-server@latest/rest/about-the-rest-api/api-versions
_VERSION, _SERVER_VERSION = "2026-03-10", "2022-11-28"
_SERVER_PATH = "/api/v3"
_TOKEN = "/app/installations/{installation_id}/access_tokens"  # noqa: S105 - a route
INSTALLATION = "/repos/{owner}/{repo}/installation"
_NOT_INSTALLED = "the App is no longer installed here"
_CONNECT_SECONDS = 5.0
_PAGE = 100
_NO_KEY = "the App's key cannot be used: look at the parameter github/private-key"
_TRIES = 3
# A request without an answer may still be at work: GitHub ends each one after ten seconds.
# https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#timeouts
_UNDER_WAY_SECONDS = 10.0

_Names = Mapping[str, str | int]


def version_header(api_url: str) -> dict[str, str]:
    """The header with the version in which a GitHub is asked."""
    return {"X-GitHub-Api-Version": _SERVER_VERSION if api_url.endswith(_SERVER_PATH) else _VERSION}


@dataclass(frozen=True)
class Access:
    """The access to GitHub: with the token in the settings, else as this installation of our App.

    `permissions` are what the tokens of an installation may do. `pause_seconds` is how long to wait before a read is
    tried again, the first time; the second time twice as long.
    """

    settings: GitHubSettings
    installation: int | None
    permissions: TokenPermissions
    pause_seconds: float = 0.2


class GitHubConnection:
    """Requests about one repository, one at a time.

    A request gives the JSON of its answer, or raises what it means that there is none.
    The tokens of an installation reach this repository and no other. With its numeric `repository_id` they do so after
    it was renamed too.
    """

    def __init__(self, access: Access, repository: str, *, repository_id: int | None = None) -> None:
        owner, _, name = repository.partition("/")
        settings, installation = access.settings, access.installation
        self._repository = repository
        self._permissions = access.permissions
        self._only: JsonObject = (
            {"repositories": [name]} if repository_id is None else {"repository_ids": [repository_id]}
        )
        self._credentials = _credentials(settings, installation)
        self._github = _Client(
            self._credentials,
            base_url=settings.api_url,
            auto_retry=self._again,
            timeout=httpx.Timeout(settings.timeout_seconds, connect=min(settings.timeout_seconds, _CONNECT_SECONDS)),
            http_cache=False,
            ssl_verify=trusted(),
            # githubkit's shared cache knows an App by its id only: its signature would outlive a change of the key.
            cache_strategy=MemCacheStrategy(),
            event_hooks={"request": [self._sent], "response": [self._answered]},
        )
        self._version = version_header(settings.api_url)
        self._signs_in = settings.token is None
        self._tokens: dict[frozenset[tuple[str, str]], _Token] = {}
        self._names = {"owner": owner, "repo": name, "installation_id": installation or 0}
        self._pause_seconds = access.pause_seconds
        self._calls: Counter[str] = Counter()
        self._log = CallLog("github")
        self._route, self._tries = "", 0

    def __enter__(self) -> Self:
        """Keep connections from one request to the next."""
        self._github.__enter__()
        return self

    def __exit__(self, *why: Any) -> None:
        self._github.__exit__()

    def calls(self) -> Mapping[str, int]:
        return dict(self._calls)

    def _get(self, route: str, params: Mapping[str, Any] | None = None, **names: str | int) -> Any:
        """Get a resource's JSON; a failure that may pass is tried again."""
        return self._send("GET", route, names, params=params).json()

    def _find(self, route: str, params: Mapping[str, Any] | None = None, **names: str | int) -> Any:
        """Get a resource's JSON, None where there is none."""
        try:
            return self._get(route, params, **names)
        except Missing:
            return None

    def _pages(
        self,
        route: str,
        params: Mapping[str, Any] | None = None,
        *,
        most: int | None = None,
        key: str | None = None,
        needs: Permissions | None = None,
        **names: str | int,
    ) -> Iterator[Any]:
        """Get every entry of a listing, page by page."""
        page = 1
        while True:
            query = {**(params or {}), "per_page": _PAGE, "page": page}
            response = self._send("GET", route, names, needs=needs, params=query)
            answer = response.json()
            entries = answer.get(key) if key and isinstance(answer, dict) else answer
            if not isinstance(entries, list):
                raise Retry("GitHub's answer is no listing")
            yield from entries
            if "next" not in response.raw_response.links or (most is not None and page * _PAGE >= most):
                return
            page += 1

    def _write(self, method: str, route: str, body: Any = None, **names: str | int) -> Any:
        """Change something, and get the answer's JSON. It is sent once: it may have had its effect."""
        return self._send(method, route, names, tries=1, needs=self._permissions.writes, json=cleaned(body)).json()

    def _graphql(
        self,
        name: str,
        document: str,
        variables: Mapping[str, Any],
        *,
        changes: bool,
        needs: Permissions | None = None,
    ) -> JsonObject:
        """Send a document of GraphQL, named for the count of calls; the answer's `data`, and its `errors`.

        One that `changes` something is sent once: it may have had its effect. `needs` are other permissions than the
        usual ones.
        Source: https://docs.github.com/en/graphql/guides/forming-calls-with-graphql
        """
        route = f"/graphql {'mutation' if changes else 'query'} {name}"
        usual = self._permissions.writes if changes else self._permissions.reads
        with self._sending(route, 1 if changes else _TRIES, needs or usual):
            try:
                given = cleaned(dict(variables)) if changes else dict(variables)
                return {"data": self._github.graphql(document, given), "errors": ()}
            except GraphQLFailed as failed:
                return failed.response.model_dump()
            except PrimaryRateLimitExceeded as limited:
                return {"errors": limited.response.json()["errors"]}
            except (ValueError, AttributeError) as error:  # also what githubkit makes of JSON that is no mapping
                raise Retry("GitHub's answer lacks what was asked for") from error

    def _download(self, route: str, limit_bytes: int, *, tries: int = _TRIES, **names: str | int) -> IO[bytes] | None:
        """Stream a file to the disk, where it has no name; None where it is over the limit."""
        try:
            with full_disk_is_broken(), self._sending(route, tries, self._permissions.reads), ExitStack() as opened:
                response = self._github.request("GET", self._url(route, names), headers=self._version, stream=True)
                file = opened.enter_context(TemporaryFile())
                chunks = opened.enter_context(closing(response.iter_bytes()))  # type: ignore[type-var]
                if not copy(chunks, file, limit_bytes):
                    return None
                file.seek(0)
                opened.pop_all()
                return file
        except Transient:
            if self._tries <= 1:
                raise
        return self._download(route, limit_bytes, tries=self._tries - 1, **names)

    def _send(
        self,
        method: str,
        route: str,
        names: _Names,
        *,
        tries: int = _TRIES,
        needs: Permissions | None = None,
        **content: Any,
    ) -> "Response[Any, Any]":
        """Send it until JSON comes back; `content` are githubkit's arguments. It reads unless it `needs` more."""
        with self._sending(route, tries, needs or self._permissions.reads):
            return self._github.request(method, self._url(route, names), headers=self._version, **content)

    @contextmanager
    def _sending(self, route: str, tries: int, needs: Permissions) -> Iterator[None]:
        """Send a request, counted by its route. Raises what it means that there is no answer."""
        if self._signs_in:
            self._authenticate(self._credentials if route in (_TOKEN, INSTALLATION) else self._token(needs).auth)
        self._route, self._tries = route, tries
        with self._log:
            try:
                yield
            except RequestError as error:
                raise self._meaning(error, wait=_UNDER_WAY_SECONDS if tries == 1 else None) from error.exc

    def _authenticate(self, auth: TokenAuthStrategy | AppAuthStrategy) -> None:
        """Send what follows with these credentials.

        githubkit's own sign-in chooses them by the path, and mistakes some files for parts of its API.
        """
        if self._github.auth is auth:
            return
        self._github.auth = auth
        with self._github.get_sync_client() as client:
            client.auth = auth.get_auth_flow(self._github)

    def _may(self, needs: Permissions) -> bool:
        """Whether the installation was granted these permissions; of a token this is not known before it is used."""
        return not self._signs_in or self._token(needs).permissions == needs

    def _token(self, needs: Permissions) -> "_Token":
        """A token of this event with these permissions: one that is kept longer may have been revoked since."""
        key = frozenset(needs.items())
        if key not in self._tokens:
            self._tokens[key] = self._sign_in(needs)
        return self._tokens[key]

    def _sign_in(self, needs: Permissions) -> "_Token":
        """Get a token for this repository and these permissions, or those of them that the installation has.

        GitHub gives none if one of them was not granted; then it is asked what was. What the token lacks is refused
        where it is needed. Raises Refused if the App is not installed on the repository.
        Source: https://docs.github.com/en/rest/apps/apps#create-an-installation-access-token-for-an-app
        """
        try:
            return self._new_token(needs)
        except Missing as error:
            raise Refused(_NOT_INSTALLED) from error
        except Unprocessable as refused:
            why = refused
        found = self._find(INSTALLATION)
        if found is None:
            raise Refused(_NOT_INSTALLED) from why
        granted = granted_part(needs, found["permissions"])
        if granted == needs:
            raise Refused(f"GitHub gives no token for {self._repository}: {why}") from why
        known = (token for token in self._tokens.values() if granted.items() <= token.permissions.items())
        return next(known, None) or self._new_token(granted)

    def _new_token(self, permissions: Permissions) -> "_Token":
        body = {**self._only, "permissions": dict(permissions)}
        answer = self._send("POST", _TOKEN, {}, json=body).json()
        if not isinstance(answer, dict) or "token" not in answer:
            raise Retry("GitHub's answer holds no token")
        return _Token(TokenAuthStrategy(answer["token"]), permissions)

    def _again(self, error: GitHubException, _: int) -> RetryOption:
        """Decide whether a request is sent again, and when."""
        self._tries -= 1
        if isinstance(error, RequestError) and not isinstance(error, RequestFailed):
            self._log.answered(error=type(error.exc).__name__)
        pause = timedelta(seconds=self._pause_seconds * (_TRIES - self._tries))
        return RetryOption(self._tries > 0 and isinstance(self._meaning(error), Transient), pause)

    def _meaning(self, error: GitHubException, wait: float | None = None) -> Exception:
        """Say what it means that there is no answer; `wait` is how long to wait where the connection failed."""
        match error:
            case RequestFailed():
                return translate_status(error.response.raw_response)
            case RequestError(exc=httpx.HTTPError()):
                return Transient(f"GitHub did not answer: {type(error.exc).__name__}", after_seconds=wait)
            case RequestError(exc=JSONDecodeError() | UnicodeDecodeError()):
                return Transient("GitHub's answer broke off")
        return Broken(_NO_KEY)

    def _sent(self, request: httpx.Request) -> None:
        """Count and log every request that is sent: tries, redirects and tokens too."""
        archive = "legacy.tar.gz" in request.url.path
        call = f"{request.method} {'/{owner}/{repo}/legacy.tar.gz/{ref}' if archive else self._route}"
        self._calls[call] += 1
        self._log.sent(call)

    def _answered(self, response: httpx.Response) -> None:
        self._log.answered(status=response.status_code)

    def _url(self, route: str, names: _Names) -> str:
        """The path of a route. githubkit's own methods leave a `#` or `?` in a name as it is."""
        return route.format(**{name: quote(str(value), safe="/") for name, value in {**self._names, **names}.items()})


class _Token(NamedTuple):
    """A token of the installation, with its permissions."""

    auth: TokenAuthStrategy
    permissions: Permissions


class _Client(GitHub[Any]):
    """githubkit's client, with one connection for all threads, which reads an answer as far as JSON.

    Its own reading raises an error for a `retry-after` that is a date, which HTTP permits, and none for a cut answer.
    Its own connection is for the thread that entered it: another one gets a new connection for each request, which is
    closed before a stream is read.
    """

    _connection: httpx.Client

    def __enter__(self) -> Self:
        self._connection = self._create_sync_client()
        return self

    def __exit__(self, *_: Any) -> None:
        self._connection.close()

    @contextmanager
    def get_sync_client(self) -> Iterator[httpx.Client]:
        """The connection of all threads."""
        yield self._connection

    def _check(self, response: httpx.Response, response_model: Any = Any, error_models: Any = None) -> Any:  # noqa: ARG002
        if response.is_error:
            raise RequestFailed(Response(response, Any))
        if response.is_closed:  # a stream is not
            try:
                response.json()
            except ValueError as error:
                raise RequestError(error) from error
        return Response(response, response_model)


def _credentials(settings: GitHubSettings, installation: int | None) -> TokenAuthStrategy | AppAuthStrategy:
    if settings.token is not None:
        return TokenAuthStrategy(settings.token.get_secret_value())
    if settings.app_id is None or settings.private_key is None or installation is None:
        raise Broken("the delivery names no installation, and there is no token to do without one")
    # PyJWT takes a key that was read already, though githubkit's annotation names only text.
    return AppAuthStrategy(settings.app_id, cast("str", _signing_key(settings.private_key.get_secret_value())))


@cache
def _signing_key(pem: str) -> PrivateKeyTypes:
    """Read the App's key; kept, because that takes 50 milliseconds, and each event signs in.

    Raises Broken where it is no key.
    """
    try:
        return load_pem_private_key(pem.encode(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise Broken(_NO_KEY) from error
