"""The pushes of a pull request: what each brought, and what a force-push left of what was there."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from local.github.pull_views import Commit, read_commits
from local.github.state import CheckRun, Event, PullRequest, Review
from local.github.world import World
from local.page.shell import checks_of
from local.page.visit import Visit

_PUSHES = ("opened", "synchronize")
_MOST_COMMITS = 2_000


@dataclass(frozen=True)
class Push:
    """A head of the pull request: when and by whom it came, and what was said of it.

    `commits` are those that it brought, oldest first. `before` is the head that it replaced, None for the first one;
    `gone` are that one's commits which are not in this one, any where it was forced.
    """

    at: float
    by: str
    head: str
    commits: Sequence[Commit]
    before: str | None
    gone: Sequence[Commit]
    forced: bool
    reviews: Sequence[Review]
    checks: Sequence[CheckRun]

    @cached_property
    def again(self) -> int:
        """How many of the commits came again under new ids: a rebase and an amendment keep author and date."""
        gone = {commit.author for commit in self.gone}
        return sum(commit.author in gone for commit in self.commits)

    @property
    def left_out(self) -> Sequence[Commit]:
        """What the head before had, and this one has in no form."""
        came = {commit.author for commit in self.commits}
        return [commit for commit in self.gone if commit.author not in came]


def pushes_of(visit: Visit) -> list[Push]:
    """Every push, oldest first."""
    world, pull = visit.world, visit.pull
    events = _events(world, pull)
    found = read_commits(world, *heads_of(world, pull), f"^{pull.base_sha}", limit=_MOST_COMMITS)
    commits = {commit.sha: commit for commit in found}
    befores = [None, *(str(event.subject) for event in events[:-1])]
    return [_push(visit, event, before, commits) for event, before in zip(events, befores, strict=True)]


def heads_of(world: World, pull: PullRequest) -> Sequence[str]:
    """Every head that a pull request had, oldest first."""
    return list(dict.fromkeys(str(event.subject) for event in _events(world, pull)))


def _events(world: World, pull: PullRequest) -> list[Event]:
    return [event for event in world.state.timeline if event.number == pull.number and event.what in _PUSHES]


def _push(visit: Visit, event: Event, before: str | None, commits: Mapping[str, Commit]) -> Push:
    world, head = visit.world, str(event.subject)
    now = set(_reach(head, commits))
    then = set(_reach(before, commits)) if before else set()
    forced = before is not None and before not in now and not world.shadow.contains(before, head)
    reviews = [review for review in _reviews(visit) if review.commit == head]
    return Push(
        at=event.at,
        by=event.actor,
        head=head,
        commits=[commit for sha, commit in commits.items() if sha in now - then],
        before=before,
        gone=[commit for sha, commit in commits.items() if sha in then - now] if forced else [],
        forced=forced,
        reviews=reviews,
        checks=checks_of(world, head),
    )


def _reviews(visit: Visit) -> list[Review]:
    """The reviews that say something themselves: a comment alone is one too, without a word of its own."""
    reviews = visit.world.state.reviews_of(visit.pull.number, visit.viewer.login)
    return [review for review in reviews if review.body or review.state != "COMMENTED"]


def _reach(head: str, commits: Mapping[str, Commit]) -> Iterator[str]:
    """The commits of the pull request that a head contains."""
    seen, waiting = set(), [head]
    while waiting:
        sha = waiting.pop()
        if sha in commits and sha not in seen:
            seen.add(sha)
            yield sha
            waiting += commits[sha].parents
