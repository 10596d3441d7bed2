"""Reactions to the pull request itself, to its comments and to its review comments."""

from local.github.answers import Answer, not_found
from local.github.call import Call, page
from local.github.review_comments import find_comment
from local.github.state import Reaction, SubjectKind
from local.github.views import view_reaction
from local.github.world import World

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


def react(world: World, kind: SubjectKind, subject: int, author: str, content: str) -> tuple[Reaction, bool]:
    """React to something; the same reaction of the same person is there once. Says whether it is new."""
    for reaction in world.reactions(kind, subject):
        if (reaction.author, reaction.content) == (author, content):
            return reaction, False
    reaction = Reaction(world.state.new_id(), kind, subject, author, content, world.now())
    world.state.reactions[reaction.id] = reaction
    return reaction, True


def take_back(world: World, kind: SubjectKind, subject: int, author: str, content: str) -> None:
    """Take a reaction back, if it is there."""
    mine = [one for one in world.reactions(kind, subject) if (one.author, one.content) == (author, content)]
    for reaction in mine:
        del world.state.reactions[reaction.id]


def list_reactions(call: Call) -> Answer:
    """Everybody's reactions to a comment."""
    return page(call, call.world.reactions(*_subject(call)), lambda reaction: view_reaction(call.world, reaction))


def create_reaction(call: Call) -> Answer:
    """React; 200 instead of 201 where that reaction was there before."""
    reaction, is_new = react(call.world, *_subject(call), call.login, call.body["content"])
    return Answer(201 if is_new else 200, view_reaction(call.world, reaction))


def _subject(call: Call) -> tuple[SubjectKind, int]:
    number = call.number("comment_id")
    if "/pulls/comments/" in call.url.path:
        return "review comment", find_comment(call.world, number, call.login).id
    if number not in call.world.state.issue_comments:
        raise not_found()
    return "issue comment", number
