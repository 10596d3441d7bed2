"""Runs the cases: opens new pull requests in a running system, several at a time."""

import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

from evals.case import Case
from evals.case_files import RecordedFinding
from evals.history import History, write_histories
from evals.progress import Position, Progress
from evals.result import CaseResult, PostedFinding, PushResult, ReportedFinding, RunResult
from evals.system import Reviewer, System, running
from evals.tape import ALL
from kodiai.core.findings.known import KnownFinding
from kodiai.core.review.run import Run
from local.follower import DeliveryFailed, Follower, LogLine
from local.github import UnusableRepository
from local.model import ModelRequest

_LONGEST_SECONDS = 1_800.0
_DONE = frozenset({"completed", "unchanged"})


def run_cases(
    cases: Sequence[Case],
    reviewer: Reviewer,
    progress: Progress,
    *,
    repeats: int = 1,
    parallel: int = 4,
    print_line: Callable[[str], None] = lambda _: None,
) -> RunResult:
    """Run each case as `repeats` new pull requests; those of one case run one after another.

    `print_line` gets a line for each finished pull request.
    """
    began, started = datetime.now(UTC), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        repository = Path(folder) / "cases.git"
        histories = write_histories(repository, cases)
        with running(repository, reviewer) as system:
            runner = Runner(system, reviewer, progress, print_line)
            with ThreadPoolExecutor(parallel) as pool:
                runs = pool.map(lambda case: [*runner.run(case, histories[case.slug], repeats)], cases)
                results = tuple(result for run in runs for result in run)
            violations = tuple(system.violations)
    return RunResult(
        reviewer=reviewer.name,
        began=began.isoformat(timespec="seconds"),
        seconds=time.monotonic() - started,
        results=results,
        violations=violations,
        missing=tuple(reviewer.missing),
    )


class Runner:
    """Drives pull requests through a running system, from any thread."""

    def __init__(
        self, system: System, reviewer: Reviewer, progress: Progress, print_line: Callable[[str], None]
    ) -> None:
        self._system = system
        self._reviewer = reviewer
        self._progress = progress
        self._print_line = print_line
        self._threads = threading.local()

    def run(self, case: Case, history: History, repeats: int) -> Iterator[CaseResult]:
        """Run one case `repeats` times."""
        for repeat in range(1, repeats + 1):
            by_hand = self._reviewer.recorded is not None and self._reviewer.recorded.has(case.slug)
            result = self._once(case, history, repeat).model_copy(update={"by_hand": by_hand})
            posted = sum(len(push.posted) for push in result.pushes)
            self._print_line(f"{case.slug} {repeat}: {result.failed or f'{posted} posted'}")
            yield result

    def _once(self, case: Case, history: History, repeat: int) -> CaseResult:
        pushes: list[PushResult] = []
        known: dict[str, KnownFinding] = {}
        number = 0
        for at, head in enumerate(history.heads):
            self._progress[case.definition.title] = Position(case.slug, repeat, at)
            asked_before = len(self._system.asked)
            try:
                if at == 0:
                    number = self._system.open(head, history.base, case)
                else:
                    self._system.push(number, head)
                outcome = self._system.outcome(number, self._follower, _LONGEST_SECONDS)
                now = {one.id: one for one in self._system.ledger(number).findings()}
            except (DeliveryFailed, UnusableRepository) as why:
                return CaseResult(case=case.slug, repeat=repeat, pushes=tuple(pushes), failed=str(why))
            posted = tuple(as_posted(one) for one in now.values() if one.id not in known)
            reported = self._reported(Position(case.slug, repeat, at), case, asked_before)
            result = _push(head, outcome, self._run_of(number, outcome), posted, now, reported)
            pushes.append(result.model_copy(update={"suppressed": self._system.suppressed(number, head)}))
            known = now
            if outcome["outcome"] not in _DONE:
                failed = f"{outcome['outcome']}: {outcome['reason']}"
                return CaseResult(case=case.slug, repeat=repeat, pushes=tuple(pushes), failed=failed)
        return CaseResult(case=case.slug, repeat=repeat, pushes=tuple(pushes))

    @property
    def _follower(self) -> Follower:
        """The follower of this thread; it receives all log lines as long as the system runs."""
        if not hasattr(self._threads, "follower"):
            self._threads.follower = self._system.follower()
        follower: Follower = self._threads.follower
        return follower

    def _run_of(self, number: int, outcome: LogLine) -> Run | None:
        return self._system.ledger(number).run(outcome["run"]) if "run" in outcome else None

    def _reported(self, position: Position, case: Case, asked_before: int) -> list[RecordedFinding]:
        """The recorded findings of this push, from the reviewers that the engine asked."""
        if self._reviewer.recorded is None:
            return []
        requests = (ModelRequest(request.body) for request in self._system.asked[asked_before:] if request.body)
        parts = {each.part or ALL for each in requests if each.kind == "find" and each.title == case.definition.title}
        return self._reviewer.recorded.findings(position, sorted(parts))


def as_posted(known: KnownFinding) -> PostedFinding:
    """Convert a finding of the ledger to the form that a run stores."""
    fields = known.finding.model_dump(include=set(PostedFinding.model_fields) - {"id", "inline"})
    return PostedFinding(id=known.id, inline=known.comment_id is not None, **fields)


def _push(
    head: str,
    outcome: LogLine,
    run: Run | None,
    posted: Sequence[PostedFinding],
    now: dict[str, KnownFinding],
    reported: Sequence[RecordedFinding],
) -> PushResult:
    facts = run.facts if run else {}
    usage = facts.get("model") or {}
    places = {(one.path, one.title) for one in posted}
    return PushResult(
        head=head,
        outcome=outcome["outcome"],
        reason=outcome["reason"],
        posted=tuple(posted),
        statuses={name: one.status for name, one in now.items()},
        reported=tuple(
            ReportedFinding(
                title=one.ruling.title or one.title,
                path=one.path,
                label=one.label,
                expects=one.expects,
                fate=one.fate,
                posted=any((one.path, title) in places for title in one.titles),
            )
            for one in reported
        ),
        cost_usd=facts.get("cost_usd"),
        input_tokens=sum(usage.get(f"{kind}_tokens", 0) for kind in ("input", "cache_read", "cache_write")),
        cached_tokens=usage.get("cache_read_tokens", 0),
        output_tokens=usage.get("output_tokens", 0),
        calls=usage.get("calls", 0),
        seconds=outcome.get("seconds", 0.0),
    )
