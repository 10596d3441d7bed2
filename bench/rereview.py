"""Re-reviews of made pull requests, against full reviews of the same heads."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.cases import Push, make_cases, one_hunk_push
from bench.figures import Comment, Tokens, repeated, tokens_of
from bench.system import System, a_system
from bench.table import Table
from local.model import OfflineReviewer

_SETTINGS = {".kodiai.yml": b"review:\n  triggers:\n    onSynchronize: true\n"}
_TOKEN_ROUTE = "access_tokens"
_PULL_REQUESTS: Mapping[str, Callable[[Path], Sequence[Push]]] = {
    "one hunk of 24 files": one_hunk_push,
    "each kind of push to 4 small files": make_cases,
}
_NOTES = """\
Tokens are input tokens by the stand-in's measure, a quarter of the bytes, with what the cache reads and writes counted.
Full: a fresh pull request of the same head, for each re-review that asked the model anything.
Uncached: those that the cache did not serve. Nothing expires in the stand-in's cache.
Overhead: tokens of the questions less the changed hunks and what the tools gave."""


@dataclass(frozen=True)
class PushCost:
    """One push. `full` is what a full review of the same head read, None where the re-review asked nothing.

    `github_calls` does not count the installation token; `repeated` counts the comments that repeat an earlier one.
    """

    tokens: Tokens
    full: Tokens | None
    github_calls: int
    repeated: int


@dataclass(frozen=True)
class ReReviews:
    """The re-reviews of a pull request that asked the model, against full reviews of the same heads.

    `uncached` are the tokens that the cache did not serve, `ratio` is None where nothing was asked.
    """

    pushes: str
    re_reviews: int
    tokens: int
    uncached: int
    tokens_of_full: int
    ratio: float | None
    overhead_each: float
    github_calls_at_most: int
    comments_repeated: int


def measured(_quick: bool) -> list[Table]:
    """A row for each made pull request; there is nothing smaller."""
    rows = []
    for name, make in _PULL_REQUESTS.items():
        with tempfile.TemporaryDirectory() as folder:
            repository = Path(folder) / "cases"
            pushes = make(repository)
            with a_system(repository, OfflineReviewer()) as system:
                rows.append(summed(name, list(_replay(system, pushes))))
    return [Table.of("Re-reviews of made pull requests", rows, _NOTES.split("\n"))]


def summed(name: str, costs: Sequence[PushCost]) -> ReReviews:
    """Add the pushes up; only those that asked the model are compared with full reviews of their heads."""
    compared = [(push.tokens, push.full) for push in costs if push.full is not None]
    tokens, full = sum(each.total for each, _ in compared), sum(each.total for _, each in compared)
    return ReReviews(
        pushes=name,
        re_reviews=len(compared),
        tokens=tokens,
        uncached=sum(each.uncached for each, _ in compared),
        tokens_of_full=full,
        ratio=tokens / full if full else None,
        overhead_each=sum(each.overhead for each, _ in compared) / max(1, len(compared)),
        github_calls_at_most=max((push.github_calls for push in costs), default=0),
        comments_repeated=sum(push.repeated for push in costs),
    )


def _replay(system: System, pushes: Sequence[Push]) -> Iterator[PushCost]:
    """Open a pull request with the first push, and deliver the others. Raises DeliveryFailed."""
    posted: list[Comment] = []
    number = _open(system, pushes[0])
    for at, push in enumerate(pushes):
        asked, calls = (0, 0) if at == 0 else (len(system.asked), len(system.github.requests))
        if at:
            system.github.push(number, push.head, push.base, base_files=_SETTINGS)
        system.outcome()
        tokens, requests = tokens_of(system.asked[asked:]), system.github.requests[calls:]
        comments = _comments(system, number)[len(posted) :]
        again = len(repeated(posted, comments))
        posted += comments
        full = _full_review(system, push) if at and tokens.total else None
        yield PushCost(tokens, full, sum(_TOKEN_ROUTE not in seen.route for seen in requests), again)


def _full_review(system: System, push: Push) -> Tokens:
    """The tokens of a fresh pull request of the same head."""
    asked = len(system.asked)
    _open(system, push)
    system.outcome()
    return tokens_of(system.asked[asked:])


def _open(system: System, push: Push) -> int:
    return system.github.open_pull_request(push.head, push.base, title="made", base_files=_SETTINGS)


def _comments(system: System, number: int) -> list[Comment]:
    """The inline comments of ours that begin a thread, in the order in which they came."""
    bot = system.github.bot_login
    return [
        Comment.read(comment.place.path, comment.body)
        for comment in system.github.state.comments_of(number, bot)
        if comment.author == bot and comment.in_reply_to is None
    ]
