"""The commands as they are carried out: one function for each row of the table."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import yaml

from kodiai.core.errors import Retry
from kodiai.core.findings.known import findings_of_rules
from kodiai.core.gate.standing import OpenedGate
from kodiai.core.memory.rule import LONGEST_RULE, Rule, rule_id, team_rule_id
from kodiai.core.review.review import PublishActions
from kodiai.core.review.run import UnreadableFindings
from kodiai.core.text.incoming import incoming
from kodiai.core.text.secrets import secret_in
from kodiai.core.words import conversation as words
from kodiai.core.words import memory as memory_words
from kodiai.flows.mention.decisions import Decisions
from kodiai.flows.mention.permit import Heard
from kodiai.flows.mention.proposing import apply_proposal, fix, fix_all, propose
from kodiai.flows.mention.result import MentionResult, line, refused
from kodiai.flows.mention.session import MentionSession


def _review(_rest: str, _heard: Heard, _session: MentionSession) -> MentionResult:
    """Do nothing yet: the trigger in the table begins the review."""
    return MentionResult()


def _help(_rest: str, _heard: Heard, session: MentionSession) -> MentionResult:
    return line(words.help_text(session.ports.bot_login.removesuffix("[bot]")))


def _config(_rest: str, heard: Heard, _session: MentionSession) -> MentionResult:
    config = heard.context.config
    settings = config.model_dump(mode="json", by_alias=True, exclude={"problems", "refusal"})
    shown = yaml.safe_dump(settings, sort_keys=False, allow_unicode=True)
    return line(words.config_text(shown, config.problems))


def _pause(_rest: str, heard: Heard, session: MentionSession) -> MentionResult:
    session.ports.conversation.pause(heard.commenter.login)
    return line(words.paused(heard.commenter.login))


def _resume(_rest: str, _heard: Heard, session: MentionSession) -> MentionResult:
    session.ports.conversation.pause(None)
    return line(words.RESUMED)


def _resolve(_rest: str, heard: Heard, session: MentionSession) -> MentionResult:
    """Dismiss the finding of the thread; outside of threads every open finding."""
    finding, login = heard.context.finding, heard.commenter.login
    in_thread = session.comment.surface == "thread"
    if in_thread and finding is None:
        return line(words.NO_FINDING)
    if in_thread and finding is not None and not session.can_decide(finding):
        return line(words.already_closed(finding.status))
    try:
        known = [finding] if in_thread and finding is not None else session.ports.ledger.findings()
    except UnreadableFindings:
        return line(words.UNREADABLE)
    findings = [each for each in known if session.can_decide(each)]
    closed = Decisions(heard, session).close(findings, "dismissed", f"{login} said resolve")
    if in_thread:
        return MentionResult((words.dismissed(None, login),) if closed else (), closed)
    return MentionResult((words.all_dismissed(len(closed)) if closed else words.NOTHING_OPEN,), closed)


def _reopen(_rest: str, heard: Heard, session: MentionSession) -> MentionResult:
    """Reopen the finding of the thread."""
    finding, thread = heard.context.finding, heard.context.thread
    if finding is None:
        return line(words.REOPEN_WHERE if thread is None else words.NO_FINDING)
    reopened = Decisions(heard, session).reopen(finding)
    return replace(reopened, refused=not heard.commenter.may_decide(finding.finding))


def _break_glass(why: str, heard: Heard, session: MentionSession) -> MentionResult:
    """Let the head pass, dismiss our requests for changes, and show everybody who wanted that and why."""
    context, by, ports = heard.context, heard.commenter.login, session.ports
    reviews = context.requests_for_changes
    if not why:
        return line(words.GIVE_REASON)
    opened = ports.conversation.open_gate(OpenedGate(context.pull_request.head, by, why))
    if not reviews and not opened:
        return line(words.NOTHING_BLOCKS)
    message = f"{by} broke the glass: {why}"
    ports.github.update_threads(PublishActions(dismissed=reviews, dismissal_message=message))
    return MentionResult((words.glass_broken(by, why, dismissed=bool(reviews), opened=opened),), changes_check=opened)


def _override(rest: str, heard: Heard, session: MentionSession) -> MentionResult:
    """Let a rule fail for this pull request: its finding is dismissed, with the reason, and no other one comes."""
    named, *reason = rest.split(None, 1) or [""]
    name, why = _rule_name(named), " ".join(incoming(" ".join(reason)).split())
    try:
        findings = findings_of_rules(session.ports.ledger.findings())
    except UnreadableFindings:
        return line(words.UNREADABLE)
    found = findings.get(name)
    if found is None or (found.status == "fixed" and not session.can_decide(found)):
        failing = [rule for rule, each in findings.items() if each.status == "open"]
        return refused(words.no_failing_rule(name, failing))
    if not why:
        return refused(words.OVERRIDE_REASON)
    if secret_in(why) is not None:
        return refused(words.OVERRIDE_WITHHELD)
    by = heard.commenter.login
    if not session.can_decide(found):
        return line(words.overridden_before(name, found.settled_by or "somebody"))
    closed = Decisions(heard, session).close([found], "dismissed", f"{by} overrode the rule: {why}", reason=why)
    said = words.overridden(name, by, why) if closed else words.overridden_before(name, "somebody")
    return MentionResult((said,), closed, changes_check=bool(closed))


def _enforce(rest: str, heard: Heard, session: MentionSession) -> MentionResult:
    """Undo an override."""
    name = _rule_name(rest)
    try:
        found = findings_of_rules(session.ports.ledger.findings()).get(name)
    except UnreadableFindings:
        return line(words.UNREADABLE)
    is_open = found is not None and found.status == "open" and found.decided != session.key
    if found is None or found.status == "fixed" or is_open:
        return refused(words.not_overridden(name))
    Decisions(heard, session).reopen(found)
    return MentionResult((words.enforced(name),), changes_check=True)


def _rule_name(text: str) -> str:
    return text.strip().strip("`.,:;").lower()


def _remember(sentence: str, heard: Heard, session: MentionSession) -> MentionResult:
    """Store a rule, once for each comment and sentence."""
    text = " ".join(incoming(sentence).split())
    if not text:
        return refused(memory_words.REMEMBER_WHAT)
    if len(text) > LONGEST_RULE:
        return refused(memory_words.RULE_TOO_LONG)
    if secret_in(text) is not None:
        return refused(memory_words.RULE_WITHHELD)
    now, mention, store = int(session.ports.deadline.clock.now()), session.mention, session.ports.memory
    rule = Rule(rule_id(mention.repository, session.key, text), text, heard.commenter.login, mention.number, now)
    same = next((each for each in store.rules() if each.text.casefold() == text.casefold()), None)
    if same is not None and same.id != rule.id:
        return line(memory_words.known_rule(same))
    if not store.add_rule(rule):
        return refused(memory_words.TOO_MANY_RULES)
    entry = {"id": team_rule_id(text, rule.id), "text": text, "level": "warning"}
    offered = yaml.safe_dump({"review": {"rules": [entry]}}, sort_keys=False, allow_unicode=True, width=1_000)
    return line(memory_words.remembered_rule(rule, offered))


def _memory(_rest: str, _heard: Heard, session: MentionSession) -> MentionResult:
    store = session.ports.memory
    return line(memory_words.memory_text(store.rules(), store.remembered()))


def _forget(name: str, _heard: Heard, session: MentionSession) -> MentionResult:
    """Remove a rule, or a finding from the memory, which is not written again. Raises Retry where the index is busy."""
    name, store = name.strip().strip("`").rstrip("."), session.ports.memory
    if not name:
        return refused(memory_words.FORGET_WHAT)
    if store.remove_rule(name, session.key):
        return line(memory_words.forgotten(name))
    stored = next((each for each in store.remembered() if each.remembered.name == name), None)
    if stored is None:
        return refused(memory_words.not_remembered(name))
    if stored.index is not None or not stored.is_forgotten:
        store.store([replace(stored, is_forgotten=True)])
        if not session.memory.delete([stored.remembered.key]):
            if not session.ports.deadline.attempt.is_last:
                raise Retry(f"the memory is not available: {session.memory.problem}")
            return refused(memory_words.NOT_NOW)
        store.store([replace(stored, is_forgotten=True, index=None)])
    return line(memory_words.forgotten(name))


RUN: Mapping[str, Callable[[str, Heard, MentionSession], MentionResult]] = {
    "review": _review,
    "full review": _review,
    "pause": _pause,
    "resume": _resume,
    "resolve": _resolve,
    "reopen": _reopen,
    "fix": fix,
    "fix all": fix_all,
    "propose": propose,
    "apply": apply_proposal,
    "break glass": _break_glass,
    "override": _override,
    "enforce": _enforce,
    "remember": _remember,
    "memory": _memory,
    "forget": _forget,
    "config": _config,
    "help": _help,
}
"""The function of each command, by its name. It gets the text after the command; raises Retry and Broken."""
