"""The pushes of a pull request, with the commits that each added or removed: the tab "Commits"."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from local.github.hosted_repository import HostedRepository
from local.github.pull_views import Commit, read_commits
from local.github.state import CheckRun, Event, PullRequest, Review
from local.page.page_request import Context, PageRequest

_PUSHES = ("opened", "synchronize")
_MOST_COMMITS = 2_000


@dataclass(frozen=True)
class Push:
    """A head of the pull request: when and by whom it was pushed, with its reviews and check runs.

    `commits` are the new ones, oldest first. `before` is the head that it replaced, None for the first one.
    A push that was `forced` has replaced commits of that head: some are `rewritten`, which have the same author and
    date under a new id, and the others are `removed`.
    """

    at: float
    by: str
    head: str
    commits: Sequence[Commit]
    before: str | None
    forced: bool
    rewritten: Sequence[Commit]
    removed: Sequence[Commit]
    reviews: Sequence[Review]
    checks: Sequence[CheckRun]


def view(request: PageRequest) -> Context:
    """The values that the tab shows."""
    return {"pushes": pushes_of(request)}


def pushes_of(request: PageRequest) -> list[Push]:
    """Every push, oldest first."""
    repository, pull = request.repository, request.pull
    events = _events(repository, pull)
    found = read_commits(repository, *heads_of(repository, pull), f"^{pull.base_sha}", limit=_MOST_COMMITS)
    commits = {commit.sha: commit for commit in found}
    befores = [None, *(str(event.subject) for event in events[:-1])]
    return [_push(request, event, before, commits) for event, before in zip(events, befores, strict=True)]


def heads_of(repository: HostedRepository, pull: PullRequest) -> Sequence[str]:
    """Every head that a pull request had, oldest first."""
    return list(dict.fromkeys(str(event.subject) for event in _events(repository, pull)))


def _events(repository: HostedRepository, pull: PullRequest) -> list[Event]:
    return [event for event in repository.state.timeline if event.number == pull.number and event.what in _PUSHES]


def _push(request: PageRequest, event: Event, before: str | None, commits: Mapping[str, Commit]) -> Push:
    repository, head = request.repository, str(event.subject)
    now = set(_reachable(head, commits))
    then = set(_reachable(before, commits)) if before else set()
    forced = before is not None and before not in now and not repository.copy.contains(before, head)
    new = [commit for sha, commit in commits.items() if sha in now - then]
    replaced = [commit for sha, commit in commits.items() if forced and sha in then - now]
    authored = {commit.author for commit in new}
    return Push(
        at=event.at,
        by=event.actor,
        head=head,
        commits=new,
        before=before,
        forced=forced,
        rewritten=[commit for commit in replaced if commit.author in authored],
        removed=[commit for commit in replaced if commit.author not in authored],
        reviews=[review for review in _reviews(request) if review.commit == head],
        checks=repository.state.latest_checks_of(head),
    )


def _reviews(request: PageRequest) -> list[Review]:
    """The reviews with a text or a verdict: for GitHub a single comment on a line is a review too."""
    reviews = request.repository.state.reviews_of(request.pull.number, request.viewer.login)
    return [review for review in reviews if review.body or review.state != "COMMENTED"]


def _reachable(head: str, commits: Mapping[str, Commit]) -> Iterator[str]:
    """The commits of the pull request that a head contains."""
    seen, waiting = set(), [head]
    while waiting:
        sha = waiting.pop()
        if sha in commits and sha not in seen:
            seen.add(sha)
            yield sha
            waiting += commits[sha].parents
