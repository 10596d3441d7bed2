"""Review: have every batch of changes read by its reviewers, and their reports turned into data."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from kodiai.core.changes.changed_file import Skipped
from kodiai.core.errors import Broken, OutOfTime, Refused, Retry
from kodiai.core.judge.candidates import Reports, answers_by_finding
from kodiai.core.model.messages import Usage, likely_thinking
from kodiai.core.plan.by_code import findings_by_code
from kodiai.core.plan.plan import Batch, ReviewPlan
from kodiai.flows.model.conversation import Reader
from kodiai.flows.review.read import ReviewerReport, read, why_unread

T = TypeVar("T")


class Slots:
    """Limits how many tasks run at the same time; once one has failed no other begins."""

    def __init__(self, most: int) -> None:
        self._free = threading.Semaphore(most)
        self._failed = threading.Event()

    def run(self, task: Callable[[], T]) -> T:
        """Do a task as soon as there is a slot. Raises OutOfTime if another one has failed."""
        with self._free:
            if self._failed.is_set():
                raise OutOfTime("another question has failed", after_seconds=0)
            try:
                return task()
            except BaseException:
                self._failed.set()
                raise


def review(reader: Reader, plan: ReviewPlan, most: int, *, is_last_attempt: bool) -> Reports:
    """Have every batch read by its reviewers, at most `most` at once.

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
    slots = Slots(most)
    by_batch = run_concurrently([partial(_read_batch, reader, batch, slots, most) for batch in batches], most)
    done = [each for of in by_batch for each in of]
    if done and all(each.report is None for each in done):
        if done[0].over_budget:
            raise Refused(f"Nothing was read: {done[0].failed}.")
        if not is_last_attempt:
            raise Retry(f"the model read nothing: {done[0].failed}")
    before = plan.input.unposted
    reasons = [(batch, why_unread(of)) for batch, of in zip(batches, by_batch, strict=True)]
    return Reports(
        reports=(*(before.reports if before else ()), *(each.report for each in done if each.report is not None)),
        findings=(
            *findings_by_code(plan.input, {*plan.scope.paths}),
            *((each.reviewer, found) for each in done if each.report for found in each.report.findings),
        ),
        earlier={name: each.said for name, each in plan.answered.items()}
        | answers_by_finding(answer for each in done for answer in each.earlier),
        unread=tuple(Skipped(file.path, why) for batch, why in reasons if why for file in batch.files),
        problems=tuple(dict.fromkeys(why for batch, why in reasons if why and not batch.files)),
    )


def _read_batch(reader: Reader, batch: Batch, slots: Slots, most: int) -> list[ReviewerReport]:
    """Have the lead read alone first: the others are shown its findings, after a prefix that is cached by then."""
    ask_one = partial(read, reader, batch)
    first = slots.run(partial(ask_one, batch.reviewers[0]))
    others = [partial(ask_one, name, first) for name in batch.reviewers[1:]]
    return [first, *run_concurrently([partial(slots.run, other) for other in others], most)]


def run_concurrently(tasks: Sequence[Callable[[], T]], threads: int) -> list[T]:
    """Do independent tasks on this number of threads, begun in order, and give their results in order.

    The most severe failure is raised once all are done: Broken before any other, OutOfTime last.
    """
    with ThreadPoolExecutor(max_workers=threads) as pool:
        futures = [pool.submit(task) for task in tasks]
    failures = [error for future in futures if (error := future.exception()) is not None]
    if failures:
        raise min(failures, key=lambda error: (not isinstance(error, Broken), isinstance(error, OutOfTime)))
    return [future.result() for future in futures]
