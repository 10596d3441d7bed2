"""Remember findings: brings the memory in step with the ledger, also after an earlier attempt that failed."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache

from kodiai.core.findings.known import KnownFinding
from kodiai.core.memory.outcome import embedded_text, remembered_finding
from kodiai.core.memory.remembered import RememberedFinding, StoredMemory
from kodiai.core.plan.snapshot import PullRequestSnapshot
from kodiai.core.review.run import UnreadableFindings
from kodiai.flows.memory import Memory
from kodiai.ports.ledger import Ledger


def remember_findings(
    now: Iterable[KnownFinding],
    on_github: PullRequestSnapshot,
    ledger: Ledger,
    may_write: Callable[[str], bool],
    memory: Memory,
    *,
    at: int,
) -> int:
    """Write what the index does not have yet of a pull request's findings; gives how many were written.

    `now` are findings in a state that the ledger does not have yet. `may_write` is asked about people who voted or
    decided. `at` is the time, in seconds since the epoch.
    The ledger names a vector before it is written, so that none is ever left behind. What fails is written with the
    next event of the pull request.
    """
    index, store = memory.index_name, memory.store
    if index is None:
        return 0
    known: dict[str, KnownFinding] = {}
    with suppress(UnreadableFindings):
        known = {each.id: each for each in ledger.findings()}
    known |= {each.id: each for each in now}
    if not known:
        return 0
    pull_request, asked = on_github.pull_request, cache(may_write)
    stored = {each.remembered.finding: each for each in store.remembered(pull_request.number)}
    threads = {thread.finding: thread for thread in on_github.threads}
    wanted = [
        remembered_finding(each, pull_request, threads.get(each.id), stored.get(each.id), asked, at=at)
        for each in known.values()
    ]
    due = [each for each in wanted if _is_due(each, stored.get(each.finding), index)]
    if not due:
        return 0
    store.store([StoredMemory(each) for each in due])
    texts = {each.id: embedded_text(each.finding) for each in known.values()}
    # A rule that fails is counted, and nothing is near to it.
    embedded = [each for each in due if each.rule is None]
    written = [each for each in due if each.rule is not None]
    written += _write(embedded, texts, memory, [each.key for each in embedded if each.finding in stored])
    store.store([StoredMemory(each, index) for each in written])
    return len(written)


def _is_due(wanted: RememberedFinding, stored: StoredMemory | None, index: str) -> bool:
    """Whether the index may not have a finding in this state; one that was forgotten is not written again."""
    if stored is None:
        return True
    return not stored.is_forgotten and (stored.index != index or replace(stored.remembered, at=wanted.at) != wanted)


def _write(
    due: list[RememberedFinding], texts: Mapping[str, str], memory: Memory, perhaps_there: list[str]
) -> list[RememberedFinding]:
    """Write findings with the vectors that the index has, or with new ones; gives what was written."""
    vectors = dict(memory.vectors(perhaps_there))
    new = [each for each in due if each.key not in vectors]
    embedded = memory.embedded([texts[each.finding] for each in new]) or []
    vectors |= {each.key: vector for each, vector in zip(new, embedded, strict=False)}
    entries = [(each, vectors[each.key]) for each in due if each.key in vectors]
    return [each for each, _ in entries] if entries and memory.put(entries) else []
