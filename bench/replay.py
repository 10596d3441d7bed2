"""Replays a pull request, push by push, through the whole local system."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.figures import Comment, Expectation, Figures, Tokens, repeated, tokens_of
from bench.system import System
from local.follower import LogLine

Json = Mapping[str, Any]
_SETTINGS = {".kodiai.yml": b"review:\n  triggers:\n    onSynchronize: true\n"}
_TOKEN_ROUTE = "access_tokens"


@dataclass(frozen=True)
class Cost:
    """What one event came to: the run's facts, and what was asked of the model and of GitHub meanwhile."""

    outcome: LogLine
    facts: Json
    tokens: Tokens
    github_calls: int


class Replay:
    """Replays pull requests on a running system."""

    def __init__(self, system: System) -> None:
        self._system = system

    def pull_request(self, title: str, pushes: Sequence[Json]) -> list[Figures]:
        """Open it with the first push and deliver the others; a re-review with model calls is compared with a full one.

        A push has `after`, `base_tip`, `kind` and, but for the first one, `expected_changed_hunks`.
        Raises DeliveryFailed.
        """
        figures: list[Figures] = []
        posted: list[Comment] = []
        number = 0
        for at, push in enumerate(pushes):
            marks = self._marks()
            if at == 0:
                number = self._open(title, push)
            else:
                self._system.github.push(number, push["after"], push["base_tip"], base_files=_SETTINGS)
            cost = self._cost(number, marks)
            comments = self._comments(number)[len(posted) :]
            full = self._full_review(title, push) if at and cost.tokens.total else None
            figures.append(_figures(at + 1, push, cost, full, comments, repeated(posted, comments)))
            posted += comments
        return figures

    def _open(self, title: str, push: Json) -> int:
        return self._system.github.open_pull_request(push["after"], push["base_tip"], title=title, base_files=_SETTINGS)

    def _full_review(self, title: str, push: Json) -> Tokens:
        """What a fresh pull request of the same head costs."""
        marks = self._marks()
        return self._cost(self._open(title, push), marks).tokens

    def _marks(self) -> tuple[int, int]:
        return len(self._system.github.requests), len(self._system.asked)

    def _cost(self, number: int, marks: tuple[int, int]) -> Cost:
        """Wait for what becomes of the last event, and take in what was asked since the marks."""
        outcome = self._system.outcome()
        run = self._system.ledger(number).run(outcome["run"]) if "run" in outcome else None
        calls = [seen for seen in self._system.github.requests[marks[0] :] if _TOKEN_ROUTE not in seen.route]
        return Cost(outcome, run.facts if run else {}, tokens_of(self._system.asked[marks[1] :]), len(calls))

    def _comments(self, number: int) -> list[Comment]:
        """The inline comments of ours that begin a thread, in the order in which they came."""
        bot = self._system.github.bot_login
        return [
            Comment.read(comment.place.path, comment.body)
            for comment in self._system.github.state.comments_of(number, bot)
            if comment.author == bot and comment.in_reply_to is None
        ]


def _figures(
    number: int,
    push: Json,
    cost: Cost,
    full: Tokens | None,
    comments: Sequence[Comment],
    again: Sequence[Comment],
) -> Figures:
    facts = cost.facts
    skipped = frozenset(one["path"] for one in facts.get("skipped", ()))
    expectation = Expectation(
        push.get("expected_changed_hunks"), facts.get("changed_files", ()), facts.get("hunks_asked", 0), skipped
    )
    return Figures(
        number=number,
        head=push["after"],
        kind=push["kind"],
        mode=facts.get("mode") or cost.outcome["outcome"],
        reason=facts.get("reason") or cost.outcome["reason"],
        asked_hunks=facts.get("hunks_asked", 0),
        hunks=facts.get("hunks_total", 0),
        tokens=cost.tokens,
        full=full,
        github_calls=cost.github_calls,
        comments=len(comments),
        repeated=tuple(again),
        differences=tuple(expectation.differences),
        left_out=tuple(expectation.left_out),
        delta=facts.get("delta") or {},
        seconds=cost.outcome.get("seconds", 0.0),
    )
