"""Reactions in the shapes of GitHub's GraphQL schema."""

from collections.abc import Callable
from typing import Any

from local.github.call import Call
from local.github.graphql_pages import connect
from local.github.state import Issue, IssueComment, PullRequest, Reaction, Review, ReviewComment, SubjectKind
from local.github.views import Json, node_id
from local.github.world import World, timestamp

CONTENTS = {
    "CONFUSED": "confused",
    "EYES": "eyes",
    "HEART": "heart",
    "HOORAY": "hooray",
    "LAUGH": "laugh",
    "ROCKET": "rocket",
    "THUMBS_DOWN": "-1",
    "THUMBS_UP": "+1",
}
"""GraphQL's words for them, and REST's."""

_WORDS = {content: word for word, content in CONTENTS.items()}
Reactable = PullRequest | Issue | IssueComment | ReviewComment | Review


def subject_of(thing: Reactable) -> tuple[SubjectKind, int]:
    """What a reaction to it is kept under: its kind and id, a pull request's and an issue's number."""
    if isinstance(thing, PullRequest | Issue):
        return "issue", thing.number
    if isinstance(thing, IssueComment):
        return "issue comment", thing.id
    return ("review comment" if isinstance(thing, ReviewComment) else "review"), thing.id


def reactions_to(call: Call, thing: Reactable) -> Callable[..., Json]:
    """The field `reactions` of anything that can be reacted to."""

    def resolve(_: Any, content: str | None = None, **asked: Any) -> Json:
        found = [
            each
            for each in call.world.reactions(*subject_of(thing))
            if content is None or each.content == CONTENTS[content]
        ]
        if (asked.get("orderBy") or {}).get("direction") == "DESC":
            found.reverse()
        page = connect("reactions", found, lambda reaction: view_reaction_node(call.world, reaction), asked)
        return page | {"viewerHasReacted": any(each.author == call.viewer for each in found)}

    return resolve


def view_reaction_node(world: World, reaction: Reaction) -> Json:
    """One reaction. The schema knows only users here: a bot keeps its "[bot]"."""
    user = world.user(reaction.author)
    return {
        "__typename": "Reaction",
        "id": node_id("REA", reaction.id),
        "databaseId": reaction.id,
        "content": _WORDS[reaction.content],
        "createdAt": timestamp(reaction.at),
        "user": {
            "__typename": "User",
            "id": node_id("BOT" if user.type == "Bot" else "U", user.id),
            "databaseId": user.id,
            "login": user.login,
            "url": f"{world.url}/{user.login}",
        },
    }
