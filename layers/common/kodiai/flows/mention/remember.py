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
from kodiai.flows.memory import Memory
from kodiai.flows.mention.decisions import Decisions, MentionResult
from kodiai.flows.mention.draft import Drafted
from kodiai.flows.mention.load import MentionContext
from kodiai.flows.mention.permit import Commenter
from kodiai.flows.mention.reply import MentionAnswer
from kodiai.flows.mention.understand import Intent
from kodiai.flows.remember_findings import remember_findings
from kodiai.ports import ConversationStore, GitHub, Ledger, RepositoryMemory


def remember(
    context: MentionContext,
    commenter: Commenter,
    intent: Intent,
    result: MentionResult,
    drafted: Drafted,
    lines: tuple[str, ...],
    answer: MentionAnswer | None,
    github: GitHub,
    conversation: ConversationStore,
    ledger: Ledger,
    memory: Memory,
    store: RepositoryMemory,
) -> Outcome:
    """Store what was decided, and that the comment was answered.

    The finding must not change before the answer is posted: the next attempt would show the model another finding, and
    ask again.
    """
    decisions = Decisions(context, commenter, conversation, github)
    closed = (*result.closed, *_closed_by_answer(decisions, intent, result, answer))
    if closed:
        _dismiss_own_review(context, github, ledger)
    elif intent.meaning is not None and answer is None and not lines and not context.parsed.mentioned:
        github.react(context.comment, "eyes")
    is_on = context.config.knowledge.retrieval.enabled
    if is_on and (closed or result.acted or context.finding is not None):
        now = int(context.deadline.clock.now())
        remember_findings((), context.snapshot, ledger, github.may_write, memory, store, at=now)
    usage = answer.usage if answer else {}
    used = (intent.usage, usage, drafted.usage)
    costs = [cost_usd(each, context.settings.models.prices) for each in used]
    facts: JsonObject = {
        "key": context.key,
        "understood": MEANING_IN_WORDS[intent.meaning] if intent.meaning else context.parsed.words,
        "permission": commenter.permission,
        "settled": len(closed),
        "review": result.review,
        "model": asdict(sum(usage.values(), Usage())),
        "drafting": asdict(sum(drafted.usage.values(), Usage())),
        "proposals": drafted.proposals,
        "reading": asdict(sum(intent.usage.values(), Usage())),
        "cost_usd": None if None in costs else sum(filter(None, costs), 0.0),
        "github_calls": sum(github.calls().values()),
        "warning": "; ".join(answer.warnings if answer else ()),
        "head": context.pull_request.head,
    }
    conversation.finish(context.key, facts)
    if context.pull_request.is_locked and (lines or result.needs_answer or result.drafts):
        return Outcome("refused", "the conversation is locked: no answer can be posted", facts)
    if answer is not None:
        return Outcome("answered", "the model was asked", facts)
    if drafted.proposals:
        return Outcome("done", "a change was drafted", facts)
    if closed or result.acted:
        return Outcome("done", "it was done as it was said", facts)
    if result.refused or result.needs_answer:
        return Outcome("refused", lines[0] if lines else "the reason was posted before", facts)
    return Outcome("read", result.note or "nothing has to be done", facts)


def _closed_by_answer(
    decisions: Decisions, intent: Intent, result: MentionResult, answer: MentionAnswer | None
) -> tuple[str, ...]:
    """Close the finding if the model conceded to somebody who may decide it, else note that it was argued about."""
    context, finding = decisions.context, decisions.context.finding
    if finding is None or answer is None or finding.id in result.closed or not context.can_be_decided(finding):
        return ()
    if not answer.conceded:
        if intent.meaning == "disagrees":
            decisions.conversation.decide(finding.id, context.decision(None, "an argument was answered"))
        return ()
    if not decisions.commenter.may_decide(finding.finding):
        return ()
    return decisions.close([finding], "conceded", "the argument was right")


def _dismiss_own_review(context: MentionContext, github: GitHub, ledger: Ledger) -> None:
    """Dismiss our requests for changes if people have closed the last finding that asked for them."""
    if not context.requests_for_changes:
        return
    with suppress(UnreadableFindings):
        still_open = [known.finding for known in ledger.findings() if known.status == "open"]
        if verdict(still_open) != "address-before-merging":
            github.update_threads(PublishActions(dismissed=context.requests_for_changes))
