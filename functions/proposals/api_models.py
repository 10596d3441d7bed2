"""What the API takes and gives, over HTTP and over MCP: only what people and programs outside may know."""

from datetime import UTC, datetime
from typing import Annotated, Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, model_validator

from kodiai.core.diffs.results import AffectedFile, Problem
from kodiai.core.findings.finding import Category, Kind, Severity
from kodiai.core.findings.known import FindingStatus
from kodiai.core.github.names import CommitId, Number, RepositoryName
from kodiai.core.proposals.proposal import (
    MOST_NOTES,
    ActionName,
    Actor,
    Agent,
    Content,
    Decision,
    IntendedChange,
    Intent,
    Proposal,
    ProposalEvent,
    Status,
    Verdict,
)
from kodiai.core.proposals.protocol import seen_at
from kodiai.flows.proposals.findings import ShownFinding
from kodiai.flows.proposals.submit import Submission

_EXAMPLE_DIFF = """\
--- a/src/orders.py
+++ b/src/orders.py
@@ -1,2 +1,2 @@
 def total(prices):
-    return sum(prices)
+    return round(sum(prices), 2)
"""


class _Given(BaseModel):
    """What a request has: no member that is not known."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class _Shown(BaseModel):
    """What an answer has."""

    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True, defer_build=True)


class _Acts(_Given):
    """A request of a program that acts for the person whose token it has."""

    agent: Agent | None = Field(
        default=None,
        description="The program that acts for you, in its own words. The person is the owner of the token.",
    )


class _Change(_Acts):
    """A change: what it does and why, and the diff that does it."""

    description: Annotated[str, Field(min_length=1, max_length=10_000)] = Field(
        description="What the change does, in natural language. Its first line becomes the commit's subject."
    )
    changes: Annotated[tuple[IntendedChange, ...], Field(min_length=1, max_length=50)] = Field(
        description="Each change with its reason."
    )
    diff: Annotated[str, Field(min_length=1)] = Field(
        description=(
            "One unified diff for all files as `git diff` prints it, with three lines of context and "
            "a newline at the end.\n"
            "\n"
            "`/dev/null` stands for a file that is created or deleted. At most 1,000,000 bytes."
        )
    )

    @property
    def content(self) -> Content:
        """The content as it is stored."""
        return Content(intent=Intent(description=self.description, changes=self.changes), diff=self.diff)


class NewProposal(_Change):
    """A change that is proposed for a pull request, or on top of a commit."""

    repository: RepositoryName = Field(description='The repository, "owner/name".')
    pull_request: Number | None = Field(
        default=None, description="The number of the pull request that the change is for. Give this or `base`."
    )
    base: CommitId | None = Field(
        default=None,
        description=(
            "The full id of the commit that the change is for. `apply` then begins the branch `kodiai/<id>` there."
        ),
    )
    reviewed_by: Literal["kodiai", "anyone"] = Field(
        default="kodiai", description="Who reviews it: Kodiai, or anybody else with write access who claims it."
    )

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "repository": "octo/widgets",
                    "pull_request": 7,
                    "description": "Round the total of an order to cents",
                    "changes": [{"what": "total() rounds its result", "why": "0.1 + 0.2 is shown with 17 digits"}],
                    "diff": _EXAMPLE_DIFF,
                    "reviewed_by": "kodiai",
                    "agent": {"agent_type": "claude-code", "role": "implementer"},
                }
            ]
        }
    )

    @model_validator(mode="after")
    def _has_one_target(self) -> Self:
        if (self.pull_request is None) == (self.base is None):
            raise ValueError("Give either pull_request or base.")
        return self

    def submission(self, key: str | None) -> Submission:
        """The submission under a key of its own."""
        return Submission(
            repository=self.repository,
            number=self.pull_request,
            base=self.base,
            content=self.content,
            reviewed_by=self.reviewed_by,
            agent=self.agent,
            key=key,
        )


class Revision(_Change):
    """The new content of a proposal, which replaces the former one."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "description": "Round the total of an order to cents",
                    "changes": [{"what": "total() rounds its result", "why": "0.1 + 0.2 is shown with 17 digits"}],
                    "diff": _EXAMPLE_DIFF,
                }
            ]
        }
    )


class NewClaim(_Acts):
    """A claim: for how long the proposal is yours to review."""

    seconds: Annotated[int, Field(ge=60, le=86_400)] = Field(
        default=1_800, description="How long the claim holds, in seconds. After that anybody may claim the proposal."
    )

    model_config = ConfigDict(json_schema_extra={"examples": [{"seconds": 1_800, "agent": {"agent_type": "codex"}}]})


class NewVerdict(_Acts):
    """A verdict of the one who has claimed the proposal."""

    decision: Decision = Field(
        description="`approve`, `request_changes`, or `comment`, which leaves the status as it is."
    )
    notes: Annotated[str, Field(max_length=MOST_NOTES)] = Field(
        default="", description="What is to be said about it, in Markdown. Required unless it is an approval."
    )
    generation: Annotated[int, Field(ge=1)] = Field(
        description=(
            "The generation of your claim, as the claim's answer has it. A verdict of a claim that was lost is refused."
        )
    )

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"decision": "request_changes", "notes": "Negative totals round up.", "generation": 1}]
        }
    )


class Closing(_Acts):
    """Why a proposal is closed."""

    note: Annotated[str, Field(max_length=2_000)] = Field(default="", description="Why it is closed.")


class Application(_Acts):
    """The application of an approved proposal."""


class ShownClaim(_Shown):
    """Who reviews the proposal."""

    by: Actor
    generation: int = Field(description="The number of this claim; a verdict names it.")
    until: AwareDatetime = Field(description="When the claim ends.")


class ShownVerdict(_Shown):
    """The last verdict on this revision."""

    decision: Decision
    notes: str
    by: Actor
    generation: int
    at: AwareDatetime


class ShownCommit(_Shown):
    """The commit that an applied proposal became."""

    sha: str
    parent: str
    branch: str
    by: Actor


class ShownProposal(_Shown):
    """A proposal as it is now."""

    id: str
    repository: str
    pull_request: int | None = Field(
        description="The pull request that it is for, null if it is for the commit `base`."
    )
    base: str | None = Field(description="The commit that it is for, null if it is for a pull request.")
    status: Status = Field(
        description=(
            "`pending` → `claimed` → `approved` → `applied`.\n"
            "\n"
            "A claim leads to `rejected` if the diff does not apply (see `problems`). A verdict may "
            "lead to `changes_requested`.\n"
            "Both can be revised. `closed` and `applied` are final."
        )
    )
    proposer: Actor
    reviewed_by: Literal["kodiai", "anyone"]
    description: str
    changes: tuple[IntendedChange, ...]
    files: tuple[AffectedFile, ...]
    revision: int = Field(description="How many contents it has had; a revision adds one.")
    claim: ShownClaim | None
    checked: str | None = Field(
        description="The commit to which the diff was found to apply, null while it was not checked."
    )
    problems: tuple[Problem, ...] = Field(description="Why it was rejected, for each file and hunk.")
    verdict: ShownVerdict | None
    commit: ShownCommit | None = Field(description="The commit that it became, null until it is applied.")
    created: AwareDatetime
    updated: AwareDatetime


class ShownEvent(_Shown):
    """An entry of a proposal's history."""

    number: int
    at: AwareDatetime
    by: Actor
    action: ActionName
    status: Status = Field(description="The status from then on.")
    note: str


class ProposalWithEvents(ShownProposal):
    """A proposal with its history, oldest entry first."""

    events: tuple[ShownEvent, ...]


class ProposalWithDiff(ProposalWithEvents):
    """A proposal with its history and its diff."""

    diff: str


class ProposalList(_Shown):
    """Proposals, newest first, at most 500."""

    proposals: tuple[ShownProposal, ...]


class ShownFindingBrief(_Shown):
    """A problem that a review found."""

    id: str = Field(
        description=(
            "Its id: `finding` shows its evidence, and in the pull request `@kodiai fix` answers to its thread."
        )
    )
    status: FindingStatus
    severity: Severity
    category: Category
    kind: Kind = Field(description="`impact`: somebody will be hurt by it; `preference`: it would be better otherwise.")
    blocks: bool = Field(description="Whether the pull request should wait for it.")
    path: str
    start_line: int = Field(description="The first line in the reviewed head, counted from 1.")
    end_line: int = Field(description="The last line.")
    title: str
    problem: str
    fix: str
    comment_url: str | None = Field(description="Where its thread is, null if it is only in the text of a review.")


class ShownHistoryEntry(_Shown):
    """An entry of a finding's history."""

    at: AwareDatetime
    head: str = Field(description="The head of the pull request then.")
    status: str
    why: str


class ShownCause(_Shown):
    """Changed code that causes the problem elsewhere."""

    path: str
    quote: str


class ShownFindingWhole(ShownFindingBrief):
    """A finding with its evidence and its history."""

    quote: str = Field(description="The code that it is about, from the reviewed head.")
    mechanism: str = Field(description="How the problem comes about, in the words of the reviewer.")
    replacement: str | None = Field(description="What the lines should read instead, if the reviewer suggested it.")
    cause: ShownCause | None
    caveat: str | None = Field(description="What was not checked, null if everything was.")
    pre_existing: bool = Field(description="Whether the problem was there before the pull request.")
    settled_by: str | None = Field(description="Who decided about it, null if nobody did.")
    history: tuple[ShownHistoryEntry, ...]


class FindingList(_Shown):
    """Open findings of a pull request, most severe first."""

    findings: tuple[ShownFindingBrief, ...]


def shown(proposal: Proposal, now: float) -> ShownProposal:
    """A proposal as it is shown at a time (epoch seconds)."""
    return ShownProposal.model_validate(_members(proposal, now))


def with_events(proposal: Proposal, events: tuple[ProposalEvent, ...], now: float) -> ProposalWithEvents:
    """A proposal with its history."""
    return ProposalWithEvents.model_validate({**_members(proposal, now), "events": _events(events)})


def with_diff(proposal: Proposal, content: Content, events: tuple[ProposalEvent, ...], now: float) -> ProposalWithDiff:
    """A proposal with its history and its diff."""
    members = {**_members(proposal, now), "events": _events(events), "diff": content.diff}
    return ProposalWithDiff.model_validate(members)


def shown_finding(found: ShownFinding) -> ShownFindingBrief:
    """A finding as it is listed."""
    return ShownFindingBrief.model_validate(_finding_members(found))


def whole_finding(found: ShownFinding) -> ShownFindingWhole:
    """A finding with its evidence."""
    finding, cause = found.known.finding, found.known.finding.cause
    same = ("quote", "replacement", "caveat", "pre_existing")
    return ShownFindingWhole.model_validate(
        {
            **_finding_members(found),
            **{name: getattr(finding, name) for name in same},
            "mechanism": finding.explanation,
            "cause": cause and ShownCause(path=cause.path, quote=cause.quote),
            "settled_by": found.known.settled_by,
            "history": tuple(
                ShownHistoryEntry(at=_time(entry.at), head=entry.head, status=entry.status, why=entry.why)
                for entry in found.history
            ),
        }
    )


def _members(proposal: Proposal, now: float) -> dict[str, object]:
    seen = seen_at(proposal, now)
    # A rejected proposal still has its claim, so that the same claim can be repeated.
    claim = seen.claim if seen.status != "rejected" else None
    verdict, commit = seen.verdict, seen.commit
    same = ("id", "repository", "base", "status", "proposer", "reviewed_by", "files", "revision", "checked", "problems")
    return {
        **{name: getattr(seen, name) for name in same},
        "pull_request": seen.number,
        "description": seen.intent.description,
        "changes": seen.intent.changes,
        "claim": claim and ShownClaim(by=claim.by, generation=claim.generation, until=_time(claim.until)),
        "verdict": verdict and _verdict(verdict),
        "commit": ShownCommit(**commit.model_dump()) if commit is not None and seen.status == "applied" else None,
        "created": _time(seen.created),
        "updated": _time(seen.updated),
    }


def _verdict(verdict: Verdict) -> ShownVerdict:
    return ShownVerdict(
        decision=verdict.decision,
        notes=verdict.notes,
        by=verdict.by,
        generation=verdict.generation,
        at=_time(verdict.at),
    )


def _events(events: tuple[ProposalEvent, ...]) -> tuple[ShownEvent, ...]:
    return tuple(
        ShownEvent(
            number=each.number, at=_time(each.at), by=each.by, action=each.action, status=each.status, note=each.note
        )
        for each in events
    )


def _finding_members(found: ShownFinding) -> dict[str, object]:
    finding = found.known.finding
    same = ("severity", "category", "kind", "blocks", "path", "start_line", "end_line", "title", "fix")
    return {
        "id": found.known.id,
        "status": found.known.status,
        **{name: getattr(finding, name) for name in same},
        "problem": finding.problem or finding.explanation,
        "comment_url": found.comment_url,
    }


def _time(seconds: float) -> datetime:
    """A time as the API shows it: in UTC, to the second."""
    return datetime.fromtimestamp(int(seconds), UTC)
