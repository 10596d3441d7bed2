"""Comments in review threads, and where they are after a push."""

from typing import Any

import pytest

from local.github import LocalGitHub
from tests.git_repository import Files
from tests.local.github.scene import NEW, PULL, REPO, Client, Scene
from tests.tables import each_row

COMMENTS = f"{PULL}/comments"


@pytest.fixture
def thread(github: LocalGitHub) -> int:
    """A comment of a person on a changed line."""
    return github.comment_on_line(1, "src/a.py", 31, "Why?", login="ann")


@each_row(
    ("place", "files", "now"),
    [
        ((31, "RIGHT"), {"src/a.py": NEW}, ("src/a.py", 31, 31, 13)),
        ((31, "RIGHT"), {"src/a.py": "top\n" + NEW}, ("src/a.py", 32, 31, 15)),
        ((31, "RIGHT"), {"src/a.py": NEW.replace("line 3\n", "")}, ("src/a.py", 30, 31, 14)),
        ((31, "RIGHT"), {"src/a.py": NEW.replace("line 33\n", "line 33!\n")}, ("src/a.py", 31, 31, 13)),
        ((31, "RIGHT"), {"src/a.py": NEW.replace("added one\n", "other\n")}, ("src/a.py", None, 31, None)),
        ((31, "RIGHT"), {"src/a.py": NEW.replace("added one\nadded two\n", "")}, ("src/a.py", None, 31, None)),
        ((31, "RIGHT"), {"src/a.py": None}, ("src/a.py", None, 31, None)),
        ((31, "RIGHT"), {"src/a.py": None, "src/b.py": NEW}, ("src/b.py", 31, 31, 13)),
        ((33, "RIGHT"), {"src/a.py": NEW.replace("added one\nadded two\n", "")}, ("src/a.py", None, 33, None)),
        ((5, "LEFT"), {"src/a.py": "top\n" + NEW}, ("src/a.py", 5, 5, 6)),
    ],
    ids=[
        "untouched",
        "line above",
        "line above removed",
        "line below",
        "the line itself",
        "line removed",
        "file removed",
        "file renamed",
        "a line that the diff no longer shows",
        "the old side, which belongs to the merge base",
    ],
)
def test_a_comment_follows_its_line_through_a_push(
    github: LocalGitHub, ann: Client, scene: Scene, place: tuple[int, Any], files: Files, now: tuple[Any, ...]
) -> None:
    """Its line moves with what was put above it, also into a renamed file, and is null once it changed or is hidden."""
    number = github.open_pull_request(scene.head, "main")
    comment = github.comment_on_line(number, "src/a.py", place[0], "Why?", side=place[1], login="ann")
    pushed = scene.push({"other.py": "o\n", **files})

    github.push(number, pushed)

    found = ann.get(f"{REPO}/pulls/comments/{comment}").json()
    assert tuple(found[key] for key in ("path", "line", "original_line", "position")) == now
    assert (found["original_commit_id"], found["commit_id"]) == (scene.head, pushed if now[1] else scene.head)


def test_a_thread_outlives_its_first_comment(github: LocalGitHub, ann: Client, thread: int) -> None:
    """The oldest answer leads it then, and it stays as resolved as it was."""
    answers = [github.reply(thread, text) for text in ("one", "two")]
    github.resolve_thread(thread)

    github.delete_comment(thread)

    found = ann.get(COMMENTS).json()
    assert [(c["id"], c.get("in_reply_to_id")) for c in found] == [(answers[0], None), (answers[1], answers[0])]
    assert list(github.state.resolutions) == [answers[0]]


def test_a_comment_carries_the_sums_of_its_reactions(github: LocalGitHub, ann: Client, thread: int) -> None:
    """All of them, each kind once for each person."""
    for content in ("+1", "eyes", "eyes"):
        github.react("review comment", thread, content, login="bob")

    sums = ann.get(f"{REPO}/pulls/comments/{thread}").json()["reactions"]
    assert (sums["total_count"], sums["eyes"], sums["+1"], sums["heart"]) == (2, 1, 1, 0)
