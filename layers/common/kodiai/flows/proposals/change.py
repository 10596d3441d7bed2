"""Change: do one action to a proposal, also while others act on it."""

from kodiai.core.errors import Retry
from kodiai.core.proposals.proposal import Content, Proposal
from kodiai.core.proposals.protocol import Action, act
from kodiai.core.words import proposals as words
from kodiai.flows.proposals.not_found import NotFound
from kodiai.ports.jobs import Clock
from kodiai.ports.stores import ProposalStore

_TRIES = 20


def change(
    proposal_id: str, action: Action, store: ProposalStore, clock: Clock, content: Content | None = None
) -> Proposal:
    """Do an action to the proposal as it is now, and return it as it is then.

    If somebody else writes first, the action is judged again by what they made of it.
    Raises ProposalRefused by the protocol, NotFound, and Retry.
    """
    for _ in range(_TRIES):
        proposal = store.get(proposal_id)
        if proposal is None:
            raise NotFound(words.no_such_proposal(proposal_id))
        changed = act(proposal, action, clock.now())
        if changed.proposal.version == proposal.version or store.write(proposal, changed, content):
            return changed.proposal
    raise Retry("the proposal changes too often", after_seconds=1)
