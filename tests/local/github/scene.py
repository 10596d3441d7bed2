"""A small pull request, and the clients that look at it."""

import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import jwt
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from githubkit import AppInstallationAuthStrategy, GitHub
from githubkit.cache import MemCacheStrategy
from githubkit.exception import RequestFailed

from local.github import LocalGitHub
from local.github.hosted_repository import REPOSITORY_ID
from local.github.views import node_id
from tests.git_repository import GitRepository

REPO = "/repos/acme/widgets"
PULL = f"{REPO}/pulls/1"
OLD = "".join(f"line {n}\n" for n in range(1, 41))
NEW = OLD.replace("line 5\n", "line five\n").replace("line 30\n", "line 30\nadded one\nadded two\n")


class Scene:
    """A repository with one change: src/a.py changed in two hunks, gone.py removed, new.py added."""

    def __init__(self, path: Path) -> None:
        self.repository = GitRepository(path)
        before: Mapping[str | bytes, str | bytes | None] = {"src/a.py": OLD, "gone.py": "a\nb\n"}
        self.base = self.repository.commit(before, branch="main")
        after: Mapping[str | bytes, str | bytes | None] = {"src/a.py": NEW, "gone.py": None, "new.py": "x = 1\n"}
        self.head = self.repository.commit(after, self.base, message="Change things\n\nBecause.", branch="feature")

    def push(self, files: Mapping[str | bytes, str | bytes | None], parent: str | None = None) -> str:
        """Another commit, on the head unless another parent is named."""
        return self.repository.commit(files, parent or self.head)


class Client:
    """Asks the API as one actor and hands back plain responses, whatever their status."""

    def __init__(self, github: LocalGitHub, token: str | None, **headers: str) -> None:
        self.url = github.url
        authorization = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = httpx.Client(base_url=github.url, headers=authorization | headers, trust_env=False, verify=False)

    def close(self) -> None:
        self._http.close()

    def get(self, path: str, **query: Any) -> httpx.Response:
        return self._http.get(path, params=query or None)

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
        return self._http.request(method, path, json=body, headers=headers)

    def post(self, path: str, body: Any) -> httpx.Response:
        return self.send("POST", path, body)

    def graphql(self, query: str, **variables: Any) -> dict[str, Any]:
        answer: dict[str, Any] = self.post("/graphql", {"query": query, "variables": variables}).json()
        return answer

    def mutate(self, name: str, read: str = "clientMutationId", /, **given: Any) -> dict[str, Any]:
        """Run one mutation with its input; `read` is what is asked of its result."""
        kind = f"{name[0].upper()}{name[1:]}Input!"
        return self.graphql(f"mutation($input: {kind}) {{ {name}(input: $input) {{ {read} }} }}", input=given)

    def dismiss(self, review: int, message: str) -> dict[str, Any]:
        return self.mutate("dismissPullRequestReview", pullRequestReviewId=node_id("PRR", review), message=message)

    def update_check(self, check: int, **given: Any) -> dict[str, Any]:
        ids = {"repositoryId": node_id("R", REPOSITORY_ID), "checkRunId": node_id("CR", check)}
        return self.mutate("updateCheckRun", **ids, **given)


def installed(github: LocalGitHub) -> "GitHub[AppInstallationAuthStrategy]":
    """GitHub's API by githubkit, as the App's installation."""
    strategy = AppInstallationAuthStrategy(github.app_id, _signing_key(github.private_key), github.installation_id)
    return GitHub(strategy, base_url=github.url, auto_retry=False, ssl_verify=False, cache_strategy=MemCacheStrategy())


@cache
def _signing_key(pem: str) -> Any:
    """The key as PyJWT wants it: to read it takes longer than most tests."""
    return load_pem_private_key(pem.encode(), password=None)


def installation_token(github: LocalGitHub) -> str:
    """A token of the App's installation, by way of githubkit."""
    request = installed(github).request("GET", REPO).raw_request
    return str(request.headers["authorization"].split(" ")[1])


def app_token(github: LocalGitHub, key: Any = None, algorithm: str = "RS256", **claims: Any) -> str:
    """The App's own token, a JWT; a claim that is None is left out."""
    now = int(time.time())
    payload = {"iat": now - 60, "exp": now + 540, "iss": github.app_id} | claims
    given = {name: value for name, value in payload.items() if value is not None}
    return jwt.encode(given, key or _signing_key(github.private_key), algorithm)


def refused(github: "GitHub[Any]", method: str, path: str, body: Any = None) -> httpx.Response:
    """The response of a request that must fail."""
    try:
        answer = github.request(method, path, json=body)
    except RequestFailed as error:
        return error.response.raw_response
    raise AssertionError(f"{method} {path} was answered with {answer.status_code}")
