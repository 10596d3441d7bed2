"""Look: read proposals, as somebody with access to their repository."""

from kodiai.core.proposals.proposal import Content, Proposal, ProposalEvent, Status
from kodiai.core.proposals.protocol import seen_at
from kodiai.flows.proposals.access import access_to, proposal_for
from kodiai.flows.proposals.ports import ProposalPorts


def look(proposal_id: str, ports: ProposalPorts) -> tuple[Proposal, Content, tuple[ProposalEvent, ...]]:
    """Read a proposal as it is now, with its content and its history. Raises NotFound."""
    proposal, _ = proposal_for(proposal_id, ports, writes=False)
    return seen_at(proposal, ports.clock.now()), ports.store.content(proposal), ports.store.events(proposal_id)


def list_proposals(
    repository: str, status: Status | None, number: int | None, ports: ProposalPorts
) -> tuple[Proposal, ...]:
    """Read the proposals of a repository, newest first: those of a status, or of a pull request. Raises NotFound."""
    access = access_to(repository, ports, writes=False)
    now = ports.clock.now()
    seen = (seen_at(each, now) for each in ports.store.of_repository(access.caller.repository_id))
    return tuple(
        each for each in seen if (status is None or each.status == status) and (number is None or each.number == number)
    )
