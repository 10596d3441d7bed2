"""Submit: store a new proposal, or a new revision of one, and have it reviewed."""

import secrets
from dataclasses import dataclass
from typing import Literal

from kodiai.core.diffs.diff import affected_files
from kodiai.core.errors import Refused
from kodiai.core.events.job import ProposalJob
from kodiai.core.proposals.proposal import (
    MOST_DIFF_BYTES,
    OFFLINE_CHECKS,
    REVIEWER,
    Actor,
    Agent,
    Content,
    Proposal,
    proposal_id,
)
from kodiai.core.proposals.protocol import Revise, submitted
from kodiai.core.words import proposals as words
from kodiai.flows.proposals.access import Forbidden, access_to, proposal_for, settings_of
from kodiai.flows.proposals.change import change
from kodiai.flows.proposals.claim import check_claim
from kodiai.flows.proposals.ports import ProposalPorts
from kodiai.ports.jobs import Clock, JobQueue
from kodiai.ports.stores import ProposalStore


@dataclass(frozen=True)
class Submission:
    """A change that somebody proposes: for a pull request (`number`), or on top of the commit `base`.

    `key` is their own name for this submission: the same key again is the same proposal.
    """

    repository: str
    number: int | None
    base: str | None
    content: Content
    reviewed_by: Literal["kodiai", "anyone"] = "kodiai"
    agent: Agent | None = None
    key: str | None = None


class KeyReused(Refused):
    """A key names another submission already."""


class BadContent(Refused):
    """The content cannot be stored."""


class TooLarge(BadContent):
    """The diff is too long."""


def submit(submission: Submission, ports: ProposalPorts) -> Proposal:
    """Store a proposal, once for each key, and queue its review if Kodiai reviews it.

    Raises BadContent, KeyReused, Refused, Forbidden, NotFound.
    """
    _check_size(submission.content)
    access = access_to(submission.repository, ports, submission.agent, writes=True)
    if not ports.store.serves(access.caller.repository_id):
        raise Forbidden(words.not_served(access.caller.repository))
    target = access.code.target(submission.number, submission.base)
    settings_of(target, access.code)
    repository, key = access.caller.ref, submission.key or secrets.token_hex(16)
    now = ports.clock.now()
    new = Proposal(
        id=proposal_id(repository.id, access.caller.login, key),
        repository=repository.name,
        repository_id=repository.id,
        owner_id=repository.owner_id,
        number=submission.number,
        base=submission.base,
        proposer=access.actor,
        reviewed_by=submission.reviewed_by,
        intent=submission.content.intent,
        files=affected_files(submission.content.diff),
        content=submission.content.digest,
        created=now,
        updated=now,
    )
    return store_new(new, submission.content, ports.store, ports.queue)


def store_new(new: Proposal, content: Content, store: ProposalStore, queue: JobQueue) -> Proposal:
    """Store a proposal unless there is one of its id, and queue its review. Raises KeyReused."""
    stored = store.create(new, submitted(new).events[0], content)
    if stored.revision == 1 and _identity(stored) != _identity(new):
        raise KeyReused(words.KEY_REUSED)
    queue_review(stored, queue)
    return stored


def _identity(proposal: Proposal) -> tuple[object, ...]:
    """The members that a repeated submission shares."""
    return proposal.content, proposal.number, proposal.base, proposal.reviewed_by, proposal.proposer


def revise(proposal_id: str, content: Content, agent: Agent | None, ports: ProposalPorts) -> Proposal:
    """Replace the content of a proposal, and have it reviewed again: by the same reviewer if there is one.

    Raises BadContent, ProposalRefused, Refused, Forbidden, NotFound.
    """
    _check_size(content)
    proposal, access = proposal_for(proposal_id, ports, agent, writes=True)
    target = access.code.target(proposal.number, proposal.base)
    config = settings_of(target, access.code)
    revised = store_revision(proposal, content, access.actor, ports.store, ports.queue, ports.clock)
    # Kodiai checks its own claim. Another program of this name has to repeat its claim before a verdict.
    if revised.claim is not None and revised.claim.by.agent not in (REVIEWER, OFFLINE_CHECKS):
        return check_claim(revised, access.code, target, config, ports)
    return revised


def store_revision(
    proposal: Proposal, content: Content, by: Actor, store: ProposalStore, queue: JobQueue, clock: Clock
) -> Proposal:
    """Store a revision, and queue its review. Raises ProposalRefused."""
    action = Revise(by, content, affected_files(content.diff))
    revised = change(proposal.id, action, store, clock, content)
    queue_review(revised, queue)
    return revised


def queue_review(proposal: Proposal, queue: JobQueue) -> None:
    """Queue the review of a proposal if Kodiai has to review it; its review happens once for each revision."""
    if proposal.reviewed_by != "kodiai" or proposal.status not in ("pending", "claimed"):
        return
    job = ProposalJob(
        delivery=f"{proposal.id}-{proposal.revision}",
        installation=proposal.origin.installation if proposal.origin else None,
        sender=proposal.proposer.login,
        repository=proposal.repository,
        repository_id=proposal.repository_id,
        owner_id=proposal.owner_id,
        number=proposal.number,
        proposal=proposal.id,
        revision=proposal.revision,
    )
    queue.send("reviews", job)


def _check_size(content: Content) -> None:
    """Check the size and the encoding of a diff, and nothing else. Raises BadContent."""
    try:
        size = len(content.diff.encode())
    except UnicodeEncodeError as error:
        raise BadContent(words.NOT_UTF8) from error
    if size > MOST_DIFF_BYTES:
        raise TooLarge(words.too_large(size))
    if not content.diff.strip():
        raise BadContent(words.EMPTY_DIFF)
