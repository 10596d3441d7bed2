"""Reactions to the pull request itself, to its comments and to its review comments."""

from local.github.answers import ApiResponse, locked, not_found
from local.github.call import Call, page
from local.github.hosted_repository import HostedRepository
from local.github.review_comments import find_comment
from local.github.state import PullRequest, Reaction, SubjectKind
from local.github.views import view_reaction

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


def react(
    repository: HostedRepository, kind: SubjectKind, subject: int, author: str, content: str
) -> tuple[Reaction, bool]:
    """React to something; the same reaction of the same person is there once. Says whether it is new.

    Raises ApiError with 403 where the conversation is locked, for everybody.
    Sources: https://github.com/github/gh-aw/issues/15966 and https://github.com/GitHawkApp/GitHawk/issues/2297
    """
    if _pull_of(repository, kind, subject).locked:
        raise locked("reaction")
    for reaction in repository.reactions(kind, subject):
        if (reaction.author, reaction.content) == (author, content):
            return reaction, False
    reaction = Reaction(repository.state.new_id(), kind, subject, author, content, repository.now())
    repository.state.reactions[reaction.id] = reaction
    return reaction, True


def _pull_of(repository: HostedRepository, kind: SubjectKind, subject: int) -> PullRequest:
    state = repository.state
    if kind == "issue":
        return repository.pull(subject)
    if kind == "review":
        return repository.pull(state.reviews[subject].number)
    comments = state.comments if kind == "review comment" else state.issue_comments
    return repository.pull(comments[subject].number)


def list_reactions(call: Call) -> ApiResponse:
    """Everybody's reactions to a comment."""
    return page(call, call.repository.reactions(*_subject(call)), view_reaction)


def create_reaction(call: Call) -> ApiResponse:
    """React; 200 instead of 201 where that reaction was there before."""
    reaction, is_new = react(call.repository, *_subject(call), call.login, call.body["content"])
    return ApiResponse(201 if is_new else 200, view_reaction(call.repository, reaction))


def _subject(call: Call) -> tuple[SubjectKind, int]:
    number = call.number("comment_id")
    if "/pulls/comments/" in call.url.path:
        return "review comment", find_comment(call.repository, number, call.login).id
    if number not in call.repository.state.issue_comments:
        raise not_found()
    return "issue comment", number
