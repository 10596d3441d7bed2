"""Act: count the turn, carry out commands, and store what a reply decides."""

from kodiai.core.settings import Models
from kodiai.core.words import conversation as words
from kodiai.flows.mention.commands import carry_out
from kodiai.flows.mention.decisions import Decisions, MentionResult
from kodiai.flows.mention.load import MentionContext
from kodiai.flows.mention.permit import Commenter
from kodiai.flows.mention.turns import begin_turn
from kodiai.flows.mention.understand import Intent
from kodiai.ports import ConversationStore, GitHub, JobQueue, Ledger


def act(
    context: MentionContext,
    commenter: Commenter,
    intent: Intent,
    github: GitHub,
    conversation: ConversationStore,
    ledger: Ledger,
    queue: JobQueue,
    models: Models,
) -> MentionResult:
    """Do what a comment asks for, except for the model's answer.

    Commands of people with write access are not limited; every other comment that gets an answer counts as a turn.
    """
    parsed, finding = context.parsed, context.finding
    if commenter.refusal is not None and parsed.mentioned:
        is_first = conversation.tells(f"refusal-{commenter.login.lower()}", context.key)
        return _refused(commenter.refusal if is_first else "", context, github)
    decisions = Decisions(context, commenter, conversation, github)
    if intent.needs_answer and not parsed.mentioned and not decisions.is_first_to_post():
        return MentionResult(note="a review has answered it")
    orders = bool(parsed.commands or parsed.unknown)
    limit = None
    if intent.needs_answer or (orders and not commenter.may_write):
        limit = begin_turn(context, intent.thread, conversation, ledger, models)
    if limit is not None and not (orders and commenter.may_write):
        return _refused(limit, context, github)
    done = carry_out(parsed.commands, decisions, ledger, queue)
    # A reply that decides something, or is an argument, is no command that somebody got wrong.
    unknown = parsed.unknown if intent.meaning is None else ()
    decided = MentionResult()
    if finding is not None and intent.meaning is not None and finding.id not in done.closed:
        decided = decisions.by_reply(finding, intent.meaning)
    corrections = (words.unknown_command(each.word, each.closest) for each in unknown)
    refused = done.refused or bool(unknown)
    return MentionResult(
        lines=tuple(filter(None, (*done.lines, *corrections, *decided.lines, limit))),
        closed=(*done.closed, *decided.closed),
        review=done.review,
        acted=(bool(parsed.commands) and not refused) or parsed.reopens,
        refused=refused,
        note=decided.note,
        needs_answer=intent.needs_answer and limit is None,
    )


def _refused(line: str, context: MentionContext, github: GitHub) -> MentionResult:
    """Say once why nothing is done; after that a mention gets only a reaction."""
    if not line and context.parsed.mentioned:
        github.react(context.comment, "confused")
    return MentionResult(tuple(filter(None, [line])), refused=True)
