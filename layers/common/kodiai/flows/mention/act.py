"""Act: count the turn, carry out commands, and store what a reply decides."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import yaml

from kodiai.core.conversation.command import Command, CommandName
from kodiai.core.errors import Retry
from kodiai.core.events.job import Job, Trigger
from kodiai.core.gate.standing import OpenedGate
from kodiai.core.memory.rule import LONGEST_RULE, Rule, rule_id
from kodiai.core.review.review import PublishActions
from kodiai.core.review.run import UnreadableFindings
from kodiai.core.text.incoming import incoming
from kodiai.core.text.secrets import secret_in
from kodiai.core.words import conversation as words
from kodiai.core.words import memory as memory_words
from kodiai.core.words import proposals as proposal_words
from kodiai.flows.memory import Memory
from kodiai.flows.mention.decisions import Decisions, MentionResult
from kodiai.flows.mention.load import MentionContext
from kodiai.flows.mention.permit import Commenter
from kodiai.flows.mention.proposing import Proposing
from kodiai.flows.mention.turns import begin_lines, begin_turn
from kodiai.flows.mention.understand import Intent
from kodiai.ports import Code, ConversationStore, GitHub, JobQueue, Ledger, ProposalStore, RepositoryMemory

_REQUIRES_WRITE_ACCESS: frozenset[CommandName] = frozenset(
    {"full review", "pause", "resume", "resolve", "apply", "break glass", "remember", "forget"}
)
_DRAFTS: frozenset[CommandName] = frozenset({"propose", "fix"})
# Of several commands that begin a review the last one in this order counts.
_TRIGGERS: Mapping[CommandName, Trigger] = {
    "resume": "synchronize",
    "review": "rerequested",
    "full review": "full_review",
}


def act(
    context: MentionContext,
    commenter: Commenter,
    intent: Intent,
    github: GitHub,
    conversation: ConversationStore,
    ledger: Ledger,
    memory: Memory,
    store: RepositoryMemory,
    proposals: ProposalStore,
    code: Code,
    queue: JobQueue,
) -> MentionResult:
    """Do what a comment asks for, except for what the model answers or drafts.

    Commands of people with write access are carried out without a limit, except for drafts; every other comment that
    gets an answer counts as a turn. Answers that cost nothing and close no finding are limited too.
    """
    parsed, finding = context.parsed, context.finding
    if commenter.refusal is not None and parsed.mentioned:
        is_first = conversation.is_first_to_post(f"refusal-{commenter.login.lower()}", context.key)
        return _refused(commenter.refusal if is_first else "", context, github)
    decisions = Decisions(context, commenter, conversation, github)
    if intent.needs_answer and not parsed.mentioned and not decisions.is_first_to_post():
        return MentionResult(note="a review has answered it")
    orders = bool(parsed.commands or parsed.unknown)
    drafts = any(each.name in _DRAFTS for each in parsed.commands)
    is_turn = intent.needs_answer or drafts or (orders and not commenter.may_write)
    limit = begin_turn(context, intent.thread, conversation) if is_turn else None
    if limit is not None and not (orders and commenter.may_write):
        return _refused(limit, context, github)
    proposing = Proposing(context, commenter.login, ledger, proposals, code)
    done = _carry_out(parsed.commands, decisions, ledger, memory, store, proposing, queue)
    # A reply that decides something, or is an argument, is no command that somebody got wrong.
    unknown = parsed.unknown if intent.meaning is None else ()
    decided = MentionResult()
    if finding is not None and intent.meaning is not None and finding.id not in done.closed:
        decided = decisions.by_reply(finding, intent.meaning)
    corrections = (words.unknown_command(each.word, each.closest) for each in unknown)
    refused = done.refused or bool(unknown)
    lines, closed = (*done.lines, *corrections, *decided.lines), (*done.closed, *decided.closed)
    is_free = bool(lines) and not closed and (limit is not None or not is_turn)
    is_gate = context.config.review.check.fail_on != "never"
    if not done.review and (done.opened or (is_gate and (closed or parsed.reopens))):
        queue.send("reviews", _job(context, "decided"))
    if is_free and (line := begin_lines(context, commenter, conversation)) is not None:
        lines = (line,)
    return MentionResult(
        lines=tuple(filter(None, (*lines, limit, intent.limit))),
        closed=closed,
        review=done.review,
        acted=(bool(parsed.commands) and not refused) or parsed.reopens,
        refused=refused,
        note=decided.note or ("the next review reads it" if intent.limit is not None else ""),
        needs_answer=intent.needs_answer and limit is None,
        drafts=done.drafts if limit is None else (),
    )


def _refused(line: str, context: MentionContext, github: GitHub) -> MentionResult:
    """Say once why nothing is done; after that a mention gets only a reaction."""
    if not line and context.parsed.mentioned:
        github.react(context.comment, "confused")
    return MentionResult(tuple(filter(None, [line])), refused=True)


def _carry_out(
    commands: Iterable[Command],
    decisions: Decisions,
    ledger: Ledger,
    memory: Memory,
    store: RepositoryMemory,
    proposing: Proposing,
    queue: JobQueue,
) -> MentionResult:
    """Carry out commands in their order; those that somebody may not give are refused first, in a line each."""
    refusals = {command: _refusal(command, decisions) for command in commands}
    allowed = [command for command, refusal in refusals.items() if refusal is None]
    done = [_do(command, decisions, ledger, memory, store, proposing) for command in allowed]
    # What our own commit brings is reviewed too, though nothing is done about the webhook of our own push.
    begins_review = [each.review or command.name in _TRIGGERS for command, each in zip(allowed, done, strict=True)]
    triggers = [_TRIGGERS.get(each.name, "synchronize") for each, so in zip(allowed, begins_review, strict=True) if so]
    if triggers:
        trigger = max(triggers, key=list(_TRIGGERS.values()).index)
        queue.send("reviews", _job(decisions.context, trigger))
    return MentionResult(
        lines=(*filter(None, refusals.values()), *(line for each in done for line in each.lines)),
        closed=tuple(finding for each in done for finding in each.closed),
        review=bool(triggers),
        refused=len(allowed) < len(refusals) or any(each.refused for each in done),
        drafts=tuple(draft for each in done for draft in each.drafts),
        opened=any(each.opened for each in done),
    )


def _job(context: MentionContext, trigger: Trigger) -> Job:
    """The job that a comment leads to."""
    return Job.model_validate(context.mention.model_dump(exclude={"kind", "said"}) | {"trigger": trigger})


def _refusal(command: Command, decisions: Decisions) -> str | None:
    """Why somebody may not give a command, None if they may.

    `review` requires write access too during a pause, and where outsiders' pull requests wait for a request.
    """
    if decisions.commenter.may_write:
        return None
    context = decisions.context
    outsiders = context.config.review.takes_outsiders(is_private=context.pull_request.is_private)
    if command.name in _REQUIRES_WRITE_ACCESS or (command.name == "review" and outsiders != "always"):
        return words.requires_write_access(command.name)
    if command.name in _DRAFTS:
        return None if decisions.commenter.is_author else proposal_words.may_not_ask(command.name)
    paused_by = decisions.conversation.paused_by() if command.name == "review" else None
    return words.review_paused(paused_by) if paused_by is not None else None


def _do(
    command: Command,
    decisions: Decisions,
    ledger: Ledger,
    memory: Memory,
    store: RepositoryMemory,
    proposing: Proposing,
) -> MentionResult:
    context, login = decisions.context, decisions.commenter.login
    match command.name:
        case "help":
            return MentionResult((words.help_text(context.bot_login.removesuffix("[bot]")),))
        case "config":
            settings = context.config.model_dump(mode="json", by_alias=True, exclude={"problems", "refusal"})
            shown = yaml.safe_dump(settings, sort_keys=False, allow_unicode=True)
            return MentionResult((words.config_text(shown, context.config.problems),))
        case "pause":
            decisions.conversation.pause(login)
            return MentionResult((words.paused(login),))
        case "resume":
            decisions.conversation.pause(None)
            return MentionResult((words.RESUMED,))
        case "resolve":
            return _resolve(decisions, ledger)
        case "reopen":
            return _reopen(decisions)
        case "break glass":
            return _break_glass(command.rest, decisions)
        case "remember":
            return _remember(command.rest, context, store)
        case "memory":
            return MentionResult((memory_words.memory_text(store.rules(), store.remembered()),))
        case "forget":
            return _forget(command.rest, context, memory, store)
        case "propose" | "fix" | "apply":
            return proposing.do(command)
        case "review" | "full review":
            return MentionResult()


def _resolve(decisions: Decisions, ledger: Ledger) -> MentionResult:
    """Dismiss the finding of the thread; outside of threads every open finding."""
    context, login = decisions.context, decisions.commenter.login
    finding, in_thread = context.finding, context.comment.surface == "thread"
    if in_thread and finding is None:
        return MentionResult((words.NO_FINDING,))
    if finding is not None and in_thread and not context.can_be_decided(finding):
        return MentionResult((words.already_closed(finding.status),))
    try:
        known = [finding] if finding is not None and in_thread else ledger.findings()
    except UnreadableFindings:
        return MentionResult((words.UNREADABLE,))
    findings = [each for each in known if context.can_be_decided(each)]
    closed = decisions.close(findings, "dismissed", f"{login} said resolve")
    if in_thread:
        return MentionResult((words.dismissed(None, login),) if closed else (), closed)
    return MentionResult((words.all_dismissed(len(closed)) if closed else words.NOTHING_OPEN,), closed)


def _reopen(decisions: Decisions) -> MentionResult:
    """Reopen the finding of the thread."""
    finding, thread = decisions.context.finding, decisions.context.thread
    if finding is None:
        return MentionResult((words.REOPEN_WHERE if thread is None else words.NO_FINDING,))
    return replace(decisions.reopen(finding), refused=not decisions.commenter.may_decide(finding.finding))


def _break_glass(why: str, decisions: Decisions) -> MentionResult:
    """Let the head pass, dismiss our requests for changes, and show everybody who wanted that and why."""
    context, by = decisions.context, decisions.context.mention.sender
    reviews = context.requests_for_changes
    if not why:
        return MentionResult((words.GIVE_REASON,))
    opened = decisions.conversation.open_gate(OpenedGate(context.pull_request.head, by, why))
    if not reviews and not opened:
        return MentionResult((words.NOTHING_BLOCKS,))
    message = f"{by} broke the glass: {why}"
    decisions.github.update_threads(PublishActions(dismissed=reviews, dismissal_message=message))
    return MentionResult((words.glass_broken(by, why, dismissed=bool(reviews), opened=opened),), opened=opened)


def _remember(sentence: str, context: MentionContext, store: RepositoryMemory) -> MentionResult:
    """Store a rule, once for each comment and sentence."""
    text = " ".join(incoming(sentence).split())
    if not text:
        return MentionResult((memory_words.REMEMBER_WHAT,), refused=True)
    if len(text) > LONGEST_RULE:
        return MentionResult((memory_words.RULE_TOO_LONG,), refused=True)
    if secret_in(text) is not None:
        return MentionResult((memory_words.RULE_WITHHELD,), refused=True)
    now, mention = int(context.deadline.clock.now()), context.mention
    rule = Rule(rule_id(mention.repository, context.key, text), text, mention.sender, mention.number, now)
    same = next((each for each in store.rules() if each.text.casefold() == text.casefold()), None)
    if same is not None and same.id != rule.id:
        return MentionResult((memory_words.known_rule(same),))
    if not store.add_rule(rule):
        return MentionResult((memory_words.TOO_MANY_RULES,), refused=True)
    return MentionResult((memory_words.remembered_rule(rule),))


def _forget(name: str, context: MentionContext, memory: Memory, store: RepositoryMemory) -> MentionResult:
    """Remove a rule, or a finding from the memory, which is not written again. Raises Retry where the index is busy."""
    name = name.strip().strip("`").rstrip(".")
    if not name:
        return MentionResult((memory_words.FORGET_WHAT,), refused=True)
    if store.remove_rule(name, context.key):
        return MentionResult((memory_words.forgotten(name),))
    stored = next((each for each in store.remembered() if each.remembered.name == name), None)
    if stored is None:
        return MentionResult((memory_words.not_remembered(name),), refused=True)
    if stored.index is not None or not stored.is_forgotten:
        store.store([replace(stored, is_forgotten=True)])
        if not memory.delete([stored.remembered.key]):
            if not context.deadline.attempt.is_last:
                raise Retry(f"the memory is not available: {memory.problem}")
            return MentionResult((memory_words.NOT_NOW,), refused=True)
        store.store([replace(stored, is_forgotten=True, index=None)])
    return MentionResult((memory_words.forgotten(name),))
