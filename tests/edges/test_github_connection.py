"""The requests to GitHub: tries, waits, tokens, downloads, and what each answer means.

What no healthy server does is said by a socket: answers that are cut, stall, or are no JSON.
"""

import gzip
import io
import json
import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from kodiai.core.errors import Broken, Refused, Retry
from kodiai.edges.github import GitHubPullRequest
from kodiai.ports import Check
from local.github import GitHubStandIn
from local.github.answers import Answer
from local.github.trouble import (
    Trouble,
    cut,
    expired_token,
    primary_limit,
    refusal,
    secondary_limit,
    server_error,
    slow,
)
from tests.edges.github_scene import CHECK, PULL, REVIEWS, TOKEN, Scene, a_review, connect
from tests.edges.raw_github import Said, github_that_says, said
from tests.git_repository import GitRepository


def test_all_pages_of_files_are_read(tmp_path: Path) -> None:
    """A page holds a hundred."""
    repository = GitRepository(tmp_path / "widgets.git")
    base = repository.commit({"a.py": "a = 1\n"}, branch="main")
    head = repository.commit({f"many/{number}.py": "x = 1\n" for number in range(250)}, base)
    with GitHubStandIn(repository.path) as stand_in:
        number = stand_in.open_pull_request(head, base)

        with connect(stand_in, number) as edge:
            assert len(edge.changed_files()) == 250
        assert stand_in.violations == []


def test_a_write_is_never_sent_twice(scene: Scene) -> None:
    """GitHub may have done it before it failed."""
    scene.stand_in.fail_next(REVIEWS, server_error(502, takes_effect=True))

    with pytest.raises(Retry):
        scene.edge.post_review(scene.head, a_review())

    assert len(scene.reviews()) == 1
    assert scene.edge.calls()[REVIEWS] == 1


def test_a_read_is_tried_again_at_once(scene: Scene) -> None:
    """A 502, then a broken connection, then the answer."""
    scene.stand_in.fail_next(PULL, server_error(502))
    scene.stand_in.fail_next(PULL, cut())

    assert scene.edge.pull_request().head == scene.head
    assert scene.edge.calls()[PULL] == 3


def test_a_read_that_keeps_failing_is_left_to_the_queue(scene: Scene) -> None:
    """Three tries, no more."""
    scene.stand_in.fail_next(PULL, server_error(503), times=3)

    with pytest.raises(Retry):
        scene.edge.pull_request()


def test_a_rate_limit_says_how_long_to_wait(scene: Scene) -> None:
    """`retry-after` for the secondary limit, the reset time for the primary one; neither is slept through."""
    scene.stand_in.fail_next(PULL, secondary_limit(retry_after=37))
    with pytest.raises(Retry) as secondary:
        scene.edge.pull_request()

    scene.stand_in.fail_next(PULL, primary_limit(reset_at=time.time() + 1_800))
    with pytest.raises(Retry) as primary:
        scene.edge.pull_request()

    assert secondary.value.after_seconds == 37
    assert primary.value.after_seconds is not None
    assert 900 < primary.value.after_seconds <= 1_800


def test_an_expired_token_is_a_matter_of_trying_again(scene: Scene) -> None:
    """The next invocation asks for a new one."""
    scene.stand_in.fail_next(PULL, expired_token())

    with pytest.raises(Retry):
        scene.edge.pull_request()


def test_access_that_was_withdrawn_is_refused_with_githubs_words(scene: Scene) -> None:
    """Somebody has to permit it again."""
    forbidden = refusal(403, {"message": "Resource not accessible by integration", "documentation_url": "https://x"})
    scene.stand_in.fail_next("GET /repos/{owner}/{repo}/pulls/{pull_number}/files", forbidden)

    with pytest.raises(Refused, match="Resource not accessible by integration"):
        scene.edge.changed_files()


def test_an_answer_may_take_as_long_as_the_settings_say(scene: Scene) -> None:
    """A read is tried again; a write may still be under way, and GitHub gives it ten seconds."""
    opened = scene.edge.start_check(scene.head, "x", Check("Reading", "On its way."))
    assert opened is not None
    with connect(scene.stand_in, scene.number, timeout_seconds=0.4) as edge:
        scene.stand_in.fail_next(PULL, slow(30))
        scene.stand_in.fail_next(CHECK, slow(30))

        assert edge.pull_request().head == scene.head
        with pytest.raises(Retry, match="ReadTimeout") as late:
            edge.update_check(opened, Check("Done", "All said.", "neutral"))

    assert (late.value.after_seconds, edge.calls()[CHECK]) == (10, 1)
    assert edge.calls()[PULL] >= 2


def test_a_token_that_is_not_handed_out_is_asked_for_again(scene: Scene) -> None:
    """Half an answer, an ill GitHub, then the token; a second token does no harm."""
    scene.stand_in.fail_next(TOKEN, Trouble(Answer(201, raw=b'{"token": "ghs_'), takes_effect=True))
    scene.stand_in.fail_next(TOKEN, server_error(503))

    with connect(scene.stand_in, scene.number) as edge:
        assert edge.pull_request().head == scene.head
        assert edge.calls()[TOKEN] == 3


@pytest.mark.parametrize(
    ("trouble", "tries", "outcome", "words", "seconds"),
    [
        (Trouble(Answer(201, raw=b"<html>")), 3, Retry, "broke off", None),
        (Trouble(Answer(201, raw=b"{}")), 1, Retry, "no token", None),
        (cut(), 3, Retry, "did not answer", None),
        (secondary_limit(37), 1, Retry, "busy", 37),
        (refusal(401, {"message": "A JSON web token could not be decoded"}), 1, Retry, "JSON web token", 1),
        (refusal(404, {"message": "Not Found"}), 1, Refused, "no longer installed", None),
        (refusal(403, {"message": "This installation has been suspended"}), 1, Refused, "suspended", None),
    ],
)
def test_what_it_means_that_there_is_no_token(
    scene: Scene, trouble: Trouble, tries: int, outcome: type[Exception], words: str, seconds: float | None
) -> None:
    """Also for what would take an answer of 404 for a file that is missing."""
    scene.stand_in.fail_next(TOKEN, trouble, times=tries)

    with connect(scene.stand_in, scene.number) as edge, pytest.raises(outcome, match=words) as why:
        edge.file("a.py", scene.head)

    assert getattr(why.value, "after_seconds", None) == seconds
    assert edge.calls() == {TOKEN: tries}


def test_a_key_that_is_none_names_its_parameter(scene: Scene) -> None:
    """A person has to put it right, and sees nothing of the key."""
    key = "-----BEGIN RSA PRIVATE KEY-----\nU2VjcmV0\n-----END RSA PRIVATE KEY-----"

    with (
        connect(scene.stand_in, scene.number, private_key=key) as edge,
        pytest.raises(Broken, match="github/private-key") as why,
    ):
        edge.pull_request()

    assert "U2VjcmV0" not in str(why.value)


def test_every_request_is_counted_by_its_route(scene: Scene) -> None:
    """The token's and the redirect's too: the count is what GitHub saw."""
    before = len(scene.stand_in.requests)

    scene.edge.pull_request()
    scene.edge.tree(scene.head, limit_bytes=10_000_000)

    assert sum(scene.edge.calls().values()) == len(scene.stand_in.requests) - before


def read(edge: GitHubPullRequest) -> Any:
    return edge.changed_files()


def write(edge: GitHubPullRequest) -> Any:
    return edge.update_check("1", Check("Done", "All said.", "neutral"))


LIMIT = {"x-ratelimit-remaining": "0"}
SECONDARY = b'{"message": "You have exceeded a secondary rate limit."}'
TOO_QUICK = b'{"message": "Validation Failed", "errors": ["was submitted too quickly"]}'


@pytest.mark.parametrize(
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
def test_what_each_status_means(answer: Said, outcome: type[Exception], seconds: float | None, reads: int) -> None:
    """The world is busy, or a person has to mend it; only a read is sent again, and only where that may help."""
    with github_that_says(*[answer] * 4) as (edge, server):
        with pytest.raises(outcome) as reading:
            read(edge)
        with pytest.raises(outcome) as writing:
            write(edge)

    assert server.asked == [*["GET"] * reads, "PATCH"]
    assert getattr(reading.value, "after_seconds", None) == seconds
    assert getattr(writing.value, "after_seconds", None) == seconds


@pytest.mark.parametrize(
    ("headers", "least", "most"),
    [
        ({"retry-after": "37"}, 37, 37),
        ({"retry-after": "2.5"}, 2.5, 2.5),
        ({"retry-after": format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)}, 1_800, 3_600),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 60, 60),
        ({"retry-after": "Sat, 31 Dec 9999 23:59:59 GMT"}, 86_400, 86_400),
        ({"retry-after": "Wed, 99 Oct 2015"}, 60, 60),
        ({"retry-after": "0"}, 60, 60),
        ({"retry-after": "-5"}, 60, 60),
        ({"retry-after": "nan"}, 60, 60),
        ({"retry-after": "soon"}, 60, 60),
        ({"retry-after": ""}, 60, 60),
        ({"retry-after": "9" * 400}, 86_400, 86_400),
        (LIMIT, 60, 60),
        (LIMIT | {"x-ratelimit-reset": "soon"}, 60, 60),
        (LIMIT | {"x-ratelimit-reset": "nan"}, 1, 1),
        (LIMIT | {"x-ratelimit-reset": "-5"}, 1, 1),
        (LIMIT | {"x-ratelimit-reset": "9" * 400}, 3_600, 3_600),
        (LIMIT | {"x-ratelimit-reset": "5", "retry-after": "37"}, 37, 37),
    ],
)
def test_the_wait_is_always_one_that_can_be_kept(headers: Mapping[str, str], least: float, most: float) -> None:
    """A number of seconds, a date, or nonsense: never less than a second, never for ever."""
    with github_that_says(said(403, headers=headers)) as (edge, _), pytest.raises(Retry) as limited:
        read(edge)

    assert limited.value.after_seconds is not None
    assert least <= limited.value.after_seconds <= most


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"null", b"[1]", b'"no"', b'{"message": null}', b'{"errors": "no"}',
     b'{"errors": [null, {"field": 3}]}', b"\xff\xfe"],
)  # fmt: skip
def test_a_refusal_in_any_form_is_understood(body: bytes) -> None:
    """Whatever stands between us and GitHub speaks its own language."""
    with github_that_says(said(403, body), said(422, body)) as (edge, _):
        with pytest.raises(Refused):
            read(edge)
        with pytest.raises(Broken):
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


@pytest.mark.parametrize(("answer", "seconds"), UNREADABLE)
def test_half_an_answer_is_none(answer: Said, seconds: float | None) -> None:
    """A read is sent again. A write is not: it may have had its effect, or still be about to have it."""
    with github_that_says(answer, said(), answer) as (edge, server):
        assert read(edge) == ()
        with pytest.raises(Retry) as lost:
            write(edge)

    assert server.asked == ["GET", "GET", "PATCH"]
    assert lost.value.after_seconds == seconds


@pytest.mark.parametrize("body", [b"null", b"{}", b'"no"', b'{"check_runs": null}'])
def test_an_answer_of_another_shape_is_left_to_the_queue(body: bytes) -> None:
    """Nothing is made of it."""
    with github_that_says(said(body=body), said(body=body)) as (edge, _):
        with pytest.raises(Retry, match="no listing"):
            read(edge)
        with pytest.raises(Retry, match="no listing"):
            edge.find_check("1" * 40, "x")


def test_a_read_of_which_only_halves_arrive_is_left_to_the_queue() -> None:
    """Three tries, no more."""
    with github_that_says(*[CUT] * 4) as (edge, server), pytest.raises(Retry, match="RemoteProtocolError"):
        read(edge)

    assert len(server.asked) == 3


def test_a_page_that_is_cut_is_fetched_again() -> None:
    """No entry is lost, none is there twice."""
    pages = [[a_file(number) for number in range(100)], [a_file(100)]]
    first, second = (said(body=json.dumps(page).encode()) for page in pages)

    with github_that_says(first, CUT, said(body=b"[{"), second) as (edge, _):
        files = edge.changed_files()

    assert [file.path for file in files] == [f"{number}.py" for number in range(101)]


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
    with github_that_says(*[answer] * requests) as (edge, server), pytest.raises(Retry):
        edge.tree("1" * 40, limit_bytes=10_000)

    assert len(server.asked) >= requests
    assert list(temporary.iterdir()) == []


def test_an_archive_that_was_cut_is_fetched_again(temporary: Path) -> None:
    """At once, as every read."""
    broken = said(body=HALF, missing=100)

    with github_that_says(said(500), broken, said(body=archive())) as (edge, _):
        tree = edge.tree("1" * 40, limit_bytes=10_000)

    assert tree.read("a.py") == b"a = 1\n"
    assert list(temporary.iterdir()) == []


def test_an_archive_over_the_limit_leaves_nothing_behind(temporary: Path) -> None:
    """Its download ends where the limit is."""
    listing = said(body=b'{"tree": [{"path": "a.py", "mode": "100644", "sha": "1"}]}')

    with github_that_says(said(body=b"x" * 2_000), listing) as (edge, _):
        tree = edge.tree("1" * 40, limit_bytes=1_000)

    assert list(tree.paths()) == ["a.py"]
    assert list(temporary.iterdir()) == []


def test_an_archive_that_unpacks_to_too_much_is_broken(temporary: Path) -> None:
    """Another download would be no smaller."""
    bomb = said(body=gzip.compress(b"\0" * 100_000))

    with github_that_says(bomb) as (edge, _), pytest.raises(Broken, match="larger than allowed"):
        edge.tree("1" * 40, limit_bytes=1_000)

    assert list(temporary.iterdir()) == []
