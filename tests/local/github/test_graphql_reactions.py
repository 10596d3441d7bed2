"""GraphQL: reactions, which reviews take nowhere else."""

from collections.abc import Callable
from typing import Any

import pytest

from local.github import GitHubStandIn
from local.github.views import node_id
from tests.local.github.scene import PULL, REPO, Client, installation_token

REACT = """
mutation ($id: ID!, $content: ReactionContent!) { addReaction(input: {subjectId: $id, content: $content}) {
  reaction { content user { login } }
  subject { id databaseId reactions(first: 10) { totalCount viewerHasReacted nodes { content user { login } } } }
} }"""
REVIEWS = """
query { repository(owner: "acme", name: "widgets") { pullRequest(number: 1) {
  reviews(last: 1) { nodes {
    all: reactions(first: 10) { nodes { content } }
    newest: reactions(last: 10, orderBy: {field: CREATED_AT, direction: DESC}) { nodes { content } }
    hearts: reactions(first: 10, content: HEART) { totalCount viewerHasReacted }
  } }
} } }"""


@pytest.fixture
def review(github: GitHubStandIn) -> int:
    return github.review(1, "COMMENT", "Seen.", login="ann")


def test_everything_that_is_said_takes_reactions_once(
    github: GitHubStandIn, app: Client, ann: Client, review: int
) -> None:
    """What REST shows too is the same there."""
    comment, line = github.comment(1, "Hello."), github.comment_on_line(1, "new.py", 1, "Why?")
    pull = github.state.pulls[1].id

    for kind, number in (("PRR", review), ("IC", comment), ("PRRC", line), ("PR", pull)):
        ids = [app.graphql(REACT, id=node_id(kind, number), content="THUMBS_UP") for _ in range(2)]

        reacted = ids[-1]["data"]["addReaction"]
        one = {"content": "THUMBS_UP", "user": {"login": "kodiai[bot]"}}
        assert reacted["reaction"] == one
        assert reacted["subject"] == {
            "id": node_id(kind, number),
            "databaseId": number,
            "reactions": {"totalCount": 1, "viewerHasReacted": True, "nodes": [one]},
        }
    for path in (f"issues/comments/{comment}", f"pulls/comments/{line}", "issues/1"):
        assert [each["content"] for each in ann.get(f"{REPO}/{path}/reactions").json()] == ["+1"]


def test_reactions_are_shown_with_the_review(github: GitHubStandIn, ann: Client, review: int) -> None:
    """All of them, the newest first, or those of one kind; REST has no place for them."""
    github.react("review", review, "eyes", login="bob")
    github.react("review", review, "heart", login="bob")

    [shown] = ann.graphql(REVIEWS)["data"]["repository"]["pullRequest"]["reviews"]["nodes"]

    assert [each["content"] for each in shown["all"]["nodes"]] == ["EYES", "HEART"]
    assert [each["content"] for each in shown["newest"]["nodes"]] == ["HEART", "EYES"]
    assert shown["hearts"] == {"totalCount": 1, "viewerHasReacted": False}
    assert "reactions" not in ann.get(f"{PULL}/reviews/{review}").json()


def test_what_is_not_there_or_not_permitted_takes_none(
    github: GitHubStandIn, app: Client, client_of: Callable[..., Client], review: int
) -> None:
    """An App needs to write to pull requests, or to issues where it is about the conversation."""
    reader = client_of(github, installation_token(github, pull_requests="read", issues="read"))

    def kind(client: Client, number: int) -> Any:
        return client.graphql(REACT, id=node_id("PRR", number), content="EYES")["errors"][0]["type"]

    assert (kind(app, 5), kind(reader, review)) == ("NOT_FOUND", "FORBIDDEN")
    assert github.state.reactions == {}
