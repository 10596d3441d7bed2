"""Proposing: what a comment asks to be drafted, and what it asks to be applied, with the rights of our App."""

from kodiai.core.errors import Refused
from kodiai.core.findings.finding import rank
from kodiai.core.proposals.proposal import Actor, Proposal
from kodiai.core.review.run import UnreadableFindings
from kodiai.core.words import conversation as conversation_words
from kodiai.core.words import proposals as words
from kodiai.flows.mention.load import MentionContext
from kodiai.flows.mention.permit import Heard
from kodiai.flows.mention.result import DraftRequest, MentionResult, refused
from kodiai.flows.mention.session import MentionSession
from kodiai.flows.proposals.apply import apply

_MOST_FIXED = 20


def propose(what: str, heard: Heard, _session: MentionSession) -> MentionResult:
    """Have a change drafted as somebody describes it."""
    refusal = _refusal(heard.context) or ("" if what else words.PROPOSE_WHAT)
    return refused(refusal) if refusal else MentionResult(drafts=(DraftRequest(what=what),))


def fix(_rest: str, heard: Heard, _session: MentionSession) -> MentionResult:
    """Have a fix of the thread's finding drafted."""
    context, finding = heard.context, heard.context.finding
    if (refusal := _refusal(context)) is not None:
        return refused(refusal)
    if finding is None:
        return refused(words.FIX_WHERE if context.thread is None else conversation_words.NO_FINDING)
    if finding.status != "open":
        return refused(conversation_words.already_closed(finding.status))
    return MentionResult(drafts=(DraftRequest(findings=(finding,)),))


def fix_all(_rest: str, heard: Heard, session: MentionSession) -> MentionResult:
    """Have a fix of every open finding drafted, the most severe first."""
    if (refusal := _refusal(heard.context)) is not None:
        return refused(refusal)
    try:
        findings = [each for each in session.ports.ledger.findings() if each.status == "open"]
    except UnreadableFindings:
        return refused(words.UNREADABLE_FINDINGS)
    if not findings:
        return refused(conversation_words.NOTHING_OPEN)
    findings.sort(key=lambda each: rank(each.finding))
    lines = (words.only_some(_MOST_FIXED, len(findings)),) if len(findings) > _MOST_FIXED else ()
    return MentionResult(lines, drafts=(DraftRequest(findings=tuple(findings[:_MOST_FIXED])),))


def apply_proposal(proposal_id: str, heard: Heard, session: MentionSession) -> MentionResult:
    """Commit one proposal, by its id ("": the approved one of the thread or pull request). Raises Retry and Broken."""
    if not heard.context.config.proposals.enabled:
        return refused(words.TURNED_OFF)
    chosen = _named(proposal_id, session) if proposal_id else _approved(heard.context.thread, session)
    if isinstance(chosen, str):
        return refused(chosen)
    if chosen.status != "applied":
        ports, actor = session.ports, Actor(login=heard.commenter.login)
        try:
            chosen = apply(chosen, actor, ports.code, ports.proposals, ports.deadline.clock, session.key)
        except Refused as why:
            return refused(str(why))
    if chosen.status == "rejected":
        return refused(words.no_longer_applies(chosen.problems))
    return MentionResult((words.committed(chosen),), review=True)


def _refusal(context: MentionContext) -> str | None:
    """Why nothing is drafted for this pull request, None if something may be."""
    if not context.config.proposals.enabled:
        return words.TURNED_OFF
    return words.PULL_REQUEST_CLOSED if context.pull_request.state == "closed" else None


def _named(proposal_id: str, session: MentionSession) -> Proposal | str:
    """The proposal of this id, or why there is none."""
    proposal = session.ports.proposals.get(proposal_id)
    return proposal if proposal is not None and _is_here(proposal, session) else words.not_here(proposal_id)


def _approved(thread: int | None, session: MentionSession) -> Proposal | str:
    """The approved proposal of the thread, or why there is none; outside of threads the only one of the pull request.

    What an earlier attempt at this very comment has begun to apply comes first.
    """
    stored = session.ports.proposals.of_repository(session.mention.repository_id)
    every = [each for each in stored if _is_here(each, session)]
    begun = [each for each in every if each.commit is not None and each.commit.key == session.key]
    own = [each for each in every if thread is not None and each.origin is not None and each.origin.thread == thread]
    approved = [each for each in own or every if each.status == "approved"]
    chosen = begun or (approved[:1] if own else approved)
    if not chosen:
        return words.not_applied(own[0]) if own else words.NOTHING_TO_APPLY
    is_elsewhere = thread is not None and not own and not begun
    if is_elsewhere or len(chosen) > 1:
        return words.which_proposal(chosen, session.ports.bot_login.removesuffix("[bot]"))
    return chosen[0]


def _is_here(proposal: Proposal, session: MentionSession) -> bool:
    mention = session.mention
    return (proposal.repository_id, proposal.number) == (mention.repository_id, mention.number)
