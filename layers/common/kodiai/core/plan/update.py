"""A finding of an earlier review after a run."""

from dataclasses import dataclass, field
from typing import Literal

from kodiai.core.conversation.stance import Stance
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import KnownFinding

FindingTransition = Literal["stays", "resolved", "dismissed", "reopened", "raised", "partly"]
"""The change of a finding in one run: none, or it left the open list, came back, became more severe, or less wide."""


@dataclass(frozen=True)
class FindingUpdate:
    """A finding after a run: `known` as it is remembered from now on, `before` as it was until now.

    `why` is for its history. `answer` is the reason that we post in its thread, None if we post nothing.
    `author_disagrees` is whether the author decided what only others may decide. `stance` is what people say.
    """

    known: KnownFinding
    before: KnownFinding
    transition: FindingTransition = "stays"
    why: str = ""
    answer: str | None = None
    author_disagrees: bool = False
    stance: Stance = field(default_factory=Stance)

    @property
    def id(self) -> str:
        """The finding's id."""
        return self.known.id

    @property
    def finding(self) -> Finding:
        """The finding in its present state."""
        return self.known.finding

    @property
    def is_open(self) -> bool:
        """Whether it is still to be fixed."""
        return self.known.status == "open"
