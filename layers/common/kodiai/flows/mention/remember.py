"""Remember: store what the model's answer means for the finding, and that everything was done."""

from contextlib import suppress
from dataclasses import asdict

from kodiai.core.conversation.replies import MEANING_IN_WORDS
from kodiai.core.json_object import JsonObject
from kodiai.core.judge.delta import verdict
from kodiai.core.model.messages import Usage, cost_usd
from kodiai.core.outcome import Outcome
from kodiai.core.review.review import PublishActions
from kodiai.core.review.run import UnreadableFindings
from kodiai.flows.mention.decisions import Decisions
from kodiai.flows.mention.load import MentionContext
from kodiai.flows.mention.reply import Replied
from kodiai.flows.mention.session import MentionSession
from kodiai.flows.remember_findings import remember_findings


def remember(replied: Replied, session: MentionSession) -> Outcome:
    """Store what was decided, and that the comment was answered.

    The finding must not change before the answer is posted: the next attempt would show the model another finding, and
    ask again.
    """
    acted, ports = replied.acted, session.ports
    understood, context, result = acted.understood, acted.understood.heard.context, acted.result
    lines, answer, meaning = replied.lines, replied.answer, understood.meaning
    closed = (*result.closed, *_closed_by_answer(replied, session))
    if closed:
        _dismiss_own_review(context, session)
    elif meaning is not None and answer is None and not lines and not context.parsed.mentioned:
        ports.github.react(session.comment, "eyes")
    is_on = context.config.knowledge.retrieval.enabled
    if is_on and (closed or result.acted or context.finding is not None):
        now = int(ports.deadline.clock.now())
        remember_findings((), context.snapshot, ports.ledger, ports.github.may_write, session.memory, at=now)
    usage = answer.usage if answer else {}
    used = (understood.usage, usage, acted.drafted.usage)
    costs = [cost_usd(each, ports.settings.models.prices) for each in used]
    facts: JsonObject = {
        "key": session.key,
        "understood": MEANING_IN_WORDS[meaning] if meaning else context.parsed.words,
        "permission": understood.heard.commenter.permission,
        "settled": len(closed),
        "review": result.review,
        "model": asdict(sum(usage.values(), Usage())),
        "drafting": asdict(sum(acted.drafted.usage.values(), Usage())),
        "proposals": acted.drafted.proposals,
        "reading": asdict(sum(understood.usage.values(), Usage())),
        "cost_usd": None if None in costs else sum(filter(None, costs), 0.0),
        "github_calls": sum(ports.github.calls().values()),
        "warning": "; ".join(answer.warnings if answer else ()),
        "head": context.pull_request.head,
    }
    ports.conversation.finish(session.key, facts)
    if context.pull_request.is_locked and (lines or result.needs_answer or result.drafts):
        return Outcome("refused", "the conversation is locked: no answer can be posted", facts)
    if answer is not None:
        return Outcome("answered", "the model was asked", facts)
    if acted.drafted.proposals:
        return Outcome("done", "a change was drafted", facts)
    if closed or result.acted:
        return Outcome("done", "the command or decision was carried out", facts)
    if result.refused or result.needs_answer:
        return Outcome("refused", lines[0] if lines else "the reason was posted before", facts)
    return Outcome("read", result.note or "nothing has to be done", facts)


def _closed_by_answer(replied: Replied, session: MentionSession) -> tuple[str, ...]:
    """Close the finding if the model conceded to somebody who may decide it, else note that it was argued about."""
    understood, answer = replied.acted.understood, replied.answer
    finding, decisions = understood.heard.context.finding, Decisions(understood.heard, session)
    is_closed = finding is not None and finding.id in replied.acted.result.closed
    if finding is None or answer is None or is_closed or not session.can_decide(finding):
        return ()
    if not answer.conceded:
        if understood.meaning == "disagrees":
            decisions.note_argument(finding)
        return ()
    if not understood.heard.commenter.may_decide(finding.finding):
        return ()
    return decisions.close([finding], "conceded", "the argument was right")


def _dismiss_own_review(context: MentionContext, session: MentionSession) -> None:
    """Dismiss our requests for changes if people have closed the last finding that asked for them."""
    if not context.requests_for_changes:
        return
    with suppress(UnreadableFindings):
        still_open = [known.finding for known in session.ports.ledger.findings() if known.status == "open"]
        if verdict(still_open) != "address-before-merging":
            session.ports.github.update_threads(PublishActions(dismissed=context.requests_for_changes))
