"""Ask: every batch of changes is read by its reviewers, and their reports are turned into data."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.scope import Skipped
from kodiai.core.errors import Broken, OutOfTime, Refused
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.report import EarlierAnswer, FollowUpReport, Report, UnreadableReport
from kodiai.core.reviewers import Reviewer, reviewers
from kodiai.core.words.finding import counted
from kodiai.flows.answers import OverBudget
from kodiai.flows.review.conversation import Reader, Said, converse
from kodiai.flows.review.extract import Extractor
from kodiai.flows.review.gather import Gathered
from kodiai.flows.review.material import Material, earlier_block, material, part_block
from kodiai.flows.review.scope import Chosen
from kodiai.flows.review.sources import Sources
from kodiai.flows.review.usages import Usages
from kodiai.ports import JsonObject
from kodiai.prompts.load import load

T = TypeVar("T")

# What a report comes to that need not be turned into data: most parts of most changes deserve no word.
_NOTHING = "NOTHING TO REPORT"
_EMPTY = Report(what_changed="", strengths=(), suggestions=(), findings=())
_NO_MONEY = "the budget is used up"


@dataclass(frozen=True)
class Batch:
    """Files that are shown together: what all calls about them begin with, and who reads them.

    `back` shows the findings of before that the first reviewer answers about, whose ids are `asked_back`.
    `again` is whether the rest of the pull request was reviewed before.
    """

    files: Sequence[ChangedFile]
    reviewers: Sequence[Reviewer]
    material: Material
    again: bool
    asked_back: frozenset[str] = frozenset()
    back: JsonObject | None = None


@dataclass(frozen=True)
class Read:
    """What one reviewer made of a batch. `failed` is why there is no report."""

    reviewer: Reviewer
    report: Report | None
    failed: str = ""
    earlier: tuple[EarlierAnswer, ...] = ()
    problems: tuple[str, ...] = ()
    looked_up: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asked:
    """What the reviewers made of everything in scope.

    `earlier` are the answers about the findings that were asked about, `unread` the files that nobody could read,
    `looked_up` what the tools were asked and showed.
    """

    reports: tuple[Report, ...]
    earlier: tuple[EarlierAnswer, ...]
    unread: tuple[Skipped, ...]
    problems: tuple[str, ...]
    looked_up: tuple[str, ...]


def batches_of(gathered: Gathered, chosen: Chosen, sources: Sources, usages: Usages) -> tuple[Batch, ...]:
    """Put each finding of before to the changes of its file, or to the riskiest ones, and prepare what is shown."""
    files = chosen.scope.batches or (((),) if chosen.asked_back else ())
    home = {file.path: at for at, batch in enumerate(files) for file in batch}
    earlier: list[list[KnownFinding]] = [[] for _ in files]
    for known in chosen.asked_back:
        earlier[home.get(known.finding.path, 0)].append(known)
    again = chosen.scope.mode == "incremental"
    return tuple(
        Batch(
            files=batch,
            reviewers=reviewers(chosen.scope.tier, batch),
            material=material(gathered, batch, sources, usages, again=again),
            again=again,
            asked_back=frozenset(known.id for known in back),
            back=earlier_block(gathered, back, sources.lines) if back else None,
        )
        for batch, back in zip(files, earlier, strict=True)
    )


def ask(reader: Reader, extractor: Extractor, batches: Sequence[Batch], most: int) -> Asked:
    """Have every batch read by its reviewers, at most so many at once; nothing that was answered is asked again.

    Raises OutOfTime where the time left does not suffice for the next answer, Refused where the money does not
    suffice for the first.
    """
    begun = [threading.Event() for _ in batches]

    def read(at: int, name: Reviewer) -> Read:
        if name != batches[at].reviewers[0]:
            begun[at].wait()  # until then the prefix that all of them share is in nobody's cache
        try:
            return _read(reader, extractor, batches[at], name, begun[at].set)
        finally:
            begun[at].set()

    # The first reviewers go first: whoever waits for one waits for a conversation that is under way.
    tasks = [(at, batch.reviewers[0]) for at, batch in enumerate(batches)]
    tasks += [(at, name) for at, batch in enumerate(batches) for name in batch.reviewers[1:]]
    done = at_once([partial(read, *task) for task in tasks], most)
    if done and all(each.report is None for each in done):
        why = done[0].failed
        raise Refused(f"Nothing was read: {why}.") if why == _NO_MONEY else Broken(f"the model read nothing: {why}")
    readings = [[each for (of, _), each in zip(tasks, done, strict=True) if of == at] for at in range(len(batches))]
    return Asked(
        reports=tuple(each.report for of in readings for each in of if each.report is not None),
        earlier=tuple(answer for each in done for answer in each.earlier),
        unread=tuple(skipped for batch, of in zip(batches, readings, strict=True) for skipped in _unread(batch, of)),
        problems=tuple(dict.fromkeys(_problems(batches, readings))),
        looked_up=tuple(text for each in done for text in each.looked_up),
    )


def at_once(tasks: Sequence[Callable[[], T]], most: int) -> list[T]:
    """Do what does not depend on one another, at most so many at once, in order where that is one.

    Where some fail nothing more is begun, what has begun is finished, and the gravest failure is raised:
    Broken before any other, OutOfTime last.
    """
    failed = threading.Event()

    def do(task: Callable[[], T]) -> T:
        if failed.is_set():
            raise OutOfTime("another question has failed", after_seconds=0)
        try:
            return task()
        except BaseException:
            failed.set()
            raise

    with ThreadPoolExecutor(max_workers=most) as pool:
        futures = [pool.submit(do, task) for task in tasks]
    failures = [error for future in futures if (error := future.exception()) is not None]
    if failures:
        raise min(failures, key=lambda error: (not isinstance(error, Broken), isinstance(error, OutOfTime)))
    return [future.result() for future in futures]


def _read(reader: Reader, extractor: Extractor, batch: Batch, name: Reviewer, begun: Callable[[], None]) -> Read:
    """Let one reviewer read a batch; the first one also sums it up, and looks back."""
    is_first = name == batch.reviewers[0]
    looks_back = is_first and batch.back is not None
    prompts = [f"reviewers/{name}", *(["sum_up"] if is_first else []), *(["look_back"] if looks_back else [])]
    blocks = [*batch.material.blocks, part_block(name, map(load, prompts))]
    if looks_back and batch.back is not None:
        blocks.insert(-1, batch.back)
    try:
        said = converse(reader, blocks, batch.material.passing, begun)
    except OverBudget:
        return Read(name, None, _NO_MONEY)
    read = _understood(extractor, said, batch, name, looks_back=looks_back)
    return replace(read, looked_up=said.looked_up)


def _understood(extractor: Extractor, said: Said, batch: Batch, name: Reviewer, *, looks_back: bool) -> Read:
    """Turn what a reviewer said into data."""
    if said.stop_reason == "refusal":
        return Read(name, None, "the model declined to read it")
    if not said.text.strip():
        return Read(name, None, f"the model gave no report ({said.stop_reason})")
    is_first = name == batch.reviewers[0]
    may_be_silent = not looks_back and (batch.again or not is_first)
    if may_be_silent and said.text.strip(" .\n").upper() == _NOTHING:
        return Read(name, _EMPTY)
    problems = [] if said.stop_reason == "end_turn" else [f"the {name} report was cut short ({said.stop_reason})"]
    try:
        read = extractor.report(said.text, FollowUpReport if looks_back else Report)
    except UnreadableReport as why:
        return Read(name, None, str(why), problems=tuple(problems))
    if read.unreadable:
        problems.append(f"{read.unreadable} reported findings or answers could not be read")
    report = read.report if is_first else _EMPTY.model_copy(update={"findings": read.report.findings})
    earlier = tuple(answer for answer in read.earlier if answer.finding in batch.asked_back)
    return Read(name, report, earlier=earlier, problems=tuple(problems))


def _unread(batch: Batch, readings: Sequence[Read]) -> Iterator[Skipped]:
    """The files that none of their reviewers has read."""
    if all(read.report is None for read in readings):
        yield from (Skipped(file.path, readings[0].failed) for file in batch.files)


def _problems(batches: Sequence[Batch], readings: Sequence[Sequence[Read]]) -> Iterator[str]:
    for batch, of in zip(batches, readings, strict=True):
        somebody = any(read.report is not None for read in of)
        for read in of:
            yield from read.problems
            if somebody and read.report is None:
                yield f"no {read.reviewer} review of {counted(len(batch.files), 'file')}: {read.failed}"
