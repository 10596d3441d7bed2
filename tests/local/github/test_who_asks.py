"""Who may ask for what: JWTs, installation tokens, people's tokens, and nobody."""

from collections.abc import Callable
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from local.github import GitHubStandIn
from tests.local.github.conftest import Clock
from tests.local.github.scene import PULL, REPO, Client, Scene, installed

Serve = Callable[..., GitHubStandIn]
Connect = Callable[..., Client]


@pytest.fixture
def timed(serve: Serve, scene: Scene, clock: Clock) -> GitHubStandIn:
    """The scene at a time that only the test moves."""
    github = serve(scene.repository.path, clock=clock)
    github.open_pull_request("feature")
    return github


def signed(github: GitHubStandIn, now: float, **claims: Any) -> str:
    told = {"iat": int(now) - 60, "exp": int(now) + 540, "iss": github.app_id} | claims
    return jwt.encode({key: value for key, value in told.items() if value is not None}, github.private_key, "RS256")


def test_the_app_proves_itself_with_a_jwt(timed: GitHubStandIn, client_of: Connect, clock: Clock) -> None:
    """With it, it sees itself and its installation, and nothing of the repository."""
    app = client_of(timed, signed(timed, clock.at))

    assert app.get("/app").json()["slug"] == "kodiai"
    assert app.get(f"{REPO}/installation").json()["id"] == timed.installation_id
    assert app.get(PULL).status_code == 401
    assert app.get("/repos/acme/other/installation").status_code == 404


@pytest.mark.parametrize(
    ("claims", "status", "sentence"),
    [
        ({"exp": 1_800_000_000}, 401, "'Expiration time' claim ('exp') must be a numeric value"),
        ({"exp": None}, 401, "'Expiration time' claim ('exp') must be a numeric value"),
        ({"exp": 1_800_000_601}, 401, "'Expiration time' claim ('exp') is too far in the future"),
        ({"iat": 1_800_000_100}, 401, "'Issued at' claim ('iat') must be an Integer"),
        ({"iss": "1"}, 404, "Integration not found"),
    ],
)
def test_a_jwt_with_wrong_claims_is_refused(
    timed: GitHubStandIn, client_of: Connect, clock: Clock, claims: dict[str, Any], status: int, sentence: str
) -> None:
    """Ten minutes is the longest life; the words are GitHub's."""
    answer = client_of(timed, signed(timed, clock.at, **claims)).get("/app")

    assert answer.status_code == status
    assert answer.json()["message"].startswith(sentence)


def test_a_jwt_of_another_key_is_refused(timed: GitHubStandIn, client_of: Connect, clock: Clock) -> None:
    """The signature is really checked; so is the algorithm."""
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = stranger.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    claims = {"iat": int(clock.at), "exp": int(clock.at) + 60, "iss": timed.app_id}

    for token in (jwt.encode(claims, pem, "RS256"), jwt.encode(claims, "x" * 32, "HS256")):
        answer = client_of(timed, token).get("/app")

        assert (answer.status_code, answer.json()["message"]) == (401, "A JSON web token could not be decoded")


def test_an_installation_token_lives_for_an_hour(timed: GitHubStandIn, client_of: Connect, clock: Clock) -> None:
    """Its newest shape is long and has dots; after an hour it is nobody's."""
    app = client_of(timed, signed(timed, clock.at))
    told = app.post(f"/app/installations/{timed.installation_id}/access_tokens", {}).json()
    bot = client_of(timed, told["token"])

    clock.at += 3599
    good = bot.get(PULL)
    clock.at += 1
    late = bot.get(PULL)

    assert told["token"].startswith(f"ghs_{timed.app_id}_")
    assert len(told["token"]) > 300
    assert told["expires_at"] == "2027-01-15T09:00:00Z"
    assert (good.status_code, late.status_code, late.json()["message"]) == (200, 401, "Bad credentials")


def test_an_installation_token_can_be_narrowed_and_not_widened(
    timed: GitHubStandIn, client_of: Connect, clock: Clock
) -> None:
    """To named permissions that were granted, and to repositories that the installation has."""
    app = client_of(timed, signed(timed, clock.at))
    path = f"/app/installations/{timed.installation_id}/access_tokens"

    narrow = app.post(path, {"repositories": ["widgets"], "permissions": {"contents": "read"}}).json()
    wide = app.post(path, {"permissions": {"contents": "write"}})
    elsewhere = app.post(path, {"repositories": ["gadgets"]})

    assert narrow["permissions"] == {"contents": "read", "metadata": "read"}
    assert [repository["full_name"] for repository in narrow["repositories"]] == ["acme/widgets"]
    assert (wide.status_code, wide.json()["message"]) == (
        422,
        "The permissions requested are not granted to this installation.",
    )
    assert (elsewhere.status_code, elsewhere.json()["message"]) == (
        422,
        "There is at least one repository that does not exist or is not accessible to the parent installation.",
    )
    assert app.post("/app/installations/1/access_tokens", {}).status_code == 404


def test_githubkit_signs_in_by_itself(github: GitHubStandIn) -> None:
    """With only the base address changed, App authentication works as it does against GitHub."""
    answer = installed(github).request("GET", PULL)

    assert answer.json()["number"] == 1
    assert [seen.route for seen in github.requests] == [
        "POST /app/installations/{installation_id}/access_tokens",
        "GET /repos/{owner}/{repo}/pulls/{pull_number}",
    ]
    assert [seen.actor for seen in github.requests] == ["app", "kodiai[bot]"]


@pytest.mark.parametrize(
    ("method", "path", "body", "missing"),
    [
        ("GET", f"{PULL}/files", None, "pull_requests"),
        ("POST", f"{PULL}/reviews", {"event": "COMMENT", "body": "x"}, "pull_requests"),
        ("GET", f"{REPO}/contents/src/a.py", None, "contents"),
        ("POST", f"{REPO}/check-runs", {"name": "x", "head_sha": "feature"}, "checks"),
    ],
)
def test_an_app_without_the_permission_is_told_so(
    serve: Serve, client_of: Connect, scene: Scene, clock: Clock, method: str, path: str, body: Any, missing: str
) -> None:
    """403 in GitHub's words, and nothing happens; a read permission does not allow to write."""
    granted = {"checks": "write", "contents": "read", "pull_requests": "write", "metadata": "read"}
    lesser = granted | {missing: "read"} if method == "POST" else {k: v for k, v in granted.items() if k != missing}
    github = serve(scene.repository.path, clock=clock, permissions=lesser)
    github.open_pull_request("feature")
    app = client_of(github, signed(github, clock.at))
    token = app.post(f"/app/installations/{github.installation_id}/access_tokens", {}).json()["token"]

    answer = client_of(github, token).send(method, path, body)

    assert (answer.status_code, answer.json()["message"]) == (403, "Resource not accessible by integration")
    assert (github.state.reviews, github.state.checks) == ({}, {})


def test_what_a_person_may_not_see_is_not_there(github: GitHubStandIn, client_of: Connect) -> None:
    """404, as for what does not exist; so it is for nobody, and for the repository's neighbours."""
    stranger = client_of(github, github.token_for("mallory", "none"))
    nobody = client_of(github)
    reader = client_of(github, github.token_for("rita", "read"))

    assert [c.get(PULL).status_code for c in (stranger, nobody, reader)] == [404, 404, 200]
    assert reader.get("/repos/acme/other/pulls/1").status_code == 404
    assert reader.get(f"{REPO}/pulls/2").status_code == 404
    assert reader.get(f"{REPO}/pulls/0").status_code == 404


def test_a_public_repository_can_be_read_by_anybody_and_written_by_nobody(
    serve: Serve, client_of: Connect, scene: Scene
) -> None:
    """Without a token one reads; for writing one must say who one is."""
    github = serve(scene.repository.path, private=False)
    github.open_pull_request("feature")
    nobody = client_of(github)

    assert nobody.get(PULL).status_code == 200
    refused = nobody.post(f"{REPO}/issues/1/comments", {"body": "hi"})
    assert (refused.status_code, refused.json()["message"]) == (401, "Requires authentication")


def test_a_token_that_nobody_gave_out_is_refused(github: GitHubStandIn, client_of: Connect) -> None:
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


@pytest.mark.parametrize(
    ("role", "permission"),
    [
        ("admin", "admin"),
        ("maintain", "write"),
        ("write", "write"),
        ("triage", "read"),
        ("read", "read"),
        ("none", "none"),
    ],
)
def test_the_permission_of_a_person_is_told_in_both_vocabularies(
    github: GitHubStandIn, bot: Any, role: Any, permission: str
) -> None:
    """Maintainers count as writers and triagers as readers; `role_name` has the finer word."""
    github.set_role("bea", role)

    told = bot.request("GET", f"{REPO}/collaborators/bea/permission").json()

    assert (told["permission"], told["role_name"], told["user"]["login"]) == (permission, role, "bea")


def test_asking_for_permissions_needs_write_access(github: GitHubStandIn, client_of: Connect) -> None:
    """A reader is refused; to those who may ask an unknown person is 404, and to a stranger all of it."""
    stranger = client_of(github, github.token_for("mallory", "none"))
    reader = client_of(github, github.token_for("rita", "read"))
    writer = client_of(github, github.token_for("ann", "write"))

    assert reader.get(f"{REPO}/collaborators/ann/permission").status_code == 403
    assert writer.get(f"{REPO}/collaborators/nobody/permission").status_code == 404
    assert stranger.get(f"{REPO}/collaborators/ann/permission").status_code == 404


def test_whoever_holds_no_role_reads_a_public_repository(serve: Serve, client_of: Connect, scene: Scene) -> None:
    """Their permission is told as that of a reader."""
    github = serve(scene.repository.path, private=False)
    github.set_role("bea", "none")

    told = client_of(github, github.token_for("ann")).get(f"{REPO}/collaborators/bea/permission").json()

    assert (told["permission"], told["role_name"], told["user"]["permissions"]["pull"]) == ("read", "read", True)
