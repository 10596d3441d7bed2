"""Permit: determine what the author of a comment may do, and show that a mention was read."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass

from kodiai.core.conversation.stance import author_may_decide
from kodiai.core.errors import Refused
from kodiai.core.findings.finding import Finding
from kodiai.core.github.comment import Permission
from kodiai.core.words import conversation as words
from kodiai.flows.mention.load import MentionContext
from kodiai.flows.mention.session import MentionSession

_WRITES: Collection[Permission] = ("write", "admin")


@dataclass(frozen=True)
class Commenter:
    """The author of a comment; `is_author` is whether the pull request is theirs, `refusal` why there is no answer."""

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


@dataclass(frozen=True)
class Heard:
    """A comment with its place, who wrote it and what they may do."""

    context: MentionContext
    commenter: Commenter


def permit(context: MentionContext, session: MentionSession) -> Heard:
    """Read the permission of a comment's author, "none" if GitHub refuses it, and react to a mention.

    Raises Ended if the comment is gone, or if nobody is mentioned and the settings cannot be followed.
    """
    github, sender = session.ports.github, session.mention.sender
    permission: Permission = "none"
    with suppress(Refused):
        permission = github.permission(sender)
    if context.parsed.mentioned:
        if not github.react(session.comment, "eyes"):
            raise session.ended("skipped", "the comment was deleted")
    elif context.config.refusal is not None:
        raise session.ended("skipped", "the settings cannot be followed")
    is_author = sender == context.pull_request.author
    return Heard(context, Commenter(sender, permission, is_author, _refusal(context, sender, permission)))


def _refusal(context: MentionContext, sender: str, permission: Permission) -> str | None:
    """Why a comment's author is not answered, None if they are."""
    allowed = context.config.mention.allowed_users
    if context.config.refusal is not None:
        return context.config.refusal
    if permission == "none":
        return words.cannot_read(sender)
    if allowed is not None and sender.lower() not in {login.lower() for login in allowed}:
        return words.not_allowed(sender)
    if permission in _WRITES:
        return None
    is_reviewed_author = sender == context.pull_request.author and context.snapshot.newest_review is not None
    match context.config.review.takes_outsiders(is_private=context.pull_request.is_private):
        case "never":
            return words.answers_no_outsiders(sender)
        case "request" if not is_reviewed_author:
            return words.answers_authors_only(sender)
    return None
