"""A proposal: a change with its intent, who proposes it, who reviews it, and what became of it."""

import hashlib
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from kodiai.core.diffs.results import AffectedFile, Problem
from kodiai.core.events.job import ProposalId
from kodiai.core.github.names import CommitId, Number, RepositoryName, RepositoryRef

MOST_DIFF_BYTES = 1_000_000
"""The longest diff, in bytes of UTF-8."""

MOST_PROBLEMS = 100
"""The number of problems of a diff that are stored."""

MOST_NOTES = 20_000
"""The longest notes of a verdict, in characters."""

Status = Literal["pending", "claimed", "changes_requested", "approved", "rejected", "applied", "closed"]
Decision = Literal["approve", "request_changes", "comment"]
ActionName = Literal[
    "submit", "claim", "check", "reject", "verdict", "revise", "close", "stage", "apply", "release", "expire"
]

MOST_DESCRIPTION = 10_000
"""The longest description, in characters."""


def words_up_to(most: int) -> StringConstraints:
    """A text that is not blank, without the white space around it."""
    return StringConstraints(strip_whitespace=True, min_length=1, max_length=most)


Detail = Annotated[str, Field(max_length=200)]
Key = Annotated[str, Field(min_length=1, max_length=200)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Agent(_Model):
    """The program that acts for a person, in its own words; all of it may be empty."""

    agent_type: Detail = Field(default="", description='The program: "claude-code", "codex".')
    role: Detail = Field(default="", description='Its role: "implementer".')
    phase: Detail = Field(default="", description="The phase of its work.")
    plan: Detail = Field(default="", description="The plan that it follows.")
    task: Detail = Field(default="", description="The task of the plan.")

    @property
    def words(self) -> str:
        """Everything that it says of itself: "claude-code, role implementer"."""
        said = {name: text for name, text in self.model_dump().items() if text}
        return ", ".join(text if name == "agent_type" else f"{name} {text}" for name, text in said.items())


REVIEWER = Agent(agent_type="kodiai", role="reviewer")
"""We ourselves, as we review a proposal."""

OFFLINE_CHECKS = Agent(agent_type="offline checks", role="reviewer")
"""We ourselves where no model answers: that a proposal applies is all that is checked."""


class Actor(_Model):
    """A person by their GitHub login, and the program that acts for them, None if they act themselves."""

    login: str
    agent: Agent | None = None

    def is_same_person(self, other: "Actor") -> bool:
        """Whether two actors are the same person; GitHub's logins do not tell capitals from small letters."""
        return self.login.lower() == other.login.lower()


class IntendedChange(_Model):
    """One change of a proposal, in words."""

    what: Annotated[str, words_up_to(2_000)] = Field(description="What changes.")
    why: Annotated[str, words_up_to(2_000)] = Field(description="Why it changes.")


class Intent(_Model):
    """The purpose of a proposal."""

    description: Annotated[str, words_up_to(MOST_DESCRIPTION)] = Field(description="What it does, in natural language.")
    changes: Annotated[tuple[IntendedChange, ...], Field(min_length=1, max_length=50)] = Field(
        description="Each change with its reason."
    )


class Claim(_Model):
    """The claim of a reviewer.

    `generation` counts the claims of the proposal: a verdict names the one that it belongs to.
    `until` is when the claim ends, in seconds since the epoch. `key` makes the same claim again the same one.
    """

    by: Actor
    generation: int
    until: float
    seconds: int
    key: Key | None = None


class Verdict(_Model):
    """A reviewer's verdict; `notes` are Markdown."""

    decision: Decision
    notes: Annotated[str, Field(max_length=MOST_NOTES)] = ""
    by: Actor
    generation: int
    at: float


class ProposedCommit(_Model):
    """The commit of a proposal: stored before the branch is moved to it.

    `parent` is the commit that the branch was at, `branch` the name of the branch. `key` names the comment that asked
    for it, None if it was asked for elsewhere.
    """

    sha: CommitId
    parent: CommitId
    branch: str
    by: Actor
    key: str | None = None


class Origin(_Model):
    """The comment on the pull request that asked for a proposal.

    `key` names the comment; `thread` is the id of the first comment of its thread, None for the conversation; `at` is
    when it was written (epoch seconds). `findings` are the ids of the findings that the proposal fixes.
    `request` is what the comment asks for in words, "" if it asks for a fix. `installation` is the App's.
    """

    key: str
    thread: Number | None
    at: float
    findings: tuple[str, ...] = ()
    installation: Number | None = None
    request: str = ""


class Content(_Model):
    """The part that a revision replaces: the intent and the diff."""

    intent: Intent
    diff: str

    @property
    def digest(self) -> str:
        """A name of exactly this content."""
        return hashlib.sha256(self.model_dump_json().encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Proposal(_Model):
    """A proposal as it is stored, without its diff, which is stored under the content's digest.

    `repository_id` and `owner_id` are GitHub's numeric ids. `number` is the pull request that it is for, None if it is
    for the commit `base`; one of the two is there.
    `reviewed_by` is who reviews it: Kodiai itself, or anybody else who claims it.
    `revision` counts the contents from 1; `content` is the digest of the present one. `version` is the number of the
    last entry of its history.
    `checked` is the commit to which the diff was found to apply, None while it was not checked.
    `problems` are why it was rejected. `claims` counts the claims so far. `claim` is the one that holds, or the one for
    which it was rejected, or for which changes were requested.
    Times are in seconds since the epoch.
    """

    id: ProposalId
    repository: RepositoryName
    repository_id: Number
    owner_id: Number
    number: Number | None = None
    base: CommitId | None = None
    status: Status = "pending"
    proposer: Actor
    reviewed_by: Literal["kodiai", "anyone"] = "kodiai"
    intent: Intent
    files: tuple[AffectedFile, ...] = ()
    content: str
    revision: int = 1
    version: int = 1
    claims: int = 0
    claim: Claim | None = None
    checked: CommitId | None = None
    problems: tuple[Problem, ...] = ()
    verdict: Verdict | None = None
    commit: ProposedCommit | None = None
    origin: Origin | None = None
    created: float
    updated: float

    @property
    def ref(self) -> RepositoryRef:
        """The repository."""
        return RepositoryRef(name=self.repository, id=self.repository_id, owner_id=self.owner_id)

    @property
    def subject(self) -> str:
        """Its target, for people: "owner/name#7" or "owner/name@0123456"."""
        return f"{self.repository}#{self.number}" if self.number else f"{self.repository}@{(self.base or '')[:7]}"


class ProposalEvent(_Model):
    """One entry of a proposal's history: who did what and when, and the status from then on.

    `number` counts from 1. `note` is the comment on it.
    """

    number: int
    at: float
    by: Actor
    action: ActionName
    status: Status
    note: str = ""


def proposal_id(repository_id: int, by: str, key: str) -> str:
    """The id of the proposal that somebody submits under a key of their own: the same key gives the same id."""
    named = "\n".join((str(repository_id), by.lower(), key))
    return f"P-{hashlib.sha256(named.encode('utf-8', 'surrogatepass')).hexdigest()[:20]}"
