"""The tab "Conversation": the description, and everything that was written and done since, in order."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from local.github.state import Event, Review
from local.page import merge_box
from local.page.header import StateLabel
from local.page.page_request import Context, PageRequest
from local.page.posts import post_of
from local.page.pushes import pushes_of
from local.page.threads import Thread, threads_of

_REVIEWED = {
    "PENDING": StateLabel("amber", "●", "started a review"),
    "COMMENTED": StateLabel("grey", "▪", "reviewed"),
    "APPROVED": StateLabel("green", "✓", "approved these changes"),
    "CHANGES_REQUESTED": StateLabel("red", "✕", "requested changes"),
    "DISMISSED": StateLabel("grey", "–", "reviewed (dismissed)"),
}
_CHECK = re.compile(r"(?:started|updated) check: (\w+)")
_VERDICTS = ("APPROVED", "CHANGES_REQUESTED", "DISMISSED")
_DONE = {
    "edited": "edited the description",
    "closed": "closed this",
    "reopened": "reopened this",
    "ready_for_review": "marked this as ready for review",
    "review_requested": "requested a review",
    "locked": "locked and limited conversation to collaborators",
    "unlocked": "unlocked this conversation",
    "enqueued": "added this to the merge queue",
    **{
        f"dequeued: {reason}": f"had added this to the merge queue, which removed it: {words}"
        for reason, words in {
            "CI_FAILURE": "a required check failed",
            "CI_TIMEOUT": "required checks did not report in time",
            "MERGE_CONFLICT": "it has conflicts with earlier entries",
            "MANUAL": "it was changed",
        }.items()
    },
}


Entry = Mapping[str, Any]
"""An entry: something that was written or done; its `kind` is "review", "comment", "push", or "event" for a line."""


def view(request: PageRequest) -> Context:
    """The values that the tab shows."""
    repository, pull = request.repository, request.pull
    acted = [event.actor for event in repository.state.timeline if event.number == pull.number]
    logins = dict.fromkeys([pull.author, *acted])
    return {
        "description": post_of(request, pull),
        "entries": list(_entries(request)),
        "reviewers": _reviewers(request),
        "participants": [repository.state.users[login] for login in logins if login in repository.state.users],
        **merge_box.view(request),
    }


def _entries(request: PageRequest) -> Iterator[Entry]:
    """Everything in order; deleted comments are left out, and a pending review is the last for who writes it."""
    state, number = request.repository.state, request.pull.number
    threads: dict[int, list[Thread]] = defaultdict(list)
    for thread in threads_of(request):
        threads[thread.review].append(thread)
    reviews = {review.id: review for review in state.reviews_of(number, request.viewer.login)}
    pushes = iter(pushes_of(request))
    shown: dict[int, str] = {}
    for index, event in enumerate(event for event in state.timeline if event.number == number):
        if event.what in ("opened", "synchronize"):
            yield {"kind": "push", "push": next(pushes), "anchor": f"event-{index}"}
        elif event.what == "commented" and event.subject in state.issue_comments:
            yield {"kind": "comment", "post": post_of(request, state.issue_comments[int(event.subject)])}
        elif event.what.startswith("reviewed: ") and event.subject in reviews:
            yield from _review(request, reviews.pop(int(event.subject)), threads)
        else:
            yield from _event(request, event, f"event-{index}", shown)
    for review in reviews.values():
        yield from _review(request, review, threads)


def _review(request: PageRequest, review: Review, threads: dict[int, list[Thread]]) -> Iterator[Entry]:
    """Show a review, unless it is only the container in which GitHub keeps replies."""
    started = threads[review.id]
    if review.body or started or review.state in _VERDICTS:
        post, state = post_of(request, review), _REVIEWED[review.state]
        yield {"kind": "review", "review": review, "post": post, "state": state, "threads": started}


def _event(request: PageRequest, event: Event, anchor: str, shown: dict[int, str]) -> Iterator[Entry]:
    """Show what was done to the pull request, and that a check started or ended.

    `shown` is the state of each check that was shown last: its progress is not shown.
    """
    entry = {"kind": "event", "event": event, "anchor": anchor, "check": None}
    found = _CHECK.fullmatch(event.what)
    if found and isinstance(event.subject, int) and event.subject in request.repository.state.checks:
        if found[1] not in ("queued", shown.get(event.subject)):
            yield entry | {"words": found[1], "check": request.repository.state.checks[event.subject]}
        shown[event.subject] = found[1]
    elif event.what in _DONE:
        merged = event.what == "closed" and event.at >= (request.pull.merged_at or float("inf"))
        yield entry | {"words": "merged this" if merged else _DONE[event.what]}


def _reviewers(request: PageRequest) -> dict[str, StateLabel]:
    """The state of each reviewer's review: a comment replaces neither an approval nor a request for changes."""
    states = {login: StateLabel("amber", "●", "review requested") for login in request.pull.requested_reviewers}
    for review in request.repository.state.reviews_of(request.pull.number, request.viewer.login):
        is_verdict = review.author not in states or review.state in _VERDICTS
        if review.author != request.pull.author and is_verdict:
            state, words = _REVIEWED[review.state], review.state.replace("_", " ").lower()
            states[review.author] = StateLabel(state.tone, state.mark, words)
    return states
