"""Commands: what a person orders in so many words, done at once and once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import yaml

from kodiai.core.conversation.command import Command, CommandName
from kodiai.core.events.job import Job, Trigger
from kodiai.core.findings.known import KnownFinding
from kodiai.core.review.check import Check
from kodiai.core.review.review import PublishActions
from kodiai.core.review.run import UnreadableFindings
from kodiai.core.words import talk as words
from kodiai.flows.mention.decisions import reopen, resolve_threads
from kodiai.flows.mention.load import MentionContext
from kodiai.flows.mention.permit import Commenter
from kodiai.ports import ConversationStore, GitHub, JobQueue, Ledger

_REQUIRES_WRITE_ACCESS: frozenset[CommandName] = frozenset(
    {"full review", "pause", "resume", "resolve", "apply", "break glass"}
)
# Of several commands that begin a review the last one here does.
_TRIGGERS: Mapping[CommandName, Trigger] = {
    "resume": "synchronize",
    "review": "rerequested",
    "full review": "full_review",
}


@dataclass(frozen=True)
class CommandResult:
    """What commands came to: lines to post, the findings that they closed, by id, and what was not done.

    `review` is whether a review was begun.
    """

    lines: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    review: bool = False
    refused: bool = False


def carry_out(
    commands: Iterable[Command],
    context: MentionContext,
    commenter: Commenter,
    github: GitHub,
    conversation: ConversationStore,
    ledger: Ledger,
    queue: JobQueue,
) -> CommandResult:
    """Carry out commands in their order; what somebody may not order is refused before that, in a line each."""
    refusals = {command: _refusal(command, commenter, conversation) for command in commands}
    allowed = [command for command, refusal in refusals.items() if refusal is None]
    done = [_do(command, context, commenter, github, conversation, ledger) for command in allowed]
    triggers = [_TRIGGERS[command.name] for command in allowed if command.name in _TRIGGERS]
    if triggers:
        queue.send("reviews", _job(context, max(triggers, key=list(_TRIGGERS.values()).index)))
    return CommandResult(
        lines=(*filter(None, refusals.values()), *(line for each in done for line in each.lines)),
        closed=tuple(finding for each in done for finding in each.closed),
        review=bool(triggers),
        refused=len(allowed) < len(refusals) or any(each.refused for each in done),
    )


def _refusal(command: Command, commenter: Commenter, conversation: ConversationStore) -> str | None:
    """Why somebody may not give a command, None where they may; during a pause a review is for who may end it."""
    if commenter.may_write:
        return None
    if command.name in _REQUIRES_WRITE_ACCESS:
        return words.requires_write_access(command.name)
    paused_by = conversation.paused_by() if command.name == "review" else None
    return words.review_paused(paused_by) if paused_by is not None else None


def _do(
    command: Command,
    context: MentionContext,
    commenter: Commenter,
    github: GitHub,
    conversation: ConversationStore,
    ledger: Ledger,
) -> CommandResult:
    match command.name:
        case "help":
            return CommandResult((words.help_text(context.bot_login.removesuffix("[bot]")),))
        case "config":
            settings = context.config.model_dump(mode="json", by_alias=True, exclude={"problems", "refusal"})
            shown = yaml.safe_dump(settings, sort_keys=False, allow_unicode=True)
            return CommandResult((words.config_text(shown, context.config.problems),))
        case "pause":
            conversation.pause(commenter.login)
            return CommandResult((words.paused(commenter.login),))
        case "resume":
            conversation.pause(None)
            return CommandResult((words.RESUMED,))
        case "resolve":
            return _resolve(context, github, conversation, ledger)
        case "reopen":
            return _reopen(context, commenter, github, conversation)
        case "break glass":
            return _break_glass(command.rest, context, github)
        case "propose" | "fix" | "apply":
            return CommandResult((words.not_available(command.name),))
        case "review" | "full review":
            return CommandResult()


def _resolve(context: MentionContext, github: GitHub, conversation: ConversationStore, ledger: Ledger) -> CommandResult:
    """Dismiss the finding of the thread, or all that are open."""
    finding = context.finding
    if context.comment.surface != "thread":
        try:
            findings = [each for each in ledger.findings() if context.can_be_decided(each)]
        except UnreadableFindings:
            return CommandResult((words.UNREADABLE,))
        closed = _dismiss(findings, context, github, conversation)
        return CommandResult((words.resolved(len(closed)) if closed else words.NOTHING_OPEN,), closed)
    if finding is None:
        return CommandResult((words.NO_FINDING,))
    if not context.can_be_decided(finding):
        return CommandResult((words.closed_before(finding.status),))
    closed = _dismiss([finding], context, github, conversation)
    return CommandResult((words.dismissed_by_command(context.author),) if closed else (), closed)


def _dismiss(
    findings: list[KnownFinding], context: MentionContext, github: GitHub, conversation: ConversationStore
) -> tuple[str, ...]:
    """Dismiss findings, with their threads resolved as far as we may; the ids of those that were open."""
    resolved = resolve_threads(findings, context, github)
    why = f"{context.author} said resolve"
    return tuple(
        each.id
        for each in findings
        if conversation.decide(each.id, context.decision("dismissed", why, resolved_thread=each.id in resolved))
    )


def _reopen(
    context: MentionContext, commenter: Commenter, github: GitHub, conversation: ConversationStore
) -> CommandResult:
    """Open the finding of the thread again."""
    finding = context.finding
    if finding is None:
        return CommandResult((words.NO_FINDING if context.thread is not None else words.REOPEN_WHERE,))
    reopened = reopen(finding, context, commenter, conversation, github)
    lines = (reopened.line,) if reopened.is_posted else ()
    return CommandResult(lines, refused=not commenter.may_decide(finding.finding))


def _break_glass(why: str, context: MentionContext, github: GitHub) -> CommandResult:
    """Dismiss our requests for changes, and let everybody see who wanted that and why."""
    reviews = context.requests_for_changes
    if not why:
        return CommandResult((words.SAY_WHY,))
    if not reviews:
        return CommandResult((words.NOTHING_BLOCKS,))
    lifted_why = f"{context.author} broke the glass: {why}"
    github.settle(PublishActions(check_id=None, check=Check("", ""), lifted=reviews, lifted_why=lifted_why))
    return CommandResult((words.glass_broken(context.author, why),))


def _job(context: MentionContext, trigger: Trigger) -> Job:
    mention = context.mention
    return Job(
        delivery=mention.delivery,
        repository=mention.repository,
        number=mention.number,
        installation=mention.installation,
        trigger=trigger,
        sender=mention.sender,
    )
