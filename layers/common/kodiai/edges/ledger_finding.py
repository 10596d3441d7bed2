"""A finding as the ledger's items hold it."""

from typing import Any

from pydantic import TypeAdapter

from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import HistoryEntry, KnownFinding

_KNOWN: TypeAdapter[KnownFinding] = TypeAdapter(KnownFinding)
_HISTORY: TypeAdapter[tuple[HistoryEntry, ...]] = TypeAdapter(tuple[HistoryEntry, ...])

Item = dict[str, Any]


def stored(known: KnownFinding) -> Item:
    """A finding's attributes; what is None is not there, and neither is what is False."""
    facts = _KNOWN.dump_python(known, exclude={"id", "finding"})
    return {"finding": known.finding.model_dump_json(), **{name: value or None for name, value in facts.items()}}


def known_finding(item: Item) -> KnownFinding:
    """Read a finding. Raises ValidationError or KeyError."""
    read = {"id": item["sk"].removeprefix("FINDING#"), "finding": Finding.model_validate_json(item["finding"])}
    return _KNOWN.validate_python({"comment_id": None, **item, **read})


def history(item: Item) -> tuple[HistoryEntry, ...]:
    """Read what became of a finding, oldest first. Raises ValidationError."""
    return _HISTORY.validate_python(item.get("history", ()))
