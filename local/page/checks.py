"""The tab "Checks": the check runs of the pull request's head, and below them those of earlier heads."""

from local.github.state import CheckRun, PullRequest
from local.github.world import World
from local.page.page_request import Context, PageRequest
from local.page.pushes import heads_of


def view(request: PageRequest) -> Context:
    """What the tab shows: the check runs of each head, newest first."""
    world, present = request.world, request.pull.head_sha
    earlier = reversed([head for head in heads_of(world, request.pull) if head != present])
    heads = [(head, list(reversed(world.state.checks_of(head)))) for head in (present, *earlier)]
    return {"heads": [(head, checks) for head, checks in heads if checks or head == present]}


def pull_of(world: World, check: CheckRun) -> PullRequest | None:
    """The pull request on whose tab a check run is shown: the newest that has or had its head."""
    pulls = reversed(world.state.pulls.values())
    return next((pull for pull in pulls if check.head in heads_of(world, pull)), None)
