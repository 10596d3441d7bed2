"""The requests to GitHub through githubkit: authentication, paging, downloads, what its answers mean.

REST reference: https://docs.github.com/en/rest?apiVersion=2026-03-10
"""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any, TypeVar
from urllib.parse import quote

import httpx
from githubkit import AppAuthStrategy, GitHub, TokenAuthStrategy
from githubkit.cache import MemCacheStrategy

from kodiai.core.errors import Broken, KodiaiError, Refused, Retry
from kodiai.core.settings import GitHubSettings
from kodiai.edges.calls import Calls
from kodiai.edges.github_answers import Missing, Passing, json_of, translate_status
from kodiai.edges.tls import trusted

T = TypeVar("T")

PAUSE_SECONDS = 0.2
"""How long to wait before a request is sent again, the first time; the second time twice as long."""

_VERSION = {"X-GitHub-Api-Version": "2026-03-10"}
_TOKEN = "/app/installations/{installation_id}/access_tokens"  # noqa: S105 - a route
_CONNECT_SECONDS = 5.0
_PAGE = 100
_TRIES = 3
# A request of which nothing was heard may still be at work: GitHub ends each one after ten seconds.
# https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#timeouts
_UNDER_WAY_SECONDS = 10.0


class Connection:
    """Requests as one installation or with a token: the JSON of what is answered, or what it means that there is none.

    githubkit lends its client and its authentication; its reading of answers breaks on headers that HTTP permits.
    """

    def __init__(
        self, settings: GitHubSettings, installation: int | None, names: Mapping[str, str | int], pause_seconds: float
    ) -> None:
        self._github = _connect(settings, installation, self._sent, self._status)
        self._token = settings.token
        self._pause_seconds = pause_seconds
        self._names = {**names, "installation_id": installation or 0}
        # An Enterprise Server has its GraphQL beside the REST API, not below it.
        self._graphql = re.sub(r"/api/v3$", "/api", settings.api_url) + "/graphql"
        self._calls: Counter[str] = Counter()
        self._telling = Calls("github")
        self._route = ""

    def open(self) -> None:
        """Keep connections from one request to the next."""
        self._github.__enter__()  # type: ignore[no-untyped-call]  # githubkit leaves it untyped

    def close(self) -> None:
        """Let them go."""
        self._github.__exit__()

    def calls(self) -> Mapping[str, int]:
        """How often each route was called so far."""
        return dict(self._calls)

    def get(self, route: str, params: Mapping[str, Any] | None = None, **names: str | int) -> Any:
        """Get a resource's JSON; what passes is tried again."""
        return self._send("GET", route, self._auth, names, params=params)

    def find(self, route: str, params: Mapping[str, Any] | None = None, **names: str | int) -> Any:
        """Get a resource's JSON, None where there is none."""
        try:
            return self.get(route, params, **names)
        except Missing:
            return None

    def pages(
        self,
        route: str,
        params: Mapping[str, Any] | None = None,
        *,
        most: int | None = None,
        key: str | None = None,
        **names: str | int,
    ) -> Iterator[Any]:
        """Get every entry of a listing, page by page."""
        page = 1
        while True:
            params_of_page = {**(params or {}), "per_page": _PAGE, "page": page}
            response = self._answered("GET", route, self._auth, names, params=params_of_page)
            answer = json_of(response)
            entries = answer.get(key) if key and isinstance(answer, dict) else answer
            if not isinstance(entries, list):
                raise Retry("GitHub's answer is no listing")
            yield from entries
            if "next" not in response.links or (most is not None and page * _PAGE >= most):
                return
            page += 1

    def write(self, method: str, route: str, body: Any = None, **names: str | int) -> Any:
        """Change something, and get the answer's JSON. Nothing is sent twice: it may have had its effect."""
        return self._send(method, route, self._auth, names, body=body, tries=1)

    def graphql(self, name: str, document: str, variables: Mapping[str, Any], *, changes: bool) -> Any:
        """Send a document of GraphQL, named for the count of calls; the answer's JSON, errors and all.

        One that `changes` something is sent once: it may have had its effect.
        Source: https://docs.github.com/en/graphql/guides/forming-calls-with-graphql
        """
        body = {"query": document, "variables": variables}
        counted = f"/graphql {'mutation' if changes else 'query'} {name}"
        tries = 1 if changes else _TRIES
        answer = self._send("POST", self._graphql, self._auth, {}, body=body, tries=tries, name=counted)
        if not isinstance(answer, dict) or not isinstance(answer.get("errors", []), list | None):
            raise Retry("GitHub's answer lacks what was asked for")
        return answer

    def download(self, route: str, limit_bytes: int, **names: str | int) -> Path | None:
        """Stream a file to the disk, None where it is over the limit."""
        auth, url = self._auth, self._url(route, names)

        def download() -> Path | None:
            self._route = route
            with _temporary_file() as file, self._github.get_sync_client() as client, self._telling, _heard():
                with client.stream("GET", url, headers=_VERSION, auth=auth) as response:
                    if response.is_error:
                        response.read()
                        raise translate_status(response)
                    if _copy(response, file, limit_bytes):
                        return Path(file.name)
                Path(file.name).unlink()
                return None

        return self._tried(download, _TRIES)

    @cached_property
    def _auth(self) -> httpx.Auth:
        token = self._token.get_secret_value() if self._token else self._installation_token()
        return TokenAuthStrategy(token).get_auth_flow(self._github)

    def _installation_token(self) -> str:
        """Get a token of this event's own: one that is kept longer may have been revoked since."""
        try:
            answer = self._send("POST", _TOKEN, httpx.USE_CLIENT_DEFAULT, {})
        except Missing as error:
            raise Refused("the App is no longer installed here") from error
        except KodiaiError:
            raise
        except Exception as error:
            raise Broken("the App's key cannot be used: look at the parameter github/private-key") from error
        if not isinstance(answer, dict) or "token" not in answer:
            raise Retry("GitHub's answer holds no token")
        return str(answer["token"])

    def _send(self, method: str, route: str, auth: Any, names: Mapping[str, str | int], **how: Any) -> Any:
        """The JSON of an answer; `how` is that of `_answered`."""
        return json_of(self._answered(method, route, auth, names, **how))

    def _answered(
        self,
        method: str,
        route: str,
        auth: Any,
        names: Mapping[str, str | int],
        *,
        params: Mapping[str, Any] | None = None,
        body: Any = None,
        tries: int = _TRIES,
        name: str | None = None,
    ) -> httpx.Response:
        """Send a request until it is answered well, with JSON; `name` is what it counts as, its route unless given."""
        url = self._url(route, names)

        def send() -> httpx.Response:
            self._route = name or route
            wait = None if tries > 1 else _UNDER_WAY_SECONDS
            with self._github.get_sync_client() as client, self._telling, _heard(wait):
                response = client.request(method, url, params=params, json=body, headers=_VERSION, auth=auth)
            if response.is_error:
                raise translate_status(response)
            json_of(response)
            return response

        return self._tried(send, tries)

    def _tried(self, call: Callable[[], T], tries: int) -> T:
        """Call it until it succeeds or fails for good, at most so many times."""
        for left in range(tries - 1, 0, -1):
            try:
                return call()
            except Passing:
                time.sleep(self._pause_seconds * (tries - left))
        return call()

    def _sent(self, request: httpx.Request) -> None:
        """Count and tell what is really sent: tries, redirects and new tokens too."""
        archive = "legacy.tar.gz" in request.url.path
        call = f"{request.method} {'/{owner}/{repo}/legacy.tar.gz/{ref}' if archive else self._route}"
        self._calls[call] += 1
        self._telling.sent(call)

    def _status(self, response: httpx.Response) -> None:
        self._telling.answered(status=response.status_code)

    def _url(self, route: str, names: Mapping[str, str | int]) -> str:
        quoted = {name: quote(str(value), safe="/") for name, value in {**self._names, **names}.items()}
        return route.format(**quoted)


def _connect(
    settings: GitHubSettings,
    installation: int | None,
    on_request: Callable[[httpx.Request], None],
    on_response: Callable[[httpx.Response], None],
) -> GitHub[Any]:
    auth: TokenAuthStrategy | AppAuthStrategy
    if settings.token is not None:
        auth = TokenAuthStrategy(settings.token.get_secret_value())
    elif settings.app_id is None or settings.private_key is None or installation is None:
        raise Broken("the delivery names no installation, and there is no token to do without one")
    else:
        auth = AppAuthStrategy(settings.app_id, settings.private_key.get_secret_value())
    longest = settings.timeout_seconds
    return GitHub(
        auth,
        base_url=settings.api_url,
        auto_retry=False,
        timeout=httpx.Timeout(longest, connect=min(longest, _CONNECT_SECONDS)),
        http_cache=False,
        ssl_verify=trusted(),
        # githubkit's shared cache knows an App by its id only: its signature would outlive a change of the key.
        cache_strategy=MemCacheStrategy(),
        event_hooks={"request": [on_request], "response": [on_response]},
    )


@contextmanager
def _heard(wait: float | None = None) -> Iterator[None]:
    """Say what it means that a request got no whole answer; `wait` is how long nothing is to be done after it."""
    try:
        yield
    except httpx.HTTPError as error:
        raise Passing(f"GitHub did not answer: {type(error).__name__}", after_seconds=wait) from error


@contextmanager
def _temporary_file() -> Iterator[IO[bytes]]:
    """A file that stays unless something goes wrong."""
    with NamedTemporaryFile(suffix=".tar.gz", delete=False) as file:
        try:
            yield file
        except BaseException:
            Path(file.name).unlink()
            raise


def _copy(response: httpx.Response, file: IO[bytes], limit_bytes: int) -> bool:
    """Write an answer's body into a file, unless it is over the limit."""
    size = 0
    for chunk in response.iter_bytes():
        size += len(chunk)
        if size > limit_bytes:
            return False
        file.write(chunk)
    return True
