"""The tab "Checks": the check runs of the head, and below them those of the merge queue and of earlier heads."""

from collections.abc import Sequence

from local.github.hosted_repository import HostedRepository
from local.github.state import CheckRun, PullRequest
from local.page.page_request import Context, PageRequest
from local.page.pushes import heads_of


def view(request: PageRequest) -> Context:
    """The values that the tab shows: the check runs of each commit, newest first."""
    repository, present = request.repository, request.pull.head_sha
    queued, heads = _queued(repository, request.pull), heads_of(repository, request.pull)[::-1]
    titles = {present: "Latest commit", **dict.fromkeys(queued, "Merge queue")}
    commits = [(head, titles.get(head, "Earlier commit")) for head in dict.fromkeys((present, *queued, *heads))]
    shown = [(head, title, repository.state.checks_of(head)[::-1]) for head, title in commits]
    return {"heads": [each for each in shown if each[2] or each[0] == present]}


def pull_of(repository: HostedRepository, check: CheckRun) -> PullRequest | None:
    """The pull request on whose tab a check run is shown: the newest that has or had its commit."""
    pulls = reversed(repository.state.pulls.values())
    return next((p for p in pulls if check.head in {*heads_of(repository, p), *_queued(repository, p)}), None)


def _queued(repository: HostedRepository, pull: PullRequest) -> Sequence[str]:
    """The commits that a merge queue has made for a pull request, newest first."""
    return [group.head for group in repository.state.groups.values() if group.number == pull.number][::-1]
