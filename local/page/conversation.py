"""The tab "conversation": the description, and what was said and done since, in order."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from local.github.state import CheckRun, Event, Review
from local.page.pushes import Push, pushes_of
from local.page.said import Said, said_in
from local.page.shell import Sign, checks_of, sign_for, sign_of
from local.page.threads import Thread, above, threads_of
from local.page.visit import Shown, Visit

_REVIEWED = {
    "PENDING": Sign("amber", "●", "began a review that is still pending"),
    "COMMENTED": Sign("grey", "▪", "reviewed"),
    "APPROVED": Sign("green", "✓", "approved these changes"),
    "CHANGES_REQUESTED": Sign("red", "✕", "requested changes"),
    "DISMISSED": Sign("grey", "–", "gave a review that was dismissed"),
}
_CHECK = re.compile(r"(?:started|updated) check: (\w+)")
_STANDING = ("APPROVED", "CHANGES_REQUESTED", "DISMISSED")
_DONE = {
    "edited": "edited the description",
    "closed": "closed this",
    "reopened": "reopened this",
    "ready_for_review": "marked this as ready for review",
    "review_requested": "asked for a review",
}


@dataclass(frozen=True)
class ReviewEntry:
    """A review, with the threads that it began."""

    review: Review
    said: Said
    sign: Sign
    threads: Sequence[Thread]

    kind = "review"


@dataclass(frozen=True)
class CommentEntry:
    """A comment of the conversation."""

    said: Said

    kind = "comment"


@dataclass(frozen=True)
class PushEntry:
    """A push, or the opening."""

    push: Push
    anchor: str

    kind = "push"


@dataclass(frozen=True)
class LineEntry:
    """Something that was done, in a line; `words` are how `check` stood then, where it tells of one."""

    event: Event
    anchor: str
    words: str
    check: CheckRun | None = None

    kind = "line"

    @property
    def sign(self) -> Sign:
        """How the check stood."""
        return sign_for(self.words)


Entry = ReviewEntry | CommentEntry | PushEntry | LineEntry


def view(visit: Visit) -> Shown:
    """What the tab shows."""
    state, pull = visit.world.state, visit.pull
    checks = checks_of(visit.world, pull.head_sha)
    return {
        "above": above,
        "description": said_in(visit, pull),
        "entries": list(_entries(visit)),
        "reviewers": _reviewers(visit),
        "participants": [state.users[login] for login in _participants(visit) if login in state.users],
        "head_runs": [(check, sign_of(check)) for check in checks],
    }


def _entries(visit: Visit) -> Iterator[Entry]:
    """Everything in order; whatever was deleted since is left out, and who has a pending review finds it last."""
    state, number = visit.world.state, visit.pull.number
    threads: dict[int, list[Thread]] = defaultdict(list)
    for thread in threads_of(visit):
        threads[thread.review].append(thread)
    reviews = {review.id: review for review in state.reviews_of(number, visit.viewer.login)}
    pushes = iter(pushes_of(visit))
    told: dict[int, str] = {}
    for index, event in enumerate(event for event in state.timeline if event.number == number):
        if event.what in ("opened", "synchronize"):
            yield PushEntry(next(pushes), f"event-{index}")
        elif event.what == "commented" and event.subject in state.issue_comments:
            yield CommentEntry(said_in(visit, state.issue_comments[int(event.subject)]))
        elif event.what.startswith("reviewed: ") and event.subject in reviews:
            yield from _review(visit, reviews.pop(int(event.subject)), threads)
        else:
            yield from _line(visit, event, f"event-{index}", told)
    for review in reviews.values():
        yield from _review(visit, review, threads)


def _review(visit: Visit, review: Review, threads: dict[int, list[Thread]]) -> Iterator[ReviewEntry]:
    """Show a review, unless it is only the cover in which GitHub keeps answers."""
    began = threads[review.id]
    if review.body or began or review.state in _STANDING:
        yield ReviewEntry(review, said_in(visit, review), _REVIEWED[review.state], began)


def _line(visit: Visit, event: Event, anchor: str, told: dict[int, str]) -> Iterator[LineEntry]:
    """Show an event that has a line: what was done to the pull request, and that a check began or ended.

    `told` is what was told last of each check: its progress has no lines.
    """
    found = _CHECK.fullmatch(event.what)
    if found and isinstance(event.subject, int) and event.subject in visit.world.state.checks:
        if found[1] not in ("queued", told.get(event.subject)):
            yield LineEntry(event, anchor, found[1], visit.world.state.checks[event.subject])
        told[event.subject] = found[1]
    elif event.what in _DONE:
        merged = event.what == "closed" and event.at >= (visit.pull.merged_at or float("inf"))
        yield LineEntry(event, anchor, "merged this" if merged else _DONE[event.what])


def _reviewers(visit: Visit) -> dict[str, Sign]:
    """Give whoever reviewed and how their review stands: a comment does not lift an approval or a refusal."""
    standing = {login: Sign("amber", "●", "asked for a review") for login in visit.pull.requested_reviewers}
    for review in visit.world.state.reviews_of(visit.pull.number, visit.viewer.login):
        told = standing.get(review.author)
        if review.author != visit.pull.author and (told is None or review.state in _STANDING):
            words = review.state.replace("_", " ").lower()
            sign = _REVIEWED[review.state]
            standing[review.author] = Sign(sign.tone, sign.mark, words)
    return standing


def _participants(visit: Visit) -> Sequence[str]:
    """Give the logins of whoever did something here that the viewer may see, in order."""
    state, number = visit.world.state, visit.pull.number
    acted = [event.actor for event in state.timeline if event.number == number]
    return list(dict.fromkeys([visit.pull.author, *acted]))
