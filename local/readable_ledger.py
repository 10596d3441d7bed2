"""The ledger of one pull request, with what the page shows of it."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from boto3.dynamodb.types import Binary
from pydantic import ValidationError

from kodiai.core.findings.known import HistoryEntry
from kodiai.core.json_object import JsonObject
from kodiai.core.review.run import Run, UnreadableFindings
from kodiai.edges.ledger import DynamoLedger
from kodiai.edges.ledger_items import Item, history, read_run


class ReadableLedger(DynamoLedger):
    """A ledger that can be read whole."""

    def runs(self) -> tuple[Run, ...]:
        """Read all runs, oldest first."""
        staged: dict[str, list[Item]] = {}
        for part in self._items("STAGED#"):
            staged.setdefault(part["sk"].split("#")[1], []).append(part)
        runs = [read_run(item, staged.get(item["sk"].split("#")[1], ())) for item in self._items("RUN#")]
        return tuple(sorted(runs, key=lambda run: (run.started, run.id)))

    def histories(self) -> Mapping[str, tuple[HistoryEntry, ...]]:
        """Read the history of each finding, by its id, oldest entry first. Raises UnreadableFindings."""
        try:
            return {item["sk"].removeprefix("FINDING#"): history(item) for item in self._items("FINDING#")}
        except ValidationError as error:
            raise UnreadableFindings("the histories of the findings cannot be read") from error

    def records(self) -> tuple[JsonObject, ...]:
        """Read every item of the pull request that has not expired, by key, and its repository's month.

        Bytes are shown by their number ("1,234 bytes"), everything else as it is in the table.
        """
        return tuple(_shown(item) for item in [*self._items(), self._read(self._month_key())] if item)


def _shown(value: Any) -> Any:
    """An item's contents, as JSON has them."""
    match value:
        case dict():
            return {name: _shown(each) for name, each in value.items()}
        case list():
            return [_shown(each) for each in value]
        case Decimal():
            return int(value) if value == int(value) else float(value)
        case Binary():
            return f"{len(bytes(value)):,} bytes"  # type: ignore[call-overload]  # its stub lacks it
    return value
