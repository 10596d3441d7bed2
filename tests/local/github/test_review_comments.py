"""Comments in review threads, and where they are after a push."""

from typing import Any

import pytest
from githubkit import GitHub

from local.github import LocalGitHub
from tests.local.github.scene import NEW, PULL, REPO, Client, Scene, refused

COMMENTS = f"{PULL}/comments"
Bot = GitHub[Any]


@pytest.fixture
def thread(github: LocalGitHub) -> int:
    """A comment of a person on a changed line."""
    return github.comment_on_line(1, "src/a.py", 31, "Why?", login="ann")


def lines(found: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(found[key] for key in ("path", "line", "original_line", "position"))


@pytest.mark.parametrize(
    ("change", "now"),
    [
        (lambda text: text, ("src/a.py", 31, 31, 13)),
        (lambda text: "top\n" + text, ("src/a.py", 32, 31, 15)),
        (lambda text: text.replace("line 3\n", ""), ("src/a.py", 30, 31, 14)),
        (lambda text: text.replace("line 33\n", "line 33!\n"), ("src/a.py", 31, 31, 13)),
        (lambda text: text.replace("added one\n", "other\n"), ("src/a.py", None, 31, None)),
        (lambda text: text.replace("added one\nadded two\n", ""), ("src/a.py", None, 31, None)),
        (lambda _: None, ("src/a.py", None, 31, None)),
    ],
    ids=[
        "untouched",
        "line above",
        "line above removed",
        "line below",
        "the line itself",
        "line removed",
        "file removed",
    ],
)
def test_a_comment_follows_its_line_through_a_push(
    github: LocalGitHub, ann: Client, scene: Scene, thread: int, change: Any, now: tuple[Any, ...]
) -> None:
    """Its line moves with what was put above it, and becomes null once the line itself changed."""
    pushed = scene.push({"src/a.py": change(NEW), "other.py": "o\n"})

    github.push(1, pushed)

    found = ann.get(f"{REPO}/pulls/comments/{thread}").json()
    assert lines(found) == now
    assert found["original_commit_id"] == scene.head
    assert found["commit_id"] == (pushed if now[1] else scene.head)


def test_a_comment_follows_its_file_through_a_rename(
    github: LocalGitHub, ann: Client, scene: Scene, thread: int
) -> None:
    """Path and line are those of the new file, as long as the diff still shows the line."""
    github.push(1, scene.push({"src/a.py": None, "src/b.py": NEW}))

    assert lines(ann.get(f"{REPO}/pulls/comments/{thread}").json())[:3] == ("src/b.py", 31, 31)


def test_a_comment_on_a_line_that_the_diff_no_longer_shows_is_outdated(
    github: LocalGitHub, ann: Client, scene: Scene
) -> None:
    """The line is still in the file, but in no hunk of the pull request."""
    context = github.comment_on_line(1, "src/a.py", 33, "Context.", login="ann")
    github.push(1, scene.push({"src/a.py": NEW.replace("added one\nadded two\n", "")}))

    assert lines(ann.get(f"{REPO}/pulls/comments/{context}").json()) == ("src/a.py", None, 33, None)


def test_a_comment_on_the_old_side_stays_while_the_base_stays(github: LocalGitHub, ann: Client, scene: Scene) -> None:
    """The old side belongs to the merge base; what is pushed does not move its lines."""
    old_side = github.comment_on_line(1, "src/a.py", 5, "Was better.", side="LEFT", login="ann")
    github.push(1, scene.push({"src/a.py": "top\n" + NEW}))

    found = ann.get(f"{REPO}/pulls/comments/{old_side}").json()

    assert (found["side"], found["line"], found["original_line"]) == ("LEFT", 5, 5)


def test_a_comment_alone_is_wrapped_into_a_review_of_its_own(ann: Client, thread: int) -> None:
    """GitHub makes a review without text for it."""
    (review,), (comment,) = ann.get(f"{PULL}/reviews").json(), ann.get(COMMENTS).json()

    assert (comment["id"], comment["pull_request_review_id"]) == (thread, review["id"])
    assert (review["state"], review["body"]) == ("COMMENTED", "")


def test_answers_stand_in_the_thread_of_the_first_comment(bot: Bot, ann: Client, thread: int) -> None:
    """Threads are flat: whatever one answers, `in_reply_to_id` is the first comment's."""
    first = bot.request("POST", f"{COMMENTS}/{thread}/replies", json={"body": "Because."}).json()
    second = ann.post(f"{COMMENTS}/{thread}/replies", {"body": "Oh."}).json()

    assert [(c["in_reply_to_id"], c["path"], c["line"]) for c in (first, second)] == [(thread, "src/a.py", 31)] * 2
    assert refused(bot, "POST", f"{COMMENTS}/{first['id']}/replies", {"body": "x"}).status_code == 422
    assert refused(bot, "POST", f"{COMMENTS}/1/replies", {"body": "x"}).status_code == 404


def test_a_thread_outlives_its_first_comment(github: LocalGitHub, ann: Client, thread: int) -> None:
    """The oldest answer leads it then, and it stays as resolved as it was."""
    answers = [github.reply(thread, text) for text in ("one", "two")]
    github.resolve_thread(thread)

    github.delete_comment(thread)

    found = ann.get(COMMENTS).json()
    assert [(c["id"], c.get("in_reply_to_id")) for c in found] == [(answers[0], None), (answers[1], answers[0])]
    assert list(github.state.resolutions) == [answers[0]]


def test_a_reaction_is_there_once_and_counted(bot: Bot, ann: Client, thread: int) -> None:
    """The same reaction again is 200 instead of 201; the comment carries the sums."""
    path = f"{REPO}/pulls/comments/{thread}/reactions"

    statuses = [bot.request("POST", path, json={"content": "eyes"}).status_code for _ in range(2)]
    ann.post(path, {"content": "+1"})

    assert statuses == [201, 200]
    assert [(r["content"], r["user"]["login"]) for r in ann.get(path).json()] == [
        ("eyes", "kodiai[bot]"),
        ("+1", "ann"),
    ]
    sums = ann.get(f"{REPO}/pulls/comments/{thread}").json()["reactions"]
    assert (sums["total_count"], sums["eyes"], sums["+1"], sums["heart"]) == (2, 1, 1, 0)
