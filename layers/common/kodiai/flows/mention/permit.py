"""Permit: determine what the author of a comment may do, and show that a mention was read."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass

from kodiai.core.conversation.stance import author_may_decide
from kodiai.core.errors import Refused
from kodiai.core.findings.finding import Finding
from kodiai.core.github.comment import Permission
from kodiai.core.outcome import Ended
from kodiai.core.words import conversation as words
from kodiai.flows.mention.load import MentionContext
from kodiai.ports import GitHub

_WRITES: Collection[Permission] = ("write", "admin")


@dataclass(frozen=True)
class Commenter:
    """Who wrote a comment; `is_author` is whether the pull request is theirs, `refusal` why they are not answered."""

    login: str
    permission: Permission
    is_author: bool
    refusal: str | None

    @property
    def may_write(self) -> bool:
        """Whether they may write to the repository."""
        return self.permission in _WRITES

    def may_decide(self, finding: Finding) -> bool:
        """Whether they may decide about a finding; the pull request's author may if it is MEDIUM or below."""
        return self.may_write or (self.is_author and author_may_decide(finding))


def permit(context: MentionContext, github: GitHub) -> Commenter:
    """Read the permission of a comment's author, "none" if GitHub refuses it, and react to a mention.

    Raises Ended if the comment is gone, or if nobody is mentioned and the settings cannot be followed.
    """
    permission: Permission = "none"
    with suppress(Refused):
        permission = github.permission(context.mention.sender)
    if context.parsed.mentioned:
        if not github.react(context.comment, "eyes"):
            raise Ended("skipped", "it was deleted", {"key": context.key})
    elif context.config.refusal is not None:
        raise Ended("skipped", "the settings cannot be followed", {"key": context.key})
    is_author = context.mention.sender == context.pull_request.author
    return Commenter(context.mention.sender, permission, is_author, _refusal(context, permission))


def _refusal(context: MentionContext, permission: Permission) -> str | None:
    """Why a comment's author is not answered, None if they are."""
    allowed = context.config.mention.allowed_users
    if context.config.refusal is not None:
        return context.config.refusal
    if permission == "none":
        return words.cannot_read(context.mention.sender)
    if allowed is not None and context.mention.sender.lower() not in {login.lower() for login in allowed}:
        return words.not_allowed(context.mention.sender)
    return None if permission in _WRITES else _outsider_refusal(context)


def _outsider_refusal(context: MentionContext) -> str | None:
    """Why a comment's author without write access is not answered, None if they are."""
    sender, pull_request = context.mention.sender, context.pull_request
    is_reviewed = context.snapshot.newest_review is not None
    match context.config.review.takes_outsiders(is_private=pull_request.is_private):
        case "never":
            return words.answers_no_outsiders(sender)
        case "request" if sender != pull_request.author or not is_reviewed:
            return words.answers_authors_only(sender)
    return None
