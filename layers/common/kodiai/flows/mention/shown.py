"""The place where a comment was written, as the model is shown it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from kodiai.core.conversation.context import ThreadMaterial, comments_before, conversation_context, thread_context
from kodiai.core.github.comment import Comment, Discussion
from kodiai.core.plan.earlier import nearest_place
from kodiai.core.repository.tree import VisibleTree
from kodiai.core.repository.view import RepositoryView
from kodiai.core.review.run import UnreadableFindings
from kodiai.core.text.character_budget import clipped
from kodiai.core.text.incoming import incoming
from kodiai.flows.mention.load import MentionContext
from kodiai.flows.mention.session import MentionSession

_LONGEST_DESCRIPTION = 4_000

Shown = tuple[str, tuple[str, ...], tuple[str, ...]]
"""The text for the model, the texts of people in it, and warnings about missing parts."""


def visible_tree(context: MentionContext, session: MentionSession) -> VisibleTree:
    """The files at the head that the model may see, for its tools."""
    ports, config = session.ports, context.config
    tree = partial(ports.github.tree, context.pull_request.head, ports.settings.limits.archive_bytes)
    return VisibleTree(tree, config.review.skip_paths)


def show_thread(
    context: MentionContext, discussion: Discussion, view: RepositoryView, session: MentionSession
) -> Shown:
    """The thread of the question, as it was before the question."""
    finding = context.finding
    place = nearest_place(finding.finding, view.lines) if finding else None
    before = _cleaned(comments_before(discussion.comments, session.comment))
    opening = next((each for each in before if discussion.opening and each.id == discussion.opening.id), None)
    material = ThreadMaterial(
        pull_request=context.pull_request,
        title=incoming(session.comment.title),
        discussion=discussion,
        finding=finding,
        history=context.history,
        opening=opening.body if opening else None,
        lines=view.lines(finding.finding.path if finding else discussion.path),
        at=(place.start_line, place.end_line) if place else None,
        turns=tuple(each for each in before if each is not opening),
    )
    budget = context.config.mention.conversation.context_budget_chars
    texts = (*(each.body for each in before), discussion.hunk)
    warnings: tuple[str, ...] = ()
    if discussion.opening is None:
        warnings = ("the comment that began this thread was deleted",)
    elif discussion.opening.is_ours and finding is None:
        warnings = ("the finding of this thread is not in the ledger, or cannot be read",)
    return thread_context(material, budget), texts, warnings


def show_conversation(context: MentionContext, session: MentionSession) -> Shown:
    """The pull request, its findings, and the conversation before the question."""
    comment, pull_request = session.comment, context.pull_request
    before = _cleaned(comments_before(session.ports.github.conversation(), comment))
    stood = pull_request.body_edited is None or pull_request.body_edited < comment.at
    description = clipped(incoming(pull_request.body), _LONGEST_DESCRIPTION) if stood else None
    warnings: tuple[str, ...] = ()
    try:
        known = session.ports.ledger.findings()
    except UnreadableFindings as why:
        known, warnings = (), (str(why),)
    shown = conversation_context(pull_request, incoming(comment.title), description, known, before)
    return shown, (*(each.body for each in before), description or ""), warnings


def _cleaned(comments: Sequence[Comment]) -> tuple[Comment, ...]:
    return tuple(replace(comment, body=incoming(comment.body)) for comment in comments)
