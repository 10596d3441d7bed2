"""Access to GitHub and to the model, by the URLs and credentials in the environment."""

import os
from pathlib import Path
from typing import Any

import httpx
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from githubkit import AppAuthStrategy, GitHub, TokenAuthStrategy
from githubkit.exception import GitHubException, RequestFailed

from cli.errors import CommandError
from cli.option_types import is_url
from kodiai.edges.github_connection import version_header
from local.machine import ANTHROPIC, GitHubAccess

_PUBLIC_API = "https://api.github.com"
_REFUSED = {401, 403}
_TIMEOUT_SECONDS = 15


def _api_url() -> str:
    """The REST API's URL: GITHUB_API_URL, or the public one. Raises CommandError if it is not a URL."""
    return _url("GITHUB_API_URL", _PUBLIC_API)


def token_access() -> tuple[GitHubAccess, str, str]:
    """Access with GITHUB_TOKEN, the token, and its account's login.

    Raises CommandError where it is not set or not accepted.
    """
    token = os.environ.get("GITHUB_TOKEN")
    if not token:
        raise CommandError("GITHUB_TOKEN is not set: set it to a token that can read and write the pull request.")
    login = _identity(TokenAuthStrategy(_header_value("GITHUB_TOKEN", token)), "/user", "login", "GITHUB_TOKEN")
    return GitHubAccess(_api_url(), {"github/token": token}), token, login


def app_or_token_access() -> GitHubAccess:
    """Access with GITHUB_TOKEN, else as an App by GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY (the key, or its file)."""
    if os.environ.get("GITHUB_TOKEN"):
        return token_access()[0]
    app_id, key = os.environ.get("GITHUB_APP_ID"), os.environ.get("GITHUB_APP_PRIVATE_KEY")
    if not app_id or not key:
        raise CommandError("Set GITHUB_TOKEN, or GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY (the key, or its file).")
    try:
        pem = key if key.startswith("-----BEGIN") else Path(key).read_text("utf-8")
        load_pem_private_key(pem.encode(), password=None)
    except OSError as error:
        raise CommandError(f"GITHUB_APP_PRIVATE_KEY is not a key or a readable file ({error.strerror}).") from error
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise CommandError("GITHUB_APP_PRIVATE_KEY is not a PEM private key: download it from GitHub again.") from error
    _identity(AppAuthStrategy(app_id, pem), "/app", "slug", "GITHUB_APP_ID with GITHUB_APP_PRIVATE_KEY")
    return GitHubAccess(_api_url(), {"github/app-id": app_id, "github/private-key": pem})


def has_model() -> bool:
    """Whether there is a model: a key, or the address of an API that may need none."""
    return bool(os.environ.get("ANTHROPIC_API_KEY") or os.environ.get("ANTHROPIC_BASE_URL"))


def check_model() -> None:
    """Check that the model's API accepts the key, which costs nothing; without a key nothing is checked.

    An API that does not list its models is accepted. Raises CommandError.
    """
    if not has_model():
        return
    url, key = model_access()
    headers = {"x-api-key": key, "anthropic-version": "2023-06-01"}
    try:
        status = httpx.get(f"{url}/v1/models", headers=headers, timeout=_TIMEOUT_SECONDS).status_code
    except httpx.HTTPError as error:
        why = str(error) or type(error).__name__
        raise CommandError(f"The model at {url} cannot be reached ({why}): check the network, {_offline()}.") from error
    if status in _REFUSED:
        raise CommandError(f"The model at {url} refuses ANTHROPIC_API_KEY ({status}): set a valid key, {_offline()}.")


def model_access() -> tuple[str, str]:
    """The address of the model's API, and the key. Raises CommandError for what is none."""
    key = os.environ.get("ANTHROPIC_API_KEY") or "none"
    return _url("ANTHROPIC_BASE_URL", ANTHROPIC), _header_value("ANTHROPIC_API_KEY", key)


def _offline() -> str:
    return "or unset ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL for offline checks only"


def _url(name: str, default: str) -> str:
    address = os.environ.get(name) or default
    if not is_url(address):
        raise CommandError(f"{name} is not a URL: it is {address!r}, and should be like {default}.")
    return address.rstrip("/")


def _header_value(name: str, secret: str) -> str:
    """Check that a secret can be sent in a header; it is never shown."""
    if not (secret.isascii() and secret.isprintable() and " " not in secret):
        raise CommandError(f"{name} has invalid characters, such as spaces or line ends: set it again.")
    return secret


def _identity(auth: TokenAuthStrategy | AppAuthStrategy, path: str, name: str, credentials: str) -> str:
    """The login or slug of whom these credentials belong to."""
    url = _api_url()
    github: GitHub[Any] = GitHub(auth, base_url=url, auto_retry=False, timeout=_TIMEOUT_SECONDS, http_cache=False)
    try:
        return str(github.request("GET", path, headers=version_header(url)).json()[name])
    except RequestFailed as error:
        status = error.response.status_code
        if status in _REFUSED:
            raise CommandError(f"GitHub at {url} refuses {credentials} ({status}): set valid credentials.") from error
        raise CommandError(f"GitHub at {url} answered {status}: check GITHUB_API_URL, or try again later.") from error
    except GitHubException as error:
        why = error.__cause__ or error
        raise CommandError(f"GitHub at {url} cannot be reached ({why}): check the network, GITHUB_API_URL.") from error
    except (ValueError, TypeError, KeyError) as error:
        raise CommandError(f"The server at {url} is not GitHub's API: check GITHUB_API_URL.") from error
