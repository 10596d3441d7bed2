"""What must hold of a pull request once everything is quiet, whatever happened on the way."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kodiai.core.words.markers import finding_of, review_run
from local.github.state import CheckRun, Review, ReviewComment
from tests.faults.scene import Scene

Items = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Verdict:
    """What is there twice, and what is lost, in a sentence each."""

    duplicates: tuple[str, ...]
    losses: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether a person could not tell that anything happened."""
        return not self.duplicates and not self.losses


@dataclass(frozen=True)
class _Seen:
    """A pull request on GitHub and in the ledger."""

    number: int
    head: str
    reviews: list[Review]
    comments: list[ReviewComment]
    checks: list[CheckRun]
    other: list[str]
    items: Items

    def of_kind(self, kind: str) -> dict[str, Mapping[str, Any]]:
        return {key.partition("#")[2]: item for key, item in self.items.items() if key.startswith(f"{kind}#")}

    @property
    def completed(self) -> dict[str, Mapping[str, Any]]:
        return {run: item for run, item in self.of_kind("RUN").items() if item["status"] == "completed"}


def judge(scene: Scene, number: int, *, reviewed: bool, reviews: int | None) -> Verdict:
    """Hold a pull request against every invariant.

    `reviewed` is whether its head must have been reviewed, `reviews` how many there must be, where that is known.
    """
    seen = _look(scene, number)
    losses = [*_unfinished(seen), *_apart(seen), *_unchecked(seen)]
    if reviewed and seen.items.get("STATE", {}).get("completed_head") != seen.head:
        losses.append("the head was not reviewed")
    if reviews is not None and len(seen.reviews) < reviews:
        losses.append(f"{len(seen.reviews)} of {reviews} reviews")
    duplicates = list(_twice(seen))
    if reviews is not None and len(seen.reviews) > reviews:
        duplicates.append(f"{len(seen.reviews)} reviews, not {reviews}")
    return Verdict(tuple(duplicates), tuple(losses))


def _look(scene: Scene, number: int) -> _Seen:
    state, ours = scene.github.state, scene.github.bot_login
    reviews = [review for review in state.reviews_of(number, ours) if review.author == ours]
    comments = [comment for comment in state.comments_of(number, ours) if comment.author == ours]
    mine = f"{scene.github.full_name}#{number}@"
    checks = [check for check in state.checks.values() if check.external_id.startswith(mine)]
    said = [f"comment {each.body}" for each in state.issue_comments_of(number) if each.author == ours]
    subjects = {number, *(each.id for each in comments), *(each.id for each in state.issue_comments_of(number))}
    reactions = [
        f"reaction {each.content} to {each.subject}"
        for each in state.reactions.values()
        if each.author == ours and each.subject in subjects
    ]
    head = state.pulls[number].head_sha
    return _Seen(number, head, reviews, comments, checks, said + reactions, scene.items(number))


def _twice(seen: _Seen) -> Iterable[str]:
    """Nothing that a person sees, and nothing in the books, is there twice."""
    yield from _repeated("review of run", (review_run(review.body) for review in seen.reviews))
    yield from _repeated(
        "comment on finding", (finding_of(each.body) for each in seen.comments if not each.in_reply_to)
    )
    yield from _repeated("reply", (each.body for each in seen.comments if each.in_reply_to))
    yield from _repeated("check of run", (check.external_id for check in seen.checks))
    yield from _repeated("check of head", (check.head for check in seen.checks))
    yield from _repeated("", seen.other)
    for check in seen.checks:
        yield from _repeated("annotation", (f"{note['path']} {note['message']}" for note in check.annotations))
    for finding in seen.of_kind("FINDING").values():
        yield from _repeated("record of finding by run", (entry["run"] for entry in finding["history"]))


def _repeated(what: str, names: Iterable[object]) -> Iterable[str]:
    return [f"{what} {name} {times} times".strip() for name, times in Counter(names).items() if times > 1]


def _unfinished(seen: _Seen) -> Iterable[str]:
    """No lease is held, no run is under way."""
    state = seen.items.get("STATE", {})
    yield from (f"{name} is still set" for name in ("lease_owner", "running") if name in state)
    for run, item in seen.of_kind("RUN").items():
        if item["status"] == "running":
            yield f"run {run} never ended"


def _apart(seen: _Seen) -> Iterable[str]:
    """GitHub and the ledger tell the same story: a review for each completed run, a record for each comment."""
    posted = {review_run(review.body): str(review.id) for review in seen.reviews}
    recorded = {run: item["review_id"] for run, item in seen.completed.items() if item.get("review_id")}
    if posted != recorded:
        yield f"reviews on GitHub {posted}, in the ledger {recorded}"
    findings = seen.of_kind("FINDING")
    pointers = {comment: item["finding"] for comment, item in seen.of_kind("COMMENT").items()}
    commented = {str(each.id): finding_of(each.body) for each in seen.comments if not each.in_reply_to}
    if commented != pointers:
        yield f"comments on GitHub {commented}, in the ledger {pointers}"
    for name, item in findings.items():
        if "comment_id" in item and item["comment_id"] not in commented:
            yield f"finding {name} has no comment {item['comment_id']}"
        if "comment_id" not in item and not any(_tells(review, item) for review in seen.reviews):
            yield f"finding {name} is in no review"
    for review in seen.reviews:
        told = [item for item in findings.values() if _tells(review, item)]
        if review.body.count("\n[") > len(told):
            yield f"review {review.id} tells {review.body.count(chr(10) + '[')} findings, {len(told)} are recorded"


def _tells(review: Review, finding: Mapping[str, Any]) -> bool:
    return str(finding["finding"]).partition('"title":"')[2].partition('"')[0] in review.body


def _unchecked(seen: _Seen) -> Iterable[str]:
    """Every check run has ended, and each completed run has one."""
    for check in seen.checks:
        if check.status != "completed":
            yield f"check {check.id} of {check.head[:7]} is {check.status}"
    shown = {str(check.id) for check in seen.checks}
    for run, item in seen.completed.items():
        if item.get("check_id") not in shown:
            yield f"run {run} has no check"
