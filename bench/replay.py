"""Replays a pull request, push by push, through the whole local system with the offline reviewer."""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from bench.figures import Comment, Expectation, Figures, Tokens, repeated, tokens_of
from local.follower import Follower, LogLine
from local.github import LocalGitHub
from local.machine import GitHubAccess, LocalMachine
from local.model import OfflineReviewer

Json = Mapping[str, Any]
_SETTINGS = {".kodiai.yml": b"review:\n  triggers:\n    onSynchronize: true\n"}
_LONGEST_SECONDS = 600.0
_TOKEN_ROUTE = "access_tokens"


@dataclass(frozen=True)
class Cost:
    """What one event came to: the run's facts, and what was asked of the model and of GitHub meanwhile."""

    outcome: LogLine
    facts: Json
    tokens: Tokens
    github_calls: int


class Replay:
    """A running system in front of one repository; a context manager."""

    def __init__(self, repository: Path) -> None:
        self._repository = repository
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as starting:
            secret = secrets.token_hex(16)
            self._github = starting.enter_context(LocalGitHub(self._repository, webhook_secret=secret))
            credentials = {"github/app-id": self._github.app_id, "github/private-key": self._github.private_key}
            access = GitHubAccess(self._github.url, credentials)
            self._machine = starting.enter_context(
                LocalMachine(access, webhook_secret=secret, answers=OfflineReviewer())
            )
            self._github.webhook_url = self._machine.system.webhook_url
            self._follower = Follower(self._machine.system.on_log)
            self._stack = starting.pop_all()
        return self

    def __exit__(self, *why: Any) -> None:
        self._stack.__exit__(*why)

    @property
    def violations(self) -> list[str]:
        """What was wrong with anything that was sent to GitHub or to the model."""
        model = self._machine.model.violations if self._machine.model else []
        return [*self._github.violations, *model]

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
                self._github.push(number, push["after"], push["base_tip"], base_files=_SETTINGS)
            cost = self._cost(number, marks)
            comments = self._comments(number)[len(posted) :]
            full = self._full_review(title, push) if at and cost.tokens.total else None
            figures.append(_figures(at + 1, push, cost, full, comments, repeated(posted, comments)))
            posted += comments
        return figures

    def _open(self, title: str, push: Json) -> int:
        return self._github.open_pull_request(push["after"], push["base_tip"], title=title, base_files=_SETTINGS)

    def _full_review(self, title: str, push: Json) -> Tokens:
        """What a fresh pull request of the same head costs."""
        marks = self._marks()
        return self._cost(self._open(title, push), marks).tokens

    def _marks(self) -> tuple[int, int]:
        return len(self._github.requests), len(self._asked)

    @property
    def _asked(self) -> list[Any]:
        assert self._machine.model is not None  # for the type checker: the offline reviewer always is
        return self._machine.model.requests

    def _cost(self, number: int, marks: tuple[int, int]) -> Cost:
        """Wait for what becomes of the last event, and take in what was asked since the marks."""
        guid = next(sent.guid for sent in reversed(self._github.deliveries) if sent.event == "pull_request")
        outcome = self._follower.outcome(guid, _LONGEST_SECONDS, lambda _: None)
        run = (
            self._machine.ledger(self._github.repository.ref, number).run(outcome["run"]) if "run" in outcome else None
        )
        calls = [seen for seen in self._github.requests[marks[0] :] if _TOKEN_ROUTE not in seen.route]
        return Cost(outcome, run.facts if run else {}, tokens_of(self._asked[marks[1] :]), len(calls))

    def _comments(self, number: int) -> list[Comment]:
        """The inline comments of ours that begin a thread, in the order in which they came."""
        bot = self._github.bot_login
        return [
            Comment.read(comment.place.path, comment.body)
            for comment in self._github.state.comments_of(number, bot)
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
