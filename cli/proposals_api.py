"""The API of a deployment for proposals, asked with the person's own GitHub token."""

import os
import shutil
import subprocess
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx

from cli.errors import CommandError
from cli.option_types import is_url

_TOKENS = ("KODIAI_GITHUB_TOKEN", "GITHUB_TOKEN", "GH_TOKEN")
_NO_URL = "Give the address of the deployment's API with --url or KODIAI_URL: the stack's output ApiUrl."
_NO_TOKEN = "Set KODIAI_GITHUB_TOKEN to a GitHub token, or sign in with `gh auth login`."  # noqa: S105 - a sentence
_TIMEOUT = httpx.Timeout(40, connect=10)
_TRIES = 4
_LONGEST_PAUSE = 10.0
_OK, _CLIENT_ERROR, _UNAUTHORIZED, _BUSY = 200, 400, 401, 503
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}

Json = dict[str, Any]


class ProposalsApi:
    """Answers as JSON. What is busy, or cannot be reached, is asked again a few times.

    Every request is made so that repeating it does nothing twice. Raises CommandError.
    """

    def __init__(self, url: str | None) -> None:
        self._url = _address(url or os.environ.get("KODIAI_URL"))
        self._headers = {"Authorization": f"Bearer {_token()}", "User-Agent": "kodiai-cli"}

    def get(self, path: str, **query: str | int | None) -> Json:
        """Read something."""
        params = {name: value for name, value in query.items() if value is not None}
        return self._json(self._ask("GET", path, params=params))

    def text(self, path: str) -> str:
        """Read a text."""
        return self._ask("GET", path).text

    def send(self, method: str, path: str, body: Mapping[str, Any], key: str | None = None) -> Json:
        """Send something; members that are None are left out. The `key` makes the same request again the same one."""
        given = {name: value for name, value in body.items() if value is not None}
        return self._json(self._ask(method, path, json=given, headers={"Idempotency-Key": key} if key else {}))

    def _ask(self, method: str, path: str, *, headers: Mapping[str, str] = {}, **given: Any) -> httpx.Response:
        sent = {**self._headers, **headers}
        for left in reversed(range(_TRIES)):
            try:
                answer = httpx.request(method, f"{self._url}{path}", headers=sent, timeout=_TIMEOUT, **given)
            except httpx.HTTPError as error:
                if not left:
                    why = str(error) or type(error).__name__
                    raise CommandError(f"The API at {self._url} cannot be reached ({why}): check --url.") from error
                time.sleep(1)
                continue
            if answer.status_code != _BUSY or not left:
                break
            time.sleep(_pause(answer))
        if answer.status_code >= _CLIENT_ERROR:
            raise CommandError(self._problem(answer))
        return answer

    def _json(self, answer: httpx.Response) -> Json:
        try:
            read: Json = answer.json()
        except ValueError as error:
            raise CommandError(f"{self._url} is not the API of a deployment: check --url.") from error
        return read

    def _problem(self, answer: httpx.Response) -> str:
        """The words of a problem-details answer, with the members that are not as they should be."""
        if answer.headers.get("content-type", "").partition(";")[0] != "application/problem+json":
            return (
                f"{self._url} answered {answer.status_code} to {answer.request.method} {answer.url.path}: check --url."
            )
        problem = self._json(answer)
        members = [
            f"{each.get('pointer') or each.get('parameter') or 'request'}: {each['detail'].rstrip('.')}"
            for each in problem.get("errors", ())
        ]
        if members:
            return f"The request is invalid: {'; '.join(members)}."
        hint = f" {_NO_TOKEN}" if answer.status_code == _UNAUTHORIZED else ""
        return f"{problem['detail']}{hint}"


def _address(url: str | None) -> str:
    if not url:
        raise CommandError(_NO_URL)
    if not is_url(url):
        raise CommandError(f"KODIAI_URL is not a URL: it is {url!r}, and should be like https://abc.example.com.")
    parts = urlsplit(url)
    if parts.scheme != "https" and parts.hostname not in _LOOPBACK:
        raise CommandError(f"{url} is not https: the token would be sent in the clear.")
    return url.rstrip("/").removesuffix("/mcp").removesuffix("/proposals")  # `kodiai serve` prints it with these paths


def _token() -> str:
    """The token of the environment, or the one of GitHub's own command line."""
    name, token = next(((name, os.environ[name]) for name in _TOKENS if os.environ.get(name)), ("gh auth token", ""))
    if not token and (gh := shutil.which("gh")) is not None:
        done = subprocess.run([gh, "auth", "token"], capture_output=True, text=True, check=False, timeout=20)  # noqa: S603
        token = done.stdout.strip() if done.returncode == 0 else ""
    if not token:
        raise CommandError(f"There is no GitHub token: {_NO_TOKEN[0].lower()}{_NO_TOKEN[1:]}")
    if not (token.isascii() and token.isprintable() and " " not in token):
        raise CommandError(f"{name} has invalid characters, such as spaces or line ends: set it again.")
    return token


def _pause(answer: httpx.Response) -> float:
    try:
        return min(float(answer.headers.get("retry-after", 1)), _LONGEST_PAUSE)
    except ValueError:
        return 1.0
