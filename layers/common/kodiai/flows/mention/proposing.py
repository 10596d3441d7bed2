"""Proposing: what a comment asks to be drafted, and what it asks to be applied."""

from dataclasses import dataclass

from kodiai.core.conversation.command import Command
from kodiai.core.errors import Refused
from kodiai.core.findings.finding import rank
from kodiai.core.proposals.proposal import Actor, Proposal
from kodiai.core.review.run import UnreadableFindings
from kodiai.core.words import conversation as conversation_words
from kodiai.core.words import proposals as words
from kodiai.flows.mention.decisions import DraftRequest, MentionResult
from kodiai.flows.mention.load import MentionContext
from kodiai.flows.proposals.apply import apply
from kodiai.ports import Code, Ledger, ProposalStore

_MOST_FIXED = 20


@dataclass(frozen=True)
class Proposing:
    """Carries out `propose`, `fix` and `apply` for the pull request of a comment, with the rights of our App."""

    context: MentionContext
    login: str
    ledger: Ledger
    store: ProposalStore
    code: Code

    def do(self, command: Command) -> MentionResult:
        """Commit a proposal, or say what is to be drafted. Raises Retry and Broken."""
        if not self.context.config.proposals.enabled:
            return _refused(words.TURNED_OFF)
        if command.name == "apply":
            return self._apply(command.rest)
        if self.context.pull_request.state == "closed":
            return _refused(words.PULL_REQUEST_CLOSED)
        if command.name == "fix":
            return self._fix_all() if command.rest else self._fix()
        return (
            MentionResult(drafts=(DraftRequest(what=command.rest),)) if command.rest else _refused(words.PROPOSE_WHAT)
        )

    def _fix(self) -> MentionResult:
        """Draft a fix of the thread's finding."""
        finding = self.context.finding
        if finding is None:
            return _refused(words.FIX_WHERE if self.context.thread is None else conversation_words.NO_FINDING)
        if finding.status != "open":
            return _refused(conversation_words.already_closed(finding.status))
        return MentionResult(drafts=(DraftRequest(findings=(finding,)),))

    def _fix_all(self) -> MentionResult:
        """Draft a fix of every open finding, the most severe first."""
        try:
            findings = [each for each in self.ledger.findings() if each.status == "open"]
        except UnreadableFindings:
            return _refused(words.UNREADABLE_FINDINGS)
        if not findings:
            return _refused(conversation_words.NOTHING_OPEN)
        findings.sort(key=lambda each: rank(each.finding))
        lines = (words.only_some(_MOST_FIXED, len(findings)),) if len(findings) > _MOST_FIXED else ()
        return MentionResult(lines, drafts=(DraftRequest(findings=tuple(findings[:_MOST_FIXED])),))

    def _apply(self, proposal_id: str) -> MentionResult:
        """Commit one proposal, by its id ("": the approved one of the thread or pull request)."""
        chosen = self._named(proposal_id) if proposal_id else self._approved()
        if isinstance(chosen, str):
            return _refused(chosen)
        if chosen.status != "applied":
            try:
                clock, key = self.context.deadline.clock, self.context.key
                chosen = apply(chosen, Actor(login=self.login), self.code, self.store, clock, key)
            except Refused as why:
                return _refused(str(why))
        if chosen.status == "rejected":
            return _refused(words.no_longer_applies(chosen.problems))
        return MentionResult((words.committed(chosen),), review=True)

    def _named(self, proposal_id: str) -> Proposal | str:
        """The proposal of this id, or why there is none."""
        proposal = self.store.get(proposal_id)
        return proposal if proposal is not None and self._is_here(proposal) else words.not_here(proposal_id)

    def _approved(self) -> Proposal | str:
        """The approved proposal of the thread, or the only one of the pull request, or why there is none.

        One that an earlier attempt at this very comment has begun to apply comes first.
        """
        every = [each for each in self.store.of_repository(self.context.mention.repository_id) if self._is_here(each)]
        begun = [each for each in every if each.commit is not None and each.commit.key == self.context.key]
        approved = [each for each in every if each.status == "approved"]
        thread = self.context.thread
        of_thread = [each for each in approved if each.origin is not None and each.origin.thread == thread]
        chosen = begun or (of_thread[:1] if thread is not None and of_thread else approved)
        if not chosen:
            return words.NOTHING_TO_APPLY
        if len(chosen) > 1:
            us = self.context.bot_login.removesuffix("[bot]")
            return words.which_proposal((each.id for each in chosen), us)
        return chosen[0]

    def _is_here(self, proposal: Proposal) -> bool:
        mention = self.context.mention
        return (proposal.repository_id, proposal.number) == (mention.repository_id, mention.number)


def _refused(line: str) -> MentionResult:
    return MentionResult((line,), refused=True)
