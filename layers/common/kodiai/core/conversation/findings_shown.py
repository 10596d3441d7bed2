"""Findings in what an answer is given to read: one with its history, or all that are open."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from kodiai.core.conversation.room import LONGEST_LISTED, newest, row
from kodiai.core.findings.finding import Finding, rank
from kodiai.core.findings.known import HistoryEntry, KnownFinding

_LEAST_FACTS = 500  # characters that a finding needs before its history may take any


def finding_shown(known: KnownFinding, now: str, past: Sequence[HistoryEntry], room: int) -> str:
    """A finding's facts, and of its history the newest entries that fit: they may have a quarter of the room."""
    finding = known.finding
    facts = {
        "severity": finding.severity,
        "category": finding.category,
        **({"kind": finding.kind} if finding.kind == "preference" else {}),
        "status": known.status,
        "lines": finding.lines,
        "now": now,
    }
    texts = {
        "path": finding.path,
        "title": finding.title,
        "explanation": finding.explanation,
        "quote": finding.quote,
        **({"not_checked": finding.caveat} if finding.caveat else {}),
    }
    history = [_past(entry) for entry in past]
    kept = newest(history, min(room // 4, room - _LEAST_FACTS))
    told = row(facts, texts, room - sum(len(entry) + 1 for entry in kept))
    return "\n".join([told, *newest(history, room - len(told))]) if told else ""


def findings_shown(known: Iterable[KnownFinding], room: int) -> str:
    """The open findings, as many as fit, and how many others there are."""
    known = tuple(known)
    open_ones = sorted((each.finding for each in known if each.status == "open"), key=rank)
    others = Counter(each.status for each in known if each.status != "open")
    closed = [f"No longer open: {', '.join(f'{count} {status}' for status, count in sorted(others.items()))}."]
    rows = [_listed(finding) for finding in open_ones]

    def show(count: int) -> str:
        left_out = len(rows) - count
        more = [f"Not shown: {left_out}{' more' if count else ''}."] if left_out else []
        return "\n".join([*(rows[:count] if rows else ["None."]), *more, *(closed if others else [])])

    return next((text for text in map(show, range(len(rows), -1, -1)) if len(text) <= room), "")


def _past(entry: HistoryEntry) -> str:
    when = datetime.fromtimestamp(entry.at, UTC).strftime("%Y-%m-%d %H:%M")
    return row({"then": when, "head": entry.head[:7], "status": entry.status}, {"why": entry.why}, LONGEST_LISTED)


def _listed(finding: Finding) -> str:
    texts = {"path": finding.path, "title": finding.title}
    return row({"severity": finding.severity, "lines": finding.lines}, texts, LONGEST_LISTED)
