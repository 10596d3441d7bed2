"""Locked conversations: what GitHub refuses in them, and what it does not."""

from typing import Any

import pytest

from local.github import LocalGitHub
from local.github.views import node_id
from tests.local.github.scene import PULL, REPO, Client
from tests.tables import each_row

LOCKED = "Unable to create comment because issue is locked."
REPLIES = f"{PULL}/comments/{{thread}}/replies"


@pytest.fixture
def thread(github: LocalGitHub) -> int:
    """A thread in a conversation that was locked afterwards."""
    begun = github.comment_on_line(1, "src/a.py", 31, "Why?")
    github.lock(1, "too heated")
    return begun


@each_row(
    ("request_", "refusal"),
    [
        ((f"{PULL}/reviews", {"event": "COMMENT", "body": "Fine."}), (422, "lock prevents review")),
        ((f"{REPO}/issues/1/comments", {"body": "Fine."}), (403, LOCKED)),
        ((REPLIES, {"body": "Fine."}), (403, LOCKED)),
        (
            (f"{REPO}/pulls/comments/{{thread}}/reactions", {"content": "+1"}),
            (403, LOCKED.replace("comment", "reaction")),
        ),
    ],
    ids=["a review", "a comment", "a reply", "a reaction"],
)
def test_an_app_is_refused_in_a_locked_conversation(
    github: LocalGitHub, app: Client, ann: Client, thread: int, request_: tuple[str, Any], refusal: tuple[int, str]
) -> None:
    """Its permissions do not help. People with write access may do all of it but react, and all may afterwards."""
    path, body = request_[0].format(thread=thread), request_[1]
    github.lock(1)
    refused = app.post(path, body)
    written = ann.post(path, body).status_code
    github.unlock(1)

    assert (refused.status_code, refusal[1] in refused.text) == (refusal[0], True)
    assert written == (403 if "reactions" in path else app.post(path, body).status_code)


def test_graphql_refuses_the_same(github: LocalGitHub, app: Client, ann: Client, thread: int) -> None:
    """Answers and hidden reviews, but not threads resolved, nor check runs."""
    github.unlock(1)
    review = node_id("PRR", github.review(1, "COMMENT", "Hm.", login="kodiai[bot]"))
    github.lock(1)
    answers = {"pullRequestReviewThreadId": node_id("PRRT", thread), "body": "Fine."}

    refused = [
        app.mutate("addPullRequestReviewThreadReply", **answers),
        app.mutate("addReaction", subjectId=review, content="EYES"),
        app.mutate("minimizeComment", subjectId=review, classifier="OUTDATED"),
    ]

    assert [answer["errors"][0]["type"] for answer in refused] == ["FORBIDDEN"] * 3
    assert refused[0]["errors"][0]["message"] == LOCKED
    assert "errors" not in ann.mutate("addPullRequestReviewThreadReply", **answers)
    assert "errors" not in app.mutate("resolveReviewThread", threadId=node_id("PRRT", thread))
    body = {"name": "Kodiai", "head_sha": github.state.pulls[1].head_sha}
    assert app.post(f"{REPO}/check-runs", body).status_code == 201
