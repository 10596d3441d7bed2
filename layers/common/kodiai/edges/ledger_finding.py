"""A finding as the ledger's items hold it."""

from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter

from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import KnownFinding, Past

_KNOWN: TypeAdapter[KnownFinding] = TypeAdapter(KnownFinding)
_OPTIONAL = (
    "hunk",
    "evidence",
    "settled_by",
    "decided",
    "decided_at",
    "resolved_thread",
    "heard",
    "argued",
    "stood_at",
)

Item = dict[str, Any]


def stored(known: KnownFinding) -> Item:
    """A finding's attributes; what is None is not there."""
    return {
        "finding": known.finding.model_dump_json(),
        "status": known.status,
        "comment_id": known.comment_id,
        "hunk": known.hunk,
        "evidence": asdict(known.evidence) if known.evidence else None,
        "settled_by": known.settled_by,
        "decided": known.decided,
        "decided_at": known.decided_at,
        "resolved_thread": known.resolved_thread or None,
        "heard": known.heard,
        "argued": known.argued or None,
        "stood_at": known.stood_at,
    }


def known_finding(item: Item) -> KnownFinding:
    """Read a finding. Raises ValidationError or KeyError."""
    return _KNOWN.validate_python(
        {
            **{name: item[name] for name in _OPTIONAL if name in item},
            "id": item["sk"].removeprefix("FINDING#"),
            "finding": Finding.model_validate_json(item["finding"]),
            "status": item["status"],
            "comment_id": item.get("comment_id"),
        }
    )


def history(item: Item) -> tuple[Past, ...]:
    """Read what became of a finding, oldest first. Raises KeyError."""
    return tuple(
        Past(int(entry["at"]), entry["head"], entry["status"], entry["why"]) for entry in item.get("history", ())
    )
