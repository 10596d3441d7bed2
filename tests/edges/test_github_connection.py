"""The requests to GitHub: tries, waits, tokens, downloads, and what each answer means.

What no healthy server does is said by a socket: answers that are cut off, stall, or are no JSON.
"""

import gzip
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kodiai.core.errors import Broken, Refused, Retry
from kodiai.core.review.review import PublishActions, ThreadAction
from kodiai.edges.github import GitHubPullRequest
from local.github import LocalGitHub
from local.github.answers import ApiResponse
from local.github.failures import (
    PlannedFailure,
    dropped_connection,
    refusal,
    secondary_limit,
    server_error,
    slow_response,
)
from tests.edges.github_scene import (
    DONE,
    FILES,
    FINDING,
    PULL,
    REVIEWS,
    SNAPSHOT,
    TOKEN,
    UPDATE_CHECK,
    Scene,
    a_review,
    connect,
)
from tests.edges.raw_github import Said, a_snapshot, github_that_says, said, told
from tests.git_repository import GitRepository
from tests.layers import LAYER
from tests.tables import each_row


def test_all_pages_of_files_are_read(tmp_path: Path) -> None:
    """A page holds a hundred. GitHub says whether another one follows: a last one that is full costs no more."""
    repository = GitRepository(tmp_path / "widgets.git")
    base = repository.commit({"a.py": "a = 1\n"}, branch="main")
    head = repository.commit({f"many/{number}.py": "x = 1\n" for number in range(200)}, base)
    with LocalGitHub(repository.path) as stand_in:
        number = stand_in.open_pull_request(head, base)

        with connect(stand_in, number) as edge:
            assert len(edge.changed_files()) == 200
            assert edge.calls()[FILES] == 2
        assert stand_in.violations == []


def test_a_write_is_never_sent_twice(scene: Scene) -> None:
    """GitHub may have done it before it failed; a mutation is a write, though it looks like a query."""
    opened = scene.begin()
    scene.stand_in.fail_next(REVIEWS, server_error(502, takes_effect=True))
    scene.stand_in.fail_next("POST /graphql updateCheckRun", server_error(502, takes_effect=True))

    with pytest.raises(Retry):
        scene.edge.post_review(scene.head, a_review())
    with pytest.raises(Retry):
        scene.edge.update_check(opened, DONE)

    assert (len(scene.reviews()), scene.check(opened).status) == (1, "completed")
    assert (scene.edge.calls()[REVIEWS], scene.edge.calls()[UPDATE_CHECK]) == (1, 1)


def test_a_read_is_tried_again_at_once(scene: Scene) -> None:
    """A 502, then a broken connection, then the answer; a query is a read, though it is sent as a POST."""
    for route in (PULL, "POST /graphql Snapshot"):
        scene.stand_in.fail_next(route, server_error(502))
        scene.stand_in.fail_next(route, dropped_connection())

    assert scene.edge.head() == scene.head
    assert scene.edge.snapshot().pull_request.head == scene.head
    assert scene.edge.calls() == {TOKEN: 1, PULL: 3, SNAPSHOT: 3}


def test_an_answer_may_take_as_long_as_the_settings_say(scene: Scene) -> None:
    """A read is tried again; a write may still be under way, and GitHub gives it ten seconds."""
    opened = scene.begin()
    with connect(scene.stand_in, scene.number, timeout_seconds=0.4) as edge:
        scene.stand_in.fail_next(PULL, slow_response(2))
        scene.stand_in.fail_next("POST /graphql updateCheckRun", slow_response(2))

        assert edge.head() == scene.head
        edge.snapshot()
        with pytest.raises(Retry, match="ReadTimeout") as late:
            edge.update_check(opened, DONE)

    assert (late.value.after_seconds, edge.calls()[UPDATE_CHECK]) == (10, 1)
    assert edge.calls()[PULL] >= 2


def test_a_token_that_is_not_handed_out_is_asked_for_again(scene: Scene) -> None:
    """Half an answer, a GitHub in trouble, then the token; a second token does no harm."""
    scene.stand_in.fail_next(TOKEN, PlannedFailure(ApiResponse(201, raw=b'{"token": "ghs_'), takes_effect=True))
    scene.stand_in.fail_next(TOKEN, server_error(503))

    with connect(scene.stand_in, scene.number) as edge:
        assert edge.head() == scene.head
        assert edge.calls()[TOKEN] == 3


@pytest.mark.parametrize(
    ("trouble", "tries", "outcome", "words", "seconds"),
    [
        (PlannedFailure(ApiResponse(201, raw=b"<html>")), 3, Retry, "broke off", None),
        (PlannedFailure(ApiResponse(201, raw=b"{}")), 1, Retry, "no token", None),
        (dropped_connection(), 3, Retry, "did not answer", None),
        (secondary_limit(37), 1, Retry, "busy", 37),
        (refusal(401, {"message": "A JSON web token could not be decoded"}), 1, Retry, "JSON web token", 1),
        (refusal(404, {"message": "Not Found"}), 1, Refused, "no longer installed", None),
        (refusal(403, {"message": "This installation has been suspended"}), 1, Refused, "suspended", None),
    ],
)
def test_a_missing_token_has_its_meaning(
    scene: Scene, trouble: PlannedFailure, tries: int, outcome: type[Exception], words: str, seconds: float | None
) -> None:
    """Also for what would take an answer of 404 for somebody whom GitHub does not know."""
    scene.stand_in.fail_next(TOKEN, trouble, times=tries)

    with connect(scene.stand_in, scene.number) as edge, pytest.raises(outcome, match=words) as why:
        edge.may_write("ann")

    assert getattr(why.value, "after_seconds", None) == seconds
    assert edge.calls() == {TOKEN: tries}


def test_a_key_that_is_none_names_its_parameter(scene: Scene) -> None:
    """A person has to put it right, and sees nothing of the key."""
    key = "-----BEGIN RSA PRIVATE KEY-----\nU2VjcmV0\n-----END RSA PRIVATE KEY-----"

    with (
        pytest.raises(Broken, match="github/private-key") as why,
        connect(scene.stand_in, scene.number, private_key=key) as edge,
    ):
        edge.head()

    assert "U2VjcmV0" not in str(why.value)


_MODULES = """
import json, sys
from kodiai.core.config.settings import GitHubSettings
from kodiai.edges.github import GitHubPullRequest
from kodiai.edges.github_connection import Access
from kodiai.edges.github_permissions import REVIEW

settings, login, repository, number, installation = json.load(sys.stdin)
access = Access(GitHubSettings.model_validate(settings), installation, REVIEW)
with GitHubPullRequest(access, login, repository, number) as edge:
    edge.snapshot()
    edge.changed_files()
print(*(name for name in sys.modules if name.startswith("githubkit_schemas.") and ".core" not in name))
"""


def test_nothing_imports_githubkits_generated_models(scene: Scene) -> None:
    """The layer leaves them out: they are 25 MB."""
    stand_in = scene.stand_in
    values = {"github/api-url": stand_in.url, "github/timeout-seconds": 20, "github/publish": "post"}
    values |= {"github/app-id": stand_in.app_id, "github/private-key": stand_in.private_key.strip()}
    given = [values, stand_in.bot_login, stand_in.full_name, scene.number, stand_in.installation_id]

    environment = {**os.environ, "PYTHONPATH": str(LAYER.parent)}
    command = [sys.executable, "-c", _MODULES]
    run = subprocess.run(command, input=json.dumps(given), env=environment, capture_output=True, text=True, check=True)

    assert run.stdout == "\n"


def read(edge: GitHubPullRequest) -> Any:
    return edge.changed_files()


def query(edge: GitHubPullRequest) -> Any:
    return edge.snapshot()


def write(edge: GitHubPullRequest) -> Any:
    return edge.update_check("CR_1", DONE)


LIMIT = {"x-ratelimit-remaining": "0"}
SECONDARY = b'{"message": "You have exceeded a secondary rate limit."}'
TOO_QUICK = b'{"message": "Validation Failed", "errors": ["was submitted too quickly"]}'


@each_row(
    ("answer", "outcome", "seconds", "reads"),
    [
        (said(401), Retry, 1, 1),
        (said(403), Refused, None, 1),
        (said(403, headers={"retry-after": "37"}), Retry, 37, 1),
        (said(403, headers=LIMIT), Retry, 60, 1),
        (said(403, SECONDARY), Retry, 60, 1),
        (said(404), Refused, None, 1),
        (said(408), Retry, None, 1),
        (said(409), Retry, None, 1),
        (said(410), Refused, None, 1),
        (said(422), Refused, None, 1),
        (said(422, headers=LIMIT), Refused, None, 1),
        (said(422, TOO_QUICK), Retry, 60, 1),
        (said(429), Retry, 60, 1),
        (said(429, headers={"retry-after": "5"}), Retry, 5, 1),
        (said(451), Refused, None, 1),
        (said(500), Retry, None, 3),
        (said(503, headers={"retry-after": "7"}), Retry, 7, 1),
        (said(504), Retry, None, 3),
    ],
)
def test_each_status_has_its_meaning(answer: Said, outcome: type[Exception], seconds: float | None, reads: int) -> None:
    """GitHub is busy, or a person has to fix it; only a read is sent again, and only where that may help."""
    with github_that_says(*[answer] * 2 * reads, a_snapshot(), answer) as (edge, server):
        with pytest.raises(outcome) as reading:
            read(edge)
        with pytest.raises(outcome) as asking:
            query(edge)
        query(edge)
        with pytest.raises(outcome) as writing:
            write(edge)

    assert server.asked == [*["GET"] * reads, *["POST"] * reads, "POST", "POST"]
    assert [getattr(each.value, "after_seconds", None) for each in (reading, asking, writing)] == [seconds] * 3


@each_row(
    ("headers", "seconds"),
    [
        ({"retry-after": "37"}, 37),
        ({"retry-after": "soon"}, 60),
        (LIMIT, 60),
        (LIMIT | {"x-ratelimit-reset": "soon"}, 60),
        (LIMIT | {"x-ratelimit-reset": "nan"}, 1),
        (LIMIT | {"x-ratelimit-reset": "-5"}, 1),
        (LIMIT | {"x-ratelimit-reset": "9" * 400}, 3_600),
        (LIMIT | {"x-ratelimit-reset": "5", "retry-after": "37"}, 37),
    ],
)
def test_the_wait_is_always_one_that_can_be_kept(headers: Mapping[str, str], seconds: float) -> None:
    """Never less than a second, never for ever."""
    with github_that_says(said(403, headers=headers)) as (edge, _), pytest.raises(Retry) as limited:
        read(edge)

    assert limited.value.after_seconds == seconds


@each_row(
    "body",
    [b"", b"<html>", b"null", b"[1]", b'"no"', b'{"message": null}', b'{"errors": "no"}',
     b'{"errors": [null, {"field": 3}]}', b"\xff\xfe"],
)  # fmt: skip
def test_a_refusal_in_any_form_is_understood(body: bytes) -> None:
    """A proxy between us and GitHub speaks its own language."""
    with github_that_says(said(403, body), said(422, body)) as (edge, _):
        with pytest.raises(Refused):
            read(edge)
        with pytest.raises(Refused):
            edge.post_review("1" * 40, a_review())


CUT = said(body=b'[{"filename": "a', missing=100)
UNREADABLE = [
    (CUT, 10),
    (said(body=b'[{"filename": "a'), None),
    (said(body=b""), None),
    (said(body=b"<html>Busy</html>"), None),
    (said(body=b'["\xff"]'), None),
    (said(204, body=b""), None),
    (said(body=b"no", headers={"content-encoding": "gzip"}), 10),
    (Said(b""), 10),
    (Said(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n[]\r\n"), 10),
    (Said(b"not HTTP at all\r\n\r\n"), 10),
    (said(302, headers={"location": "/again"}, body=b"", missing=1), 10),
    (said(body=b"[", missing=1, stalls=True), 10),
]


@each_row(("answer", "seconds"), UNREADABLE)
def test_half_an_answer_is_none(answer: Said, seconds: float | None) -> None:
    """A read is sent again. A write is not: it may have had its effect, or still be about to have it."""
    with github_that_says(answer, said(), answer, a_snapshot(), answer) as (edge, server):
        assert read(edge) == ()
        assert query(edge).pull_request.title == "Two"
        with pytest.raises(Retry) as lost:
            write(edge)

    assert server.asked == ["GET", "GET", "POST", "POST", "POST"]
    assert lost.value.after_seconds == seconds


@pytest.mark.parametrize("body", [b"null", b"{}", b'"no"', b'{"check_runs": null}'])
def test_an_answer_of_another_shape_is_left_to_the_queue(body: bytes) -> None:
    """Nothing is made of it, and nothing is taken for done."""
    with github_that_says(*[said(body=body)] * 3, a_snapshot(), said(body=body)) as (edge, _):
        with pytest.raises(Retry, match="no listing"):
            read(edge)
        with pytest.raises(Retry, match="no listing"):
            edge.find_check("1" * 40, "x")
        with pytest.raises(Retry, match="lacks what was asked for"):
            query(edge)
        query(edge)
        with pytest.raises(Retry):
            write(edge)


@pytest.mark.parametrize("data", [None, {}, {"repository": None}, {"repository": {"id": "R_1", "pullRequest": None}}])
def test_an_answer_that_lacks_the_pull_request_is_left_to_the_queue(data: Any) -> None:
    """GitHub leaves out what it had no time for."""
    with github_that_says(told({"data": data})) as (edge, _), pytest.raises(Retry, match="lacks what was asked for"):
        query(edge)


def an_error(kind: str | None, **more: Any) -> dict[str, Any]:
    return {"message": "So it is.", **({"type": kind} if kind else {}), **more}


@each_row(
    ("kinds", "outcome", "words", "seconds"),
    [
        (["RATE_LIMITED"], Retry, "GitHub is busy: So it is.", 60),
        (["RATE_LIMIT"], Retry, "GitHub is busy: So it is.", 60),
        (["FORBIDDEN", "RATE_LIMITED"], Retry, "GitHub is busy: So it is.; So it is.", 60),
        (["NOT_FOUND"], Refused, "it is gone, or the App may not see it", None),
        (["FORBIDDEN"], Refused, "look at what the App or the token is permitted here", None),
        (["INSUFFICIENT_SCOPES"], Refused, "look at what the App or the token is permitted here", None),
        ([None, "FORBIDDEN"], Refused, "look at what the App or the token is permitted here", None),
        ([None], Retry, "GitHub could not answer: So it is.", None),
        (["UNPROCESSABLE"], Broken, "GitHub refused the request: So it is.", None),
        (["MAX_NODE_LIMIT_EXCEEDED", None], Broken, "GitHub refused the request", None),
    ],
)
def test_an_error_inside_of_an_answer_has_its_meaning(
    kinds: list[str | None], outcome: type[Exception], words: str, seconds: float | None
) -> None:
    """GraphQL says 200 and then what was wrong: of a query, of a whole mutation, or of one field of it."""
    errors = [an_error(kind) for kind in kinds]
    whole = told({"errors": errors})
    in_part = told({"data": {"m0": None}, "errors": [{**error, "path": ["m0"]} for error in errors[-1:]]})
    answers = [whole, a_snapshot(), whole, *([in_part] if len(errors) == 1 else [])]

    with github_that_says(*answers) as (edge, server):
        with pytest.raises(outcome, match=words) as reading:
            query(edge)
        query(edge)
        for _ in answers[2:]:
            with pytest.raises(outcome, match=words) as writing:
                write(edge)

    assert server.asked == ["POST"] * len(answers)
    assert [getattr(each.value, "after_seconds", None) for each in (reading, writing)] == [seconds] * 2


UNKNOWN_FIELD = an_error(None, path=["mutation UpdateThreads", "m0", "isNew"], extensions={"code": "undefinedField"})


@pytest.mark.parametrize("body", [{}, {"data": None}, {"data": {"m0": None}}, {"errors": [UNKNOWN_FIELD]}])
def test_an_unconfirmed_action_is_not_taken_for_done(body: Any) -> None:
    """An older server that does not know a field says so with a path that begins at the mutation's name."""
    resolving = PublishActions(None, DONE, (ThreadAction("PRRT_1", FINDING, resolve=True),))
    with github_that_says(a_snapshot(), *[told(body)] * 3) as (edge, _):
        query(edge)
        with pytest.raises((Retry, Broken)):
            write(edge)
        with pytest.raises((Retry, Broken)):
            edge.update_threads(replace(resolving, check_id="CR_1"))
        try:
            resolved = edge.update_threads(resolving).resolved
        except (Retry, Broken):
            resolved = ()

    assert resolved == ()


@pytest.mark.parametrize(
    ("below", "graphql", "version"),
    [("", "/graphql", "2026-03-10"), ("/api/v3", "/api/graphql", "2022-11-28")],
    ids=["github.com", "an enterprise server"],
)
def test_an_enterprise_server_has_addresses_and_a_version_of_its_own(below: str, graphql: str, version: str) -> None:
    """Its API is below a path, its GraphQL next to that, and it refuses a version that is newer than itself."""
    with github_that_says(told({"head": {"sha": "1" * 40}}), a_snapshot(), below=below) as (edge, server):
        edge.head()
        query(edge)

    assert server.paths == [f"{below}/repos/acme/widgets/pulls/1", graphql]
    assert server.headers[0]["x-github-api-version"] == version


def test_a_read_of_which_only_halves_arrive_is_left_to_the_queue() -> None:
    """Three tries, no more."""
    with github_that_says(*[CUT] * 4) as (edge, server), pytest.raises(Retry, match="RemoteProtocolError"):
        read(edge)

    assert len(server.asked) == 3


def test_a_page_that_is_cut_is_fetched_again() -> None:
    """No entry is lost, none is there twice. Whether a page follows is in the headers, not in how full one is."""
    pages = [[a_file(0)], [a_file(number) for number in range(1, 101)]]
    next_page = {"link": '<https://x/?page=2>; rel="next", <https://x/?page=2>; rel="last"'}
    first, second = said(body=json.dumps(pages[0]).encode(), headers=next_page), told(pages[1])

    with github_that_says(first, CUT, said(body=b"[{"), second) as (edge, server):
        files = edge.changed_files()

    assert [file.path for file in files] == [f"{number}.py" for number in range(101)]
    assert ["page=2" in path for path in server.paths] == [False, True, True, True]


def a_file(number: int) -> dict[str, Any]:
    return {"filename": f"{number}.py", "status": "added", "sha": "1" * 40, "additions": 1, "deletions": 0}


def test_a_github_that_cannot_be_reached_is_left_to_the_queue() -> None:
    """Nobody listens."""
    with github_that_says() as (edge, server):
        server.stop()

        with pytest.raises(Retry, match="ConnectError"):
            read(edge)


@pytest.fixture
def temporary(tmp_path: Path) -> Iterator[Path]:
    """The folder where temporary files go, for this test alone."""
    before, tempfile.tempdir = tempfile.tempdir, str(tmp_path)
    yield tmp_path
    tempfile.tempdir = before


def archive() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        member = tarfile.TarInfo("root/a.py")
        member.size = 6
        tar.addfile(member, io.BytesIO(b"a = 1\n"))
    return packed.getvalue()


HALF = archive()[:60]
LISTING = said(body=b'{"truncated": false, "tree": [{"path": "a.py", "mode": "100644", "sha": "1", "size": 6}]}')


@pytest.mark.parametrize(
    ("answer", "requests"),
    [
        (said(body=HALF, missing=100), 3),
        (said(body=HALF, missing=100, stalls=True), 3),
        (Said(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n\x1f\x8b\r\n"), 3),
        (said(429), 1),
        (said(302, headers={"location": "/elsewhere"}), 4),
        (said(body=HALF), 1),
        (said(body=b"<html>Busy</html>"), 1),
        (said(body=gzip.compress(b"no tar" * 100)), 1),
    ],
)
def test_an_archive_that_does_not_arrive_whole_is_left_to_the_queue(
    temporary: Path, answer: Said, requests: int
) -> None:
    """Nothing of it stays on the disk, which is small and shared by invocations."""
    with github_that_says(LISTING, *[answer] * requests) as (edge, server):
        tree = edge.tree("1" * 40, limit_bytes=10_000)
        with pytest.raises(Retry):
            assert tree.searchable

    assert len(server.asked) > requests
    assert list(temporary.iterdir()) == []


def test_an_archive_that_was_cut_is_fetched_again(temporary: Path) -> None:
    """At once, as every read."""
    broken = said(body=HALF, missing=100)

    with github_that_says(LISTING, said(500), broken, said(body=archive())) as (edge, _):
        assert edge.tree("1" * 40, limit_bytes=10_000).searchable

    assert list(temporary.iterdir()) == []


def test_an_archive_over_the_limit_leaves_nothing_behind(temporary: Path) -> None:
    """Its download ends where the limit is."""
    with github_that_says(LISTING, said(body=b"x" * 2_000)) as (edge, _):
        tree = edge.tree("1" * 40, limit_bytes=1_000)
        assert not tree.searchable

    assert list(tree.paths()) == ["a.py"]
    assert list(temporary.iterdir()) == []
