"""A pull request on GitHub: githubkit over real HTTP, against a stand-in that is held to GitHub's own description."""

import json
from typing import Any

import httpx
import pytest

from kodiai.core.errors import Broken, Refused, Retry
from kodiai.core.words.markers import review_marker
from kodiai.edges.trees import ArchiveTree, ContentsTree
from kodiai.ports import Annotation, Check, Review, Unplaceable
from local.github.trouble import cut, refusal
from tests.edges.github_scene import CHECK, FINDING, REVIEWS, Scene, a_review, connect, connect_as
from tests.edges.raw_github import Said, github_that_says, said


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

    assert scene.reviews() == []


def test_a_review_without_comments_that_is_refused_is_our_fault(scene: Scene) -> None:
    """There is no culprit to move."""
    with pytest.raises(Broken, match="refused the review"):
        scene.edge.post_review(scene.head, Review("COMMENT", "", ()))


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

    check = scene.stand_in.state.checks[int(opened)]
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

    check = scene.stand_in.state.checks[int(opened)]
    assert [note["title"] for note in check.annotations] == [note.title for note in done.annotations]
    assert check.conclusion == "neutral"


def test_a_token_may_not_write_checks_and_does_without(scene: Scene) -> None:
    """Checks belong to Apps."""
    with connect_as(scene.stand_in, "ann", scene.number) as edge:
        assert edge.pull_request().head == scene.head
        assert edge.find_check(scene.head, "ann's") is None
        assert edge.start_check(scene.head, "ann's", Check("Reading", "On its way.")) is None


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
    assert [review.state for review in scene.reviews()] == ["COMMENTED", "COMMENTED"]
    comments = [each for each in scene.stand_in.state.comments.values() if each.number == scene.number]
    assert [comment.body for comment in comments] == [a_review().comments[0].body]


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

        assert [review.body for review in scene.reviews()] == ["What I think so far"]


def test_a_draft_of_ours_under_a_persons_login_gives_way(scene: Scene) -> None:
    """It carries our marker."""
    with connect_as(scene.stand_in, "ann", scene.number) as edge:
        leave_pending(scene, "ann", f"Body\n\n{review_marker('run1', scene.head)}")

        edge.post_review(scene.head, a_review(body="The one"))

        assert [review.body for review in scene.reviews()] == ["The one"]


def test_a_pending_review_that_cannot_be_found_is_not_looked_for_twice(scene: Scene) -> None:
    """One more try, then a person has to look."""
    errors = ["User can only have one pending review per pull request"]
    pending = refusal(422, {"message": "Unprocessable Entity", "errors": errors})
    scene.stand_in.fail_next(REVIEWS, pending, times=2)

    with pytest.raises(Broken, match="one pending review"):
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
