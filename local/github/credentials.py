"""The actor behind credentials: the App by its signed JWT, its installation by a token, a person by theirs."""

import secrets
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from local.github.answers import ApiResponse, api_error, bad_credentials, not_found
from local.github.call import Actor, Call, covers
from local.github.hosted_repository import AppFacts, timestamp
from local.github.views import view_repository

TOKEN_SECONDS = 3600
_SKEW_SECONDS = 60
_KEY_BITS = 2048
_NOT_GRANTED = "The permissions requested are not granted to this installation."
_OTHER_REPOSITORY = (
    "There is at least one repository that does not exist or is not accessible to the parent installation."
)


@cache
def _generate_key() -> rsa.RSAPrivateKey:
    """One key for each process: making one takes up to a second."""
    return rsa.generate_private_key(public_exponent=65537, key_size=_KEY_BITS)


def private_key() -> str:
    """The App's key as PEM."""
    form = serialization.PrivateFormat.TraditionalOpenSSL
    return _generate_key().private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()


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
        """Whom an Authorization header belongs to. Raises ApiError with 401."""
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


def create_installation_token(credentials: Credentials) -> Callable[[Call], ApiResponse]:
    """The handler that issues installation tokens."""

    def create(call: Call) -> ApiResponse:
        repository, installation = call.repository, call.repository.installation
        if call.number("installation_id") != installation.id or not installation.exists:
            raise not_found()
        names, ids = call.body.get("repositories", []), call.body.get("repository_ids", [])
        granted = repository.granted
        wanted = {"metadata": "read", **(call.body.get("permissions") or granted)}
        hosted = [each for each in (repository, repository.owners) if each is not None and each.has_app]
        chosen = [each for each in hosted if each.name in names or each.id in ids]
        if len(chosen) < len({*names, *ids}):
            raise api_error(422, _OTHER_REPOSITORY)
        if not all(covers(granted.get(name), level) for name, level in wanted.items()):
            raise api_error(422, _NOT_GRANTED)
        view: dict[str, Any] = {
            "token": credentials.installation_token(
                installation.id, wanted, frozenset(each.id for each in chosen) if chosen else None
            ),
            "expires_at": timestamp(repository.now() + TOKEN_SECONDS),
            "permissions": wanted,
            "repository_selection": "selected",
        }
        if chosen:
            view["repositories"] = [view_repository(each) for each in chosen]
        return ApiResponse(201, view)

    return create
