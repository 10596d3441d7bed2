"""Claim: take a proposal for review, and check whether its diff applies; or give it back."""

from kodiai.core.config.keys import Config
from kodiai.core.proposals.proposal import Agent, Proposal
from kodiai.core.proposals.protocol import ClaimIt, NoteCheck, Reject, Release
from kodiai.core.proposals.target import ProposalTarget
from kodiai.flows.proposals.access import proposal_for, settings_of
from kodiai.flows.proposals.change import change
from kodiai.flows.proposals.check import CheckedDiff, check_diff
from kodiai.flows.proposals.ports import ProposalPorts
from kodiai.ports.github import Code
from kodiai.ports.jobs import Clock
from kodiai.ports.stores import ProposalStore


def claim(proposal_id: str, seconds: int, key: str | None, agent: Agent | None, ports: ProposalPorts) -> Proposal:
    """Claim a proposal for a number of seconds; it is rejected if its diff does not apply to the target as it is now.

    With the same `key` it is the same claim again. Raises ProposalRefused, Refused, Forbidden, NotFound.
    """
    proposal, access = proposal_for(proposal_id, ports, agent, writes=True)
    target = access.code.target(proposal.number, proposal.base)
    config = settings_of(target, access.code)
    claimed = change(proposal.id, ClaimIt(access.actor, seconds, key), ports.store, ports.clock)
    return check_claim(claimed, access.code, target, config, ports)


def release(proposal_id: str, note: str, agent: Agent | None, ports: ProposalPorts) -> Proposal:
    """Give a claim back without a verdict. Raises ProposalRefused, Forbidden, NotFound."""
    proposal, access = proposal_for(proposal_id, ports, agent, writes=True)
    action = Release(access.actor, proposal.claims, note)
    return change(proposal.id, action, ports.store, ports.clock)


def check_claim(
    claimed: Proposal, code: Code, target: ProposalTarget, config: Config, ports: ProposalPorts
) -> Proposal:
    """Check the diff of a claimed proposal, once for each claim; it is rejected if it does not apply."""
    if claimed.status != "claimed" or claimed.checked is not None:
        return claimed
    return checked_claim(claimed, code, target, config, ports.store, ports.clock)[0]


def checked_claim(
    claimed: Proposal, code: Code, target: ProposalTarget, config: Config, store: ProposalStore, clock: Clock
) -> tuple[Proposal, CheckedDiff]:
    """Check the diff of a claimed proposal, and store the result. Gives the files before and after, too."""
    assert claimed.claim is not None  # noqa: S101 - it is claimed
    generation, by = claimed.claim.generation, claimed.claim.by
    checked = check_diff(store.content(claimed).diff, code, target.head, config)
    if checked.problems:
        action = Reject(target.head, checked.problems, by, generation)
        return change(claimed.id, action, store, clock), checked
    return change(claimed.id, NoteCheck(target.head, generation), store, clock), checked
