"""Access: ask GitHub who somebody is, and what they may do in a repository."""

from contextlib import suppress

from kodiai.core.config.keys import Config
from kodiai.core.config.read import BranchFile, read_settings
from kodiai.core.errors import Refused, Retry
from kodiai.core.proposals.proposal import Agent, Proposal
from kodiai.core.proposals.target import ProposalTarget
from kodiai.core.words import proposals as words
from kodiai.flows.proposals.not_found import NotFound
from kodiai.flows.proposals.ports import Access, ProposalPorts
from kodiai.ports.github import Code

_ANY_REPOSITORY = "kodiai/kodiai"
"""GitHub names the owner of a token whether or not there is such a repository."""


class Forbidden(Refused):
    """The person may know of it, and may not do this."""


def access_to(repository: str, ports: ProposalPorts, agent: Agent | None = None, *, writes: bool) -> Access:
    """Ask for somebody's access to a repository: to read it, or to write to it.

    Raises NotFound if they may not even know of it, Forbidden if they may not do this or the deployment does not serve
    the repository, and NotAuthenticated.
    """
    code = ports.open_code(repository)
    caller = code.caller(writes=writes)
    ports.on_caller(caller)
    if not caller.may_read:
        raise NotFound(words.no_such_repository(repository))
    if ports.repositories.why_not(caller.repository) is not None:
        raise Forbidden(words.excluded(caller.repository))
    if writes and not caller.may_write:
        raise Forbidden(words.requires_write_access(caller.repository))
    return Access(caller, code, agent)


def check_token(ports: ProposalPorts) -> None:
    """Check that GitHub takes the token; it passes while GitHub is busy. Raises NotAuthenticated."""
    with suppress(Retry):
        ports.on_caller(ports.open_code(_ANY_REPOSITORY).caller(writes=False))


def proposal_for(
    proposal_id: str, ports: ProposalPorts, agent: Agent | None = None, *, writes: bool
) -> tuple[Proposal, Access]:
    """Read a proposal for somebody with access to its repository. Raises NotFound and Forbidden."""
    proposal = ports.store.get(proposal_id)
    if proposal is None:
        raise NotFound(words.no_such_proposal(proposal_id))
    try:
        access = access_to(proposal.repository, ports, agent, writes=writes)
    except NotFound as error:
        raise NotFound(words.no_such_proposal(proposal_id)) from error
    if access.caller.repository_id != proposal.repository_id:  # the name was given to another repository
        raise NotFound(words.no_such_proposal(proposal_id))
    return proposal, access


def settings_of(target: ProposalTarget, code: Code) -> Config:
    """Read the settings of the repository. Raises Refused where they do not allow proposals."""
    base, default = target.base_ref, target.default_branch
    config = read_settings(
        BranchFile(base, code.settings_file(base)),
        None if default is None else BranchFile(default, code.settings_file(default)),
        code.owner_file(),
    )
    if config.refusal is not None:
        raise Refused(config.refusal)
    if not config.proposals.enabled:
        raise Refused(words.TURNED_OFF)
    return config
