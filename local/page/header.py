"""What stands above every tab: the state of the pull request and its checks, and how much each tab holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from local.github.repository import Shadow
from local.github.state import CheckRun, PullRequest
from local.github.world import World
from local.page.page_request import PageRequest

TABS = {
    "conversation": "Conversation",
    "commits": "Commits",
    "checks": "Checks",
    "files": "Files changed",
    "activity": "Bot activity",
}
"""Each tab's name in URLs, and its title."""

_FAILED = ("failure", "timed_out", "cancelled", "startup_failure", "stale")
_WORST_FIRST = ("red", "amber", "grey", "green")


@dataclass(frozen=True)
class State:
    """The state of something: `tone` is a class of the style sheet, `mark` a picture, `words` its name."""

    tone: str
    mark: str
    words: str


def pull_state(pull: PullRequest) -> State:
    """The state of a pull request."""
    if pull.merged_at is not None:
        return State("accent", "✓", "Merged")
    if pull.state == "closed":
        return State("red", "✕", "Closed")
    return State("grey", "○", "Draft") if pull.draft else State("green", "●", "Open")


def checks_of(world: World, head: str) -> Sequence[CheckRun]:
    """A head's check runs, of each name the latest."""
    return list({check.name: check for check in world.state.checks_of(head)}.values())


def check_state(word: str) -> State:
    """The state of a check run by its conclusion, or by its status while it has none."""
    words = word.replace("_", " ")
    if word == "success":
        return State("green", "✓", words)
    if word in _FAILED:
        return State("red", "✕", words)
    if word in ("neutral", "skipped"):
        return State("grey", "■", words)
    return State("amber", "●", words)


def combined_state(checks: Sequence[CheckRun]) -> State | None:
    """The state of a head's checks together, which is the worst of them; None without checks."""
    states = [check_state(check.conclusion or check.status) for check in checks]
    if not states:
        return None
    worst = min(states, key=lambda state: _WORST_FIRST.index(state.tone))
    same = sum(state.tone == worst.tone for state in states)
    which = "Check" if len(states) == 1 else f"{same} of {len(states)} checks"
    return State(worst.tone, worst.mark, f"{which}: {worst.words}")


def counts_of(request: PageRequest) -> Mapping[str, int]:
    """How much some of the tabs hold, by their names."""
    world, pull, viewer = request.world, request.pull, request.viewer.login
    comments = [*world.state.issue_comments_of(pull.number), *world.state.comments_of(pull.number, viewer)]
    reviews = [review for review in world.state.reviews_of(pull.number, viewer) if review.body]
    return {
        "conversation": len(comments) + len(reviews),
        "commits": _commits(world.shadow, pull.base_sha, pull.head_sha),
        "checks": len(checks_of(world, pull.head_sha)),
        "files": len(world.files(pull)),
    }


@lru_cache(maxsize=256)
def _commits(shadow: Shadow, base: str, head: str) -> int:
    return int(shadow.git("rev-list", "--count", f"{base}..{head}"))
