"""The protocol of proposals: which action leads from which status to which, or why it does not."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from kodiai.core.diffs.results import AffectedFile, Problem
from kodiai.core.errors import Refused
from kodiai.core.proposals.proposal import (
    MOST_PROBLEMS,
    ActionName,
    Actor,
    Claim,
    Content,
    Proposal,
    ProposalEvent,
    ProposedCommit,
    Status,
    Verdict,
)
from kodiai.core.text.layout import counted

RefusalName = Literal[
    "not_for_this_status",
    "claimed_by_another",
    "own_proposal",
    "not_the_reviewer",
    "claim_lost",
    "not_checked",
    "notes_required",
    "not_the_proposer",
    "applied_by_another",
]


class ProposalRefused(Refused):
    """An action that the protocol does not allow, by its name; the text is for the person or program that tried it."""

    def __init__(self, name: RefusalName, text: str) -> None:
        super().__init__(text)
        self.name = name


@dataclass(frozen=True)
class ClaimIt:
    """Claim a proposal for review, for a number of seconds. The same `key` again is the same claim."""

    by: Actor
    seconds: int
    key: str | None = None


@dataclass(frozen=True)
class NoteCheck:
    """The diff applies to this commit, for the claim of this generation."""

    head: str
    generation: int


@dataclass(frozen=True)
class Reject:
    """The diff does not apply to this commit, or may not: found for a claim, or when it was to be applied.

    `generation` is the claim's. Without one it was to be applied, and `staged` is the id of the commit that was staged
    when it was checked.
    """

    head: str
    problems: tuple[Problem, ...]
    by: Actor
    generation: int | None = None
    staged: str | None = None


@dataclass(frozen=True)
class GiveVerdict:
    """A verdict; its `at` is when it is given."""

    verdict: Verdict


@dataclass(frozen=True)
class Revise:
    """Replace the content."""

    by: Actor
    content: Content
    files: tuple[AffectedFile, ...]


@dataclass(frozen=True)
class Close:
    """Close a proposal for good; `may_write` is whether the person has write access."""

    by: Actor
    may_write: bool
    note: str = ""


@dataclass(frozen=True)
class Release:
    """Give a claim back without a verdict; `note` says why."""

    by: Actor
    generation: int
    note: str = ""


@dataclass(frozen=True)
class StageCommit:
    """A commit with the change exists, and the branch is to be moved to it.

    `instead` is the id of the commit that was staged before and can no longer reach the branch.
    """

    commit: ProposedCommit
    instead: str | None = None


@dataclass(frozen=True)
class NoteApplied:
    """The branch has the commit."""

    sha: str


Action = ClaimIt | NoteCheck | Reject | GiveVerdict | Revise | Close | Release | StageCommit | NoteApplied


@dataclass(frozen=True)
class Transition:
    """The result of an action: the proposal as it is then, and the new entries of its history.

    With the version that it had before nothing changes: the same was done before.
    """

    proposal: Proposal
    events: tuple[ProposalEvent, ...] = ()


def seen_at(proposal: Proposal, now: float) -> Proposal:
    """The proposal as it is at a time (epoch seconds): a claim that has ended is none."""
    if proposal.status == "claimed" and proposal.claim is not None and proposal.claim.until <= now:
        return proposal.model_copy(update={"status": "pending", "claim": None, "checked": None})
    return proposal


def submitted(proposal: Proposal) -> Transition:
    """The first entry of the history of a new proposal."""
    return Transition(proposal, (_event(proposal, proposal.proposer, "submit", proposal.created),))


def act(proposal: Proposal, action: Action, now: float) -> Transition:
    """The result of an action at a time (epoch seconds). Raises ProposalRefused, by name, for everything else."""
    seen = seen_at(proposal, now)
    match action:
        case ClaimIt():
            changed = _claim(seen, action, now)
        case NoteCheck():
            changed = _note_check(seen, action, now)
        case Reject():
            changed = _reject(seen, action, now)
        case GiveVerdict():
            changed = _give_verdict(seen, action.verdict, now)
        case Revise():
            changed = _revise(seen, action, now)
        case Close():
            changed = _close(seen, action, now)
        case Release():
            changed = _release(seen, action, now)
        case StageCommit():
            changed = _stage_commit(seen, action, now)
        case NoteApplied():
            changed = _note_applied(seen, action, now)
    if changed.proposal.version == proposal.version or seen is proposal or proposal.claim is None:
        return changed
    # The claim ended before this action: that is an entry of its own, before the action's.
    ended = _event(proposal, proposal.claim.by, "expire", proposal.claim.until, status="pending")
    return _numbered(changed.proposal, proposal.version, (ended, *changed.events))


def _claim(proposal: Proposal, action: ClaimIt, now: float) -> Transition:
    claim = proposal.claim
    if proposal.proposer.is_same_person(action.by):
        raise ProposalRefused("own_proposal", "Nobody reviews their own proposal: another person has to claim it.")
    if claim is not None and proposal.status in ("claimed", "rejected") and _is_same_claim(claim, action):
        return Transition(proposal)
    held = claim if proposal.status == "claimed" else None
    if held is None:
        _require(proposal, "claimed", "pending")
    elif not held.by.is_same_person(action.by):
        raise ProposalRefused(
            "claimed_by_another",
            f"{held.by.login} has claimed the proposal, generation {held.generation},"
            f" for another {max(round(held.until - now), 1)} seconds.",
        )
    elif (held.key, held.until) == (action.key, now + action.seconds):
        return Transition(proposal)
    # A reviewer who has lost the generation of their claim makes a new one.
    generation = proposal.claims + 1
    claim = Claim(
        by=action.by, generation=generation, until=now + action.seconds, seconds=action.seconds, key=action.key
    )
    changes = {"status": "claimed", "claim": claim, "claims": generation, "checked": None}
    return _changed(proposal, changes, action.by, "claim", now, f"generation {generation}")


def _is_same_claim(claim: Claim, action: ClaimIt) -> bool:
    """Whether the same claim was made before: a repeated request gets the same answer."""
    return claim.key is not None and claim.key == action.key and claim.by.is_same_person(action.by)


def _note_check(proposal: Proposal, action: NoteCheck, now: float) -> Transition:
    claim = _hold(proposal, action.generation)
    if proposal.checked == action.head:
        return Transition(proposal)
    return _changed(proposal, {"checked": action.head}, claim.by, "check", now, f"it applies to {action.head}")


def _reject(proposal: Proposal, action: Reject, now: float) -> Transition:
    if action.generation is not None:
        _hold(proposal, action.generation)
    else:
        _require(proposal, "rejected", "approved")
        _require_staged(proposal, action.staged)
    problems, more = action.problems[:MOST_PROBLEMS], len(action.problems) - MOST_PROBLEMS
    if more > 0:
        problems += (Problem(message=f"There is more that does not apply: {counted(more, 'problem')}."),)
    changes = {"status": "rejected", "problems": problems, "checked": None, "commit": None}
    note = f"it does not apply to {action.head}: {counted(len(action.problems), 'problem')}"
    return _changed(proposal, changes, action.by, "reject", now, note)


def _give_verdict(proposal: Proposal, verdict: Verdict, now: float) -> Transition:
    if proposal.proposer.is_same_person(verdict.by):
        raise ProposalRefused(
            "own_proposal", "Nobody reviews their own proposal: the verdict has to be another person's."
        )
    if verdict.decision != "approve" and not verdict.notes.strip():
        raise ProposalRefused("notes_required", f"The verdict {verdict.decision} requires notes.")
    if _is_same(proposal.verdict, verdict):
        return Transition(proposal)
    if proposal.status != "pending" or not 0 < verdict.generation <= proposal.claims:
        _require(proposal, "reviewed", "claimed")
    claim = _hold(proposal, verdict.generation)
    if not claim.by.is_same_person(verdict.by):
        raise ProposalRefused(
            "not_the_reviewer", f"Only {claim.by.login}, who has claimed the proposal, gives the verdict."
        )
    if proposal.checked is None:
        raise ProposalRefused(
            "not_checked", "It is not known yet whether the diff applies: repeat the claim with its key."
        )
    status: Status = "claimed"
    if verdict.decision != "comment":
        status = "approved" if verdict.decision == "approve" else "changes_requested"
    changes = {"status": status, "verdict": verdict, "claim": None if status == "approved" else claim}
    note = f"{verdict.decision}: {verdict.notes}" if verdict.notes else verdict.decision
    return _changed(proposal, changes, verdict.by, "verdict", now, note)


def _is_same(given: Verdict | None, verdict: Verdict) -> bool:
    """Whether the same verdict was given before."""
    return (
        given is not None
        and given.model_copy(update={"at": verdict.at, "by": verdict.by}) == verdict
        and (given.by.is_same_person(verdict.by))
    )


def _revise(proposal: Proposal, action: Revise, now: float) -> Transition:
    if not proposal.proposer.is_same_person(action.by):
        raise ProposalRefused(
            "not_the_proposer", f"Only {proposal.proposer.login}, who proposes it, can revise the proposal."
        )
    digest, claim = action.content.digest, proposal.claim
    if proposal.content == digest and proposal.status in ("pending", "claimed"):
        return Transition(proposal)
    _require(proposal, "revised", "pending", "changes_requested", "rejected")
    changes: dict[str, object] = {
        "status": "pending",
        "intent": action.content.intent,
        "files": action.files,
        "content": digest,
        "revision": proposal.revision + 1,
        "claim": None,
        "checked": None,
        "problems": (),
        "verdict": None,
    }
    if proposal.status == "changes_requested" and claim is not None:
        # The same reviewer goes on. A verdict on the former content has another generation, and is refused.
        generation = proposal.claims + 1
        kept = {"generation": generation, "until": now + claim.seconds, "key": None}
        changes |= {"status": "claimed", "claims": generation, "claim": claim.model_copy(update=kept)}
    return _changed(proposal, changes, action.by, "revise", now, f"revision {proposal.revision + 1}")


def _close(proposal: Proposal, action: Close, now: float) -> Transition:
    if not (action.may_write or proposal.proposer.is_same_person(action.by)):
        raise ProposalRefused(
            "not_the_proposer", "Only the proposer, or somebody with write access, can close the proposal."
        )
    if proposal.status == "closed":
        return Transition(proposal)
    _require(proposal, "closed", "pending", "claimed", "changes_requested", "rejected", "approved")
    return _changed(proposal, {"status": "closed", "claim": None}, action.by, "close", now, action.note)


def _release(proposal: Proposal, action: Release, now: float) -> Transition:
    if proposal.status == "pending" and proposal.claims >= action.generation:
        return Transition(proposal)
    if not _hold(proposal, action.generation).by.is_same_person(action.by):
        raise ProposalRefused("not_the_reviewer", "Only the one who has claimed the proposal gives the claim back.")
    changes = {"status": "pending", "claim": None, "checked": None}
    return _changed(proposal, changes, action.by, "release", now, action.note)


def _stage_commit(proposal: Proposal, action: StageCommit, now: float) -> Transition:
    require_approved(proposal)
    if proposal.commit == action.commit:
        return Transition(proposal)
    _require_staged(proposal, action.instead)
    changes = {"commit": action.commit, "checked": action.commit.parent}
    return _changed(proposal, changes, action.commit.by, "stage", now, action.commit.sha)


def _note_applied(proposal: Proposal, action: NoteApplied, now: float) -> Transition:
    """The branch has the commit, whatever was done to the proposal since it was staged."""
    if proposal.commit is None or proposal.commit.sha != action.sha:
        raise ProposalRefused("not_for_this_status", f"The commit {action.sha} is not the proposal's.")
    if proposal.status == "applied":
        return Transition(proposal)
    changes = {"status": "applied", "claim": None}
    return _changed(proposal, changes, proposal.commit.by, "apply", now, action.sha)


def require_approved(proposal: Proposal) -> None:
    """Check that a proposal may be applied. Raises ProposalRefused."""
    _require(proposal, "applied", "approved")


def _require_staged(proposal: Proposal, staged: str | None) -> None:
    """Check that no other commit was staged meanwhile, which may be on the branch already. Raises ProposalRefused."""
    if (proposal.commit.sha if proposal.commit is not None else None) != staged:
        raise ProposalRefused("applied_by_another", "Somebody else is applying the proposal at this moment: try again.")


def _hold(proposal: Proposal, generation: int) -> Claim:
    """Check that the claim of this generation holds, and return it. Raises ProposalRefused."""
    claim = proposal.claim
    if proposal.status == "claimed" and claim is not None and claim.generation == generation:
        return claim
    if not 0 < generation <= proposal.claims:
        raise ProposalRefused("claim_lost", f"There is no claim of generation {generation}.")
    raise ProposalRefused("claim_lost", f"The claim of generation {generation} is over: claim the proposal again.")


def _require(proposal: Proposal, done: str, *allowed: Status) -> None:
    """Check the status. Raises ProposalRefused."""
    if proposal.status not in allowed:
        names = " or ".join(filter(None, (", ".join(allowed[:-1]), allowed[-1])))
        raise ProposalRefused(
            "not_for_this_status", f"The proposal is {proposal.status}. To be {done} it has to be {names}."
        )


def _changed(
    proposal: Proposal, changes: Mapping[str, object], by: Actor, action: ActionName, now: float, note: str = ""
) -> Transition:
    changed = proposal.model_copy(update={**changes, "updated": now})
    return _numbered(changed, proposal.version, (_event(changed, by, action, now, note),))


def _numbered(proposal: Proposal, version: int, events: tuple[ProposalEvent, ...]) -> Transition:
    """Count the events on from the version before; the last one's number is the version now."""
    numbered = tuple(event.model_copy(update={"number": version + at}) for at, event in enumerate(events, 1))
    return Transition(proposal.model_copy(update={"version": version + len(events)}), numbered)


def _event(
    proposal: Proposal, by: Actor, action: ActionName, at: float, note: str = "", *, status: Status | None = None
) -> ProposalEvent:
    number = proposal.version
    return ProposalEvent(number=number, at=at, by=by, action=action, status=status or proposal.status, note=note)
