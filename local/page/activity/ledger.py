"""Reads the ledger of a pull request, as rarely as the page allows: while it is read, nothing else is served."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from kodiai.core.config.spending import Spending
from kodiai.core.findings.known import HistoryEntry, KnownFinding
from kodiai.core.review.run import Run, UnreadableFindings

_SHARE = 10


class Ledger(Protocol):
    """The part of a ledger that the tab reads; ReadableLedger says what each returns."""

    def findings(self) -> tuple[KnownFinding, ...]: ...  # noqa: D102
    def histories(self) -> Mapping[str, tuple[HistoryEntry, ...]]: ...  # noqa: D102
    def runs(self) -> tuple[Run, ...]: ...  # noqa: D102
    def records(self) -> tuple[Mapping[str, Any], ...]: ...  # noqa: D102
    def spending(self) -> Spending: ...  # noqa: D102


@dataclass(frozen=True)
class LedgerContents:
    """Everything that a ledger holds. `unreadable` says why there are no findings where they cannot be read."""

    runs: Sequence[Run]
    findings: Sequence[KnownFinding]
    histories: Mapping[str, Sequence[HistoryEntry]]
    records: Sequence[Mapping[str, Any]]
    spending: Spending
    unreadable: str = ""


class LedgerReader:
    """Reads the ledgers, by the numbers of their pull requests, and caches what was last read of each."""

    def __init__(self, ledger: Callable[[int], Ledger]) -> None:
        self._ledger = ledger
        self._last: dict[int, tuple[int, float, LedgerContents]] = {}

    def read(self, number: int, ended: int) -> LedgerContents:
        """Read one; `ended` is how many invocations have ended.

        Nothing is written after the last one's end. While one is running reading takes a tenth of the time at most.
        """
        before, again_at, contents = self._last.get(number, (-1, 0.0, None))
        start = time.monotonic()
        if contents is not None and before == ended and start < again_at:
            return contents
        contents = _read(self._ledger(number))
        end = time.monotonic()
        self._last[number] = (ended, end + _SHARE * (end - start), contents)
        return contents


def _read(ledger: Ledger) -> LedgerContents:
    runs, records, spending = ledger.runs(), ledger.records(), ledger.spending()
    try:
        return LedgerContents(runs, ledger.findings(), ledger.histories(), records, spending)
    except UnreadableFindings as why:
        return LedgerContents(runs, (), {}, records, spending, str(why))
