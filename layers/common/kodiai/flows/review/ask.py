"""Ask: every batch of changes is read by its reviewers, and their reports are turned into data."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from kodiai.core.changes.scope import Skipped
from kodiai.core.errors import Refused, Retry
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.report import EarlierAnswer, Report, ReportedFinding
from kodiai.core.model.usage import Usage
from kodiai.core.repository.sources import Sources
from kodiai.core.repository.surroundings import Surroundings
from kodiai.core.repository.time_share import plenty
from kodiai.core.repository.usages import Usages
from kodiai.core.review.input import ReviewInput
from kodiai.core.review.material import earlier_block, material
from kodiai.core.reviewers import Reviewer, reviewers
from kodiai.core.tokens import estimated_tokens
from kodiai.flows.model.concurrently import Slots, run_concurrently
from kodiai.flows.model.conversation import MOST_TOKENS, Reader
from kodiai.flows.review.extract import Extractor
from kodiai.flows.review.read import NO_MONEY, Batch, Reading, read, why_unread
from kodiai.flows.review.scope import Chosen

# What the tools may show in one conversation, for an estimate that errs on the expensive side.
_LOOKED_UP_TOKENS = 30_000


@dataclass(frozen=True)
class Asked:
    """What the reviewers made of everything in scope.

    `earlier` are the answers about the findings that were asked about. `unread` are the files that some reviewer could
    not read in full, each with the reasons; `problems` are such reasons where there is no file to name.
    `findings` are those of all reports, each with its reviewer.
    """

    reports: tuple[Report, ...]
    findings: tuple[tuple[Reviewer, ReportedFinding], ...]
    earlier: tuple[EarlierAnswer, ...]
    unread: tuple[Skipped, ...]
    problems: tuple[str, ...]


def batches_of(
    gathered: ReviewInput,
    chosen: Chosen,
    sources: Sources,
    usages: Usages,
    time_left: Callable[[], float] = plenty,
    change_since: Callable[[KnownFinding], str] = lambda _: "",
) -> tuple[Batch, ...]:
    """Put each earlier finding to the changes of its file, or to the riskiest ones, and prepare what is shown."""
    files = chosen.scope.batches or (((),) if chosen.asked_back else ())
    home = {file.path: at for at, batch in enumerate(files) for file in batch}
    earlier: list[list[KnownFinding]] = [[] for _ in files]
    for known in chosen.asked_back:
        earlier[home.get(known.finding.path, 0)].append(known)
    again = chosen.scope.mode == "incremental"
    surroundings = Surroundings(files, sources, usages, time_left)
    return tuple(
        Batch(
            files=batch,
            reviewers=reviewers(chosen.scope.tier, batch),
            material=material(gathered, batch, surroundings, again=again),
            again=again,
            asked_back=frozenset(known.id for known in back),
            back=earlier_block(gathered, back, sources.lines, change_since) if back else None,
        )
        for batch, back in zip(files, earlier, strict=True)
    )


def ask(reader: Reader, extractor: Extractor, batches: Sequence[Batch], most: int, *, is_last_try: bool) -> Asked:
    """Have every batch read by its reviewers, at most so many at once; nothing that was answered is asked again.

    What may be spent goes to the riskiest batches, which come first.
    Raises OutOfTime where the time left does not suffice for the next answer, Refused where the money does not
    suffice for the first, Retry where nobody read anything and there is another try.
    """
    most = most if _affords(reader, batches) else 1
    slots = Slots(most)
    readings = run_concurrently(
        [partial(_read_batch, reader, extractor, batch, slots, most) for batch in batches], most
    )
    done = [reading for of in readings for reading in of]
    if done and all(reading.report is None for reading in done):
        _give_up(done[0].failed, is_last_try=is_last_try)
    reasons = [(batch, why_unread(of)) for batch, of in zip(batches, readings, strict=True)]
    return Asked(
        reports=tuple(reading.report for reading in done if reading.report is not None),
        findings=tuple((each.reviewer, found) for each in done if each.report for found in each.report.findings),
        earlier=tuple(answer for reading in done for answer in reading.earlier),
        unread=tuple(Skipped(file.path, why) for batch, why in reasons if why for file in batch.files),
        problems=tuple(dict.fromkeys(why for batch, why in reasons if why and not batch.files)),
    )


def _read_batch(reader: Reader, extractor: Extractor, batch: Batch, slots: Slots, most: int) -> list[Reading]:
    """Have the first reviewer read alone: the others are shown its findings, over a prefix that is then cached."""
    ask_one = partial(read, reader, extractor, batch)
    first = slots.run(partial(ask_one, batch.reviewers[0]))
    others = [partial(ask_one, name, first) for name in batch.reviewers[1:]]
    return [first, *run_concurrently([partial(slots.run, other) for other in others], most)]


def _affords(reader: Reader, batches: Sequence[Batch]) -> bool:
    """Whether the money plainly suffices for every conversation: even for the longest reports, and without a cache."""
    shown = sum(
        len(batch.reviewers) * sum(estimated_tokens(block["text"]) for block in batch.material.blocks)
        for batch in batches
    )
    conversations = sum(len(batch.reviewers) for batch in batches)
    likely_most = Usage(
        cache_write_tokens=shown + conversations * _LOOKED_UP_TOKENS,
        output_tokens=conversations * MOST_TOKENS,
    )
    return reader.answers.affords(likely_most, reader.model)


def _give_up(why: str, *, is_last_try: bool) -> None:
    """End a run in which nobody read anything, unless a review has to say so because nobody tries again."""
    if why == NO_MONEY:
        raise Refused(f"Nothing was read: {why}.")
    if not is_last_try:
        raise Retry(f"the model read nothing: {why}")
