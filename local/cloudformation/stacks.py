"""The state of CloudFormation: stacks with their resources and events, and change sets."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from local.aws.protocol import ACCOUNT, REGION
from local.lambdas.stack import Attributes

STACK = "AWS::CloudFormation::Stack"


def now() -> str:
    """The time as CloudFormation writes it."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


@dataclass(frozen=True)
class Resource:
    """A resource that a stack has: its resolved properties and policies, and what it is known by.

    `deletion` and `replacement` are its DeletionPolicy and its UpdateReplacePolicy.
    """

    name: str
    kind: str
    properties: Mapping[str, Any]
    attributes: Attributes
    deletion: str
    replacement: str

    @property
    def physical_id(self) -> str:
        """The value of Ref."""
        return self.attributes["Ref"]


@dataclass(frozen=True)
class Version:
    """A template as it was given, what its transforms make of it, and a value for each of its parameters."""

    body: str
    original: Mapping[str, Any]
    processed: Mapping[str, Any]
    parameters: Mapping[str, str]


@dataclass
class ChangeSet:
    """A version that a stack may get; `changes` say what becomes of which resource."""

    name: str
    id: str
    version: Version
    changes: list[Mapping[str, Any]]
    tags: list[Mapping[str, str]]
    status: str
    reason: str | None
    created: str = field(default_factory=now)


@dataclass
class DeployedStack:
    """A stack. `events` are in the order in which they happened; `resources` in the order in which they were made.

    `tried` is the version of a first deployment, which a stack that is rolled back still shows.
    """

    name: str
    id: str
    status: str
    tags: list[Mapping[str, str]] = field(default_factory=list)
    reason: str | None = None
    version: Version | None = None
    tried: Version | None = None
    outputs: Sequence[Mapping[str, str | None]] = ()
    resources: dict[str, Resource] = field(default_factory=dict)
    events: list[Mapping[str, Any]] = field(default_factory=list)
    change_sets: dict[str, ChangeSet] = field(default_factory=dict)
    created: str = field(default_factory=now)

    def turn(self, status: str, reason: str | None = None) -> None:
        """Take another status, which is an event."""
        self.status, self.reason = status, reason
        self.note(self.name, STACK, self.id, status, reason)

    def note(self, name: str, kind: str, physical_id: str, status: str, reason: str | None = None) -> None:
        """Add an event."""
        self.events.append(
            {
                "StackId": self.id,
                "EventId": str(uuid.uuid4()),
                "StackName": self.name,
                "LogicalResourceId": name,
                "PhysicalResourceId": physical_id,
                "ResourceType": kind,
                "Timestamp": now(),
                "ResourceStatus": status,
                "ResourceStatusReason": reason,
            }
        )


def new_stack(name: str) -> DeployedStack:
    """Make a stack that nothing has been deployed to."""
    stack = DeployedStack(name, arn("stack", name), "")
    stack.turn("REVIEW_IN_PROGRESS", "User Initiated")
    return stack


def arn(kind: str, name: str) -> str:
    """Make an id for a stack or a change set."""
    return f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:{kind}/{name}/{uuid.uuid4()}"
