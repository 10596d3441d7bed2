"""Apply: make one commit of an approved proposal, once."""

from kodiai.core.errors import Refused, Retry
from kodiai.core.proposals.proposal import Actor, Agent, Proposal, ProposedCommit
from kodiai.core.proposals.protocol import NoteApplied, ProposalRefused, Reject, StageCommit, require_approved
from kodiai.core.words import proposals as words
from kodiai.flows.proposals.access import proposal_for, settings_of
from kodiai.flows.proposals.change import change
from kodiai.flows.proposals.check import check_diff
from kodiai.flows.proposals.ports import ProposalPorts
from kodiai.ports.github import Code
from kodiai.ports.jobs import Clock
from kodiai.ports.stores import ProposalStore

_TRIES = 5


def apply_as_caller(proposal_id: str, agent: Agent | None, ports: ProposalPorts) -> Proposal:
    """Apply an approved proposal with the caller's own rights.

    It is rejected, and not applied, if it no longer applies. Raises ProposalRefused, Refused, Forbidden, NotFound.
    """
    proposal, access = proposal_for(proposal_id, ports, agent, writes=True)
    return apply(proposal, access.actor, access.code, ports.store, ports.clock)


def apply(
    proposal: Proposal, by: Actor, code: Code, store: ProposalStore, clock: Clock, key: str | None = None
) -> Proposal:
    """Make one commit of an approved proposal on the head as it is now, and move the branch to it.

    The diff is checked against that head. The commit is stored before the branch moves, so that an attempt that was
    cut off is finished and not repeated. Without a pull request a branch named after the proposal begins there.
    Where somebody else applies it at the same time, both end with the one commit.
    `key` names the comment that asks for it. Raises ProposalRefused, Refused, and Retry if somebody pushes meanwhile.
    """
    for _ in range(_TRIES):
        try:
            return _apply_once(proposal, by, code, store, clock, key)
        except (ProposalRefused, Retry):
            now = store.get(proposal.id)
            if now is None or now.version == proposal.version:
                raise
            proposal = now
    raise Retry("the proposal changes too often", after_seconds=1)


def _apply_once(
    proposal: Proposal, by: Actor, code: Code, store: ProposalStore, clock: Clock, key: str | None
) -> Proposal:
    if proposal.status == "applied":
        return proposal
    staged = proposal.commit
    if staged is None:
        require_approved(proposal)
    target = code.target(proposal.number, proposal.base)
    # After the head was read: a commit that reaches the branch later does so from its parent.
    if staged is not None and code.contains(staged.branch, staged.sha):
        return change(proposal.id, NoteApplied(staged.sha), store, clock)
    require_approved(proposal)
    config = settings_of(target, code)
    if target.closed is not None:
        raise Refused(target.closed)
    if staged is None or staged.parent != target.head:
        before = staged.sha if staged is not None else None
        checked = check_diff(store.content(proposal).diff, code, target.head, config)
        if checked.problems:
            return change(proposal.id, Reject(target.head, checked.problems, by, staged=before), store, clock)
        sha = code.commit(target.head, checked.changes, words.commit_message(proposal, by))
        branch = target.branch or words.branch_name(proposal)
        staged = ProposedCommit(sha=sha, parent=target.head, branch=branch, by=by, key=key)
        change(proposal.id, StageCommit(staged, before), store, clock)
    if not code.advance(staged.branch, staged.sha):
        if proposal.number is None:
            raise Refused(words.branch_taken(staged.branch))
        raise Retry("the branch has moved meanwhile", after_seconds=1)
    return change(proposal.id, NoteApplied(staged.sha), store, clock)
