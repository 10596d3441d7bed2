"""Review: every batch of changes is read by its reviewers, and their reports are turned into data."""

from collections.abc import Sequence
from functools import partial

from kodiai.core.changes.scope import Skipped
from kodiai.core.errors import Refused, Retry
from kodiai.core.model.usage import Usage
from kodiai.core.review.plan import Batch, ReviewPlan
from kodiai.core.review.reports import Reports, answers_by_finding
from kodiai.core.tokens import estimated_tokens
from kodiai.flows.model.concurrently import Slots, run_concurrently
from kodiai.flows.model.conversation import MOST_TOKENS, Reader
from kodiai.flows.review.extract import Extractor
from kodiai.flows.review.read import NO_MONEY, ReviewerReport, read, why_unread

# What the tools may show in one conversation, for an estimate that errs on the expensive side.
_LOOKED_UP_TOKENS = 30_000


def review(reader: Reader, extractor: Extractor, plan: ReviewPlan, most: int, *, is_last_attempt: bool) -> Reports:
    """Have every batch read by its reviewers, at most `most` at once; nothing that was answered is asked again.

    What may be spent goes to the riskiest batches, which come first.
    Raises OutOfTime where the time left does not suffice for the next answer, Refused where the money does not
    suffice for the first, Retry where nobody read anything and there is another attempt.
    """
    batches = plan.batches
    most = most if _affords(reader, batches) else 1
    slots = Slots(most)
    by_batch = run_concurrently(
        [partial(_read_batch, reader, extractor, batch, slots, most) for batch in batches], most
    )
    done = [each for of in by_batch for each in of]
    if done and all(each.report is None for each in done):
        _give_up(done[0].failed, is_last_attempt=is_last_attempt)
    reasons = [(batch, why_unread(of)) for batch, of in zip(batches, by_batch, strict=True)]
    return Reports(
        reports=tuple(each.report for each in done if each.report is not None),
        findings=tuple((each.reviewer, found) for each in done if each.report for found in each.report.findings),
        earlier=answers_by_finding(answer for each in done for answer in each.earlier),
        unread=tuple(Skipped(file.path, why) for batch, why in reasons if why for file in batch.files),
        problems=tuple(dict.fromkeys(why for batch, why in reasons if why and not batch.files)),
    )


def _read_batch(reader: Reader, extractor: Extractor, batch: Batch, slots: Slots, most: int) -> list[ReviewerReport]:
    """Have the first reviewer read alone: the others are shown its findings, over a prefix that is then cached."""
    ask_one = partial(read, reader, extractor, batch)
    first = slots.run(partial(ask_one, batch.reviewers[0]))
    others = [partial(ask_one, name, first) for name in batch.reviewers[1:]]
    return [first, *run_concurrently([partial(slots.run, other) for other in others], most)]


def _affords(reader: Reader, batches: Sequence[Batch]) -> bool:
    """Whether the money plainly suffices for every conversation: even for the longest reports, and without a cache."""
    shown = sum(
        len(batch.reviewers) * sum(estimated_tokens(block.text) for block in batch.material.blocks) for batch in batches
    )
    conversations = sum(len(batch.reviewers) for batch in batches)
    likely_most = Usage(
        cache_write_tokens=shown + conversations * _LOOKED_UP_TOKENS,
        output_tokens=conversations * MOST_TOKENS,
    )
    return reader.answers.affords(likely_most, reader.model)


def _give_up(why: str, *, is_last_attempt: bool) -> None:
    """End a run in which nobody read anything, unless a review has to say so because nobody tries again."""
    if why == NO_MONEY:
        raise Refused(f"Nothing was read: {why}.")
    if not is_last_attempt:
        raise Retry(f"the model read nothing: {why}")
