"""What people decide about findings, and how many answers they get."""

from dataclasses import dataclass
from typing import Literal

from kodiai.core.findings.known import Status

ReachedLimit = Literal["turns", "pace", "pull request's budget", "month's budget"]
"""What a turn may run into: too many answers, too many in a minute, money."""


@dataclass(frozen=True)
class TurnLimits:
    """What one more answer may not exceed: answers on the pull request, and US dollars (None: no limit).

    `reserve_usd` is what is set aside for this one until it is known what it costs.
    """

    turns: int
    pull_request_usd: float | None
    month_usd: float | None
    reserve_usd: float


@dataclass(frozen=True)
class PersonDecision:
    """What a person decided about a finding: its new status, who said so, and in which comment.

    `status` None leaves it open: what was said was heard and answered. `resolved_thread` is whether we resolved its
    thread for them.
    """

    by: str
    key: str
    status: Status | None
    why: str
    head: str
    reply: str | None = None
    resolved_thread: bool = False
