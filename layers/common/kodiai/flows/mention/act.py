"""Act: count the turn, carry out commands, and store what a reply decides."""

from dataclasses import replace

from kodiai.core.conversation.command import Command
from kodiai.core.conversation.commands import COMMANDS
from kodiai.core.events.job import Job, Trigger
from kodiai.core.words import conversation as words
from kodiai.core.words import proposals as proposal_words
from kodiai.flows.mention.commands import RUN
from kodiai.flows.mention.decisions import Decisions
from kodiai.flows.mention.permit import Heard
from kodiai.flows.mention.result import Acted, MentionResult, combined
from kodiai.flows.mention.session import MentionSession
from kodiai.flows.mention.turns import begin_lines, begin_turn
from kodiai.flows.mention.understand import Understood

# Of several commands that begin a review the last one in this order counts.
_TRIGGERS: tuple[Trigger, ...] = ("synchronize", "rerequested", "full_review")


def act(understood: Understood, session: MentionSession) -> Acted:
    """Do what a comment asks for, except for what the model answers or drafts.

    Commands of people with write access are carried out without a limit, except for drafts; every other comment that
    gets an answer counts as a turn. Answers that cost nothing and close no finding are limited too.
    """
    return Acted(understood, _result(understood, session))


def _result(understood: Understood, session: MentionSession) -> MentionResult:
    heard, context, commenter = understood.heard, understood.heard.context, understood.heard.commenter
    parsed, finding = context.parsed, context.finding
    if commenter.refusal is not None and parsed.mentioned:
        refusal = f"refusal-{commenter.login.lower()}"
        is_first = session.ports.conversation.is_first_to_post(refusal, session.key)
        return _refused(commenter.refusal if is_first else "", heard, session)
    decisions = Decisions(heard, session)
    if understood.needs_answer and not parsed.mentioned and not decisions.is_first_to_post():
        return MentionResult(note="a review has answered it")
    orders = bool(parsed.commands or parsed.unknown)
    drafts = any(COMMANDS[each.name].drafts for each in parsed.commands)
    is_turn = understood.needs_answer or drafts or (orders and not commenter.may_write)
    limit = begin_turn(heard, understood.thread, session) if is_turn else None
    if limit is not None and not (orders and commenter.may_write):
        return _refused(limit, heard, session)
    done = _carry_out(heard, session)
    # A reply that decides something, or is an argument, is no command that somebody got wrong.
    unknown = parsed.unknown if understood.meaning is None else ()
    corrections = MentionResult(
        lines=tuple(words.unknown_command(each.word, each.closest) for each in unknown), refused=bool(unknown)
    )
    decided = MentionResult()
    if finding is not None and understood.meaning is not None and finding.id not in done.closed:
        decided = decisions.by_reply(finding, understood.meaning)
    result = combined([done, corrections, decided])
    is_free = bool(result.lines) and not result.closed and (limit is not None or not is_turn)
    is_gate = context.config.review.check.fail_on != "never"
    if not result.review and (result.changes_check or (is_gate and (result.closed or parsed.reopens))):
        _queue("decided", session)
    lines = result.lines
    if is_free and (line := begin_lines(heard, session)) is not None:
        lines = (line,)
    return replace(
        result,
        lines=tuple(filter(None, (*lines, limit, understood.limit))),
        acted=(bool(parsed.commands) and not result.refused) or parsed.reopens,
        note=result.note or ("the next review reads it" if understood.limit is not None else ""),
        needs_answer=understood.needs_answer and limit is None,
        drafts=result.drafts if limit is None else (),
    )


def _refused(line: str, heard: Heard, session: MentionSession) -> MentionResult:
    """Say once why nothing is done; after that a mention gets only a reaction."""
    if not line and heard.context.parsed.mentioned:
        session.ports.github.react(session.comment, "confused")
    return MentionResult(tuple(filter(None, [line])), refused=True)


def _carry_out(heard: Heard, session: MentionSession) -> MentionResult:
    """Carry out the commands in their order; those that somebody may not give are refused first, in a line each."""
    refusals = {command: _refusal(command, heard, session) for command in heard.context.parsed.commands}
    allowed = [command for command, refusal in refusals.items() if refusal is None]
    done = [RUN[command.name](command.rest, heard, session) for command in allowed]
    triggers = [COMMANDS[command.name].trigger for command in allowed]
    # What our own commit brings is reviewed too, though nothing is done about the webhook of our own push.
    begun = {trigger or "synchronize" for trigger, each in zip(triggers, done, strict=True) if trigger or each.review}
    if begun:
        _queue(max(begun, key=_TRIGGERS.index), session)
    refused = [MentionResult((refusal,), refused=True) for refusal in refusals.values() if refusal is not None]
    return replace(combined([*refused, *done]), review=bool(begun))


def _queue(trigger: Trigger, session: MentionSession) -> None:
    """Queue the review that a comment leads to."""
    facts = session.mention.model_dump(exclude={"kind", "comment"})
    session.ports.queue.send("reviews", Job.model_validate(facts | {"trigger": trigger}))


def _refusal(command: Command, heard: Heard, session: MentionSession) -> str | None:
    """Why somebody may not give a command, "" if they know it already, None if they may.

    `review` requires write access too during a pause, and where outsiders' pull requests wait for a request.
    """
    if heard.commenter.may_write:
        return None
    context, right = heard.context, COMMANDS[command.name].right
    outsiders = context.config.review.takes_outsiders(is_private=context.pull_request.is_private)
    if right == "write" or (command.name == "review" and outsiders != "always"):
        told = f"may-not-{command.name}-{heard.commenter.login.lower()}"
        once = COMMANDS[command.name].refuses_once
        is_news = not once or session.ports.conversation.is_first_to_post(told, session.key)
        return words.requires_write_access(command.name) if is_news else ""
    if right == "author":
        return None if heard.commenter.is_author else proposal_words.may_not_ask(command.name)
    paused_by = session.ports.conversation.paused_by() if command.name == "review" else None
    return words.review_paused(paused_by) if paused_by is not None else None
