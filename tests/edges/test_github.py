"""The edge to GitHub: githubkit over real HTTP, against a stand-in that is held to GitHub's own description.

What no healthy server does is said by a socket: answers that are cut, stall, or are no JSON.
"""

import gzip
import io
import json
import tarfile
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from kodiai.core.errors import Broken, Refused, Retry
from kodiai.core.settings import GitHubSettings
from kodiai.core.words.markers import finding_marker, review_marker
from kodiai.edges.github import GitHubPullRequest
from kodiai.edges.trees import ArchiveTree, ContentsTree
from kodiai.ports import Annotation, Check, Review, ReviewComment, Unplaceable
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
from local.loopback import LoopbackServer, QuietHandler
from tests.git_repository import GitRepository

PULL = "GET /repos/{owner}/{repo}/pulls/{pull_number}"
REVIEWS = "POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews"
TOKEN = "POST /app/installations/{installation_id}/access_tokens"
CHECK = "PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}"
FINDING = "F-0123456789ab"


@dataclass(frozen=True)
class Scene:
    """A pull request on the stand-in, and the edge that looks at it."""

    repository: GitRepository
    stand_in: GitHubStandIn
    number: int
    head: str
    edge: GitHubPullRequest


@pytest.fixture
def stand_in_and_repository(tmp_path: Path) -> Iterator[tuple[GitHubStandIn, GitRepository]]:
    repository = GitRepository(tmp_path / "widgets.git")
    repository.commit({"a.py": "a = 1\n", "docs/b.md": "b\n"}, branch="main")
    with GitHubStandIn(repository.path) as stand_in:
        yield stand_in, repository
        assert stand_in.violations == []


def settings(stand_in: GitHubStandIn, **more: Any) -> GitHubSettings:
    values = {
        "api_url": stand_in.url,
        "timeout_seconds": 20,
        "app_id": stand_in.app_id,
        "private_key": stand_in.private_key.strip(),
        "publish": "post",
    }
    return GitHubSettings.model_validate(values | more)


def connect(stand_in: GitHubStandIn, number: int, **more: Any) -> GitHubPullRequest:
    name, installation = stand_in.full_name, stand_in.installation_id
    return GitHubPullRequest(settings(stand_in, **more), stand_in.bot_login, name, number, installation)


def token_settings(url: str, token: str, timeout_seconds: float = 20) -> GitHubSettings:
    values = {"api_url": url, "timeout_seconds": timeout_seconds, "token": token, "publish": "post"}
    return GitHubSettings.model_validate(values)


def connect_as(stand_in: GitHubStandIn, login: str, number: int) -> GitHubPullRequest:
    with_token = token_settings(stand_in.url, stand_in.token_for(login, "write"))
    return GitHubPullRequest(with_token, login, stand_in.full_name, number, None)


@pytest.fixture
def scene(stand_in_and_repository: tuple[GitHubStandIn, GitRepository]) -> Iterator[Scene]:
    stand_in, repository = stand_in_and_repository
    base = repository.commit({"a.py": "a = 1\n", "docs/b.md": "b\n"})
    head = repository.commit({"a.py": "a = 2\nb = 3\n", "é/new file.py": "c = 4\n"}, base)
    number = stand_in.open_pull_request(head, base, title="Two", body=None)
    with connect(stand_in, number) as edge:
        yield Scene(repository, stand_in, number, head, edge)


def a_review(line: int = 2, body: str = "Body") -> Review:
    comment = ReviewComment("a.py", line, None, f"Comment\n\n{finding_marker(FINDING)}")
    return Review("COMMENT", body, (comment,))


def test_a_pull_request_is_read_as_it_is_now(scene: Scene) -> None:
    """A missing description is an empty one."""
    found = scene.edge.pull_request()

    assert (found.title, found.body, found.author, found.state) == ("Two", "", "octocat", "open")
    assert (found.head, found.draft, found.author_is_bot) == (scene.head, False, False)


def test_its_files_carry_their_hunks(scene: Scene) -> None:
    """Paths are as git has them."""
    files = {file.path: file for file in scene.edge.changed_files()}

    assert set(files) == {"a.py", "é/new file.py"}
    assert files["a.py"].takes_comment_at(2)
    assert files["é/new file.py"].status == "added"


def test_all_pages_of_files_are_read(stand_in_and_repository: tuple[GitHubStandIn, GitRepository]) -> None:
    """A page holds a hundred."""
    stand_in, repository = stand_in_and_repository
    files = {f"many/{number}.py": "x = 1\n" for number in range(250)}
    base = repository.commit({"a.py": "a = 1\n"})
    number = stand_in.open_pull_request(repository.commit(files, base), base)

    with connect(stand_in, number) as edge:
        assert len(edge.changed_files()) == 250


def test_a_file_is_read_at_a_ref_and_a_missing_one_is_none(scene: Scene) -> None:
    """A folder is no file."""
    assert scene.edge.file("é/new file.py", scene.head) == b"c = 4\n"
    assert scene.edge.file("nowhere.py", scene.head) is None
    assert scene.edge.file("docs", scene.head) is None


def test_the_tree_comes_from_one_archive(scene: Scene) -> None:
    """One request, whatever is read of it."""
    tree = scene.edge.tree(scene.head, limit_bytes=10_000_000)

    assert isinstance(tree, ArchiveTree)
    assert list(tree.paths()) == ["a.py", "docs/b.md", "é/new file.py"]
    assert tree.read("a.py") == b"a = 2\nb = 3\n"
    assert tree.read("nowhere.py") is None


def test_a_repository_over_the_limit_is_read_file_by_file(scene: Scene) -> None:
    """Each file is fetched when it is asked for, and once."""
    tree = scene.edge.tree(scene.head, limit_bytes=10)

    assert isinstance(tree, ContentsTree)
    assert list(tree.paths()) == ["a.py", "docs/b.md", "é/new file.py"]
    assert tree.read("a.py") == tree.read("a.py") == b"a = 2\nb = 3\n"
    assert tree.read("nowhere.py") is None
    assert scene.edge.calls()["GET /repos/{owner}/{repo}/git/blobs/{file_sha}"] == 1


def test_a_posted_review_is_found_again_by_its_run(scene: Scene) -> None:
    """With the comments' ids by finding."""
    body = f"Body\n\n{review_marker('run1', scene.head)}"

    posted = scene.edge.post_review(scene.head, a_review(body=body))

    assert list(posted.comment_ids) == [FINDING]
    assert scene.edge.find_review("run1") == posted
    assert scene.edge.find_review("run2") is None


def test_a_marker_that_somebody_else_wrote_is_not_believed(scene: Scene) -> None:
    """Anybody can copy a comment."""
    scene.stand_in.review(scene.number, "COMMENT", f"Mine.\n\n{review_marker('run1', scene.head)}")

    assert scene.edge.find_review("run1") is None


def test_a_line_off_the_diff_makes_the_review_unplaceable(scene: Scene) -> None:
    """Nothing of it was stored."""
    with pytest.raises(Unplaceable, match="Line could not be resolved"):
        scene.edge.post_review(scene.head, a_review(line=90))

    assert scene.stand_in.state.reviews == {}


def test_a_review_without_comments_that_is_refused_is_our_fault(scene: Scene) -> None:
    """There is no culprit to move."""
    with pytest.raises(Broken, match="refused the review"):
        scene.edge.post_review(scene.head, Review("COMMENT", "", ()))


def test_a_write_is_never_sent_twice(scene: Scene) -> None:
    """GitHub may have done it before it failed."""
    scene.stand_in.fail_next(REVIEWS, server_error(502, takes_effect=True))

    with pytest.raises(Retry):
        scene.edge.post_review(scene.head, a_review())

    assert len(scene.stand_in.state.reviews) == 1
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
    scene.stand_in.fail_next(PULL, expired_token(), times=3)

    with pytest.raises(Retry):
        scene.edge.pull_request()


def test_access_that_was_withdrawn_is_refused_with_githubs_words(scene: Scene) -> None:
    """Somebody has to permit it again."""
    forbidden = refusal(403, {"message": "Resource not accessible by integration", "documentation_url": "https://x"})
    scene.stand_in.fail_next("GET /repos/{owner}/{repo}/pulls/{pull_number}/files", forbidden)

    with pytest.raises(Refused, match="Resource not accessible by integration"):
        scene.edge.changed_files()


def test_a_pull_request_that_is_not_there_is_refused(scene: Scene) -> None:
    """Its number is in the sentence."""
    with (
        connect(scene.stand_in, 999) as edge,
        pytest.raises(Refused, match=r"there is no pull request acme/widgets#999"),
    ):
        edge.pull_request()


def test_a_check_is_opened_and_found_again(scene: Scene) -> None:
    """By its external id, so that a run that starts over does not open a second one."""
    check = Check("Reading", "On its way.")

    before = scene.edge.find_check(scene.head, "acme/widgets#1@run1")
    opened = scene.edge.start_check(scene.head, "acme/widgets#1@run1", check)
    other = scene.edge.start_check(scene.head, "acme/widgets#1@run2", check)

    assert before is None
    assert scene.edge.find_check(scene.head, "acme/widgets#1@run1") == opened
    assert scene.edge.find_check(scene.head, "acme/widgets#1@run2") == other
    assert other != opened


def some_notes(count: int) -> tuple[Annotation, ...]:
    return tuple(Annotation("a.py", 1, 1, "notice", f"Note {number}", "Text") for number in range(count))


def test_a_check_takes_more_annotations_than_one_request_holds(scene: Scene) -> None:
    """Fifty go into one request."""
    opened = scene.edge.start_check(scene.head, "x", Check("Reading", "On its way."))
    assert opened is not None

    scene.edge.update_check(opened, Check("Done", "All said.", "neutral", some_notes(120)))

    [check] = scene.stand_in.state.checks.values()
    assert (check.status, check.conclusion, len(check.annotations)) == ("completed", "neutral", 120)


@pytest.mark.parametrize(("notes", "healthy"), [(30, 0), (30, 1), (50, 1), (120, 0), (120, 1), (120, 2)])
def test_closing_a_check_again_says_nothing_twice(scene: Scene, notes: int, healthy: int) -> None:
    """GitHub adds annotations up: a try that was cut off at any request is gone on with where it stopped."""
    done = Check("Done", "All said.", "neutral", some_notes(notes))
    opened = scene.edge.start_check(scene.head, "x", Check("Reading", "On its way."))
    assert opened is not None
    scene.edge.update_check(opened, Check(done.title, done.summary, done.conclusion, done.annotations[: 50 * healthy]))

    scene.stand_in.fail_next(CHECK, cut())
    with pytest.raises(Retry):
        scene.edge.update_check(opened, done)
    scene.edge.update_check(opened, done)
    scene.edge.update_check(opened, done)

    [check] = scene.stand_in.state.checks.values()
    assert [note["title"] for note in check.annotations] == [note.title for note in done.annotations]
    assert check.conclusion == "neutral"


def test_a_token_may_not_write_checks_and_does_without(scene: Scene) -> None:
    """Checks belong to Apps."""
    with connect_as(scene.stand_in, "ann", scene.number) as edge:
        assert edge.pull_request().head == scene.head
        assert edge.find_check(scene.head, "x") is None
        assert edge.start_check(scene.head, "x", Check("Reading", "On its way.")) is None


def leave_pending(scene: Scene, login: str, body: str) -> None:
    """What is left where GitHub stored a review and did not come to submit it."""
    comment = {"path": "a.py", "line": 2, "side": "RIGHT", "body": "Half-done"}
    httpx.post(
        f"{scene.stand_in.url}/repos/{scene.stand_in.full_name}/pulls/{scene.number}/reviews",
        headers={"authorization": f"Bearer {scene.stand_in.token_for(login)}"},
        json={"body": body, "comments": [comment]},
    ).raise_for_status()


def test_a_pending_review_of_ours_gives_way_to_the_one_that_is_posted(scene: Scene) -> None:
    """GitHub allows one for each login, and nobody but us can see it."""
    leave_pending(scene, scene.stand_in.bot_login, "")
    scene.stand_in.review(scene.number, "COMMENT", "Somebody else's.")

    posted = scene.edge.post_review(scene.head, a_review())

    assert list(posted.comment_ids) == [FINDING]
    assert [review.state for review in scene.stand_in.state.reviews.values()] == ["COMMENTED", "COMMENTED"]
    assert [comment.body for comment in scene.stand_in.state.comments.values()] == [a_review().comments[0].body]


def test_a_pending_review_is_not_taken_for_a_posted_one(scene: Scene) -> None:
    """Nobody has seen it yet, whatever its marker says."""
    leave_pending(scene, scene.stand_in.bot_login, f"Body\n\n{review_marker('run1', scene.head)}")

    assert scene.edge.find_review("run1") is None


def test_a_persons_own_draft_is_never_deleted(scene: Scene) -> None:
    """With a token we share the login of a person, who may be writing a review at this moment."""
    with connect_as(scene.stand_in, "ann", scene.number) as edge:
        leave_pending(scene, "ann", "What I think so far")

        with pytest.raises(Refused, match="`ann` has a pending review here: submit it or discard it first"):
            edge.post_review(scene.head, a_review())

        assert [review.body for review in scene.stand_in.state.reviews.values()] == ["What I think so far"]


def test_a_draft_of_ours_under_a_persons_login_gives_way(scene: Scene) -> None:
    """It carries our marker."""
    with connect_as(scene.stand_in, "ann", scene.number) as edge:
        leave_pending(scene, "ann", f"Body\n\n{review_marker('run1', scene.head)}")

        edge.post_review(scene.head, a_review(body="The one"))

        assert [review.body for review in scene.stand_in.state.reviews.values()] == ["The one"]


def test_a_pending_review_that_cannot_be_found_is_not_looked_for_twice(scene: Scene) -> None:
    """One more try, then a person has to look."""
    errors = ["User can only have one pending review per pull request"]
    pending = refusal(422, {"message": "Unprocessable Entity", "errors": errors})
    scene.stand_in.fail_next(REVIEWS, pending, times=3)

    with pytest.raises(Broken, match="one pending review"):
        scene.edge.post_review(scene.head, a_review())

    assert scene.edge.calls()[REVIEWS] == 2


def test_an_answer_may_take_as_long_as_the_settings_say(scene: Scene) -> None:
    """A read is tried again; a write may still be under way, and GitHub gives it ten seconds."""
    opened = scene.edge.start_check(scene.head, "x", Check("Reading", "On its way."))
    assert opened is not None
    with connect(scene.stand_in, scene.number, timeout_seconds=1) as edge:
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
    ("trouble", "outcome", "words", "seconds"),
    [
        (Trouble(Answer(201, raw=b"<html>")), Retry, "broke off", None),
        (Trouble(Answer(201, raw=b"{}")), Retry, "no token", None),
        (cut(), Retry, "did not answer", None),
        (secondary_limit(37), Retry, "busy", 37),
        (refusal(401, {"message": "A JSON web token could not be decoded"}), Retry, "JSON web token", 1),
        (refusal(404, {"message": "Not Found"}), Refused, "no longer installed", None),
        (refusal(403, {"message": "This installation has been suspended"}), Refused, "suspended", None),
    ],
)
def test_what_it_means_that_there_is_no_token(
    scene: Scene, trouble: Trouble, outcome: type[Exception], words: str, seconds: float | None
) -> None:
    """Also for what would take an answer of 404 for a file that is missing."""
    scene.stand_in.fail_next(TOKEN, trouble, times=3)

    with connect(scene.stand_in, scene.number) as edge, pytest.raises(outcome, match=words) as why:
        edge.file("a.py", scene.head)

    assert getattr(why.value, "after_seconds", None) == seconds


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
    scene.edge.pull_request()
    scene.edge.tree(scene.head, limit_bytes=10_000_000)

    assert sum(scene.edge.calls().values()) == len(scene.stand_in.requests)


@dataclass(frozen=True)
class Said:
    """Bytes on a socket, after which the connection ends, or stays open and silent."""

    raw: bytes
    stalls: bool = False


def said(
    status: int = 200, body: bytes = b"[]", headers: Mapping[str, str] = {}, *, missing: int = 0, stalls: bool = False
) -> Said:
    """A response; so many bytes of its body are `missing`."""
    lines = [f"{name}: {value}" for name, value in headers.items()]
    head = "\r\n".join(
        [f"HTTP/1.1 {status} Said", "connection: close", f"content-length: {len(body) + missing}", *lines]
    )
    return Said(head.encode() + b"\r\n\r\n" + body, stalls)


class Raw(LoopbackServer):
    """Answers whatever it is asked with the next thing to say."""

    def __init__(self, *answers: Said) -> None:
        self.answers = deque(answers)
        self.asked: list[str] = []
        self.stopping = threading.Event()
        super().__init__(RawDoor)

    def drain(self) -> None:
        self.stopping.set()


class RawDoor(QuietHandler):
    server: Raw

    def do_GET(self) -> None:  # noqa: N802 - a name that http.server looks for
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.server.asked.append(self.command)
        answer = self.server.answers.popleft()
        self.wfile.write(answer.raw)
        if answer.stalls:
            self.server.stopping.wait(30)
        self.close_connection = True

    do_POST = do_PATCH = do_GET  # noqa: N815 - the same


@contextmanager
def github_that_says(*answers: Said) -> Iterator[tuple[GitHubPullRequest, Raw]]:
    server = Raw(*answers)
    server.start()
    settings = token_settings(server.url, "t", 0.5 if any(answer.stalls for answer in answers) else 20)
    try:
        with GitHubPullRequest(settings, "ann", "acme/widgets", 1, None) as edge:
            yield edge, server
    finally:
        server.stop()


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


def by_field(field: str, **more: str) -> dict[str, str]:
    return {
        "resource": "PullRequestReviewComment",
        "code": "custom",
        "field": f"pull_request_review_thread.{field}",
        **more,
    }


OFF = [
    "Line could not be resolved",
    "Start line could not be resolved",
    "Path could not be resolved",
    "Position could not be resolved",
    "Pull request review thread line must be part of the diff and Pull request review thread diff hunk can't be blank",
    "Pull request review thread start line must be part of the same hunk as the line.",
    "Pull request review thread start line must precede the end line.",
    "Pull request review thread path is invalid and Pull request review thread diff hunk can't be blank",
    "Review comments is invalid and Review threads is invalid",
    by_field("line", message="pull_request_review_thread.line must be part of the diff"),
    by_field("line", message="could not be resolved"),
    by_field("start_line", message="pull_request_review_thread.start_line must precede the end line."),
    by_field("diff_hunk", code="missing_field"),
]
OTHER = [
    "Body can't be blank",
    "Body is too long (maximum is 65536 characters)",
    "Review Can not approve your own pull request",
    "Could not approve pull request",
    "The pull request's line of work is closed",
    by_field("body", message="is too long"),
]


def refused(*errors: Any) -> Said:
    return said(422, json.dumps({"message": "Unprocessable Entity", "errors": errors, "status": "422"}).encode())


@pytest.mark.parametrize("errors", [*([error] for error in OFF), OFF])
def test_a_review_is_unplaceable_where_github_speaks_of_places(errors: list[Any]) -> None:
    """In each form in which it has been seen to."""
    with github_that_says(refused(*errors)) as (edge, _), pytest.raises(Unplaceable):
        edge.post_review("1" * 40, a_review())


@pytest.mark.parametrize("errors", [[], *([error] for error in OTHER), [OFF[0], OTHER[0]]])
def test_a_review_that_is_refused_for_anything_else_is_our_fault(errors: list[Any]) -> None:
    """Moving its comments would not help; GitHub's words are kept."""
    with (
        github_that_says(refused(*errors)) as (edge, _),
        pytest.raises(Broken, match="refused the review: Unproc") as why,
    ):
        edge.post_review("1" * 40, a_review())

    assert all(error in str(why.value) for error in errors if isinstance(error, str))


@pytest.mark.parametrize(
    "error",
    [
        "The commitOID is not part of the pull request",
        by_field("commit_id", message="commit_id is not part of the pull request"),
    ],
)
def test_a_head_that_is_gone_is_looked_at_again(error: Any) -> None:
    """Somebody pushed something else while we were reading."""
    with github_that_says(refused(error)) as (edge, _), pytest.raises(Retry, match="no longer has this head"):
        edge.post_review("1" * 40, a_review())
