"""Decisions of people about findings, and the limits of answers."""

from dataclasses import dataclass
from typing import Literal

from kodiai.core.findings.known import FindingStatus

ReachedLimit = Literal["turns", "pace"]
"""The limit that a turn may reach: answers on the pull request, or answers in a minute."""

Counted = Literal["turns", "readings"]
"""The kinds of things that are limited for a pull request: answers, and replies that a model reads for an author."""


@dataclass(frozen=True)
class PersonDecision:
    """The decision of a person about a finding: its new status, who decided, and in which comment.

    `status` None leaves it open: the comment was read and answered. `resolved_thread` is whether we resolved its
    thread for them, `reason` the one that they gave for overriding a rule.
    """

    by: str
    key: str
    status: FindingStatus | None
    why: str
    head: str
    reply: str | None = None
    resolved_thread: bool = False
    reason: str | None = None
