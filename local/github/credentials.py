"""The actor behind credentials: the App by its signed JWT, its installation by a token, a person by theirs."""

import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from local.github.answers import api_error, bad_credentials
from local.github.hosted_repository import AppFacts

_SKEW_SECONDS = 60
_KEY_BITS = 2048


@cache
def _generate_key() -> rsa.RSAPrivateKey:
    """One key for each process: making one takes up to a second."""
    return rsa.generate_private_key(public_exponent=65537, key_size=_KEY_BITS)


def private_key() -> str:
    """The App's key as PEM."""
    form = serialization.PrivateFormat.TraditionalOpenSSL
    return _generate_key().private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()


def covers(held: str | None, level: str) -> bool:
    """Whether a permission that is held at some level is enough."""
    return held in ("write", "admin") or held == level


@dataclass(frozen=True)
class Actor:
    """The actor that asks: a person, the App's installation, the App itself (by JWT), or nobody.

    `permissions` are those of the installation's token, or of a person's fine-grained token; `installation` is the
    installation's id. Both are None for everybody else. `repositories` are the ids of those that the installation's
    token is for, None for all. `needed` are the permissions that requests with it needed so
    far, each with its alternatives.
    """

    kind: str
    login: str | None = None
    permissions: Mapping[str, str] | None = None
    installation: int | None = None
    repositories: frozenset[int] | None = None
    needed: set[tuple[str, ...]] = field(default_factory=set, compare=False)

    def holds(self, permission: str) -> bool:
        """Whether the token carries "name:level" or more."""
        name, level = permission.split(":")
        return covers((self.permissions or {}).get(name), level)

    @property
    def unused(self) -> set[str]:
        """The permissions without which, or with less of which, all its requests would have been answered too."""
        granted = {f"{name}:{level}" for name, level in (self.permissions or {}).items()}
        return {each for each in granted if all(self._do(granted - {each}, need) for need in self.needed)}

    def _do(self, granted: Collection[str], need: tuple[str, ...]) -> bool:
        return any(
            held.split(":")[0] == name and covers(held.split(":")[1], level)
            for held in granted
            for name, level in (each.split(":") for each in need)
        )


class Credentials:
    """Every token that was issued, and the App's key."""

    def __init__(self, app: AppFacts) -> None:
        self._app = app
        self.issued: list[Actor] = []
        self._actors: dict[str, Actor] = {}
        self._key = _generate_key()

    def user_token(self, login: str, permissions: Mapping[str, str] | None = None) -> str:
        """A person's token, a fine-grained one where it has permissions of its own."""
        kind = "ghp" if permissions is None else "github_pat"
        token = f"{kind}_{secrets.token_hex(18)}"
        self._actors[token] = Actor("user", login, permissions)
        return token

    def installation_token(
        self, installation: int, permissions: Mapping[str, str], repositories: frozenset[int] | None = None
    ) -> str:
        """A token of an installation of the App with these permissions, for all repositories or those of these ids.

        It has the newest, long form.
        """
        parts = (secrets.token_urlsafe(27), secrets.token_urlsafe(180), secrets.token_urlsafe(64))
        token = f"ghs_{self._app.id}_{'.'.join(parts)}"
        self._actors[token] = Actor("installation", self._app.login, permissions, installation, repositories)
        self.issued.append(self._actors[token])
        return token

    def identify(self, authorization: str | None) -> Actor:
        """Return the owner of an Authorization header. Raises ApiError with 401."""
        if not authorization:
            raise api_error(401, "Requires authentication")
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() not in ("bearer", "token"):
            raise bad_credentials()
        return self._actors.get(token.strip()) or self._read_jwt(token.strip())

    def _read_jwt(self, token: str) -> Actor:
        """The App, by a JWT: https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app .

        An id that no App has is answered with 404, a key that is not the App's with 401. Sources:
        https://github.com/actions/create-github-app-token/issues/76 and .../issues/153
        """
        required: Any = {"require": ["exp", "iat", "iss"]}
        try:
            issuer = jwt.decode(token, options={"verify_signature": False}).get("iss")
        except jwt.InvalidTokenError as error:
            raise bad_credentials() from error
        if issuer is not None and issuer not in (str(self._app.id), self._app.client_id):
            raise api_error(404, "Integration not found")
        try:
            jwt.decode(token, self._key.public_key(), algorithms=["RS256"], leeway=_SKEW_SECONDS, options=required)
        except jwt.InvalidTokenError as error:
            raise api_error(401, "A JSON web token could not be decoded") from error
        return Actor("app")
