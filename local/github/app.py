"""Who is asking: the App by its signed JWT, its installation by a token, a person by theirs."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from local.github.answers import Answer, Refused, bad_credentials, not_found, refuse
from local.github.call import Actor, Call
from local.github.views import view_app, view_installation, view_repository
from local.github.world import World, timestamp

TOKEN_SECONDS = 3600
_LONGEST_JWT_SECONDS = 600
_SKEW_SECONDS = 60
_KEY_BITS = 2048


@dataclass(frozen=True)
class _Token:
    actor: Actor
    expires_at: float | None


@cache
def _generate_key() -> rsa.RSAPrivateKey:
    """One key for each process: making one takes up to a second."""
    return rsa.generate_private_key(public_exponent=65537, key_size=_KEY_BITS)


class Credentials:
    """Every token that was given out, and the App's key.

    JWT rules: https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app
    """

    def __init__(self, app_id: int, client_id: str, clock: Callable[[], float]) -> None:
        self._issuers = {str(app_id), client_id}
        self._app_id = app_id
        self._clock = clock
        self._tokens: dict[str, _Token] = {}
        self._key = _generate_key()

    def private_key(self) -> str:
        """The App's key as PEM."""
        form = serialization.PrivateFormat.TraditionalOpenSSL
        pem = self._key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
        return pem.decode()

    def user_token(self, login: str) -> str:
        """A person's token; it does not expire."""
        token = f"ghp_{secrets.token_hex(18)}"
        self._tokens[token] = _Token(Actor("user", login), None)
        return token

    def installation_token(self, login: str, permissions: dict[str, str]) -> tuple[str, float]:
        """A token of the App's installation in the newest, long shape, and when it expires."""
        parts = (secrets.token_urlsafe(27), secrets.token_urlsafe(180), secrets.token_urlsafe(64))
        token = f"ghs_{self._app_id}_{'.'.join(parts)}"
        expires_at = self._clock() + TOKEN_SECONDS
        self._tokens[token] = _Token(Actor("installation", login, permissions), expires_at)
        return token, expires_at

    def identify(self, authorization: str | None) -> Actor:
        """Who an Authorization header speaks for; nobody without one. Raises Refused with 401."""
        if not authorization:
            return Actor("nobody")
        scheme, _, token = authorization.partition(" ")
        token = token.strip()
        known = self._tokens.get(token)
        if scheme.lower() not in ("bearer", "token"):
            raise bad_credentials()
        if known is None:
            return self._read_jwt(token)
        if known.expires_at is not None and known.expires_at <= self._clock():
            raise bad_credentials()
        return known.actor

    def _read_jwt(self, token: str) -> Actor:
        try:
            jwt.get_unverified_header(token)
        except jwt.InvalidTokenError as error:
            raise bad_credentials() from error
        try:
            claims = jwt.decode(
                token,
                self._key.public_key(),
                algorithms=["RS256"],
                options={"verify_exp": False, "verify_iat": False, "verify_nbf": False, "verify_aud": False},
            )
        except jwt.InvalidTokenError as error:
            raise refuse(401, "A JSON web token could not be decoded") from error
        self._check_claims(claims)
        return Actor("app")

    def _check_claims(self, claims: dict[str, Any]) -> None:
        now = self._clock()
        expires, issued = claims.get("exp"), claims.get("iat")
        if not isinstance(expires, int | float) or expires <= now:
            raise refuse(
                401,
                "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the "
                "assertion expires",
            )
        if expires > now + _LONGEST_JWT_SECONDS:
            raise refuse(401, "'Expiration time' claim ('exp') is too far in the future")
        if not isinstance(issued, int | float) or issued > now + _SKEW_SECONDS:
            raise refuse(
                401, "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
            )
        if str(claims.get("iss")) not in self._issuers:
            raise refuse(404, "Integration not found")


def get_app(call: Call) -> Answer:
    """The App that the JWT speaks for."""
    return Answer(body=view_app(call.world))


def get_installation(call: Call) -> Answer:
    """The App's installation on the repository."""
    return Answer(body=view_installation(call.world))


def create_installation_token(credentials: Credentials) -> Callable[[Call], Answer]:
    """The handler that gives out installation tokens, narrowed where that is asked."""

    def create(call: Call) -> Answer:
        world = call.world
        if call.number("installation_id") != world.app.installation:
            raise not_found()
        permissions = _narrow(world, call.body.get("permissions"))
        _check_repositories(world, call.body)
        token, expires_at = credentials.installation_token(world.app.login, permissions)
        view: dict[str, Any] = {
            "token": token,
            "expires_at": timestamp(expires_at),
            "permissions": permissions,
            "repository_selection": "selected",
        }
        if "repositories" in call.body or "repository_ids" in call.body:
            view["repositories"] = [view_repository(world)]
        return Answer(201, view)

    return create


def _narrow(world: World, asked: dict[str, str] | None) -> dict[str, str]:
    if asked is None:
        return dict(world.app.permissions)
    granted = Actor("installation", permissions=world.app.permissions)
    if not all(granted.holds(f"{name}:{level}") for name, level in asked.items()):
        raise refuse(422, "The permissions requested are not granted to this installation.")
    return {"metadata": "read", **asked}


def _check_repositories(world: World, told: dict[str, Any]) -> None:
    names = [name.lower() for name in told.get("repositories", [])]
    ids = told.get("repository_ids", [])
    if set(names) - {world.name.lower()} or set(ids) - {view_repository(world)["id"]}:
        raise _inaccessible()


def _inaccessible() -> Refused:
    return refuse(
        422, "There is at least one repository that does not exist or is not accessible to the parent installation."
    )
