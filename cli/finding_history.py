"""The changes of each finding from push to push."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from cli.results import Finding, Push

Change = Literal["new", "open", "resolved", "dismissed", "closed", "unknown"]
"""The change that a push made to a finding. `closed`: nothing, it was closed before; `unknown`: it is not found yet."""

MARKS: dict[Change, str] = {"new": "●", "open": "○", "resolved": "✓", "dismissed": "–", "closed": "", "unknown": ""}
LEGEND: dict[Change, str] = {"new": "new", "open": "still open", "resolved": "resolved", "dismissed": "dismissed"}


@dataclass(frozen=True)
class FindingHistory:
    """One finding, as it was last seen, and what each push changed about it."""

    finding: Finding
    changes: tuple[Change, ...]


def finding_histories(pushes: Sequence[Push]) -> list[FindingHistory]:
    """Follow every finding through the pushes, in the order in which they first appeared."""
    keys = dict.fromkeys(finding.key for push in pushes for finding in push.findings)
    by_key = [{finding.key: finding for finding in push.findings} for push in pushes]
    return [_history([known.get(key) for known in by_key]) for key in keys]


def _history(seen: Sequence[Finding | None]) -> FindingHistory:
    changes: list[Change] = []
    last: Finding | None = None
    for one in seen:
        changes.append("unknown" if one is None else _change(last.status if last else None, one.status))
        last = one or last
    assert last is not None  # noqa: S101 - every finding was seen at least once
    return FindingHistory(last, tuple(changes))


def _change(before: str | None, now: str) -> Change:
    """Return the change from the status before (None for a new finding) to the present one."""
    if now == "open":
        return "open" if before == "open" else "new"
    if now == before:
        return "closed"
    return "resolved" if now == "fixed" else "dismissed"
