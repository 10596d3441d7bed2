"""A person's comment leads to one mention to be read, or to nothing."""

import json
from typing import Any

import pytest

from kodiai.core.errors import Broken
from kodiai.core.events.decide import Ignored, decide
from kodiai.core.events.job import Job, Mention, QueuedJob
from kodiai.core.events.payloads import Malformed, read_event
from kodiai.core.findings.markers import answer_marker, finding_marker, reply_marker, review_marker
from kodiai.core.github.comment import CommentPayload
from kodiai.core.github.names import MOST_SAID
from tests.tables import each_row

PERSON = {"login": "ann", "type": "User"}
SAID: dict[str, Any] = {
    "id": 31,
    "node_id": "IC_kwDO31",
    "user": PERSON,
    "body": "@kodiai review",
    "created_at": "2026-01-26T19:01:12Z",
}
EVERYWHERE = ("issue_comment", "pull_request_review_comment", "pull_request_review")


def _payload(name: str, action: str = "created", sender: dict[str, str] = PERSON, **said: Any) -> dict[str, Any]:
    comment = SAID | said
    about = {"number": 7, "title": "A change"}
    if name == "pull_request_review":
        comment["submitted_at"] = comment.pop("created_at")
        where: dict[str, Any] = {"pull_request": about, "review": comment}
    elif name == "issue_comment":
        where = {"issue": about | {"pull_request": {"url": "somewhere"}}, "comment": comment}
    else:
        where = {"pull_request": about, "comment": comment}
    return {
        "action": action,
        "sender": sender,
        "repository": {"id": 11, "full_name": "octo/hello", "owner": {"id": 1}},
    } | where


def _decide(name: str, *arguments: Any, **said: Any) -> QueuedJob | Ignored:
    event = read_event(name, json.dumps(_payload(name, *arguments, **said)).encode())
    assert not isinstance(event, Malformed)
    return decide(event, "guid-1")


def _why(*arguments: Any, **said: Any) -> str:
    decided = _decide(*arguments, **said)
    assert isinstance(decided, Ignored)
    return decided.reason


@pytest.mark.parametrize(
    ("name", "surface"),
    [("issue_comment", "conversation"), ("pull_request_review_comment", "thread"), ("pull_request_review", "review")],
)
def test_a_comment_that_may_be_for_us_is_read_on_every_surface(name: str, surface: Any) -> None:
    """It travels as it was when it was said: nobody can change it on the way."""
    decided = _decide(name, "submitted" if surface == "review" else "created")

    assert isinstance(decided, Mention)
    assert (decided.delivery, decided.repository, decided.number, decided.sender) == ("guid-1", "octo/hello", 7, "ann")
    said: dict[str, Any] = {
        "id": 31,
        "node_id": "IC_kwDO31",
        "reply_to": None,
        "text": "@kodiai review",
        "title": "A change",
    }
    assert decided.comment == CommentPayload(surface=surface, at=1_769_454_072, **said)
    assert decided.comment.key == f"{surface}-31"
    assert Mention.from_message(decided.to_message()) == decided
    assert "said" in json.loads(decided.to_message()), "a function of the release before reads it by this name"


def test_a_reply_in_a_thread_is_read_whatever_it_says() -> None:
    """The thread may be one of ours; the ledger knows whose it is, not the webhook."""
    decided = _decide("pull_request_review_comment", body="won't fix", in_reply_to_id=30)

    assert isinstance(decided, Mention)
    assert decided.comment.reply_to == 30


@each_row("name", EVERYWHERE)
@each_row("action", ["edited", "deleted", "dismissed"])
def test_only_what_is_new_is_read(name: str, action: str) -> None:
    """An edit gives no order, and what is gone is not answered."""
    assert _why(name, action) == f"Only new comments are read; this one was {action}."


BOT, GHOST = {"login": "renovate[bot]", "type": "Bot"}, None
OURS = (
    *(answer_marker("thread-3"), f"{finding_marker('F-0123456789ab')}\n"),
    *(reply_marker("run1", "F-0123456789ab"), review_marker("run1", "a" * 40)),
)


@each_row("name", EVERYWHERE)
@each_row(
    ("said", "why"),
    [
        ({"user": BOT}, "renovate[bot] is not a person: only people are answered."),
        ({"user": GHOST}, "ghost is not a person: only people are answered."),
        ({"body": "Nobody is called here."}, "It mentions nobody."),
        *(({"body": f"@kodiai review\n\n{mark}"}, "We wrote this ourselves.") for mark in OURS),
    ],
)
def test_bots_and_we_ourselves_are_not_answered(name: str, said: dict[str, Any], why: str) -> None:
    """Our own comment is known by its mark under any login."""
    assert _why(name, "submitted" if name == "pull_request_review" else "created", **said) == why


def test_an_issue_and_a_review_without_words_are_nothing() -> None:
    """GitHub sends a review for each reply in a thread, and comments of issues under the same name."""
    payload = _payload("issue_comment")
    del payload["issue"]["pull_request"]
    event = read_event("issue_comment", json.dumps(payload).encode())
    assert not isinstance(event, Malformed)

    assert decide(event, "guid-1") == Ignored("The comment is on an issue, not on a pull request.")
    said = {_why("pull_request_review", "submitted", body=body) for body in (None, "", "  \n")}
    assert said == {"The review has no text of its own; its comments arrive separately."}


def test_a_long_comment_is_cut_so_that_its_message_fits() -> None:
    """SQS takes 256 KiB, and a character may take twelve bytes as an escape."""
    decided = _decide("issue_comment", body="@kodiai " + "😀" * 60_000)

    assert isinstance(decided, Mention)
    assert len(decided.comment.text) == MOST_SAID
    assert len(decided.to_message().encode()) < 256 * 1024


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"created_at": "yesterday"}, "comment.created_at"),
        ({"id": "31"}, "comment.id"),
        ({"user": {"login": ""}}, "comment.user.login"),
    ],
)
def test_a_comment_of_another_shape_is_malformed(said: dict[str, Any], field: str) -> None:
    """The field is named."""
    body = json.dumps(_payload("issue_comment", **said)).encode()

    assert read_event("issue_comment", body) == Malformed(f"The payload of “issue_comment” has no usable {field}.")


def test_a_mention_is_no_review_and_a_review_no_mention() -> None:
    """A message in the wrong queue is broken, not guessed at."""
    mention = _decide("issue_comment")
    assert isinstance(mention, Mention)

    with pytest.raises(Broken, match="not a job"):
        Job.from_message(mention.to_message())
