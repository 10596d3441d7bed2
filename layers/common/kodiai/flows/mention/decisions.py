"""Decisions: what people decide about findings by replies, and how it is taken back."""

from collections.abc import Sequence
from dataclasses import dataclass

from kodiai.core.conversation.replies import Meaning
from kodiai.core.conversation.stance import DECISIONS
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.locate import stands
from kodiai.core.repository.tree import lines_of
from kodiai.core.review.threads import reply_told
from kodiai.core.words import talk as words
from kodiai.flows.mention.load import MentionContext
from kodiai.flows.mention.permit import Commenter
from kodiai.ports import ConversationStore, GitHub


@dataclass(frozen=True)
class DecisionResult:
    """What a reply came to: whether it closes the finding, in a line, and whether that line is posted."""

    is_closed: bool = False
    line: str = ""
    is_posted: bool = True


def decide(
    finding: KnownFinding,
    meaning: Meaning,
    context: MentionContext,
    commenter: Commenter,
    conversation: ConversationStore,
    github: GitHub,
) -> DecisionResult:
    """Close the finding where the reply decides that and its author may; "done" counts where the code is gone."""
    if meaning == "reopen":
        return reopen(finding, context, commenter, conversation, github)
    mentioned = context.parsed.mentioned
    status = "fixed" if meaning == "done" else DECISIONS.get(meaning)
    if status is None:
        return DecisionResult()
    if not context.can_be_decided(finding):
        return DecisionResult(line=words.closed_before(finding.status), is_posted=mentioned)
    if status == "fixed" and _still_stands(finding, context, github):
        return DecisionResult(line=words.still_there(context.pull_request.head), is_posted=mentioned)
    if not commenter.may_decide(finding.finding):
        # That something is done needs no permission: the next review looks at the code.
        is_posted = mentioned if status == "fixed" else _is_first_refusal(context, conversation)
        return DecisionResult(line=words.may_not_settle(finding.finding), is_posted=is_posted)
    resolved = resolve_threads([finding], context, github) if status == "fixed" else frozenset()
    decision = context.decision(status, f"{commenter.login} decided so", resolved_thread=bool(resolved))
    if not conversation.decide(finding.id, decision):
        return DecisionResult(line=words.closed_before("something else was decided"), is_posted=mentioned)
    line = words.dismissed(meaning, commenter.login)
    return DecisionResult(is_closed=True, line=line, is_posted=is_first_to_tell(context, conversation))


def reopen(
    finding: KnownFinding,
    context: MentionContext,
    commenter: Commenter,
    conversation: ConversationStore,
    github: GitHub,
) -> DecisionResult:
    """Open a closed finding again, with its thread where we resolved it."""
    if not commenter.may_decide(finding.finding):
        return DecisionResult(line=words.MAY_NOT_REOPEN, is_posted=_is_first_refusal(context, conversation))
    if not conversation.reopen(finding.id, context.decision(None, f"{commenter.login} reopened it")):
        return DecisionResult(line=words.OPEN_ALREADY)
    for thread in context.snapshot.threads:
        if thread.finding == finding.id and thread.resolved_by == context.bot_login:
            github.unresolve_thread(thread.id)
    return DecisionResult(line=words.reopened(commenter.login), is_posted=is_first_to_tell(context, conversation))


def resolve_threads(findings: Sequence[KnownFinding], context: MentionContext, github: GitHub) -> frozenset[str]:
    """Resolve the threads of findings, where GitHub lets us; the findings whose threads are resolved."""
    ids = {finding.id for finding in findings}
    theirs = [thread for thread in context.snapshot.threads if thread.finding in ids]
    done = {thread.finding for thread in theirs if thread.resolved_by == context.bot_login}  # by an earlier attempt
    threads = {thread.id: thread.finding for thread in theirs if thread.can_resolve and not thread.is_resolved}
    resolved = github.resolve_threads(tuple(threads)) if threads else frozenset()
    return frozenset(done.union(threads[thread] for thread in resolved))


def is_first_to_tell(context: MentionContext, conversation: ConversationStore) -> bool:
    """Whether it is us who say what was made of a reply, and no review that has read it meanwhile."""
    return conversation.tells(reply_told(str(context.comment.id)), context.key)


def _is_first_refusal(context: MentionContext, conversation: ConversationStore) -> bool:
    """That somebody may not decide is said once to each person on a pull request."""
    return conversation.tells(f"may-not-settle-{context.author.lower()}", context.key)


def _still_stands(finding: KnownFinding, context: MentionContext, github: GitHub) -> bool:
    def read_lines(path: str) -> list[str] | None:
        return lines_of(github.file(path, context.pull_request.head))

    return stands(finding.finding.quote, finding.finding.path, read_lines)
