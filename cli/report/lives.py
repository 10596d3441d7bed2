"""How each finding fared from push to push, seen from the outside: opened, still open, fixed, settled."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from cli.report.result import Finding, Push

Step = Literal["opened", "open", "fixed", "settled", "closed", "absent"]
"""What a push made of a finding. `closed`: nothing, it was fixed or settled before; `absent`: nobody knows it yet."""

MARKS: dict[Step, str] = {"opened": "●", "open": "○", "fixed": "✓", "settled": "–", "closed": "", "absent": ""}
LEGEND: dict[Step, str] = {"opened": "opened", "open": "still open", "fixed": "fixed", "settled": "settled"}


@dataclass(frozen=True)
class Life:
    """One finding over all pushes: how it stood after each, None where it was not known, and what each made of it."""

    seen: tuple[Finding | None, ...]
    steps: tuple[Step, ...]

    @property
    def finding(self) -> Finding:
        """The finding as it stands in the end."""
        return next(one for one in reversed(self.seen) if one is not None)


def lives(pushes: Sequence[Push]) -> list[Life]:
    """Follow every finding through the pushes, in the order in which they first appeared."""
    keys = dict.fromkeys(finding.key for push in pushes for finding in push.findings)
    by_key = [{finding.key: finding for finding in push.findings} for push in pushes]
    return [_life([known.get(key) for known in by_key]) for key in keys]


def _life(seen: Sequence[Finding | None]) -> Life:
    steps: list[Step] = []
    status: str | None = None
    for one in seen:
        steps.append("absent" if one is None else _step(status, one.status))
        status = one.status if one else status
    return Life(tuple(seen), tuple(steps))


def _step(before: str | None, now: str) -> Step:
    """What happened, by the status before, None where there was none, and the one now."""
    if now == "open":
        return "open" if before == "open" else "opened"
    if now == before:
        return "closed"
    return "fixed" if now == "fixed" else "settled"
