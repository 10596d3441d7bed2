"""Review: have every batch of changes read by its readers."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from kodiai.core.changes.changed_file import ChangedLines, Skipped
from kodiai.core.errors import Broken, OutOfTime, Refused, Retry
from kodiai.core.findings.report_book import ReportBook
from kodiai.core.findings.source import Source
from kodiai.core.findings.team_rulings import TeamRulings
from kodiai.core.judge.candidates import Reports, answers_by_finding
from kodiai.core.judge.material import why_not_resolved
from kodiai.core.model.messages import Usage, likely_thinking
from kodiai.core.plan.by_code import findings_by_code
from kodiai.core.plan.plan import Batch, ReviewPlan
from kodiai.core.repository.view import RepositoryView
from kodiai.flows.model.conversation import Reader
from kodiai.flows.review.read import ReviewerReport, read, why_unread

T = TypeVar("T")


@dataclass(frozen=True)
class BatchReports:
    """The reports of a batch's readers, in their order."""

    batch: Batch
    reports: tuple[ReviewerReport, ...]


@dataclass(frozen=True)
class Reading:
    """The reports of all readers, together and by batch, and the files by which they were checked."""

    reports: Reports
    by_batch: tuple[BatchReports, ...]
    source: Source


def review(reader: Reader, plan: ReviewPlan, view: RepositoryView, most: int, *, is_last_attempt: bool) -> Reading:
    """Have every batch read by its readers, at most `most` batches at once.

    The budget goes to the riskiest batches, which come first.
    Raises OutOfTime if the time left does not suffice for the next answer, Refused if the budget does not suffice for
    the first, Retry if nobody read anything and there is another attempt.
    """
    batches = plan.batches
    # The limits suffice for every conversation even if the reports are long, or one runs at a time, the riskiest first.
    conversations = sum(len(batch.reviewers) + 1 for batch in batches)
    thinking = Usage(output_tokens=conversations * likely_thinking(reader.effort))
    likely = sum((batch.likely_usage() for batch in batches), thinking)
    most = most if reader.answers.affords(likely, reader.model) else 1
    source = Source(view.lines, plan.input.files, view.tree.paths())
    tasks = [partial(_read_batch, reader, plan, batch, source) for batch in batches]
    by_batch = [*map(BatchReports, batches, run_concurrently(tasks, most))]
    done = [each for of in by_batch for each in of.reports]
    if done and all(each.failed and not each.book.findings for each in done):
        if done[0].transcript.is_over_budget:
            raise Refused(f"Nothing was read: {done[0].failed}.")
        if not is_last_attempt:
            raise Retry(f"the model read nothing: {done[0].failed}")
    before = plan.input.unposted
    reasons = [(of.batch, why_unread(of.reports)) for of in by_batch]
    reports = Reports(
        summaries=(*(before.reports if before else ()), *(each.book.summary for each in done if each.book.summary)),
        findings=(
            *findings_by_code(plan.input, {*plan.scope.paths}),
            *(found for each in done for found in each.book.findings),
        ),
        earlier={name: each.said for name, each in plan.answered.items()}
        | answers_by_finding(answer for each in done for answer in each.book.answers),
        unread=tuple(Skipped(file.path, why) for batch, why in reasons if why for file in batch.files),
        problems=tuple(dict.fromkeys(why for batch, why in reasons if why and not batch.files)),
        rulings=tuple(each for report in done if report.book.rulings for each in report.book.rulings.rulings),
    )
    return Reading(reports, tuple(by_batch), source)


def _read_batch(reader: Reader, plan: ReviewPlan, batch: Batch, source: Source) -> tuple[ReviewerReport, ...]:
    """Have a batch read by one reader after the other: each is shown what those before it found and looked up."""
    change = ChangedLines(plan.input.files)
    done: list[ReviewerReport] = []
    for name in batch.reviewers:
        book = ReportBook(
            reviewer=name,
            source=source,
            change=change,
            asked=batch.rechecked if name == batch.lead else (),
            already=[found.finding for each in done for found in each.book.findings],
            why_not_resolved=partial(why_not_resolved, plan, source, reader.view.read_at),
            rulings=_rulings(batch, source) if name == batch.lead else None,
        )
        done.append(read(reader, batch, book, done))
    return tuple(done)


def _rulings(batch: Batch, source: Source) -> TeamRulings | None:
    """The book for the rulings on the team's rules in a batch, None if there are no rules for it."""
    asked = batch.team_rules
    if asked is None:
        return None
    known = None if asked.criteria is None else {name: each.criterion for name, each in asked.criteria.items()}
    return TeamRulings(source, frozenset(asked.files), known)


def run_concurrently(tasks: Sequence[Callable[[], T]], threads: int) -> list[T]:
    """Do independent tasks on this number of threads, begun in order, and give their results in order.

    Once one has failed no other begins. The most severe failure is raised once all are done: Broken before any other,
    OutOfTime last.
    """
    has_failed = threading.Event()

    def run(task: Callable[[], T]) -> T:
        if has_failed.is_set():
            raise OutOfTime("another question has failed", after_seconds=0)
        try:
            return task()
        except BaseException:
            has_failed.set()
            raise

    with ThreadPoolExecutor(max_workers=threads) as pool:
        futures = [pool.submit(run, task) for task in tasks]
    failures = [error for future in futures if (error := future.exception()) is not None]
    if failures:
        raise min(failures, key=lambda error: (not isinstance(error, Broken), isinstance(error, OutOfTime)))
    return [future.result() for future in futures]
