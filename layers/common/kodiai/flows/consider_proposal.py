"""Consider a proposal: claim it, check that it applies, judge it, and show the verdict where it was asked for."""

from contextlib import suppress
from dataclasses import asdict, dataclass, field

from kodiai.core.diffs.hunk_search import lines_of
from kodiai.core.diffs.suggestion import suggestion_for
from kodiai.core.errors import Broken, KodiaiError, Refused, Retry
from kodiai.core.events.job import ProposalJob
from kodiai.core.findings.suggestion import has_order
from kodiai.core.model.messages import ModelUse
from kodiai.core.outcome import Ended, Outcome
from kodiai.core.proposals.proposal import OFFLINE_CHECKS, REVIEWER, Actor, Proposal
from kodiai.core.proposals.protocol import ClaimIt, GiveVerdict, ProposalRefused, Release, seen_at
from kodiai.core.words import proposals as words
from kodiai.flows.proposals.access import settings_of
from kodiai.flows.proposals.change import change
from kodiai.flows.proposals.claim import checked_claim
from kodiai.flows.proposals.judge import Judge, Unjudged
from kodiai.flows.pull_request_ports import Deadline, ProposalReviewPorts
from kodiai.ports.stores import ProposalStore

_AFTER_SECONDS = 60


@dataclass(frozen=True)
class _Considered:
    """A proposal with what became of it; `why` is why there is no verdict, `use` what the model took."""

    proposal: Proposal
    why: str = ""
    use: ModelUse = field(default_factory=ModelUse)


def consider_proposal(job: ProposalJob, ports: ProposalReviewPorts) -> Outcome:
    """Review one revision of a proposal, once, and show the verdict where the proposal was asked for.

    Raises Retry or Broken; after the last attempt the proposal is left to others.
    """
    proposal = ports.store.get(job.proposal)
    if proposal is None:
        return Outcome("skipped", "there is no such proposal")
    if proposal.revision != job.revision:
        return Outcome("superseded", "there is a newer revision")
    considered = _Considered(seen_at(proposal, ports.deadline.clock.now()))
    try:
        if considered.proposal.status in ("pending", "claimed"):
            considered = _review(considered.proposal, ports)
    except Ended as ended:
        return ended.outcome
    _show(considered, ports)
    facts = {
        "status": considered.proposal.status,
        "model": asdict(considered.use.total),
        "cost_usd": considered.use.cost_usd,
        "github_calls": sum(ports.github.calls().values()) + sum(ports.code.calls().values()),
    }
    return Outcome("completed", considered.why or f"the proposal is {considered.proposal.status}", facts)


def _review(proposal: Proposal, ports: ProposalReviewPorts) -> _Considered:
    """Claim a proposal, check it and give the verdict. Raises Ended if it is not ours to review, Retry and Broken."""
    code, store, deadline = ports.code, ports.store, ports.deadline
    agent = OFFLINE_CHECKS if ports.settings.models.is_offline else REVIEWER
    us = Actor(login=ports.bot_login, agent=agent)
    judge = Judge(us, ports)
    claimed = _claimed(proposal, us, store, deadline)
    assert claimed.claim is not None  # noqa: S101 - it is claimed
    generation = claimed.claim.generation
    try:
        target = code.target(claimed.number, claimed.base)
        config = settings_of(target, code)
        checked, diff = checked_claim(claimed, code, target, config, store, deadline.clock)
        if checked.status == "rejected":
            return _Considered(checked)
        verdict, use = judge.judge(checked, store.content(checked), diff, target.head, config)
        return _Considered(change(checked.id, GiveVerdict(verdict), store, deadline.clock), use=use)
    except ProposalRefused as why:
        raise Retry(str(why)) from why
    except (Refused, Unjudged) as why:
        left = change(claimed.id, Release(us, generation, str(why)), store, deadline.clock)
        return _Considered(left, str(why))
    except (Retry, Broken) as why:
        if isinstance(why, Broken) or deadline.attempt.is_last:
            with suppress(KodiaiError):
                left = change(claimed.id, Release(us, generation, words.NOT_REVIEWED), store, deadline.clock)
                _show(_Considered(left, words.NOT_REVIEWED), ports)
        raise


def _claimed(proposal: Proposal, us: Actor, store: ProposalStore, deadline: Deadline) -> Proposal:
    """The proposal, claimed by us until after this invocation. Raises Ended if somebody else has it."""
    if proposal.status == "claimed" and proposal.claim is not None and proposal.claim.by.is_same_person(us):
        return proposal
    claim = ClaimIt(us, round(deadline.left()) + _AFTER_SECONDS, f"revision-{proposal.revision}")
    try:
        return change(proposal.id, claim, store, deadline.clock)
    except ProposalRefused as why:
        raise Ended("skipped", str(why)) from why


def _show(considered: _Considered, ports: ProposalReviewPorts) -> None:
    """Show what became of a proposal where it was asked for on its pull request, once for each revision."""
    proposal, us = considered.proposal, ports.bot_login
    if proposal.origin is None:
        return
    diff = ports.store.content(proposal).diff
    suggestion = _suggestion(proposal, diff, ports) if proposal.status == "approved" else None
    text = words.proposal_comment(proposal, diff, suggestion, considered.why, us.removesuffix("[bot]"))
    key = f"{proposal.id}-{proposal.revision}"
    ports.github.answer(key, text, thread=proposal.origin.thread, since=proposal.created)


def _suggestion(proposal: Proposal, diff: str, ports: ProposalReviewPorts) -> str | None:
    """The diff as a suggestion in the thread where it was asked for, None if it does not fit there.

    A suggestion that orders another bot about does not fit either: a diff has a sign before each line.
    """
    assert proposal.origin is not None  # noqa: S101 - it was asked for on a pull request
    snapshot = ports.github.snapshot(briefly=True)
    thread = next((each for each in snapshot.threads if each.comment_id == str(proposal.origin.thread)), None)
    opening = thread.opening if thread is not None else None
    if opening is None or opening.lines is None or snapshot.pull_request.head != proposal.checked:
        return None
    content = ports.github.file(opening.path, snapshot.pull_request.head) or b""
    lines = [line.decode("utf-8", "replace") for line in lines_of(content)]
    text = suggestion_for(diff, opening.path, opening.lines, lines)
    first, last = opening.lines[0] - 1, opening.lines[1]
    offered = (text or "").splitlines()
    new = [*(line.rstrip("\n") for line in lines[:first]), *offered, *(line.rstrip("\n") for line in lines[last:])]
    return None if has_order(opening.path, new, range(first, first + len(offered)), ports.parser) else text
