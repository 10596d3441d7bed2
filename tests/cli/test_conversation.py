"""People who answer the reviewer on the local GitHub: who speaks, to which comment, and how the webhook is known."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cli.acts import Reply, Speaker
from cli.collect import PullRequestApi
from cli.conversation import Conversation
from cli.follow import Unfinished
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
def conversation(github: LocalGitHub) -> Iterator[Conversation]:
    """The talk about it."""
    with closing(PullRequestApi(github.url, github.token_for("reader", "read"), github.full_name, 1)) as api:
        yield Conversation(github, api)


def reviewed(github: LocalGitHub, *places: tuple[str, int]) -> str:
    """The id of a review of ours with comments at these places, in this order."""
    comments = [
        {"path": path, "line": line, "side": "RIGHT", "body": f"{path} {line}\n\n<!-- kodiai:finding id={FINDING} -->"}
        for path, line in places
    ]
    return str(github.review(1, "COMMENT", "Reviewed.", comments, login=github.bot_login))


def test_comments_are_counted_as_they_are_printed(github: LocalGitHub, conversation: Conversation) -> None:
    """File by file, each from its top; the reply stands in that thread, and its webhook is its own."""
    conversation.read(reviewed(github, ("b.py", 3), ("a.py", 1), ("b.py", 1)))

    said = [conversation.say(Reply(number, f"to {number}")) for number in (1, 2, 3)]

    assert [reply.to for reply in said] == [
        {"comment": 1, "path": "b.py", "line": 1, "finding": FINDING},
        {"comment": 2, "path": "b.py", "line": 3, "finding": FINDING},
        {"comment": 3, "path": "a.py", "line": 1, "finding": FINDING},
    ]
    written = [github.state.comments[reply.id] for reply in said]
    threads = [github.state.comments[comment.thread].body.partition("\n")[0] for comment in written]
    assert threads == ["b.py 1", "b.py 3", "a.py 1"]
    told = {delivery.guid: delivery for delivery in github.deliveries}
    assert [told[reply.delivery].event for reply in said] == ["pull_request_review_comment"] * 3
    assert [told[reply.delivery].payload["comment"]["body"] for reply in said] == ["to 1", "to 2", "to 3"]
    assert [reply.key for reply in said] == [f"thread-{reply.id}" for reply in said]


def test_zero_is_the_pull_request(github: LocalGitHub, conversation: Conversation) -> None:
    """It needs no review."""
    said = conversation.say(Reply(0, "@kodiai two\nlines"))

    assert (said.to, said.key) == ({"comment": 0}, f"conversation-{said.id}")
    assert github.state.issue_comments[said.id].body == "@kodiai two\nlines"
    [told] = [delivery for delivery in github.deliveries if delivery.guid == said.delivery]
    assert (told.event, told.action) == ("issue_comment", "created")


def test_the_author_speaks_until_somebody_else_does(github: LocalGitHub, conversation: Conversation) -> None:
    """Everybody in the role that was given, from then on."""
    said = [conversation.say(Reply(0, "a"))]
    for speaker in (Speaker("ann", "read"), Speaker("octocat", "triage"), Speaker("ann")):
        conversation.hand_over(speaker)
        said.append(conversation.say(Reply(0, "b")))

    assert [(reply.by, reply.role) for reply in said] == [
        ("octocat", "write"),
        ("ann", "read"),
        ("octocat", "triage"),
        ("ann", "write"),
    ]
    assert [github.state.issue_comments[reply.id].author for reply in said] == [reply.by for reply in said]


def test_a_comment_that_is_not_there_is_an_error(github: LocalGitHub, conversation: Conversation) -> None:
    """It says how many there are, and nothing is posted."""
    with pytest.raises(Unfinished) as none:
        conversation.say(Reply(1, "x"))
    conversation.read(reviewed(github, ("a.py", 1), ("a.py", 2)))
    with pytest.raises(Unfinished) as two:
        conversation.say(Reply(3, "x"))

    assert str(none.value) == "--reply 1: there are 0 inline comments"
    assert str(two.value) == "--reply 3: the latest review with inline comments has 2"
    assert len(github.state.comments) == 2


def test_a_review_without_comments_leaves_those_of_before(github: LocalGitHub, conversation: Conversation) -> None:
    """A re-review that has nothing new to say of a line is no reason to forget what was said."""
    conversation.read(reviewed(github, ("a.py", 2)))
    conversation.read(reviewed(github))

    assert conversation.say(Reply(1, "x")).to["line"] == 2
