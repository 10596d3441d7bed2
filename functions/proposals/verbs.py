"""The verbs, each once: HTTP's acts and the tools of MCP are made of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from pydantic import BaseModel, Field, create_model, model_validator

import api_models as models
import mcp_texts as texts
from kodiai.core.events.job import ProposalId
from kodiai.core.github.names import CommitId, Number, RepositoryName
from kodiai.core.proposals.proposal import Key, Proposal, Status
from kodiai.flows.proposals.apply import apply_as_caller
from kodiai.flows.proposals.claim import claim, release
from kodiai.flows.proposals.findings import finding, open_findings, request_review
from kodiai.flows.proposals.look import list_proposals, look
from kodiai.flows.proposals.ports import ApiPorts, ProposalPorts
from kodiai.flows.proposals.review import close, give_verdict
from kodiai.flows.proposals.submit import Submission, revise, submit

Told = tuple[str, str | None]
"""The text that an agent reads, and the id of the proposal that it is about, None if it is about none."""


class _OfProposal(models.Given):
    """The arguments of a tool about one proposal."""

    proposal_id: ProposalId = Field(description='"P-" and 20 hexadecimal digits.')


class _Keyed(models.Given):
    """The arguments of a tool that does the same thing once."""

    idempotency_key: Key | None = Field(
        default=None, description="A name of your own for this call: the same key again does it once."
    )


class _OfPullRequest(models.Given):
    repository: RepositoryName = Field(description='"owner/name".')
    pull_request: Number


class _Page(models.Given):
    page: Number = 1


class _Findings(_OfPullRequest, _Page):
    pass


class _Finding(_OfPullRequest):
    finding_id: str = Field(min_length=1, max_length=100)


class _Proposals(_Page):
    repository: RepositoryName = Field(description='"owner/name".')
    status: Status | None = Field(default=None, description='"pending" ones wait for a reviewer.')
    pull_request: Number | None = None


class _Proposal(_OfProposal):
    path: str | None = Field(default=None, description="Only the diff of this file.")
    from_line: Number = Field(default=1, description="The first line of the diff to show.")


class _Submission(models.Change, _Keyed):
    proposal_id: ProposalId | None = Field(
        default=None, description="Your own proposal, to revise it: then without the four below."
    )
    repository: RepositoryName | None = Field(default=None, description='"owner/name".')
    pull_request: Number | None = Field(default=None, description="What it is for; or else `base`.")
    base: CommitId | None = Field(default=None, description="The full id of a commit, for a new branch.")
    reviewed_by: models.ReviewedBy = Field(default="kodiai", description="kodiai by itself, or anyone who claims it.")

    @model_validator(mode="after")
    def _has_one_target(self) -> Self:
        targets = [each for each in (self.proposal_id, self.pull_request, self.base) if each is not None]
        if len(targets) != 1:
            raise ValueError("Give either pull_request or base, with repository; or proposal_id alone, to revise it.")
        if (self.proposal_id is None) == (self.repository is None):
            raise ValueError("Give repository for a new proposal, and proposal_id alone to revise one.")
        return self


@dataclass(frozen=True)
class Act:
    """A verb that changes a proposal, and shows it.

    Over HTTP it has the `method` and the `path` after "/proposals", takes `body`, and a header Idempotency-Key where
    `key` describes one.
    """

    title: str
    description: str
    method: str
    path: str
    operation: str
    body: type[BaseModel]
    do: Callable[[Any, ProposalPorts], Proposal]
    key: str | None = None
    answer: str = "The proposal."
    status: int = 200

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """The members of the body, and what HTTP has in the path and in a header."""
        of_proposal = (_OfProposal,) if self.path else ()
        keyed = (_Keyed,) if self.key else ()
        return create_model(self.operation, __base__=(self.body, *of_proposal, *keyed))

    def run(self, given: Any, ports: ProposalPorts) -> models.ShownProposal:
        """Do it by the arguments, and give the proposal as it is shown."""
        return models.shown(self.do(given, ports), ports.clock.now())

    def tell(self, given: Any, ports: ApiPorts) -> Told:
        """Do it, and say what became of the proposal."""
        shown = self.run(given, ports.proposals)
        return texts.about(shown), shown.id


@dataclass(frozen=True)
class Tool:
    """A tool of MCP. `use` says when to use it.

    `reads` is whether it changes nothing, `repeats` whether a repeated call does the same once, `destroys` whether it
    cannot be undone.
    """

    name: str
    use: str
    arguments: type[BaseModel]
    tell: Callable[[Any, ApiPorts], Told]
    reads: bool = False
    repeats: bool = True
    destroys: bool = False


def _submit(given: Any, ports: ProposalPorts) -> Proposal:
    target = given.repository, given.pull_request, given.base
    return submit(Submission(*target, given.content, given.reviewed_by, given.agent, given.idempotency_key), ports)


def _revise(given: Any, ports: ProposalPorts) -> Proposal:
    return revise(given.proposal_id, given.content, given.agent, ports)


def _verdict(given: Any, ports: ProposalPorts) -> Proposal:
    return give_verdict(given.proposal_id, given.decision, given.notes, given.generation, given.agent, ports)


def _get(given: Any, ports: ApiPorts) -> Told:
    proposal, content, events = look(given.proposal_id, ports.proposals)
    now = ports.proposals.clock.now()
    if given.path is not None or given.from_line > 1:
        return texts.diff_part(content.diff, given.path, given.from_line), proposal.id
    return texts.about_whole(models.with_events(proposal, events, now), content.diff), proposal.id


def _list(given: Any, ports: ApiPorts) -> Told:
    found = list_proposals(given.repository, given.status, given.pull_request, ports.proposals)
    return texts.about_all(models.listed(found, ports.proposals.clock.now()).proposals, given.page), None


def _open_findings(given: Any, ports: ApiPorts) -> Told:
    found = open_findings(given.repository, given.pull_request, ports)
    return texts.about_findings(found, given.page), None


def _request_review(given: Any, ports: ApiPorts) -> Told:
    return texts.about_request(request_review(given.repository, given.pull_request, ports)), None


def _finding(given: Any, ports: ApiPorts) -> Told:
    return texts.about_finding(finding(given.repository, given.pull_request, given.finding_id, ports)), None


SUBMIT = Act(
    "Submit a proposal",
    "Propose a change for review. It requires write access. "
    "The diff is checked against the code when the proposal is claimed.",
    "POST",
    "",
    "submit",
    models.NewProposal,
    _submit,
    "Your own name for this submission: with the same key the same request is done once.",
    "The proposal; `Location` is its address.",
    status=201,
)
REVISE = Act(
    "Revise a proposal",
    "Replace the content of your own proposal; the same reviewer goes on. It requires write access.",
    "PUT",
    "/<proposal_id>",
    "revise",
    models.Revision,
    _revise,
)
CLAIM = Act(
    "Claim a proposal",
    "Take somebody else's proposal for review. It requires write access. "
    "The diff is checked now, as strictly as `git apply --check`: "
    "if it does not apply, the proposal is rejected, and `problems` say why.",
    "POST",
    "/<proposal_id>/claim",
    "claim",
    models.NewClaim,
    lambda given, ports: claim(given.proposal_id, given.seconds, given.idempotency_key, given.agent, ports),
    "Your own name for this claim: with the same key it is the same claim again.",
    "The proposal: claimed, or rejected.",
)
RELEASE = Act(
    "Release a claim",
    "Give your claim back without a verdict: somebody else may claim the proposal. It requires write access.",
    "POST",
    "/<proposal_id>/release",
    "release",
    models.Ending,
    lambda given, ports: release(given.proposal_id, given.note, given.agent, ports),
)
VERDICT = Act(
    "Give a verdict",
    "Decide about a proposal that you have claimed. It requires write access.",
    "POST",
    "/<proposal_id>/verdict",
    "giveVerdict",
    models.NewVerdict,
    _verdict,
)
APPLY = Act(
    "Apply a proposal",
    "Make one commit of an approved proposal, on the branch of its pull request or on a new one. "
    "It requires write access. The diff is checked again if the branch has moved.",
    "POST",
    "/<proposal_id>/apply",
    "apply",
    models.Application,
    lambda given, ports: apply_as_caller(given.proposal_id, given.agent, ports),
    answer="The proposal: applied, or rejected if the diff does not apply any more.",
)
CLOSE = Act(
    "Close a proposal",
    "Close a proposal for good: your own, or any with write access.",
    "POST",
    "/<proposal_id>/close",
    "close",
    models.Ending,
    lambda given, ports: close(given.proposal_id, given.note, given.agent, ports),
)
ACTS: Sequence[Act] = (SUBMIT, REVISE, CLAIM, RELEASE, VERDICT, APPLY, CLOSE)


def _submit_or_revise(given: Any, ports: ApiPorts) -> Told:
    return (SUBMIT if given.proposal_id is None else REVISE).tell(given, ports)


def _tool(name: str, use: str, act: Act, **more: Any) -> Tool:
    return Tool(name, use, act.arguments, act.tell, repeats=act.key is None, **more)


TOOLS: Sequence[Tool] = (
    Tool(
        "list_open_findings",
        "Tells which head of a pull request Kodiai has reviewed and what is open, most severe first, with problem and"
        " fix. Begin here to work through a review; after a push call it again until the head is reviewed.",
        _Findings,
        _open_findings,
        reads=True,
    ),
    Tool(
        "get_finding",
        "Shows the evidence of one finding: code, steps that lead to the problem, suggested replacement, history."
        " Check it against the code before you fix it.",
        _Finding,
        _finding,
        reads=True,
    ),
    Tool(
        "request_review",
        "Asks Kodiai to review the head of a pull request, where two minutes after the push no review has begun.",
        _OfPullRequest,
        _request_review,
    ),
    Tool(
        "submit_proposal",
        "Proposes a change, which is reviewed before anything is committed. Use it when you may not push, or want a"
        " second opinion. With proposal_id it replaces the content of yours, after it was rejected or sent back.",
        _Submission,
        _submit_or_revise,
        repeats=False,
    ),
    Tool(
        "get_proposal",
        "Shows a proposal: status, verdict, what does not apply, and the diff, a long one by path and from_line."
        " Use it once a minute to wait for a verdict, and before you decide: it has the generation of your claim.",
        _Proposal,
        _get,
        reads=True,
    ),
    Tool(
        "list_proposals",
        "Lists the proposals of a repository, newest first. Use it to find one that waits for a reviewer.",
        _Proposals,
        _list,
        reads=True,
    ),
    _tool(
        "claim_proposal",
        "Takes somebody else's proposal for review, and checks that its diff applies. Use it before give_verdict.",
        CLAIM,
    ),
    _tool("release_claim", "Gives your claim back without a verdict, so that somebody else may review.", RELEASE),
    _tool(
        "give_verdict",
        "Decides about a proposal that you have claimed: approve, request_changes with notes, or comment.",
        VERDICT,
    ),
    _tool("apply_proposal", "Makes one commit of an approved proposal on its branch, with your token.", APPLY),
    _tool("close_proposal", "Ends a proposal that is not wanted any more, for good.", CLOSE, destroys=True),
)
