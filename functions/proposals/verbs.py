"""The verbs, each once: its fields, its sentences and its call. HTTP's acts and the tools of MCP are made of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from pydantic import BaseModel, Field, create_model

import api_models as models
import mcp_texts as texts
from kodiai.core.events.job import ProposalId
from kodiai.core.github.names import Number, RepositoryName
from kodiai.core.proposals.proposal import Key, Proposal, Status
from kodiai.flows.proposals.apply import apply_as_caller
from kodiai.flows.proposals.claim import claim
from kodiai.flows.proposals.findings import finding, open_findings
from kodiai.flows.proposals.look import list_proposals, look
from kodiai.flows.proposals.ports import ApiPorts, ProposalPorts
from kodiai.flows.proposals.review import close, give_verdict
from kodiai.flows.proposals.submit import Submission, revise, submit


class _OfProposal(models.Given):
    """The arguments of a tool about one proposal."""

    proposal_id: ProposalId = Field(
        description=(
            'The proposal\'s id, as submit_proposal and list_proposals give it: "P-" and 20 hexadecimal digits.'
        )
    )


class _Keyed(models.Given):
    """The arguments of a tool that does the same thing once."""

    idempotency_key: Key | None = Field(
        default=None,
        description=(
            "Any text of your own. If a call broke off, make it again with the same key: it is then done once."
        ),
    )


class _List(models.Given):
    repository: RepositoryName = Field(description='The repository, "owner/name".')
    status: Status | None = Field(
        default=None, description='Only proposals of this status; "pending" are those that wait for a reviewer.'
    )
    pull_request: Number | None = Field(default=None, description="Only proposals for this pull request.")


class _OpenFindings(models.Given):
    repository: RepositoryName = Field(description='The repository, "owner/name".')
    pull_request: Number = Field(description="The number of the pull request.")


class _Finding(_OpenFindings):
    finding_id: str = Field(min_length=1, max_length=100, description="The finding's id, as open_findings gives it.")


@dataclass(frozen=True)
class Read:
    """A verb that changes nothing. `run` gives what is shown, `text` what an agent reads of it.

    `hint` is what only agents need, which know nothing else of us.
    """

    tool: str
    title: str
    description: str
    hint: str
    arguments: type[BaseModel]
    output: type[BaseModel]
    run: Callable[[Any, ApiPorts], Any]
    text: Callable[[Any, Any], str]


@dataclass(frozen=True)
class Act:
    """A verb that changes a proposal, and shows it.

    Over HTTP it has the `method` and the `path` after "/proposals", takes `body`, and a header Idempotency-Key where
    `key` describes one. `destroys` is whether it cannot be undone.
    """

    tool: str
    title: str
    description: str
    hint: str
    method: str
    path: str
    operation: str
    body: type[BaseModel]
    do: Callable[[Any, ProposalPorts], Proposal]
    key: str | None = None
    answer: str = "The proposal."
    status: int = 200
    destroys: bool = False

    output: ClassVar = models.ShownProposal

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """The arguments of the tool: the members of the body, and what HTTP has in the path and in a header."""
        of_proposal = (_OfProposal,) if self.path else ()
        keyed = (_Keyed,) if self.key else ()
        return create_model(self.operation, __base__=(self.body, *of_proposal, *keyed))

    def run(self, given: Any, ports: ApiPorts) -> models.ShownProposal:
        """Do it by the arguments, and give the proposal as it is shown."""
        return models.shown(self.do(given, ports.proposals), ports.proposals.clock.now())

    def text(self, data: models.ShownProposal, _: Any) -> str:
        """The proposal as an agent reads it."""
        return texts.about(data)


def _submit(given: Any, ports: ProposalPorts) -> Proposal:
    target = given.repository, given.pull_request, given.base
    return submit(Submission(*target, given.content, given.reviewed_by, given.agent, given.idempotency_key), ports)


def _verdict(given: Any, ports: ProposalPorts) -> Proposal:
    return give_verdict(given.proposal_id, given.decision, given.notes, given.generation, given.agent, ports)


def _get(given: Any, ports: ApiPorts) -> models.ProposalWithDiff:
    return models.with_diff(*look(given.proposal_id, ports.proposals), ports.proposals.clock.now())


def _list(given: Any, ports: ApiPorts) -> models.ProposalList:
    found = list_proposals(given.repository, given.status, given.pull_request, ports.proposals)
    return models.listed(found, ports.proposals.clock.now())


def _open_findings(given: Any, ports: ApiPorts) -> models.FindingList:
    found = open_findings(given.repository, given.pull_request, ports)
    return models.FindingList(findings=tuple(models.shown_finding(each) for each in found))


def _finding(given: Any, ports: ApiPorts) -> models.ShownFindingWhole:
    return models.whole_finding(finding(given.repository, given.pull_request, given.finding_id, ports))


GET = Read(
    "get_proposal",
    "Read a proposal",
    "Read a proposal with its history. It requires read access.",
    "It has the status, the verdict with notes, the problems of its diff, and the diff itself. Use it to wait for a"
    " verdict (once or twice a minute), and to read what you have claimed before you decide.",
    _OfProposal,
    models.ProposalWithDiff,
    _get,
    lambda data, _: texts.about_whole(data),
)
LIST = Read(
    "list_proposals",
    "List proposals",
    "Read the proposals of a repository, newest first, at most 500. It requires read access.",
    'All, or those of a status or pull request. Use it with status "pending" to find what waits for a reviewer.',
    _List,
    models.ProposalList,
    _list,
    lambda data, _: texts.about_all(data.proposals),
)
SUBMIT = Act(
    "submit_proposal",
    "Submit a proposal",
    "Propose a change for review. It requires write access. "
    "The diff is checked against the code when the proposal is claimed.",
    "It is for a pull request (pull_request) or on top of a commit (base): give exactly one of the two. Make the diff"
    " with `git diff` against the head of the pull request, or against base, and send it whole: context lines, file"
    " headers, newline at the end. Say for each change what and why. Kodiai reviews it, or with reviewed_by: anyone"
    " somebody else who claims it. Gives the proposal with its id. Next: get_proposal until the status is approved,"
    " rejected or changes_requested. A proposal is kept for 90 days.",
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
    "revise_proposal",
    "Revise a proposal",
    "Replace the content of your own proposal; the same reviewer goes on. It requires write access.",
    "It has to be pending, rejected or sent back. Send the whole new diff, made against the files as they are now, not"
    " a diff of the diff. The id stays. After requested changes the diff is checked immediately; otherwise it is"
    " checked at the next claim.",
    "PUT",
    "/<proposal_id>",
    "revise",
    models.Revision,
    lambda given, ports: revise(given.proposal_id, given.content, given.agent, ports),
)
CLAIM = Act(
    "claim_proposal",
    "Claim a proposal",
    "Take somebody else's proposal for review. It requires write access. "
    "The diff is checked now, as strictly as `git apply --check`: "
    "if it does not apply, the proposal is rejected, and `problems` say why.",
    "Then there is nothing left for you to do. Otherwise it is yours for 30 minutes unless you say otherwise: read it"
    " with get_proposal and decide with give_verdict and the claim's generation. Nobody can claim their own proposal.",
    "POST",
    "/<proposal_id>/claim",
    "claim",
    models.NewClaim,
    lambda given, ports: claim(given.proposal_id, given.seconds, given.idempotency_key, given.agent, ports),
    "Your own name for this claim: with the same key it is the same claim again.",
    "The proposal: claimed, or rejected.",
)
VERDICT = Act(
    "give_verdict",
    "Give a verdict",
    "Decide about a proposal that you have claimed. It requires write access.",
    "Approve, request_changes (say in notes what has to change and why), or comment (the claim stays yours). Give the"
    " generation of your claim: if the claim has ended, or the proposal was revised, the verdict is refused, and you"
    " claim and read it again.",
    "POST",
    "/<proposal_id>/verdict",
    "giveVerdict",
    models.NewVerdict,
    _verdict,
)
APPLY = Act(
    "apply_proposal",
    "Apply a proposal",
    "Make one commit of an approved proposal, on the branch of its pull request or on a new one. "
    "It requires write access. The diff is checked again if the branch has moved.",
    "The proposal is rejected if it does not apply any more. The commit is made with your token; a new branch is"
    " kodiai/<id> on top of the base. Gives the proposal with the commit.",
    "POST",
    "/<proposal_id>/apply",
    "apply",
    models.Application,
    lambda given, ports: apply_as_caller(given.proposal_id, given.agent, ports),
    answer="The proposal: applied, or rejected if the diff does not apply any more.",
)
CLOSE = Act(
    "close_proposal",
    "Close a proposal",
    "Close a proposal for good: your own, or any with write access.",
    "Use it when the proposal is not wanted any more. It cannot be opened again.",
    "POST",
    "/<proposal_id>/close",
    "close",
    models.Closing,
    lambda given, ports: close(given.proposal_id, given.note, given.agent, ports),
    destroys=True,
)
OPEN_FINDINGS = Read(
    "open_findings",
    "Open findings of a pull request",
    "List what Kodiai's reviews of a pull request found and nobody has settled yet, most severe first: id, severity,"
    " file and lines, problem and fix. It requires read access.",
    "Begin here when you are asked to work through a review. Then call finding for the evidence of one, fix the code,"
    " and push or call submit_proposal.",
    _OpenFindings,
    models.FindingList,
    _open_findings,
    lambda data, given: texts.about_findings(data.findings, given.repository, given.pull_request),
)
FINDING = Read(
    "finding",
    "One finding with its evidence",
    "Read one finding: the code that it is about, how the problem comes about, the suggested replacement, what was not"
    " checked, its status and history. It requires read access.",
    "Check the mechanism against the code before you fix it; if it is wrong, say so in its thread (comment_url) with"
    " the line that refutes it.",
    _Finding,
    models.ShownFindingWhole,
    _finding,
    lambda data, _: texts.about_finding(data),
)

ACTS: Sequence[Act] = (SUBMIT, REVISE, CLAIM, VERDICT, APPLY, CLOSE)
TOOLS: Sequence[Read | Act] = (OPEN_FINDINGS, FINDING, SUBMIT, GET, REVISE, LIST, CLAIM, VERDICT, APPLY, CLOSE)
