"""Registering the GitHub App: a page on this machine sends a manifest to GitHub, which sends back a code for its keys.

Source: https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
"""

import asyncio
import json
import re
import secrets
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from cli.errors import CommandError
from cli.registered_app import AppFacts
from kodiai.core.events.payloads import SUBSCRIPTIONS
from kodiai.core.words.links import web_address
from kodiai.edges.github_connection import version_header
from kodiai.edges.github_permissions import needed
from local.rendering.templating import STATIC, environment
from local.server import Server

_LONGEST_NAME = 34  # of an App, in characters
_TIMEOUT_SECONDS = 20
_SAID = 300  # characters
_OK, _UNAUTHORIZED, _NOT_FOUND = 200, 401, 404
_MOST_NAMES = 9  # that are tried
_USUAL_STAGE = "prod"
_REASONS = {
    "checks": "show the state of a review in a check run",
    "contents": "read the code; commit an approved change on request; resolve threads",
    "issues": "receive comments in the conversation; read the issues that a pull request closes",
    "merge_queues": "receive events of merge queues; read the pull requests in them",
    "metadata": "every App has it",
    "pull_requests": "read changes and comments, post reviews and replies",
    "statuses": "read the results of checks that report by commit statuses",
}


@dataclass(frozen=True)
class Owner:
    """The owner of the App on GitHub."""

    login: str
    is_organization: bool


@dataclass(frozen=True)
class NewApp:
    """An App as GitHub gives it away once: with its private key in PEM, and the secret of its webhooks."""

    facts: AppFacts
    private_key: str = field(repr=False)
    webhook_secret: str = field(repr=False)


class Registration:
    """The registration of an App on one GitHub.

    `ask_token` asks for a person's token, where GitHub requires one: a server in private mode.
    """

    def __init__(self, api_url: str, ask_token: Callable[[], str]) -> None:
        self._api_url = api_url
        self._ask_token = ask_token
        self._headers = {"Accept": "application/vnd.github+json", **version_header(api_url)}

    def find_owner(self, login: str) -> Owner:
        """Look the owner up on GitHub. Raises CommandError if there is none, or GitHub cannot be reached."""
        response = self._ask("GET", f"/users/{login}")
        if response.status_code == _NOT_FOUND:
            raise CommandError(f"GitHub has no account {login}: check the spelling.")
        answer = _read(response)
        return Owner(answer["login"], answer["type"] == "Organization")

    def register(self, owner: Owner, stage: str, webhook_url: str, port: int, show: Callable[[str], None]) -> NewApp:
        """Have somebody register the App in their browser; `show` is called with the page that they have to open.

        An App of somebody else, or a code that is worth nothing, does not end the wait: its answer says why.
        Raises CommandError if GitHub cannot be reached, and OSError if the port is taken.
        """
        page = _Page(web_address(self._api_url), owner, lambda code: self._convert(code, owner), port)
        page.start(self.free_name(owner, stage), webhook_url)
        try:
            show(page.url)
            return page.wait_for_app()
        finally:
            page.stop()

    def free_name(self, owner: Owner, stage: str) -> str:
        """A name that no other App has, as far as GitHub says; its form has the last word.

        An App that is private is seen by nobody, and its bot by everybody.
        """
        names = [app_name(owner.login, stage, number) for number in range(1, _MOST_NAMES + 1)]
        return next((name for name in names if not self._is_taken(name)), names[0])

    def _is_taken(self, name: str) -> bool:
        logins = (name, f"{name}%5Bbot%5D")
        return any(self._ask("GET", f"/users/{login}").status_code == _OK for login in logins)

    def _convert(self, code: str, owner: Owner) -> NewApp:
        """Exchange GitHub's code for the keys. Raises CommandError, also for an App of another owner.

        Source: https://docs.github.com/en/rest/apps/apps#create-a-github-app-from-a-manifest
        """
        response = self._ask("POST", f"/app-manifests/{code}/conversions")
        if response.status_code == _NOT_FOUND:
            raise CommandError("GitHub's code was used before, or is over an hour old: register the App again.")
        answer = _read(response)
        facts = AppFacts.read(answer)
        if answer["owner"].get("login") != owner.login:  # an enterprise has none, and may be called the same
            raise CommandError(
                f"The App @{facts.slug} belongs to {facts.owner}, not to {owner.login}: it was not stored. "
                "Delete it on GitHub if it is yours, and register one with an account that may do so for "
                f"{owner.login}."
            )
        return NewApp(facts, answer["pem"], answer["webhook_secret"])

    def _ask(self, method: str, path: str) -> httpx.Response:
        url = f"{self._api_url}{path}"
        try:
            response = httpx.request(method, url, headers=self._headers, timeout=_TIMEOUT_SECONDS)
        except httpx.HTTPError as error:
            raise CommandError(f"GitHub at {url} cannot be reached: {error}") from error
        if response.status_code != _UNAUTHORIZED or "Authorization" in self._headers:
            return response
        self._headers["Authorization"] = f"Bearer {self._ask_token()}"
        return self._ask(method, path)


def app_name(owner: str, stage: str, number: int = 1) -> str:
    """The App's name, which is unique on GitHub, already as GitHub makes a slug of it: of the owner, and of the stage.

    Source: https://docs.github.com/en/apps/creating-github-apps/registering-a-github-app/registering-a-github-app
    """
    tail = ("" if stage == _USUAL_STAGE else f"-{stage}") + ("" if number == 1 else f"-{number}")
    name = re.sub("[^a-z0-9]+", "-", f"kodiai-{owner}".lower())
    return f"{name[: _LONGEST_NAME - len(tail)].rstrip('-')}{tail}"


def manifest(name: str, home: str, webhook_url: str, redirect_url: str) -> dict[str, Any]:
    """The manifest of the App: its name, home page and webhooks, and exactly the permissions and events that it needs.

    GitHub sends the code for its keys to `redirect_url`.
    """
    return {
        "name": name,
        "url": home,
        "description": "Reviews pull requests.",
        "hook_attributes": {"url": webhook_url, "active": True},
        "redirect_url": redirect_url,
        "public": False,
        "default_permissions": dict(needed()),
        "default_events": list(SUBSCRIPTIONS),
    }


class _Page:
    """The page that sends the manifest to GitHub, and to which GitHub returns; the first App that it gets is the one.

    All users of a machine reach its ports. The page is only at an address with a key, which is in the manifest too:
    who does not know it is shown nothing, and can send no code.
    """

    def __init__(self, github: str, owner: Owner, convert: Callable[[str], NewApp], port: int) -> None:
        self._github = github
        self._owner = owner
        self._convert = convert
        self._key, self._state = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        self._app: Future[NewApp] = Future()
        self._turn = asyncio.Lock()
        self._templates = environment(Path(__file__).parent)
        routes = [Route("/{key}", self._show), Route("/{key}/registered", self._receive)]
        self._server = Server(Starlette(routes=routes), port)
        self.url = f"{self._server.url}/{self._key}"

    def start(self, name: str, webhook_url: str) -> None:
        """Begin to serve it, for an App of this name."""
        home = f"{self._github}/{self._owner.login}"
        self._manifest = manifest(name, home, webhook_url, f"{self.url}/registered")
        self._server.start()

    def wait_for_app(self) -> NewApp:
        """Wait until there is an App; Ctrl-C ends it."""
        while True:
            try:
                return self._app.result(timeout=1)  # without a timeout Ctrl-C would not get through everywhere
            except TimeoutError:
                continue

    def stop(self) -> None:
        """End it, once the last answer is sent."""
        self._server.stop(grace=1.0)

    async def _show(self, request: Request) -> Response:
        self._check_key(request)
        place = f"organizations/{self._owner.login}/settings" if self._owner.is_organization else "settings"
        return self._page(
            "Register the GitHub App",
            manifest=json.dumps(self._manifest),
            action=f"{self._github}/{place}/apps/new?state={self._state}",
            owner=self._owner.login,
            permissions=[(name, level, _REASONS.get(name, "")) for name, level in needed().items()],
            events=SUBSCRIPTIONS,
        )

    async def _receive(self, request: Request) -> Response:
        self._check_key(request)
        code, state = (request.query_params.get(name, "") for name in ("code", "state"))
        if not code or not _is_same(state, self._state):
            return self._page("This answer belongs to another registration", status=400)
        async with self._turn:
            if self._app.done():
                reason = "The setup continues with that one."
                return self._page("An App is registered already", status=409, reason=reason)
            try:
                self._app.set_result(await run_in_threadpool(self._convert, code))
            except CommandError as refused:
                print(refused, flush=True)
                return self._page("This App is not accepted", status=403, reason=str(refused))
        return self._page("The App is registered", code=code)

    def _check_key(self, request: Request) -> None:
        if not _is_same(request.path_params["key"], self._key):
            raise HTTPException(404)

    def _page(self, title: str, status: int = 200, **context: Any) -> Response:
        sheets = ((STATIC / name).read_text() for name in ("markdown.css", "base.css"))
        styles = Markup("\n".join(sheets))  # noqa: S704 -- our own files
        text = self._templates.get_template("registration.html.j2").render(title=title, styles=styles, **context)
        return HTMLResponse(text, status, {"Referrer-Policy": "no-referrer", "Cache-Control": "no-store"})


def _is_same(given: str, secret: str) -> bool:
    return secrets.compare_digest(given.encode(), secret.encode())


def _read(response: httpx.Response) -> dict[str, Any]:
    if not response.is_success:
        failure = f"{response.status_code} to {response.request.method} {response.url}: {response.text[:_SAID]}"
        raise CommandError(f"GitHub answered {failure}")
    answer: dict[str, Any] = response.json()
    return answer
