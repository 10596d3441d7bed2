"""Re-reviews, against full reviews of the same heads: of made pull requests, or of real ones.

`python -m bench.rereview [--recorded FILE CLONE …] [--merged CLONE COMMIT …]` replays pull requests that were recorded
push by push (JSON: `pushes` with `after` and `base_tip`), and merged branches, one push for each of their commits.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.cases import Push, make_cases, one_hunk_push
from bench.figures import Comment, Tokens, repeated, tokens_of
from bench.reader import Reader
from bench.system import System, a_system
from bench.table import Table

_SETTINGS = {".kodiai.yml": b"review:\n  triggers:\n    onSynchronize: true\n"}
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

    `uncached` are the tokens that the cache did not serve. `ratio` is the share of the tokens of full reviews, and
    `dearest` that of the push with the greatest; both are None where nothing was asked.
    """

    pushes: str
    re_reviews: int
    tokens: int
    uncached: int
    tokens_of_full: int
    ratio: float | None
    dearest: float | None
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
            rows.append(summed(name, replay(repository, pushes)))
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
        dearest=max((each.total / whole.total for each, whole in compared), default=None),
        overhead_each=sum(each.overhead for each, _ in compared) / max(1, len(compared)),
        github_calls_at_most=max((push.github_calls for push in costs), default=0),
        comments_repeated=sum(push.repeated for push in costs),
    )


def replay(repository: Path, pushes: Sequence[Push]) -> list[PushCost]:
    """Replay a pull request in a system of its own. Raises DeliveryFailed."""
    with a_system(repository, Reader()) as system:
        return list(_costs(system, pushes))


def _costs(system: System, pushes: Sequence[Push]) -> Iterator[PushCost]:
    """Open a pull request with the first push, and deliver the others. Raises DeliveryFailed."""
    posted: list[Comment] = []
    number = _open(system, pushes[0])
    for at, push in enumerate(pushes):
        asked, calls = (0, 0) if at == 0 else (len(system.asked), len(system.github.requests))
        if at:
            system.github.push(number, push.head, push.base, base_files=_SETTINGS)
        system.outcome()
        tokens, calls = tokens_of(system.asked[asked:]), system.github_calls(calls)
        comments = _comments(system, number)[len(posted) :]
        again = len(repeated(posted, comments))
        posted += comments
        full = _full_review(system, push) if at and tokens.total else None
        yield PushCost(tokens, full, calls, again)


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


def _recorded(file: Path) -> list[Push]:
    """The pushes of a pull request that was recorded."""
    return [Push(push["after"], push["base_tip"]) for push in json.loads(file.read_text("utf-8"))["pushes"]]


def _merged(clone: Path, merge: str) -> list[Push]:
    """The commits of a branch that was merged, as pushes."""

    def git(*arguments: str) -> str:
        return subprocess.run(["git", "-C", clone, *arguments], check=True, capture_output=True, text=True).stdout

    base = git("merge-base", f"{merge}^1", f"{merge}^2").strip()
    heads = git("rev-list", "--reverse", "--first-parent", f"{base}..{merge}^2").split()
    return [Push(head, base) for head in heads]


def main() -> int:
    """Replay real pull requests and print a row for each, and one for all; 1 if a comment was repeated."""
    parser = argparse.ArgumentParser(prog="python -m bench.rereview", description=__doc__.partition("\n")[0])
    for name, parts in {"recorded": ("FILE", "CLONE"), "merged": ("CLONE", "COMMIT")}.items():
        parser.add_argument(f"--{name}", nargs=2, action="append", default=[], metavar=parts)
    given = parser.parse_args()
    replays = {Path(file).stem: (Path(clone), _recorded(Path(file))) for file, clone in given.recorded}
    replays |= {merge[:7]: (Path(clone), _merged(Path(clone), merge)) for clone, merge in given.merged}
    costs = {f"{name}, {len(pushes)} pushes": replay(clone, pushes) for name, (clone, pushes) in replays.items()}
    together = summed("together", [cost for each in costs.values() for cost in each])
    rows = [*(summed(name, each) for name, each in costs.items()), together] if costs else []
    table = Table.of("Re-reviews of real pull requests", rows, _NOTES.split("\n"))
    print("\n".join(table.lines))
    return 1 if together.comments_repeated else 0


if __name__ == "__main__":
    sys.exit(main())
