"""The head of every tab: the state of the pull request and its checks, and how much each tab holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from local.github.hosted_repository import HostedRepository
from local.github.repository import RepositoryCopy
from local.github.state import CheckRun, PullRequest
from local.page.page_request import PageRequest

TABS = {
    "conversation": "Conversation",
    "commits": "Commits",
    "checks": "Checks",
    "files": "Files changed",
    "proposals": "Proposals",
    "activity": "Bot activity",
}
"""Each tab's name in URLs, and its title."""

_FAILED = ("failure", "timed_out", "cancelled", "startup_failure", "stale")
_WORST_FIRST = ("red", "amber", "grey", "green")


@dataclass(frozen=True)
class StateLabel:
    """The state of something: `tone` is a class of the style sheet, `mark` a picture, `words` its name."""

    tone: str
    mark: str
    words: str


def pull_state(pull: PullRequest) -> StateLabel:
    """The state of a pull request."""
    if pull.merged_at is not None:
        return StateLabel("accent", "✓", "Merged")
    if pull.state == "closed":
        return StateLabel("red", "✕", "Closed")
    return StateLabel("grey", "○", "Draft") if pull.draft else StateLabel("green", "●", "Open")


def checks_of(repository: HostedRepository, head: str) -> Sequence[CheckRun]:
    """A head's check runs, of each name the latest."""
    return list({check.name: check for check in repository.state.checks_of(head)}.values())


def check_state(word: str) -> StateLabel:
    """The state of a check run by its conclusion, or by its status while it has none."""
    words = word.replace("_", " ")
    if word == "success":
        return StateLabel("green", "✓", words)
    if word in _FAILED:
        return StateLabel("red", "✕", words)
    if word in ("neutral", "skipped"):
        return StateLabel("grey", "■", words)
    return StateLabel("amber", "●", words)


def combined_state(checks: Sequence[CheckRun]) -> StateLabel | None:
    """The state of a head's checks together, which is the worst of them; None without checks."""
    states = [check_state(check.conclusion or check.status) for check in checks]
    if not states:
        return None
    worst = min(states, key=lambda state: _WORST_FIRST.index(state.tone))
    same = sum(state.tone == worst.tone for state in states)
    which = "Check" if len(states) == 1 else f"{same} of {len(states)} checks"
    return StateLabel(worst.tone, worst.mark, f"{which}: {worst.words}")


def counts_of(request: PageRequest) -> Mapping[str, int]:
    """The number of things that some of the tabs hold, by their names."""
    repository, pull, viewer = request.repository, request.pull, request.viewer.login
    comments = [*repository.state.issue_comments_of(pull.number), *repository.state.comments_of(pull.number, viewer)]
    reviews = [review for review in repository.state.reviews_of(pull.number, viewer) if review.body]
    return {
        "conversation": len(comments) + len(reviews),
        "commits": _commits(repository.copy, pull.base_sha, pull.head_sha),
        "checks": len(checks_of(repository, pull.head_sha)),
        "files": len(repository.files(pull)),
    }


@lru_cache(maxsize=256)
def _commits(copy: RepositoryCopy, base: str, head: str) -> int:
    return int(copy.git("rev-list", "--count", f"{base}..{head}"))
