"""Requests and answers of the API, over HTTP and over MCP: nothing that people outside may not know."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, Self

from pydantic import AliasPath, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from kodiai.core.diffs.results import AffectedFile, Problem
from kodiai.core.findings.finding import Category, Kind, Severity
from kodiai.core.github.names import CommitId, Number, RepositoryName
from kodiai.core.proposals.proposal import (
    MOST_DESCRIPTION,
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
    words_up_to,
)
from kodiai.core.proposals.protocol import seen_at
from kodiai.flows.proposals.findings import Reviewed

# A time as the API shows it: in UTC, to the second.
Time = Annotated[AwareDatetime, BeforeValidator(lambda seconds: datetime.fromtimestamp(int(seconds), UTC))]

ReviewedBy = Literal["kodiai", "anyone"]

_CHANGE_EXAMPLE: dict[str, Any] = {
    "description": "Round the total of an order to cents",
    "changes": [{"what": "total() rounds its result", "why": "0.1 + 0.2 is shown with 17 digits"}],
    "diff": """\
--- a/src/orders.py
+++ b/src/orders.py
@@ -1,2 +1,2 @@
 def total(prices):
-    return sum(prices)
+    return round(sum(prices), 2)
""",
}


class Given(BaseModel):
    """A request or the arguments of a tool: no member that is not known."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class _Shown(BaseModel):
    """A part of an answer."""

    model_config = ConfigDict(
        frozen=True, from_attributes=True, json_schema_serialization_defaults_required=True, defer_build=True
    )


class Acts(Given):
    """A request of a program that acts for the person whose token it has."""

    agent: Agent | None = Field(
        default=None,
        description="The program that acts for you, in its own words. The person is the owner of the token.",
    )


class Change(Acts):
    """A change: what it does and why, and the diff that does it."""

    description: Annotated[str, words_up_to(MOST_DESCRIPTION)] = Field(
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


class NewProposal(Change):
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
    reviewed_by: ReviewedBy = Field(
        default="kodiai", description="Who reviews it: Kodiai, or anybody else with write access who claims it."
    )

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {"required": [name], "properties": {name: {"not": {"type": "null"}}}}
                for name in ("pull_request", "base")
            ],
            "examples": [
                {
                    "repository": "octo/widgets",
                    "pull_request": 7,
                    **_CHANGE_EXAMPLE,
                    "reviewed_by": "kodiai",
                    "agent": {"agent_type": "claude-code", "role": "implementer"},
                }
            ],
        }
    )

    @model_validator(mode="after")
    def _has_one_target(self) -> Self:
        if (self.pull_request is None) == (self.base is None):
            raise ValueError("Give either pull_request or base.")
        return self


class Revision(Change):
    """The new content of a proposal, which replaces the former one."""

    model_config = ConfigDict(json_schema_extra={"examples": [_CHANGE_EXAMPLE]})


class NewClaim(Acts):
    """A claim: for how long the proposal is yours to review."""

    seconds: Annotated[int, Field(ge=60, le=86_400)] = Field(
        default=1_800,
        description="How long the claim holds, in seconds (half an hour). Then anybody may claim the proposal.",
    )

    model_config = ConfigDict(json_schema_extra={"examples": [{"seconds": 1_800, "agent": {"agent_type": "codex"}}]})


class NewVerdict(Acts):
    """A verdict of the one who has claimed the proposal."""

    decision: Decision = Field(
        description="`approve`, `request_changes`, or `comment`, which leaves the status as it is."
    )
    notes: Annotated[str, Field(max_length=MOST_NOTES)] = Field(
        default="", description="The reasons and the required changes, in Markdown. Required unless it is an approval."
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


class Ending(Acts):
    """Why a proposal is closed, or a claim given back."""

    note: Annotated[str, Field(max_length=2_000)] = Field(default="", description="Why.")


class Application(Acts):
    """The application of an approved proposal."""


class ShownClaim(_Shown):
    """The claim of the proposal's reviewer."""

    by: Actor
    generation: int = Field(description="The number of this claim; a verdict names it.")
    until: Time = Field(description="When the claim ends.")


class ShownVerdict(_Shown):
    """The last verdict on this revision."""

    decision: Decision
    notes: str
    by: Actor
    generation: int
    at: Time


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
        validation_alias="number",
        description="The pull request that it is for, null if it is for the commit `base`.",
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
    reviewed_by: ReviewedBy
    description: str = Field(validation_alias=AliasPath("intent", "description"))
    changes: tuple[IntendedChange, ...] = Field(validation_alias=AliasPath("intent", "changes"))
    files: tuple[AffectedFile, ...]
    revision: int = Field(description="How many contents it has had; a revision adds one.")
    claim: ShownClaim | None
    checked: str | None = Field(
        description="The commit to which the diff was found to apply, null while it was not checked."
    )
    problems: tuple[Problem, ...] = Field(description="Why it was rejected, for each file and hunk.")
    verdict: ShownVerdict | None
    commit: ShownCommit | None = Field(description="The commit that it became, null until it is applied.")
    created: Time
    updated: Time


class ShownEvent(_Shown):
    """An entry of a proposal's history."""

    number: int
    at: Time
    by: Actor
    action: ActionName
    status: Status = Field(description="The status from then on.")
    note: str


class ProposalWithEvents(ShownProposal):
    """A proposal with its history, oldest entry first."""

    events: tuple[ShownEvent, ...]


class ProposalList(_Shown):
    """Proposals, newest first, at most 500."""

    proposals: tuple[ShownProposal, ...]


class ShownReviewState(_Shown):
    """The state of a pull request's reviews."""

    reviewed_head: str | None = Field(
        validation_alias="head", description="The head that was reviewed last, null before the first review."
    )
    verdict: str | None = Field(description="The verdict on that head, null where there is none.")
    unread: tuple[str, ...] = Field(description="The files that were not read and should have been.")
    running_head: str | None = Field(
        validation_alias="running", description="The head of the review under way, null if there is none."
    )


class ShownOpenFinding(_Shown):
    """An open finding with its evidence."""

    id: str
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
    quote: str = Field(description="The code that it is about, from the reviewed head.")
    mechanism: str = Field(validation_alias="explanation", description="How the problem comes about.")
    replacement: str | None = Field(description="What the lines should read instead, if the reviewer suggested it.")
    pre_existing: bool = Field(description="Whether the problem was there before the pull request.")
    once_fixed: str | None = Field(description="The title of the finding without whose fix this one does not show.")
    caveat: str | None = Field(description="What was not checked, null if everything was.")
    comment_url: str | None = Field(description="Where its thread is, null if it is only in the text of a review.")


class FindingList(_Shown):
    """The open findings of a pull request, most severe first, and the state of its reviews."""

    head: str = Field(description="The head of the pull request now.")
    state: ShownReviewState
    findings: tuple[ShownOpenFinding, ...]

    @classmethod
    def of(cls, reviewed: Reviewed) -> Self:
        """The findings as they are shown."""
        findings = (
            {
                **dict(each.known.finding),
                "id": each.known.id,
                "blocks": each.known.finding.blocks,
                "problem": each.known.finding.problem_text,
                "comment_url": each.comment_url,
            }
            for each in reviewed.findings
        )
        state = ShownReviewState.model_validate(reviewed.state)
        return cls.model_validate({"head": reviewed.head, "state": state, "findings": tuple(findings)})


def shown(proposal: Proposal, now: float) -> ShownProposal:
    """A proposal as it is shown at a time (epoch seconds)."""
    seen = seen_at(proposal, now)
    # A rejected proposal still has its claim, so that the same claim can be repeated; a commit that is stored may
    # never reach its branch.
    hidden = {"claim": seen.status == "rejected", "commit": seen.status != "applied"}
    return ShownProposal.model_validate(
        seen.model_copy(update={name: None for name, is_hidden in hidden.items() if is_hidden})
    )


def listed(proposals: Iterable[Proposal], now: float) -> ProposalList:
    """Proposals as they are shown at a time."""
    return ProposalList(proposals=tuple(shown(each, now) for each in proposals))


def with_events(proposal: Proposal, events: tuple[ProposalEvent, ...], now: float) -> ProposalWithEvents:
    """A proposal with its history."""
    return ProposalWithEvents.model_construct(**dict(shown(proposal, now)), events=_events(events))


def _events(events: tuple[ProposalEvent, ...]) -> tuple[ShownEvent, ...]:
    return tuple(ShownEvent.model_validate(each) for each in events)
