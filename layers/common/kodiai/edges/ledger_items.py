"""Findings, runs and what is kept in parts, as the ledger's items hold them."""

import hashlib
import json
import zlib
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import HistoryEntry, KnownFinding
from kodiai.core.review.run import PendingReview, Run
from kodiai.edges.adapter import adapter

Item = dict[str, Any]

_PART_BYTES = 350_000


def stored(known: KnownFinding) -> Item:
    """A finding's attributes; one that is None or False is None, and is not stored."""
    facts = adapter(KnownFinding).dump_python(known, exclude={"id", "finding"})
    return {"finding": known.finding.model_dump_json(), **{name: value or None for name, value in facts.items()}}


def known_finding(item: Item) -> KnownFinding:
    """Read a finding. Raises ValidationError or KeyError."""
    read = {"id": item["sk"].removeprefix("FINDING#"), "finding": Finding.model_validate_json(item["finding"])}
    return adapter(KnownFinding).validate_python({"comment_id": None, **item, **read})


def history(item: Item) -> tuple[HistoryEntry, ...]:
    """Read a finding's history, oldest entry first. Raises ValidationError."""
    return adapter(tuple[HistoryEntry, ...]).validate_python(item.get("history", ()))


def read_run(item: Item, staged: Sequence[Item]) -> Run:
    """Read a run, and the parts of its pending review; one that an older release wrote is None."""
    data = joined(staged) if "staged" in item else None
    try:
        pending = adapter(PendingReview).validate_json(data) if data is not None else None
    except ValidationError:
        pending = None
    facts = json.loads(unpacked(item["facts"])) if "facts" in item else {}
    return adapter(Run).validate_python(
        {**item, "id": item["sk"].removeprefix("RUN#"), "staged": pending, "facts": facts}
    )


def in_parts(data: bytes) -> tuple[Item, ...]:
    """Compress what may be too large for one item, and cut it into the attributes of as many as it needs."""
    small = packed(data)
    parts = [small[at : at + _PART_BYTES] for at in range(0, len(small), _PART_BYTES)]
    whole = {"parts": len(parts), "digest": hashlib.sha256(small).hexdigest()[:16]}
    return tuple({**whole, "data": part} for part in parts)


def joined(parts: Sequence[Item]) -> bytes | None:
    """Put the parts together again, None where one is missing or belongs to another write."""
    first = parts[0] if parts else {}
    parts = [part for part in parts[: int(first.get("parts", 0))] if part.get("digest") == first.get("digest")]
    if not parts or len(parts) != int(first["parts"]):
        return None
    return zlib.decompress(b"".join(bytes(part["data"].value) for part in parts))


def packed(data: bytes) -> bytes:
    """Compress a value of an item."""
    return zlib.compress(data)


def unpacked(data: Any) -> bytes:
    """Read a compressed value. Raises zlib.error."""
    return zlib.decompress(bytes(data.value))
