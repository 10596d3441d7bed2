"""What is written down of a pull request, read as seldom as the page can bear: whoever shows it holds up the others."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from kodiai.core.findings.known import KnownFinding, Past
from kodiai.core.review.run import Run, Spending, UnreadableFindings

_SHARE = 10


class Ledger(Protocol):
    """What is read of a ledger; DynamoLedger says what each gives."""

    def findings(self) -> tuple[KnownFinding, ...]: ...  # noqa: D102
    def histories(self) -> Mapping[str, tuple[Past, ...]]: ...  # noqa: D102
    def runs(self) -> tuple[Run, ...]: ...  # noqa: D102
    def records(self) -> tuple[Mapping[str, Any], ...]: ...  # noqa: D102
    def spending(self) -> Spending: ...  # noqa: D102


@dataclass(frozen=True)
class Written:
    """Everything that a ledger holds. `unreadable` says why there are no findings where they cannot be read."""

    runs: Sequence[Run]
    findings: Sequence[KnownFinding]
    histories: Mapping[str, Sequence[Past]]
    records: Sequence[Mapping[str, Any]]
    spending: Spending
    unreadable: str = ""


class Reading:
    """Reads the ledgers, by the numbers of their pull requests, and remembers what was read last of each."""

    def __init__(self, ledger: Callable[[int], Ledger]) -> None:
        self._ledger = ledger
        self._last: dict[int, tuple[int, float, Written]] = {}

    def read(self, number: int, ended: int) -> Written:
        """Read one; `ended` is how many tries have ended.

        Nothing is written after the last try's end. While one is under way reading takes a tenth of the time at most.
        """
        before, again_at, written = self._last.get(number, (-1, 0.0, None))
        now = time.monotonic()
        if written is not None and before == ended and now < again_at:
            return written
        written = _read(self._ledger(number))
        over = time.monotonic()
        self._last[number] = (ended, over + _SHARE * (over - now), written)
        return written


def _read(ledger: Ledger) -> Written:
    runs, records, spending = ledger.runs(), ledger.records(), ledger.spending()
    try:
        return Written(runs, ledger.findings(), ledger.histories(), records, spending)
    except UnreadableFindings as why:
        return Written(runs, (), {}, records, spending, str(why))
