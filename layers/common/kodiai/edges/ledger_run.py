"""A run as the ledger's items hold it, and what was kept in parts."""

import json
import zlib
from collections.abc import Sequence

from pydantic import TypeAdapter, ValidationError

from kodiai.core.review.review import PendingReview, Run
from kodiai.edges.ledger_table import Item, unpacked

STAGED: TypeAdapter[PendingReview] = TypeAdapter(PendingReview)
_RUN: TypeAdapter[Run] = TypeAdapter(Run)


def read_run(item: Item, staged: Sequence[Item]) -> Run:
    """Read a run, and the parts of what it staged."""
    outbox = joined(staged) if "staged" in item else None
    read = {
        "id": item["sk"].removeprefix("RUN#"),
        "staged": _read_staged(outbox) if outbox is not None else None,
        "facts": json.loads(unpacked(item["facts"])) if "facts" in item else {},
    }
    return _RUN.validate_python({**item, **read})


def joined(parts: Sequence[Item]) -> bytes | None:
    """Put the parts together again, None where one is missing or is of another time."""
    first = parts[0] if parts else {}
    parts = [part for part in parts[: int(first.get("parts", 0))] if part.get("digest") == first.get("digest")]
    if not parts or len(parts) != int(first["parts"]):
        return None
    return zlib.decompress(b"".join(bytes(part["data"].value) for part in parts))


def _read_staged(data: bytes) -> PendingReview | None:
    """Read an outbox; one that an older release wrote is composed again."""
    try:
        return STAGED.validate_json(data)
    except ValidationError:
        return None
