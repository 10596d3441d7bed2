"""Act: count the turn, carry out commands, and write down what a reply decides."""

from dataclasses import dataclass

from kodiai.core.settings import Models
from kodiai.core.words import conversation as words
from kodiai.flows.mention.commands import carry_out
from kodiai.flows.mention.decisions import DecisionResult, Decisions
from kodiai.flows.mention.load import MentionContext
from kodiai.flows.mention.permit import Commenter
from kodiai.flows.mention.turns import begin_turn
from kodiai.flows.mention.understand import Intent
from kodiai.ports import ConversationStore, GitHub, JobQueue, Ledger


@dataclass(frozen=True)
class MentionResult:
    """What was done for a comment.

    `lines` are posted, `closed` are the findings that it closed, by id, `review` is whether a review was begun,
    `acted` whether a command was done or a finding opened again, `refused` whether anything was refused.
    `note` says for the log what became of a reply. `needs_answer` is whether the model is still to answer.
    """

    lines: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    review: bool = False
    acted: bool = False
    refused: bool = False
    note: str = ""
    needs_answer: bool = False


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
    """Do what a comment asks for, but for the model's answer.

    Whoever may write gives commands as they like; whatever else leads to an answer is a turn, and counted.
    """
    parsed, finding = context.parsed, context.finding
    if commenter.refusal is not None and parsed.mentioned:
        is_first = conversation.is_first_to_post(f"refusal-{commenter.login.lower()}", context.key)
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
    # What decides something, or is an argument, was no command that somebody got wrong.
    unknown = parsed.unknown if intent.meaning is None else ()
    decided = DecisionResult()
    if finding is not None and intent.meaning is not None and finding.id not in done.closed:
        decided = decisions.by_reply(finding, intent.meaning)
    lines = (
        *done.lines,
        *(words.unknown_command(each.word, each.closest) for each in unknown),
        *([decided.line] if decided.is_posted else []),
        limit or "",
    )
    refused = done.refused or bool(unknown)
    return MentionResult(
        lines=tuple(filter(None, lines)),
        closed=(*done.closed, *([finding.id] if finding is not None and decided.is_closed else [])),
        review=done.review,
        acted=(bool(parsed.commands) and not refused) or parsed.reopens,
        refused=refused,
        note=decided.line,
        needs_answer=intent.needs_answer and limit is None,
    )


def _refused(line: str, context: MentionContext, github: GitHub) -> MentionResult:
    """Say once why nothing is done; after that a reaction has to do for who has mentioned us."""
    if not line and context.parsed.mentioned:
        github.react(context.comment, "confused")
    return MentionResult(tuple(filter(None, [line])), refused=True)
