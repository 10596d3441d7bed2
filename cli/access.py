"""How the command reaches GitHub: the API's address, the credentials in the environment, and who they are."""

import os
from pathlib import Path
from typing import Any

from githubkit import AppAuthStrategy, GitHub, TokenAuthStrategy
from githubkit.exception import GitHubException, RequestFailed

from cli.follow import Unfinished
from local.machine import GitHubAccess

PUBLIC_API = "https://api.github.com"


def api_url() -> str:
    """The REST API's address: GITHUB_API_URL, or the public one."""
    return os.environ.get("GITHUB_API_URL", PUBLIC_API).rstrip("/")


def token_access() -> tuple[GitHubAccess, str]:
    """Access with GITHUB_TOKEN, and the token. Raises Unfinished where it is not set or not taken."""
    token = os.environ.get("GITHUB_TOKEN")
    if not token:
        raise Unfinished("GITHUB_TOKEN is not set: it is how GitHub is read and written to.")
    login = _whoami(TokenAuthStrategy(token), "/user")["login"]
    return GitHubAccess(api_url(), login, {"github/token": token}), token


def app_or_token_access() -> GitHubAccess:
    """Access with GITHUB_TOKEN, else as an App by GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY (the key, or its file)."""
    if os.environ.get("GITHUB_TOKEN"):
        return token_access()[0]
    app_id, key = os.environ.get("GITHUB_APP_ID"), os.environ.get("GITHUB_APP_PRIVATE_KEY")
    if not app_id or not key:
        raise Unfinished("Set GITHUB_TOKEN, or GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY (the key, or its file).")
    pem = key if key.startswith("-----BEGIN") else Path(key).read_text("utf-8")
    slug = _whoami(AppAuthStrategy(app_id, pem), "/app")["slug"]
    return GitHubAccess(api_url(), f"{slug}[bot]", {"github/app-id": app_id, "github/private-key": pem})


def _whoami(auth: TokenAuthStrategy | AppAuthStrategy, path: str) -> dict[str, Any]:
    github: GitHub[Any] = GitHub(auth, base_url=api_url(), auto_retry=False, timeout=30, http_cache=False)
    try:
        answer: dict[str, Any] = github.request("GET", path).json()
    except RequestFailed as error:
        raise Unfinished(
            f"GitHub at {api_url()} does not take the credentials: {error.response.status_code}"
        ) from error
    except GitHubException as error:
        raise Unfinished(f"GitHub at {api_url()} cannot be reached: {error!r}") from error
    return answer
