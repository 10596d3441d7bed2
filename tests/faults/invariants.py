"""Invariants of a pull request once everything is quiet, whatever happened on the way."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kodiai.core.findings.markers import answered_key, review_run
from kodiai.core.words.check import LOCKED
from local.github.state import CheckRun, Review
from tests.faults import continuity
from tests.faults.scene import Scene
from tests.faults.seen import Seen, look, reported_title_of, title_of, tokens_of

_TOLD = re.compile(r"^(?::new: )?\[(?:CRITICAL|MAJOR|MEDIUM|MINOR)\] ", re.MULTILINE)


@dataclass(frozen=True)
class Expected:
    """The end of a pull request: whether its head is reviewed, and the number of reviews, None where it depends.

    `replies` are ours in threads, `answers` ours in the conversation, `fixed` are findings that the code has fixed,
    `settled` those that people have settled. `reactions` are ours, `rules` are those that people gave there.
    `proposals` are the statuses of the proposals for it, oldest first, `commits` are those that were made of them.
    `declines` is whether the model declined something: that is paid for, and not kept.
    `opened` is whether a person lets the head pass, by its check run.
    `concludes` is the conclusion of the head's check run, None where it is of no interest.
    `kept` is whether the head has a review that is only kept, whole, while GitHub shows nothing at all.
    Of the remembered findings `accepted` are those that a person found useful, `forgotten` those that have no vector.
    """

    reviewed: bool = True
    reviews: int | None = 1
    replies: int = 0
    answers: int = 0
    fixed: int = 0
    settled: int = 0
    reactions: int = 0
    rules: int = 0
    accepted: int = 0
    forgotten: int = 0
    proposals: tuple[str, ...] = ()
    commits: int = 0
    declines: bool = False
    kept: bool = False
    opened: bool = False
    concludes: str | None = None


@dataclass(frozen=True)
class Verdict:
    """Duplicates and losses, in a sentence each."""

    duplicates: tuple[str, ...]
    losses: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether a person could not tell that anything happened."""
        return not self.duplicates and not self.losses


def judge(scene: Scene, number: int, expected: Expected) -> Verdict:
    """Hold a pull request against every invariant."""
    seen = look(scene, number)
    losses = [
        *_unfinished(seen),
        *_apart(seen),
        *_unchecked(seen),
        *_unmirrored(seen),
        *_misremembered(seen),
        *continuity.broken(seen),
    ]
    if expected.reviewed and seen.items.get("STATE", {}).get("completed_head") != seen.head:
        losses.append("the head was not reviewed")
    duplicates = [*_twice(seen), *continuity.twice(seen)]
    if expected.kept:
        losses += _not_kept(seen)
        duplicates += [f"check {check.id} is on GitHub" for check in seen.checks]
    for what, there, due in _counts(seen, expected):
        if there != due:
            (losses if there < due else duplicates).append(f"{there} {what}, not {due}")
    statuses = tuple(proposal.status for proposal in seen.proposals)
    if statuses != expected.proposals:
        (losses if len(statuses) <= len(expected.proposals) else duplicates).append(
            f"proposals are {statuses}, not {expected.proposals}"
        )
    kept, spent = sum(map(tokens_of, seen.of_kind("ANSWER").values())), seen.items.get("STATE", {}).get("spent", 0)
    if spent < kept:
        losses.append(f"${int(spent) / 1e6} are counted, and the kept answers cost ${kept / 1e6}")
    if spent > kept and not expected.declines:
        duplicates.append(f"${int(spent) / 1e6} are counted, and the kept answers cost ${kept / 1e6}")
    losses += _out_of_step(seen)
    if expected.opened and not str(seen.shown[seen.head][-1].title).startswith("Overridden by "):
        losses.append("the head does not pass")
    if expected.concludes is not None and seen.shown[seen.head][-1].conclusion != expected.concludes:
        losses.append(f"the head's check run concludes {seen.shown[seen.head][-1].conclusion}")
    return Verdict(tuple(duplicates), tuple(losses))


def _counts(seen: Seen, expected: Expected) -> Iterable[tuple[str, int, int]]:
    """The number of each thing, and the number that there must be."""
    fixed = [item for item in seen.of_kind("FINDING").values() if item["status"] == "fixed"]
    if expected.reviews is not None:
        yield "reviews", len(seen.reviews), expected.reviews
    yield "replies", len(seen.replies), expected.replies
    yield "answers", len(seen.conversation), expected.answers
    yield "fixed findings", len(fixed), expected.fixed
    settled = [item for item in seen.of_kind("FINDING").values() if item["status"] not in ("open", "fixed")]
    yield "settled findings", len(settled), expected.settled
    yield "reactions", len(seen.reactions), expected.reactions
    yield "rules", seen.rules, expected.rules
    yield "commits of proposals", sum(seen.commits.values()), expected.commits
    accepted = [vector for vector in seen.vectors.values() if vector["accepted_by"]]
    yield "accepted findings", len(accepted), expected.accepted
    forgotten = [key for key, item in seen.remembered.items() if "forgotten" in item and key not in seen.vectors]
    yield "forgotten findings", len(forgotten), expected.forgotten


def _twice(seen: Seen) -> Iterable[str]:
    """Nothing that a person sees, and nothing in the books, is there twice."""
    yield from _repeated("review of run", (review_run(review.body) for review in seen.reviews))
    yield from _repeated("comment on finding", seen.finding_of.values())
    yield from _repeated("kept review of head", ((run.kept, run.head) for run in seen.kept))
    yield from _repeated("check of run", (check.external_id for check in seen.checks))
    reviews = Counter(run["head"] for run in seen.completed.values())  # a full review has a check run of its own
    for head, times in Counter(check.head for check in seen.checks).items():
        if times > max(reviews[head], 1):
            yield f"check of head {head} {times} times"
    bodies = [*(each.body for each in seen.conversation), *(each.body for each in seen.replies)]
    answers = map(answered_key, bodies)
    yield from _repeated("answer to", (key for key in answers if key is not None))
    yield from _repeated("reaction", seen.reactions)
    for check in seen.checks:
        yield from _repeated("annotation", (f"{note['path']} {note['message']}" for note in check.annotations))
    for finding in seen.of_kind("FINDING").values():
        yield from _repeated("record of finding by run", (entry["run"] for entry in finding["history"]))


def _not_kept(seen: Seen) -> Iterable[str]:
    """The head's review is there as it would be posted, with both findings."""
    reviews = [run.staged.review for run in seen.kept if run.head == seen.head and run.staged]
    if not any(review and review.comments and len(_TOLD.findall(review.body)) > 1 for review in reviews):
        yield "the head has no kept review, or only a part of it"


def _repeated(what: str, names: Iterable[object]) -> Iterable[str]:
    return [f"{what} {name} {times} times" for name, times in Counter(names).items() if times > 1]


def _unfinished(seen: Seen) -> Iterable[str]:
    """No lease is held, no run is under way."""
    for state in ("STATE", "PREVIEW"):
        held = seen.items.get(state, {})
        yield from (f"{name} of {state} is still set" for name in ("lease_owner", "running") if name in held)
    for run, item in seen.of_kind("RUN").items():
        if item["status"] == "running":
            yield f"run {run} never ended"


def _apart(seen: Seen) -> Iterable[str]:
    """GitHub and the ledger tell the same story: a review for each run that posted one, a record for each comment."""
    posted = {run: str(review.id) for run, review in seen.review_of.items()}
    recorded = {run: item["review_id"] for run, item in seen.completed.items() if item.get("review_id")}
    if posted != recorded:
        yield f"reviews on GitHub {posted}, in the ledger {recorded}"
    findings = seen.of_kind("FINDING")
    pointers = {comment: item["finding"] for comment, item in seen.of_kind("COMMENT").items()}
    commented = {str(comment): finding for comment, finding in seen.finding_of.items()}
    if commented != pointers:
        yield f"comments on GitHub {commented}, in the ledger {pointers}"
    for name, item in findings.items():
        if "comment_id" in item and commented.get(item["comment_id"]) != name:
            yield f"finding {name} has no comment {item['comment_id']}"
        told = (*(_tells(review, item) for review in seen.reviews), *(_stands_in(check, item) for check in seen.checks))
        if "comment_id" not in item and not any(told):
            yield f"finding {name} is in no review"
    for review in seen.reviews:
        there, known = len(_TOLD.findall(review.body)), sum(_tells(review, item) for item in findings.values())
        if there > known:
            yield f"review {review.id} tells {there} findings, {known} are recorded"


def _tells(review: Review, finding: Mapping[str, Any]) -> bool:
    """Whether a review tells a finding, also one that has another title since it is partly fixed."""
    return any(title in review.body for title in (title_of(finding), reported_title_of(finding)))


def _stands_in(check: CheckRun, finding: Mapping[str, Any]) -> bool:
    """Whether a check run tells a finding in place of the review: in its summary, and at its lines."""
    title = title_of(finding)
    summary = check.summary or ""
    return f"{LOCKED}," in summary and title in summary and title in str(check.annotations)


def _misremembered(seen: Seen) -> Iterable[str]:
    """The index has what the ledger says that it has, and nothing else: no rule that fails, which is only counted."""
    for key in seen.vectors.keys() - seen.remembered.keys():
        yield f"vector {key} is unknown to the ledger"
    for key, item in seen.remembered.items():
        vector = seen.vectors.get(key, {})
        if item.get("rule") is not None:
            yield from [f"vector {key} is of a rule"] if vector else []
        elif "index" in item and any(vector.get(fact) != item[fact] for fact in ("outcome", "accepted_by")):
            yield f"vector {key} should be as in {item}, and is {vector}"


def _out_of_step(seen: Seen) -> Iterable[str]:
    """The history of a proposal tells of every change to it, and its branch has the commit that it names."""
    for proposal in seen.proposals:
        events = seen.events[proposal.id]
        numbers = [event.number for event in events]
        if numbers != sorted(set(numbers)) or events[-1].status != proposal.status:
            yield f"the history of {proposal.id} is {[(event.number, event.status) for event in events]}"
        if (proposal.status == "applied") != (seen.commits[proposal.id] == 1):
            yield f"{proposal.id} is {proposal.status}, with {seen.commits[proposal.id]} commits"


def _unmirrored(seen: Seen) -> Iterable[str]:
    """Each commit in the merge queue says what the head says; all check runs of a head that is shared say the same."""
    ends = {commit: {check.conclusion for check in checks} for commit, checks in seen.shown.items()}
    names = {check.external_id.partition("@")[0] for check in seen.shown[seen.head]}
    if len(names) > 1 and len(ends[seen.head]) > 1:
        yield f"the check runs of the head conclude {ends[seen.head]}"
    for commit in seen.in_queue:
        if ends[commit] != {seen.shown[seen.head][-1].conclusion}:
            yield f"{commit[:7]} in the queue concludes {ends[commit]}"


def _unchecked(seen: Seen) -> Iterable[str]:
    """Every check run has ended, and each completed run has one."""
    for check in seen.checks:
        if check.status != "completed":
            yield f"check {check.id} of {check.head[:7]} is {check.status}"
    for run, item in seen.completed.items():
        if item.get("check_id") not in seen.check_of:
            yield f"run {run} has no check"
