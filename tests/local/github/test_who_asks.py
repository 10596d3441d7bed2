"""Credentials and their rights: JWTs, installation tokens, people's tokens."""

from collections.abc import Callable
from typing import Any

from cryptography.hazmat.primitives.asymmetric import rsa

from local.github import LocalGitHub
from tests.local.github.scene import PULL, REPO, Client, Scene, app_token, installation_token
from tests.tables import each_row

Serve = Callable[..., LocalGitHub]
Connect = Callable[..., Client]


UNREADABLE = "A JSON web token could not be decoded"


@each_row(
    ("claims", "status", "message"),
    [
        ({"exp": 1_800_000}, 401, UNREADABLE),
        ({"exp": None}, 401, UNREADABLE),
        ({"iat": 99_999_999_999}, 401, UNREADABLE),
        ({"iss": "1"}, 404, "Integration not found"),
    ],
    ids=["expired", "without end", "of the future", "of no App"],
)
def test_a_jwt_with_wrong_claims_is_refused(
    github: LocalGitHub, client_of: Connect, claims: dict[str, Any], status: int, message: str
) -> None:
    answer = client_of(github, app_token(github, **claims)).get("/app")

    assert (answer.status_code, answer.json()["message"]) == (status, message)


def test_a_jwt_of_another_key_or_algorithm_is_refused(github: LocalGitHub, client_of: Connect) -> None:
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    for token in (app_token(github, stranger), app_token(github, "x" * 32, "HS256")):
        assert client_of(github, token).get("/app").json()["message"] == UNREADABLE


@each_row(
    ("request_", "missing"),
    [
        (("GET", f"{PULL}/files", None), "pull_requests"),
        (("POST", f"{PULL}/reviews", {"event": "COMMENT", "body": "x"}), "pull_requests"),
        (("GET", f"{REPO}/contents/src/a.py", None), "contents"),
        (("POST", f"{REPO}/check-runs", {"name": "x", "head_sha": "feature"}), "checks"),
    ],
)
def test_an_app_without_the_permission_is_refused(
    serve: Serve, client_of: Connect, scene: Scene, request_: tuple[str, str, Any], missing: str
) -> None:
    """403 in GitHub's words, and nothing happens; a read permission does not allow to write."""
    granted = {"checks": "write", "contents": "read", "pull_requests": "write", "metadata": "read"}
    lesser = (
        granted | {missing: "read"} if request_[0] == "POST" else {k: v for k, v in granted.items() if k != missing}
    )
    github = serve(scene.repository.path, permissions=lesser)
    github.open_pull_request("feature")

    answer = client_of(github, installation_token(github)).send(*request_)

    assert (answer.status_code, answer.json()["message"]) == (403, "Resource not accessible by integration")
    assert (github.state.reviews, github.state.checks) == ({}, {})


def test_a_hidden_object_is_not_found(github: LocalGitHub, client_of: Connect) -> None:
    """The answer is 404, as for a missing object or another repository, and 401 without a token."""
    stranger = client_of(github, github.token_for("mallory", "none"))
    nobody = client_of(github)
    reader = client_of(github, github.token_for("rita", "read"))

    assert [c.get(PULL).status_code for c in (stranger, nobody, reader)] == [404, 401, 200]
    assert reader.get("/repos/acme/other/pulls/1").status_code == 404
    assert reader.get(f"{REPO}/pulls/2").status_code == 404
    assert reader.get(f"{REPO}/pulls/0").status_code == 404


def test_nobody_but_the_app_reads_its_log_and_its_installation(app: Client, ann: Client) -> None:
    for path in ("/app/hook/deliveries", f"{REPO}/installation"):
        assert [client.get(path).status_code for client in (app, ann)] == [401, 401]


def test_a_token_that_nobody_gave_out_is_refused(github: LocalGitHub, client_of: Connect) -> None:
    """401, in GitHub's words, with GitHub's error object."""
    answer = client_of(github, "ghp_guessed").get(PULL)

    assert answer.status_code == 401
    assert answer.json() == {
        "message": "Bad credentials",
        "documentation_url": "https://docs.github.com/rest",
        "status": "401",
    }


def test_a_user_is_a_person(ann: Client, app: Client) -> None:
    """An installation is none."""
    refused = app.get("/user")

    assert ann.get("/user").json()["login"] == "ann"
    assert (refused.status_code, refused.json()["message"]) == (403, "Resource not accessible by integration")


def test_asking_for_permissions_needs_write_access(github: LocalGitHub, client_of: Connect) -> None:
    """A reader is refused; to those who may ask an unknown person is 404, and to a stranger all of it."""
    stranger = client_of(github, github.token_for("mallory", "none"))
    reader = client_of(github, github.token_for("rita", "read"))
    writer = client_of(github, github.token_for("ann", "write"))

    assert reader.get(f"{REPO}/collaborators/ann/permission").status_code == 403
    assert writer.get(f"{REPO}/collaborators/nobody/permission").status_code == 404
    assert stranger.get(f"{REPO}/collaborators/ann/permission").status_code == 404
