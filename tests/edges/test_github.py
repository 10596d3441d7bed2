"""The edge to GitHub: githubkit over real HTTP, against a stand-in that is held to GitHub's own description."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic import SecretStr

from kodiai.core.errors import Broken, Refused, Retry
from kodiai.core.settings import GitHubSettings
from kodiai.core.words.markers import finding_marker, review_marker
from kodiai.edges.github import GitHubPullRequest
from kodiai.edges.trees import ArchiveTree, ContentsTree
from kodiai.ports import Annotation, Check, Review, ReviewComment, Unplaceable
from local.github import GitHubStandIn
from local.github.trouble import cut, expired_token, primary_limit, refusal, secondary_limit, server_error
from tests.git_repository import GitRepository

PULL = "GET /repos/{owner}/{repo}/pulls/{pull_number}"
REVIEWS = "POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews"
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


def settings(stand_in: GitHubStandIn) -> GitHubSettings:
    values = {
        "github/api-url": stand_in.url,
        "github/app-id": stand_in.app_id,
        "github/private-key": stand_in.private_key.strip(),
        "github/publish": "post",
    }
    return GitHubSettings.model_validate(values)


def connect(stand_in: GitHubStandIn, number: int) -> GitHubPullRequest:
    name, installation = stand_in.full_name, stand_in.installation_id
    return GitHubPullRequest(settings(stand_in), stand_in.bot_login, name, number, installation)


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

    scene.stand_in.fail_next(PULL, primary_limit(reset_at=4_000_000_000))
    with pytest.raises(Retry) as primary:
        scene.edge.pull_request()

    assert secondary.value.after_seconds == 37
    assert primary.value.after_seconds is not None
    assert primary.value.after_seconds > 1_000_000


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

    opened = scene.edge.start_check(scene.head, "acme/widgets#1@run1", check, look_first=False)
    again = scene.edge.start_check(scene.head, "acme/widgets#1@run1", check, look_first=True)
    other = scene.edge.start_check(scene.head, "acme/widgets#1@run2", check, look_first=True)

    assert opened == again
    assert other != opened
    assert len(scene.stand_in.state.checks) == 2


def test_a_check_takes_more_annotations_than_one_request_holds(scene: Scene) -> None:
    """Fifty go into one request."""
    notes = tuple(Annotation("a.py", 1, 1, "notice", f"Note {number}", "Text") for number in range(120))
    opened = scene.edge.start_check(scene.head, "x", Check("Reading", "On its way."), look_first=False)
    assert opened is not None

    scene.edge.update_check(opened, Check("Done", "All said.", "neutral", notes))

    [check] = scene.stand_in.state.checks.values()
    assert (check.status, check.conclusion, len(check.annotations)) == ("completed", "neutral", 120)


def test_a_token_may_not_write_checks_and_does_without(scene: Scene) -> None:
    """Checks belong to Apps."""
    token = scene.stand_in.token_for("ann", "write")
    with_token = GitHubSettings.model_validate(
        {"github/api-url": scene.stand_in.url, "github/token": SecretStr(token), "github/publish": "post"}
    )

    with GitHubPullRequest(with_token, "ann", scene.stand_in.full_name, scene.number, None) as edge:
        assert edge.pull_request().head == scene.head
        assert edge.start_check(scene.head, "x", Check("Reading", "On its way."), look_first=False) is None


def test_every_request_is_counted_by_its_route(scene: Scene) -> None:
    """The token's and the redirect's too: the count is what GitHub saw."""
    scene.edge.pull_request()
    scene.edge.tree(scene.head, limit_bytes=10_000_000)

    assert sum(scene.edge.calls().values()) == len(scene.stand_in.requests)
