"""Review: give a verdict, and close a proposal."""

from kodiai.core.proposals.proposal import Agent, Decision, Proposal, Verdict
from kodiai.core.proposals.protocol import Close, GiveVerdict
from kodiai.flows.proposals.access import proposal_for
from kodiai.flows.proposals.change import change
from kodiai.flows.proposals.ports import ProposalPorts


def give_verdict(
    proposal_id: str, decision: Decision, notes: str, generation: int, agent: Agent | None, ports: ProposalPorts
) -> Proposal:
    """Give the verdict of the claim of this generation. Raises ProposalRefused, Forbidden, NotFound."""
    proposal, access = proposal_for(proposal_id, ports, agent, writes=True)
    now = ports.clock.now()
    verdict = Verdict(decision=decision, notes=notes, by=access.actor, generation=generation, at=now)
    return change(proposal.id, GiveVerdict(verdict), ports.store, ports.clock)


def close(proposal_id: str, note: str, agent: Agent | None, ports: ProposalPorts) -> Proposal:
    """Close a proposal, as its proposer or with write access. Raises ProposalRefused, Forbidden, NotFound."""
    proposal, access = proposal_for(proposal_id, ports, agent, writes=False)
    is_own = proposal.proposer.is_same_person(access.actor)
    may_write = not is_own and access.code.caller(writes=True).may_write
    action = Close(access.actor, may_write, note)
    return change(proposal.id, action, ports.store, ports.clock)
