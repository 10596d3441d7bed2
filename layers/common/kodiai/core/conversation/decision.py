"""What people decide about findings, and how many answers they get."""

from dataclasses import dataclass
from typing import Literal

from kodiai.core.findings.known import FindingStatus

ReachedLimit = Literal["turns", "pace"]
"""What a turn may run into: too many answers on the pull request, too many in a minute."""

Counted = Literal["turns", "readings"]
"""The kinds of things that are limited for a pull request: answers, and replies that a model reads for an author."""


@dataclass(frozen=True)
class PersonDecision:
    """What a person decided about a finding: its new status, who said so, and in which comment.

    `status` None leaves it open: what was said was heard and answered. `resolved_thread` is whether we resolved its
    thread for them.
    """

    by: str
    key: str
    status: FindingStatus | None
    why: str
    head: str
    reply: str | None = None
    resolved_thread: bool = False
