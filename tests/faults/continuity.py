"""Invariants from one review of a pull request to the next."""

from collections import Counter
from collections.abc import Iterable

from kodiai.core.findings.markers import reply_marker, reply_of
from kodiai.core.words.review import CI_IS_GREEN
from tests.faults.seen import Seen, facts_of, title_of

_AGAIN = "\n\n<details><summary>Kodiai Re-Review Summary</summary>\n\n"
_FIXED = "Fixed in "


def twice(seen: Seen) -> Iterable[str]:
    """Nothing is said twice in a thread, by one run or by two."""
    said = Counter((_subject(seen, reply.in_reply_to), _plain(reply.body)) for reply in seen.replies)
    by_run = Counter(who for reply in seen.replies if (who := reply_of(reply.body)) is not None)
    yield from (f"reply of run and finding {who} {times} times" for who, times in by_run.items() if times > 1)
    yield from (f"reply {text!r} on {name} {times} times" for (name, text), times in said.items() if times > 1)


def broken(seen: Seen) -> Iterable[str]:
    """Inconsistencies between one review and the next one, or a person."""
    yield from _untold(seen)
    yield from _unlisted(seen)
    yield from _uncollapsed(seen)
    yield from _misshapen(seen)


def _untold(seen: Seen) -> Iterable[str]:
    """A finding that is fixed has its thread resolved by us, or told so; what we resolved we know to be ours."""
    findings = seen.of_kind("FINDING")
    fixed = {_subject(seen, reply.in_reply_to) for reply in seen.replies if reply.body.startswith(_FIXED)}
    resolved = {_subject(seen, thread) for thread in seen.resolved}
    for name, item in findings.items():
        if item["status"] == "fixed" and "comment_id" in item and name not in fixed | resolved:
            yield f"finding {name} is fixed, and its thread says nothing"
        if item["status"] != "fixed" and name in fixed:
            yield f"finding {name} is {item['status']}, and its thread says that it is fixed"
        if (name in resolved) != bool(item.get("resolved_thread")):
            yield f"whether we resolved the thread of {name}: {name in resolved}, in the ledger otherwise"


def _unlisted(seen: Seen) -> Iterable[str]:
    """Open findings are listed by the last run: in its review, or, where it posted none, in its check run."""
    last = seen.items.get("STATE", {}).get("completed_run")
    if last not in seen.completed:
        return
    review, check = seen.review_of.get(last), seen.check_of.get(seen.completed[last].get("check_id", ""))
    text = review.body if review is not None else (check.summary or "") if check is not None else ""
    told = [line for line in text.splitlines() if not line.endswith(" -- resolved")]
    for name, item in seen.of_kind("FINDING").items():
        if item["status"] == "open" and not any(title_of(item) in line for line in told):
            yield f"finding {name} is open, and the last run does not say so"


def _uncollapsed(seen: Seen) -> Iterable[str]:
    """Only the newest summary is unfolded; an approval that came later is none."""
    shown = [review.minimized for review in seen.reviews if CI_IS_GREEN not in review.body]
    if shown != ["outdated"] * (len(shown) - 1) + [None] * bool(shown):
        yield f"summaries, the newest last, are {shown}"


def _misshapen(seen: Seen) -> Iterable[str]:
    """A review that goes on from another one has the form of a delta, and no other review has it.

    The first one may go on from what was read and not posted.
    """
    first = min((review.id for review in seen.reviews), default=0)
    for run, item in seen.completed.items():
        review = seen.review_of.get(run)
        goes_on = facts_of(item)["mode"] == "incremental" and review is not None and review.id != first
        if review is not None and (_AGAIN in review.body) != goes_on:
            yield f"review {review.id} of a run that was {facts_of(item)['mode']} has the other form"


def _subject(seen: Seen, thread: int | None) -> str | None:
    """Which finding a thread of ours is about."""
    return seen.finding_of.get(thread or 0)


def _plain(body: str) -> str:
    """The text of a reply, without its run and the head that it names."""
    said = reply_of(body)
    text = body.removesuffix(reply_marker(*said)).strip() if said is not None else body
    return _FIXED if text.startswith(_FIXED) else text
