"""A pull request on GitHub: githubkit over real HTTP, against a stand-in that is held to GitHub's own description."""

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import httpx
import pytest

from kodiai.core.diffs.binary_patch import object_id
from kodiai.core.errors import Refused, Retry
from kodiai.core.findings.markers import review_marker
from kodiai.core.repository.tree import LARGEST_FILE
from kodiai.core.review.review import PostedReview, Review, UnplaceableComment
from kodiai.core.words.check import LOCKED
from local.github.failures import refusal
from local.github.state import Role
from tests.edges.github_scene import (
    BLOB,
    FINDING,
    READING,
    REVIEW_COMMENTS,
    REVIEWS,
    TARBALL,
    TEXTS,
    TOKEN,
    TREES,
    Pushed,
    Scene,
    a_review,
    connect_as,
    number_of,
)
from tests.edges.raw_github import Said, github_that_says, said
from tests.git_repository import GitRepository
from tests.tables import each_row


@pytest.mark.parametrize("searches", [True, False])
@pytest.mark.parametrize("limit_bytes", [10_000_000, 10])
def test_a_tree_is_read_in_another_thread_as_the_installation_too(
    scene: Scene, limit_bytes: int, *, searches: bool
) -> None:
    """All threads have one connection: a review that goes on where it was cut off opens the tree when a model asks.

    A file is fetched when it is asked for, and once, from the archive if there is one by then.
    """
    with ThreadPoolExecutor(1) as thread:
        tree = thread.submit(scene.edge.tree, scene.head, limit_bytes=limit_bytes).result()
        can_search = searches and thread.submit(lambda: tree.searchable).result()
        read = [thread.submit(tree.read, name).result() for name in ("a.py", "a.py", "nowhere.py")]

    assert list(tree.paths()) == ["a.py", "docs/b.md", "é/new file.py"]
    assert read == [b"a = 2\nb = 3\n"] * 2 + [None]
    assert can_search is (searches and limit_bytes > 10)
    calls = scene.edge.calls()
    assert [calls.get(each, 0) for each in (TOKEN, TREES, BLOB, TARBALL)] == [1, 1, not can_search, searches]


def test_a_listing_that_github_cuts_is_none(scene: Scene) -> None:
    """Then the archive has the files; where that is too large, those that are listed are all there is."""
    scene.stand_in.repository.most_entries = 2

    listed = [list(scene.edge.tree(scene.head, limit_bytes=limit).paths()) for limit in (10_000_000, 10)]

    assert listed == [["a.py", "docs/b.md", "é/new file.py"], ["a.py"]]


ODD: dict[str, bytes] = {
    "text.py": "é = 1\r\n".encode(),
    "empty.py": b"",
    "latin.txt": b"gr\xfc\xdfe",
    "picture.png": b"\x89PNG\0",
    "long.txt": "é".encode() * 256_001,
    'odd "name" ${x}:y.py': b"odd\n",
    "large.bin": b"\0" * (LARGEST_FILE + 1),
}


def test_contents_are_the_bytes_whatever_graphql_shows(scene: Scene, pushed: Pushed) -> None:
    """Texts come with one request; what is binary, cut, or not UTF-8 has one of its own, and what is too large none.

    By path and by the blob's id, at any commit. Everything is read once.
    """
    commit = GitRepository(pushed.path).commit(dict(ODD), scene.head)
    names = {f"{commit}:{path}": content for path, content in ODD.items()}
    names |= {object_id(content): content for path, content in ODD.items() if path != "large.bin"}
    nothing = [f"{commit}:nowhere.py", f"{commit}:docs", f"{'1' * 40}:text.py", "2" * 40]

    found = scene.edge.contents([*names, *nothing])

    assert found == {**names, f"{commit}:large.bin": None, **dict.fromkeys(nothing)}
    assert [scene.edge.calls().get(each) for each in (TEXTS, BLOB)] == [1, 6]
    assert scene.edge.contents([*names]) == {name: found[name] for name in names}
    assert [scene.edge.calls().get(each) for each in (TEXTS, BLOB)] == [1, 6]


def test_contents_that_a_large_query_does_not_show_are_read_one_by_one(scene: Scene) -> None:
    """GitHub limits what one query takes, and says so in place of a part of the answer."""
    blob = object_id(b"a = 2\nb = 3\n")
    names = [blob, f"{scene.head}:a.py", "1" * 40, f"{scene.head}:nowhere.py"]
    answer = {"data": {"repository": None}, "errors": [{"type": "RESOURCE_LIMITS_EXCEEDED", "message": "Too much"}]}
    scene.stand_in.fail_next("POST /graphql Texts", refusal(200, answer))

    found = scene.edge.contents(names)

    assert found == {**dict.fromkeys(names), blob: b"a = 2\nb = 3\n", names[1]: b"a = 2\nb = 3\n"}


def test_a_posted_review_is_found_again_by_its_run(scene: Scene) -> None:
    """With the comments' ids by finding, which are read then and not when it is posted."""
    body = f"Body\n\n{review_marker('run1', scene.head)}"

    posted = scene.edge.post_review(scene.head, a_review(body=body))
    at_once = scene.edge.calls()
    found = scene.edge.find_review("run1")

    [comment] = [each for each in scene.stand_in.state.comments.values() if each.number == scene.number]
    assert posted == PostedReview(str(comment.review), {})
    assert found == PostedReview(posted.review_id, {FINDING: str(comment.id)})
    assert at_once == {TOKEN: 1, REVIEWS: 1}
    assert scene.edge.find_review("run2") is None


def test_comments_that_may_not_be_read_are_left_to_the_queue(scene: Scene) -> None:
    """The review stays: what is refused now is asked for again, and nothing is posted twice."""
    body = f"Body\n\n{review_marker('run1', scene.head)}"
    scene.edge.post_review(scene.head, a_review(body=body))
    scene.stand_in.fail_next(REVIEW_COMMENTS, refusal(403, {"message": "Not now", "documentation_url": "https://x"}))

    with pytest.raises(Retry, match=r"comments could not be read: .*Not now"):
        scene.edge.find_review("run1")


def test_a_marker_counts_in_a_review_that_we_posted(scene: Scene) -> None:
    """Anybody can copy a comment, and nobody has seen a pending review."""
    leave_pending(scene, scene.stand_in.bot_login, f"Body\n\n{review_marker('run1', scene.head)}")
    scene.stand_in.review(scene.number, "COMMENT", f"Mine.\n\n{review_marker('run1', scene.head)}")

    assert scene.edge.find_review("run1") is None


def test_a_review_without_comments_that_is_refused_is_not_unplaceable(scene: Scene) -> None:
    """There is no culprit to move."""
    with pytest.raises(Refused, match="refused the review"):
        scene.edge.post_review(scene.head, Review("COMMENT", "", ()))


def test_a_check_is_opened_and_found_again(scene: Scene) -> None:
    """By its external id, so that a run that starts over does not open a second one."""
    before = scene.edge.find_check(scene.head, "acme/widgets#1@run1")
    opened = scene.edge.start_check(scene.head, "acme/widgets#1@run1", READING)
    other = scene.edge.start_check(scene.head, "acme/widgets#1@run2", READING)

    assert before is None
    assert scene.edge.find_check(scene.head, "acme/widgets#1@run1") == opened
    assert scene.edge.find_check(scene.head, "acme/widgets#1@run2") == other
    assert opened is not None
    assert other is not None
    assert number_of(other) != number_of(opened)


def test_a_token_may_not_write_checks_and_does_without(scene: Scene) -> None:
    """Checks belong to Apps."""
    with connect_as(scene.stand_in, "ann", scene.number) as edge:
        assert edge.head() == scene.head
        assert edge.find_check(scene.head, "ann's") is None
        assert edge.start_check(scene.head, "ann's", READING) is None


def leave_pending(scene: Scene, login: str, body: str) -> None:
    """Leave a review that GitHub stored and did not come to submit."""
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

    scene.edge.post_review(scene.head, a_review())

    assert [review.state for review in scene.reviews()] == ["COMMENTED", "COMMENTED"]
    comments = [each for each in scene.stand_in.state.comments.values() if each.number == scene.number]
    assert [comment.body for comment in comments] == [a_review().comments[0].body]


def test_a_persons_own_draft_is_never_deleted(scene: Scene) -> None:
    """With a token we share the login of a person, who may be writing a review at this moment."""
    with connect_as(scene.stand_in, "ann", scene.number) as edge:
        leave_pending(scene, "ann", "What I think so far")

        with pytest.raises(Refused, match="`ann` has a pending review here: submit it or discard it first"):
            edge.post_review(scene.head, a_review())

        assert [review.body for review in scene.reviews()] == ["What I think so far"]


@pytest.mark.parametrize(("role", "is_refused"), [("write", False), ("read", True)])
def test_a_locked_conversation_is_one_for_those_without_write_access(
    scene: Scene, role: Role, is_refused: bool
) -> None:
    """The snapshot says so as GitHub's refusal does; an App is refused whatever it may write."""
    scene.stand_in.lock(scene.number)

    with connect_as(scene.stand_in, "ann", scene.number) as person:
        scene.stand_in.set_role("ann", role)
        for edge, refused in ((person, is_refused), (scene.edge, True)):
            assert edge.snapshot().pull_request.is_locked == refused
            with pytest.raises(Refused, match=LOCKED) if refused else nullcontext():
                edge.post_review(scene.head, a_review())


def test_a_draft_of_ours_under_a_persons_login_gives_way(scene: Scene) -> None:
    """It carries our marker."""
    with connect_as(scene.stand_in, "ann", scene.number) as edge:
        leave_pending(scene, "ann", f"Body\n\n{review_marker('run1', scene.head)}")

        edge.post_review(scene.head, a_review(body="The one."))

        assert [review.body for review in scene.reviews()] == ["The one."]


def test_a_pending_review_that_cannot_be_found_is_not_looked_for_twice(scene: Scene) -> None:
    """One more try, then it is refused."""
    errors = ["User can only have one pending review per pull request"]
    pending = refusal(422, {"message": "Unprocessable Entity", "errors": errors})
    scene.stand_in.fail_next(REVIEWS, pending, times=2)

    with pytest.raises(Refused, match="one pending review"):
        scene.edge.post_review(scene.head, a_review())

    assert scene.edge.calls()[REVIEWS] == 2


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


@each_row("errors", [*([error] for error in OFF), OFF])
def test_a_review_is_unplaceable_where_github_speaks_of_places(errors: list[Any]) -> None:
    """In each form in which it has been seen to."""
    with github_that_says(refused(*errors)) as (edge, _), pytest.raises(UnplaceableComment):
        edge.post_review("1" * 40, a_review())


@each_row("errors", [[], *([error] for error in OTHER), [OFF[0], OTHER[0]]])
def test_a_review_that_is_refused_for_anything_else_is_not_tried_without_its_comments(errors: list[Any]) -> None:
    """Moving its comments would not help; GitHub's words are kept."""
    with (
        github_that_says(refused(*errors)) as (edge, _),
        pytest.raises(Refused, match=r"refused the review \(Unproc") as why,
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
