"""People who reply to the reviewer on the local GitHub: who replies, to which comment, and by which webhook."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cli.errors import CommandError
from cli.pull_request_api import PullRequestApi
from cli.results import Target
from cli.scenario import React, Reply, Speaker
from cli.simulation import Replies
from local.github import LocalGitHub
from tests.git_repository import GitRepository

FINDING = "F-0123456789ab"
LINES = "1\n2\n3\n"


@pytest.fixture
def github(tmp_path: Path) -> Iterator[LocalGitHub]:
    """A GitHub with one pull request, number 1, by octocat, that adds two files."""
    repository = GitRepository(tmp_path / "widgets.git")
    base = repository.commit({"README.md": "x\n"}, branch="main")
    head = repository.commit({"README.md": "x\n", "a.py": LINES, "b.py": LINES}, base)
    with LocalGitHub(repository.path) as stand_in:
        stand_in.open_pull_request(head, base)
        yield stand_in


@pytest.fixture
def replies(github: LocalGitHub) -> Iterator[Replies]:
    """Replies on it."""
    with closing(PullRequestApi(github.url, github.token_for("reader", "read"), github.full_name, 1)) as api:
        yield Replies(github, api)


def reviewed(github: LocalGitHub, *places: tuple[str, int]) -> str:
    """The id of a review of ours with comments at these places, in this order."""
    comments = [
        {"path": path, "line": line, "side": "RIGHT", "body": f"{path} {line}\n\n<!-- kodiai:finding id={FINDING} -->"}
        for path, line in places
    ]
    return str(github.review(1, "COMMENT", "Reviewed.", comments, login=github.bot_login))


def test_comments_are_counted_as_they_are_printed(github: LocalGitHub, replies: Replies) -> None:
    """File by file, each from its top; a reply stands in that thread, its webhook is its own; 0 is the pull request."""
    replies.number(reviewed(github, ("b.py", 3), ("a.py", 1), ("b.py", 1)))

    posted = [replies.post(Reply(number, f"to {number}")) for number in (1, 2, 3)]

    assert [reply.to for reply in posted] == [
        Target(comment=1, path="b.py", line=1, finding=FINDING),
        Target(comment=2, path="b.py", line=3, finding=FINDING),
        Target(comment=3, path="a.py", line=1, finding=FINDING),
    ]
    written = [github.state.comments[reply.id] for reply in posted]
    threads = [github.state.comments[comment.thread].body.partition("\n")[0] for comment in written]
    assert threads == ["b.py 1", "b.py 3", "a.py 1"]
    webhooks = {delivery.guid: delivery for delivery in github.deliveries}
    assert [webhooks[reply.delivery].event for reply in posted] == ["pull_request_review_comment"] * 3
    assert [webhooks[reply.delivery].payload["comment"]["body"] for reply in posted] == ["to 1", "to 2", "to 3"]
    assert [reply.key for reply in posted] == [f"thread-{reply.id}" for reply in posted]
    on_pull_request = replies.post(Reply(0, "@kodiai two\nlines"))
    assert (on_pull_request.to, on_pull_request.key) == (Target(), f"conversation-{on_pull_request.id}")
    assert github.state.issue_comments[on_pull_request.id].body == "@kodiai two\nlines"


def test_the_author_replies_until_another_speaker_is_named(github: LocalGitHub, replies: Replies) -> None:
    """Everybody in the role that was given, from then on."""
    posted = [replies.post(Reply(0, "a"))]
    for speaker in (Speaker("ann", "read"), Speaker("octocat", "triage"), Speaker("ann")):
        replies.switch(speaker)
        posted.append(replies.post(Reply(0, "b")))

    assert [(reply.by, reply.role) for reply in posted] == [
        ("octocat", "write"),
        ("ann", "read"),
        ("octocat", "triage"),
        ("ann", "write"),
    ]
    assert [github.state.issue_comments[reply.id].author for reply in posted] == [reply.by for reply in posted]


def test_a_person_reacts_to_a_comment(github: LocalGitHub, replies: Replies) -> None:
    """Comments are counted as for replies, and the one who reacts is the one who would reply."""
    replies.number(reviewed(github, ("b.py", 3), ("a.py", 1)))

    said = [replies.react(React(1, "+1"))]
    replies.switch(Speaker("ann"))
    said.append(replies.react(React(2, "-1")))

    assert said == ["octocat reacts with 👍 to comment 1, b.py:3", "ann reacts with 👎 to comment 2, a.py:1"]
    comments = {comment.id: comment.place.path for comment in github.state.comments.values()}
    reactions = github.state.reactions.values()
    assert [(each.author, each.content, comments[each.subject]) for each in reactions] == [
        ("octocat", "+1", "b.py"),
        ("ann", "-1", "a.py"),
    ]


def test_a_comment_that_is_not_there_is_an_error(github: LocalGitHub, replies: Replies) -> None:
    """It says how many there are, and nothing is posted."""
    with pytest.raises(CommandError) as none:
        replies.post(Reply(1, "x"))
    replies.number(reviewed(github, ("a.py", 1), ("a.py", 2)))
    with pytest.raises(CommandError) as two:
        replies.post(Reply(3, "x"))
    with pytest.raises(CommandError) as three:
        replies.react(React(3, "+1"))

    assert str(none.value) == "--reply 1: the latest review with inline comments has 0"
    assert str(two.value) == "--reply 3: the latest review with inline comments has 2"
    assert str(three.value) == "--react 3: the latest review with inline comments has 2"
    assert (len(github.state.comments), len(github.state.reactions)) == (2, 0)


def test_after_a_review_without_comments_the_earlier_ones_count(github: LocalGitHub, replies: Replies) -> None:
    """A re-review that has no comments does not change their numbers."""
    replies.number(reviewed(github, ("a.py", 2)))
    replies.number(reviewed(github))

    assert replies.post(Reply(1, "x")).to.line == 2
