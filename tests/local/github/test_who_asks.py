"""Credentials and their rights: JWTs, installation tokens, people's tokens."""

import time
from collections.abc import Callable
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from local.github import LocalGitHub
from tests.local.github.scene import PULL, REPO, Client, Scene, installation_token
from tests.tables import each_row

Serve = Callable[..., LocalGitHub]
Connect = Callable[..., Client]


def signed(github: LocalGitHub, **claims: Any) -> str:
    now = int(time.time())
    payload = {"iat": now - 60, "exp": now + 540, "iss": github.app_id} | claims
    return jwt.encode({key: value for key, value in payload.items() if value is not None}, github.private_key, "RS256")


def test_the_app_proves_itself_with_a_jwt(github: LocalGitHub, client_of: Connect) -> None:
    """With it, it sees itself and gets a token, and sees nothing of the repository."""
    app = client_of(github, signed(github))

    issued = app.post(f"/app/installations/{github.installation_id}/access_tokens", {}).json()

    assert app.get("/app").json()["slug"] == "kodiai"
    assert issued["token"].startswith(f"ghs_{github.app_id}_")
    assert len(issued["token"]) > 300
    assert client_of(github, issued["token"]).get(PULL).status_code == 200
    assert app.get(PULL).status_code == 401
    assert app.post("/app/installations/1/access_tokens", {}).status_code == 404


@each_row("claims", [{"exp": 1_800_000}, {"exp": None}, {"iat": 99_999_999_999}])
def test_a_jwt_with_wrong_claims_is_refused(github: LocalGitHub, client_of: Connect, claims: dict[str, Any]) -> None:
    """It has expired, never expires, or is of the future."""
    answer = client_of(github, signed(github, **claims)).get("/app")

    assert (answer.status_code, answer.json()["message"]) == (401, "A JSON web token could not be decoded")


def test_an_id_that_no_app_has_is_not_found(github: LocalGitHub, client_of: Connect) -> None:
    """In other words than a wrong key."""
    answer = client_of(github, signed(github, iss="1")).get("/app")

    assert (answer.status_code, answer.json()["message"]) == (404, "Integration not found")


def test_a_jwt_of_another_key_is_refused(github: LocalGitHub, client_of: Connect) -> None:
    """The signature is really checked; so is the algorithm."""
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = stranger.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    now = int(time.time())
    claims = {"iat": now, "exp": now + 60, "iss": github.app_id}

    for token in (jwt.encode(claims, pem, "RS256"), jwt.encode(claims, "x" * 32, "HS256")):
        answer = client_of(github, token).get("/app")

        assert (answer.status_code, answer.json()["message"]) == (401, "A JSON web token could not be decoded")


@each_row(
    ("method", "path", "body", "missing"),
    [
        ("GET", f"{PULL}/files", None, "pull_requests"),
        ("POST", f"{PULL}/reviews", {"event": "COMMENT", "body": "x"}, "pull_requests"),
        ("GET", f"{REPO}/contents/src/a.py", None, "contents"),
        ("POST", f"{REPO}/check-runs", {"name": "x", "head_sha": "feature"}, "checks"),
    ],
)
def test_an_app_without_the_permission_is_refused(
    serve: Serve, client_of: Connect, scene: Scene, method: str, path: str, body: Any, missing: str
) -> None:
    """403 in GitHub's words, and nothing happens; a read permission does not allow to write."""
    granted = {"checks": "write", "contents": "read", "pull_requests": "write", "metadata": "read"}
    lesser = granted | {missing: "read"} if method == "POST" else {k: v for k, v in granted.items() if k != missing}
    github = serve(scene.repository.path, permissions=lesser)
    github.open_pull_request("feature")

    answer = client_of(github, installation_token(github)).send(method, path, body)

    assert (answer.status_code, answer.json()["message"]) == (403, "Resource not accessible by integration")
    assert (github.state.reviews, github.state.checks) == ({}, {})


def test_what_a_person_may_not_see_is_not_there(github: LocalGitHub, client_of: Connect) -> None:
    """404, as for what does not exist; so it is for the repository's neighbors. Without a token there is nothing."""
    stranger = client_of(github, github.token_for("mallory", "none"))
    nobody = client_of(github)
    reader = client_of(github, github.token_for("rita", "read"))

    assert [c.get(PULL).status_code for c in (stranger, nobody, reader)] == [404, 401, 200]
    assert reader.get("/repos/acme/other/pulls/1").status_code == 404
    assert reader.get(f"{REPO}/pulls/2").status_code == 404
    assert reader.get(f"{REPO}/pulls/0").status_code == 404


def test_a_token_that_nobody_gave_out_is_refused(github: LocalGitHub, client_of: Connect) -> None:
    """401, in GitHub's words, with GitHub's error object."""
    answer = client_of(github, "ghp_guessed").get(PULL)

    assert answer.status_code == 401
    assert answer.json() == {
        "message": "Bad credentials",
        "documentation_url": "https://docs.github.com/rest",
        "status": "401",
    }


def test_a_person_sees_themselves_and_an_installation_does_not(ann: Client, bot: Any) -> None:
    """GET /user is for people; an installation is no person."""
    assert ann.get("/user").json()["login"] == "ann"
    token = bot.request("GET", PULL).raw_request.headers["authorization"]
    refused = ann.send("GET", "/user", Authorization=token)
    assert (refused.status_code, refused.json()["message"]) == (403, "Resource not accessible by integration")


def test_asking_for_permissions_needs_write_access(github: LocalGitHub, client_of: Connect) -> None:
    """A reader is refused; to those who may ask an unknown person is 404, and to a stranger all of it."""
    stranger = client_of(github, github.token_for("mallory", "none"))
    reader = client_of(github, github.token_for("rita", "read"))
    writer = client_of(github, github.token_for("ann", "write"))

    assert reader.get(f"{REPO}/collaborators/ann/permission").status_code == 403
    assert writer.get(f"{REPO}/collaborators/nobody/permission").status_code == 404
    assert stranger.get(f"{REPO}/collaborators/ann/permission").status_code == 404
