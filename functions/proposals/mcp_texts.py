"""The texts of the tools for a coding agent: the outcome of a call, and what to do next."""

from collections.abc import Sequence

from api_models import (
    ProposalWithDiff,
    ShownFindingBrief,
    ShownFindingWhole,
    ShownProposal,
)
from api_problems import ApiError
from kodiai.core.diffs.results import Problem
from kodiai.core.proposals.proposal import Actor
from kodiai.core.proposals.protocol import RefusalName
from kodiai.core.text.layout import counted

INSTRUCTIONS = """\
Kodiai reviews pull requests and brokers proposals: changes that are reviewed before they are made.
To work through a review: open_findings, then finding for the evidence of one, then fix it and submit_proposal.
To propose a change: submit_proposal; get_proposal until it is approved, rejected or sent back; revise_proposal with \
the whole new diff if needed; apply_proposal once it is approved.
To review somebody else's: list_proposals, claim_proposal, get_proposal, give_verdict.
You act as the owner of the GitHub token. Nobody reviews their own proposal."""

WHAT_TO_DO: dict[RefusalName, str] = {
    "not_for_this_status": "Call get_proposal to see what became of it.",
    "claimed_by_another": "Wait until that claim ends, or choose another proposal with list_proposals.",
    "own_proposal": "Ask somebody else to claim it, or submit it with reviewed_by: kodiai.",
    "not_the_reviewer": "Only the one who has claimed it decides. Call get_proposal to see who that is.",
    "claim_lost": "Call claim_proposal again, look at the proposal, and use the generation of the new claim.",
    "not_checked": "Call claim_proposal again with the same idempotency_key.",
    "notes_required": "Say in notes what has to change and why.",
    "applied_by_another": "Call get_proposal to see what became of it.",
    "not_the_proposer": "Submit a proposal of your own with submit_proposal.",
}


def about(proposal: ShownProposal) -> str:
    """A proposal and where it stands, with what to do next."""
    target = f"#{proposal.pull_request}" if proposal.pull_request else f"@{(proposal.base or '')[:7]}"
    head = f"{proposal.id} for {proposal.repository}{target} is {proposal.status}, revision {proposal.revision}."
    return f"{head}\n{_next(proposal)}"


def about_whole(proposal: ProposalWithDiff) -> str:
    """Everything about a proposal: what it is for, where it stands, its history and its diff."""
    changes = "\n".join(f"- {each.what}\n  Why: {each.why}" for each in proposal.changes)
    files = "\n".join(f"- {each.operation} {each.path} (+{each.added} -{each.removed})" for each in proposal.files)
    history = "\n".join(
        f"- {each.at:%Y-%m-%d %H:%M:%S} UTC, {_name(each.by)}: {each.action} → {each.status}"
        + (f"\n{_indented(each.note)}" if each.note else "")
        for each in proposal.events
    )
    return (
        f"{about(proposal)}\n\nProposed by {_name(proposal.proposer)}:\n{_indented(proposal.description)}\n\n"
        f"Changes:\n{changes}\n\nFiles:\n{files}\n\nHistory:\n{history}\n\nDiff:\n{proposal.diff}"
    )


def about_all(proposals: Sequence[ShownProposal]) -> str:
    """A list of proposals, each on one line."""
    if not proposals:
        return "There are no such proposals."
    lines = (
        f"- {each.id} {each.status}, by {each.proposer.login}, reviewed by {each.reviewed_by}: "
        f"{each.description.strip().partition(chr(10))[0]}"
        for each in proposals
    )
    return f"{counted(len(proposals), 'proposal')}, newest first:\n" + "\n".join(lines)


def about_findings(findings: Sequence[ShownFindingBrief], repository: str, number: int) -> str:
    """The open findings of a pull request, most severe first."""
    if not findings:
        return (
            f"No open findings of {repository}#{number} are known."
            " Either there are none, or Kodiai has not reviewed it yet."
        )
    listed = "\n\n".join(_finding(each) for each in findings)
    return (
        f"{counted(len(findings), 'open finding')} of {repository}#{number}, most severe first. "
        f"Call finding with an id for its evidence.\n\n{listed}"
    )


def about_finding(found: ShownFindingWhole) -> str:
    """A finding with its evidence and history."""
    parts = [f"{_finding(found)}\nStatus: {found.status}" + (f" by {found.settled_by}" if found.settled_by else "")]
    parts.append(f"Mechanism: {found.mechanism}")
    parts.append(f"Code:\n{_indented(found.quote)}")
    if found.replacement is not None:
        parts.append(f"Suggested replacement of these lines:\n{_indented(found.replacement)}")
    if found.cause is not None:
        code = f"\n{_indented(found.cause.quote)}" if found.cause.quote else " the file was moved"
        parts.append(f"Caused by the change in {found.cause.path}:{code}")
    if found.history:
        entries = "\n".join(
            f"- {each.at:%Y-%m-%d %H:%M:%S} UTC at {each.head[:7]}: {each.status}, {each.why}" for each in found.history
        )
        parts.append(f"History:\n{entries}")
    return "\n\n".join(parts)


def about_error(error: ApiError) -> str:
    """The fault of a call, and what to do about it."""
    problem = error.problem
    if problem.errors is not None:
        members = "\n".join(
            f"- {(each.pointer or '#').removeprefix('#').strip('/').replace('/', '.') or 'arguments'}: {each.detail}"
            for each in problem.errors
        )
        return f"The arguments are not as they should be:\n{members}"
    return f"{problem.detail} {WHAT_TO_DO[problem.name]}" if problem.name is not None else problem.detail


def problem_list(problems: Sequence[Problem]) -> str:
    """Why a diff does not apply, for each file and hunk, with the lines that were expected and found."""
    return "\n".join(_problem(each) for each in problems)


def _next(proposal: ShownProposal) -> str:
    claim, verdict, commit = proposal.claim, proposal.verdict, proposal.commit
    match proposal.status:
        case "pending" if proposal.reviewed_by == "kodiai":
            return "Kodiai reviews it. Call get_proposal in a minute or two to see the verdict."
        case "pending":
            return "Somebody else with write access has to claim it with claim_proposal."
        case "claimed" if claim is not None:
            checked = f"The diff applies to {proposal.checked}." if proposal.checked else "The diff is not checked yet."
            noted = f"\n{_verdict(proposal)}" if verdict is not None else ""
            return (
                f"{_name(claim.by)} reviews it: claim generation {claim.generation},"
                f" until {claim.until:%Y-%m-%d %H:%M:%S} UTC. {checked}"
                f" The reviewer reads it with get_proposal and decides with give_verdict,"
                f" generation {claim.generation}.{noted}"
            )
        case "rejected":
            return (
                "It was rejected, since the diff does not apply or may not. Make the diff again from the files as they"
                f" are now, and call revise_proposal with all of it:\n{problem_list(proposal.problems)}"
            )
        case "changes_requested":
            return (
                f"{_verdict(proposal)}\nThe proposer calls revise_proposal with the whole new diff;"
                " the same reviewer then goes on."
            )
        case "approved":
            return f"{_verdict(proposal)}\nCall apply_proposal to make the commit."
        case "applied" if commit is not None:
            return f"It is commit {commit.sha} on the branch {commit.branch}. Fetch the branch."
    return "It is closed for good: submit a new proposal if it is still wanted."


def _verdict(proposal: ShownProposal) -> str:
    verdict = proposal.verdict
    if verdict is None:
        return ""
    notes = f":\n{_indented(verdict.notes)}" if verdict.notes else "."
    return f"{_name(verdict.by)} said {verdict.decision}{notes}"


def _finding(found: ShownFindingBrief) -> str:
    lines = str(found.start_line) if found.start_line == found.end_line else f"{found.start_line}-{found.end_line}"
    notes = [
        *(["blocks the pull request"] if found.blocks else []),
        *(["not from this change"] if found.pre_existing else []),
        *(["optional"] if found.kind == "preference" else []),
        f"{found.path}:{lines}",
    ]
    first = f"Once “{found.once_fixed}” is fixed: " if found.once_fixed else ""
    rows = {"Problem": f"{first}{found.problem}", "Fix": found.fix, "Not checked": found.caveat}
    rows |= {"Thread": found.comment_url}
    return "\n".join(
        (
            f"{found.id}: {found.title}",
            f"{found.severity} {found.category}, {', '.join(notes)}",
            *(f"{name}: {text}" for name, text in rows.items() if text),
        )
    )


def _problem(problem: Problem) -> str:
    place = problem.path or "the diff"
    place += f", hunk {problem.hunk}" if problem.hunk is not None else ""
    place += f", line {problem.line}" if problem.line is not None else ""
    parts = [f"- {place}: {problem.message}"]
    for name, lines in (("expected", problem.expected), ("found", problem.found)):
        if lines:
            parts.append(f"  {name}:\n" + "\n".join(f"    |{line}" for line in lines))
    return "\n".join(parts)


def _name(actor: Actor) -> str:
    program = actor.agent.agent_type if actor.agent is not None else ""
    return f"{actor.login} ({program})" if program else actor.login


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())
