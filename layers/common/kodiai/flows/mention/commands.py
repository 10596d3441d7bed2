"""Commands: what a person orders in so many words, done at once and once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import yaml

from kodiai.core.conversation.command import Command, CommandName
from kodiai.core.events.job import Job, Trigger
from kodiai.core.findings.known import KnownFinding
from kodiai.core.review.review import PublishActions
from kodiai.core.review.run import UnreadableFindings
from kodiai.core.words import conversation as words
from kodiai.flows.mention.decisions import Decisions
from kodiai.flows.mention.load import MentionContext
from kodiai.ports import GitHub, JobQueue, Ledger

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


def carry_out(commands: Iterable[Command], decisions: Decisions, ledger: Ledger, queue: JobQueue) -> CommandResult:
    """Carry out commands in their order; what somebody may not order is refused before that, in a line each."""
    refusals = {command: _refusal(command, decisions) for command in commands}
    allowed = [command for command, refusal in refusals.items() if refusal is None]
    done = [_do(command, decisions, ledger) for command in allowed]
    triggers = [_TRIGGERS[command.name] for command in allowed if command.name in _TRIGGERS]
    if triggers:
        trigger = max(triggers, key=list(_TRIGGERS.values()).index)
        asked = decisions.context.mention.model_dump(exclude={"kind", "said"})
        queue.send("reviews", Job.model_validate(asked | {"trigger": trigger}))
    return CommandResult(
        lines=(*filter(None, refusals.values()), *(line for each in done for line in each.lines)),
        closed=tuple(finding for each in done for finding in each.closed),
        review=bool(triggers),
        refused=len(allowed) < len(refusals) or any(each.refused for each in done),
    )


def _refusal(command: Command, decisions: Decisions) -> str | None:
    """Why somebody may not give a command, None where they may; during a pause a review is for who may end it."""
    if decisions.commenter.may_write:
        return None
    if command.name in _REQUIRES_WRITE_ACCESS:
        return words.requires_write_access(command.name)
    paused_by = decisions.conversation.paused_by() if command.name == "review" else None
    return words.review_paused(paused_by) if paused_by is not None else None


def _do(command: Command, decisions: Decisions, ledger: Ledger) -> CommandResult:
    context, login = decisions.context, decisions.commenter.login
    match command.name:
        case "help":
            return CommandResult((words.help_text(context.bot_login.removesuffix("[bot]")),))
        case "config":
            settings = context.config.model_dump(mode="json", by_alias=True, exclude={"problems", "refusal"})
            shown = yaml.safe_dump(settings, sort_keys=False, allow_unicode=True)
            return CommandResult((words.config_text(shown, context.config.problems),))
        case "pause":
            decisions.conversation.pause(login)
            return CommandResult((words.paused(login),))
        case "resume":
            decisions.conversation.pause(None)
            return CommandResult((words.RESUMED,))
        case "resolve" if context.comment.surface == "thread":
            return _resolve(context.finding, decisions)
        case "resolve":
            return _resolve_all(decisions, ledger)
        case "reopen":
            return _reopen(context.finding, decisions)
        case "break glass":
            return _break_glass(command.rest, context, decisions.github)
        case "propose" | "fix" | "apply":
            return CommandResult((words.not_available(command.name),))
        case "review" | "full review":
            return CommandResult()


def _resolve(finding: KnownFinding | None, decisions: Decisions) -> CommandResult:
    """Dismiss the finding of the thread."""
    login = decisions.commenter.login
    if finding is None:
        return CommandResult((words.NO_FINDING,))
    if not decisions.context.can_be_decided(finding):
        return CommandResult((words.already_closed(finding.status),))
    closed = decisions.close([finding], "dismissed", f"{login} said resolve")
    return CommandResult((words.dismissed_by_command(login),) if closed else (), closed)


def _resolve_all(decisions: Decisions, ledger: Ledger) -> CommandResult:
    """Dismiss every finding that is open."""
    try:
        findings = [each for each in ledger.findings() if decisions.context.can_be_decided(each)]
    except UnreadableFindings:
        return CommandResult((words.UNREADABLE,))
    closed = decisions.close(findings, "dismissed", f"{decisions.commenter.login} said resolve")
    return CommandResult((words.resolved(len(closed)) if closed else words.NOTHING_OPEN,), closed)


def _reopen(finding: KnownFinding | None, decisions: Decisions) -> CommandResult:
    """Open the finding of the thread again."""
    if finding is None:
        in_thread = decisions.context.thread is not None
        return CommandResult((words.NO_FINDING if in_thread else words.REOPEN_WHERE,))
    reopened = decisions.reopen(finding)
    refused = not decisions.commenter.may_decide(finding.finding)
    return CommandResult((reopened.line,) if reopened.is_posted else (), refused=refused)


def _break_glass(why: str, context: MentionContext, github: GitHub) -> CommandResult:
    """Dismiss our requests for changes, and let everybody see who wanted that and why."""
    reviews = context.requests_for_changes
    if not why:
        return CommandResult((words.GIVE_REASON,))
    if not reviews:
        return CommandResult((words.NOTHING_BLOCKS,))
    message = f"{context.mention.sender} broke the glass: {why}"
    github.settle(PublishActions(dismissed=reviews, dismissal_message=message))
    return CommandResult((words.glass_broken(context.mention.sender, why),))
