"""The tab "Checks": the check runs of the pull request's head, and below them those of earlier heads."""

from local.github.hosted_repository import HostedRepository
from local.github.state import CheckRun, PullRequest
from local.page.page_request import Context, PageRequest
from local.page.pushes import heads_of


def view(request: PageRequest) -> Context:
    """The values that the tab shows: the check runs of each head, newest first."""
    repository, present = request.repository, request.pull.head_sha
    earlier = reversed([head for head in heads_of(repository, request.pull) if head != present])
    titles = {present: "Latest commit"} | dict.fromkeys(earlier, "Earlier commit")
    heads = [(head, title, repository.state.checks_of(head)[::-1]) for head, title in titles.items()]
    return {"heads": [each for each in heads if each[2] or each[0] == present]}


def pull_of(repository: HostedRepository, check: CheckRun) -> PullRequest | None:
    """The pull request on whose tab a check run is shown: the newest that has or had its head."""
    pulls = reversed(repository.state.pulls.values())
    return next((pull for pull in pulls if check.head in heads_of(repository, pull)), None)
