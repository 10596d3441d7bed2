"""The tools of the MCP server: each is a verb of the protocol, described for an agent that knows nothing else of us."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

import api_models as models
import mcp_texts as texts
from kodiai.core.events.job import ProposalId
from kodiai.core.github.names import Number, RepositoryName
from kodiai.core.proposals.proposal import Key, Proposal, Status
from kodiai.flows.proposals.apply import apply_as_caller
from kodiai.flows.proposals.claim import claim
from kodiai.flows.proposals.findings import finding, open_findings
from kodiai.flows.proposals.look import list_proposals, look
from kodiai.flows.proposals.ports import ApiPorts
from kodiai.flows.proposals.review import close, give_verdict
from kodiai.flows.proposals.submit import revise, submit


class _Arguments(BaseModel):
    """What a tool is called with."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class _OfProposal(_Arguments):
    """The arguments of a tool about one proposal."""

    proposal_id: ProposalId = Field(
        description=(
            'The proposal\'s id, as submit_proposal and list_proposals give it: "P-" and 20 hexadecimal digits.'
        )
    )


class _Keyed(_Arguments):
    """The arguments of a tool that does the same thing once."""

    idempotency_key: Key | None = Field(
        default=None,
        description=(
            "Any text of your own. If a call broke off, make it again with the same key: it is then done once."
        ),
    )


class SubmitProposal(models.NewProposal, _Keyed):
    """Arguments."""

    model_config = ConfigDict(json_schema_extra=None)


class ReviseProposal(models.Revision, _OfProposal):
    """Arguments."""

    model_config = ConfigDict(json_schema_extra=None)


class ClaimProposal(models.NewClaim, _OfProposal, _Keyed):
    """Arguments."""

    model_config = ConfigDict(json_schema_extra=None)


class GiveVerdict(models.NewVerdict, _OfProposal):
    """Arguments."""

    model_config = ConfigDict(json_schema_extra=None)


class CloseProposal(models.Closing, _OfProposal):
    """Arguments."""


class ApplyProposal(models.Application, _OfProposal):
    """Arguments."""


class GetProposal(_OfProposal):
    """Arguments."""


class ListProposals(_Arguments):
    """Arguments."""

    repository: RepositoryName = Field(description='The repository, "owner/name".')
    status: Status | None = Field(
        default=None, description='Only proposals of this status; "pending" are those that wait for a reviewer.'
    )
    pull_request: Number | None = Field(default=None, description="Only proposals for this pull request.")


class OpenFindings(_Arguments):
    """Arguments."""

    repository: RepositoryName = Field(description='The repository, "owner/name".')
    pull_request: Number = Field(description="The number of the pull request.")


class ReadFinding(OpenFindings):
    """Arguments."""

    finding_id: str = Field(min_length=1, max_length=100, description="The finding's id, as open_findings gives it.")


@dataclass(frozen=True)
class ToolResult:
    """What a tool gives: data by its output schema, and the same as text. `proposal` is what it was about."""

    data: BaseModel
    text: str
    proposal: str | None = None


@dataclass(frozen=True)
class Tool:
    """A tool. `writes` is whether it changes anything, `destroys` whether that cannot be undone."""

    name: str
    title: str
    description: str
    arguments: type[BaseModel]
    output: type[BaseModel]
    run: Callable[[Any, ApiPorts], ToolResult]
    writes: bool = True
    destroys: bool = False
    repeats: bool = True

    def shown(self) -> dict[str, Any]:
        """The tool as it is listed."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": _schema(self.arguments, "validation"),
            "outputSchema": _schema(self.output, "serialization"),
            "annotations": {
                "title": self.title,
                "readOnlyHint": not self.writes,
                **({"destructiveHint": self.destroys, "idempotentHint": self.repeats} if self.writes else {}),
                "openWorldHint": False,
            },
        }


def _schema(model: type[BaseModel], mode: Any) -> dict[str, Any]:
    schema: dict[str, Any] = _plain(model.model_json_schema(mode=mode))
    return {name: part for name, part in schema.items() if name != "description"}


def _plain(node: Any) -> Any:
    """Leave out the titles, which repeat the names."""
    if isinstance(node, list):
        return [_plain(each) for each in node]
    if not isinstance(node, dict):
        return node
    return {name: _plain(each) for name, each in node.items() if name != "title" or not isinstance(each, str)}


def _submit(given: SubmitProposal, ports: ApiPorts) -> ToolResult:
    return _result(submit(given.submission(given.idempotency_key), ports.proposals), ports)


def _revise(given: ReviseProposal, ports: ApiPorts) -> ToolResult:
    return _result(revise(given.proposal_id, given.content, given.agent, ports.proposals), ports)


def _claim(given: ClaimProposal, ports: ApiPorts) -> ToolResult:
    claimed = claim(given.proposal_id, given.seconds, given.idempotency_key, given.agent, ports.proposals)
    return _result(claimed, ports)


def _verdict(given: GiveVerdict, ports: ApiPorts) -> ToolResult:
    decided = give_verdict(
        given.proposal_id, given.decision, given.notes, given.generation, given.agent, ports.proposals
    )
    return _result(decided, ports)


def _close(given: CloseProposal, ports: ApiPorts) -> ToolResult:
    return _result(close(given.proposal_id, given.note, given.agent, ports.proposals), ports)


def _apply(given: ApplyProposal, ports: ApiPorts) -> ToolResult:
    return _result(apply_as_caller(given.proposal_id, given.agent, ports.proposals), ports)


def _get(given: GetProposal, ports: ApiPorts) -> ToolResult:
    proposal, content, events = look(given.proposal_id, ports.proposals)
    data = models.with_diff(proposal, content, events, ports.proposals.clock.now())
    return ToolResult(data, texts.about_whole(data), proposal.id)


def _list(given: ListProposals, ports: ApiPorts) -> ToolResult:
    now = ports.proposals.clock.now()
    found = list_proposals(given.repository, given.status, given.pull_request, ports.proposals)
    data = models.ProposalList(proposals=tuple(models.shown(each, now) for each in found))
    return ToolResult(data, texts.about_all(data.proposals))


def _open_findings(given: OpenFindings, ports: ApiPorts) -> ToolResult:
    found = open_findings(given.repository, given.pull_request, ports)
    data = models.FindingList(findings=tuple(models.shown_finding(each) for each in found))
    return ToolResult(data, texts.about_findings(data.findings, given.repository, given.pull_request))


def _finding(given: ReadFinding, ports: ApiPorts) -> ToolResult:
    data = models.whole_finding(finding(given.repository, given.pull_request, given.finding_id, ports))
    return ToolResult(data, texts.about_finding(data))


def _result(proposal: Proposal, ports: ApiPorts) -> ToolResult:
    data = models.shown(proposal, ports.proposals.clock.now())
    return ToolResult(data, texts.about(data), proposal.id)


TOOLS: Sequence[Tool] = (
    Tool(
        "open_findings",
        "Open findings of a pull request",
        "List what Kodiai's reviews of a pull request found and nobody has settled yet, most severe first: id,"
        " severity, file and lines, problem and fix. Begin here when you are asked to work through a review."
        " Then call finding for the evidence of one, fix the code, and push or call submit_proposal."
        " Requires read access.",
        OpenFindings,
        models.FindingList,
        _open_findings,
        writes=False,
    ),
    Tool(
        "finding",
        "One finding with its evidence",
        "Read one finding: the code that it is about, how the problem comes about, the suggested replacement, what was"
        " not checked, its status and history. Check the mechanism against the code before you fix it; if it is wrong,"
        " say so in its thread (comment_url) with the line that refutes it. Requires read access.",
        ReadFinding,
        models.ShownFindingWhole,
        _finding,
        writes=False,
    ),
    Tool(
        "submit_proposal",
        "Propose a change",
        "Propose a change for review before it is made, for a pull request (pull_request) or on top of a commit (base):"
        " give exactly one of the two. Make the diff with `git diff` against the head of the pull request, or against"
        " base, and send it whole: context lines, file headers, newline at the end. Say for each change what and why."
        " Kodiai reviews it, or with reviewed_by: anyone somebody else who claims it. Gives the proposal with its id."
        " The diff is checked when the proposal is claimed. Next: get_proposal until the status is approved, rejected"
        " or changes_requested. A proposal is kept for 90 days. Requires write access.",
        SubmitProposal,
        models.ShownProposal,
        _submit,
        repeats=False,
    ),
    Tool(
        "get_proposal",
        "Read a proposal",
        "Read a proposal: status, verdict with notes, problems of its diff, history, and the diff itself. Use it to"
        " wait for a verdict (once or twice a minute), and to read what you have claimed before you decide."
        " Requires read access.",
        GetProposal,
        models.ProposalWithDiff,
        _get,
        writes=False,
    ),
    Tool(
        "revise_proposal",
        "Revise a proposal",
        "Replace the content of your own proposal after it was rejected or changes were requested, or while it is"
        " pending. Send the whole new diff, made against the files as they are now, not a diff of the diff. The id"
        " stays. After requested changes the same reviewer goes on and the diff is checked immediately; otherwise it is"
        " checked at the next claim. Requires write access.",
        ReviseProposal,
        models.ShownProposal,
        _revise,
    ),
    Tool(
        "list_proposals",
        "List proposals",
        "List the proposals of a repository, newest first, at most 500, all or those of a status or pull request."
        ' Use it with status "pending" to find what waits for a reviewer. Requires read access.',
        ListProposals,
        models.ProposalList,
        _list,
        writes=False,
    ),
    Tool(
        "claim_proposal",
        "Claim a proposal for review",
        "Take somebody else's pending proposal for review, for 30 minutes unless you say otherwise. The diff is checked"
        " now, as strictly as `git apply --check`: if it does not apply, the proposal is rejected with the errors of"
        " each file and hunk, and there is nothing left for you to do. Otherwise read it with get_proposal and decide"
        " with give_verdict and the claim's generation. Nobody can claim their own proposal. Requires write access.",
        ClaimProposal,
        models.ShownProposal,
        _claim,
        repeats=False,
    ),
    Tool(
        "give_verdict",
        "Decide about a proposal",
        "Decide about a proposal that you have claimed: approve, request_changes (say in notes what has to change and"
        " why), or comment (the claim stays yours). Give the generation of your claim: if the claim has ended, or"
        " the proposal was revised, the verdict is refused, and you claim and read it again."
        " Requires write access.",
        GiveVerdict,
        models.ShownProposal,
        _verdict,
    ),
    Tool(
        "apply_proposal",
        "Apply an approved proposal",
        "Make one commit of an approved proposal, with your token: on the branch of its pull request, or on the new"
        " branch kodiai/<id> on top of its base. If the branch has moved, the diff is checked again, and the proposal"
        " is rejected if it does not apply any more. Gives the proposal with the commit. Requires write access.",
        ApplyProposal,
        models.ShownProposal,
        _apply,
    ),
    Tool(
        "close_proposal",
        "Close a proposal",
        "Close a proposal for good, your own or any with write access, when it is not wanted any more. It cannot be"
        " opened again.",
        CloseProposal,
        models.ShownProposal,
        _close,
        destroys=True,
    ),
)
