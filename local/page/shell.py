"""What stands above every tab: where the pull request is, how its checks are, and how much each tab holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from local.github.repository import Shadow
from local.github.state import CheckRun, PullRequest
from local.github.world import World
from local.page.visit import Visit

TABS = {
    "conversation": "Conversation",
    "commits": "Commits",
    "checks": "Checks",
    "files": "Files changed",
    "behind": "Behind the bot",
}
"""Each tab's name in addresses, and what it is called."""

_FAILED = ("failure", "timed_out", "cancelled", "startup_failure", "stale")
_PASSED_OVER = ("neutral", "skipped")
_WORST_FIRST = ("red", "amber", "grey", "green")


@dataclass(frozen=True)
class Sign:
    """How something stands: `tone` is a class of the style sheet, `mark` a picture, `words` what it means."""

    tone: str
    mark: str
    words: str


def state_of(pull: PullRequest) -> Sign:
    """Tell where a pull request is."""
    if pull.merged_at is not None:
        return Sign("accent", "✓", "Merged")
    if pull.state == "closed":
        return Sign("red", "✕", "Closed")
    return Sign("grey", "○", "Draft") if pull.draft else Sign("green", "●", "Open")


def checks_of(world: World, head: str) -> Sequence[CheckRun]:
    """Give a head's check runs, of each name the latest."""
    return list({check.name: check for check in world.state.checks_of(head)}.values())


def sign_of(check: CheckRun) -> Sign:
    """Tell how a check run stands."""
    return sign_for(check.conclusion or check.status)


def sign_for(word: str) -> Sign:
    """Tell what a check's conclusion means, or its status while it has none."""
    words = word.replace("_", " ")
    if word == "success":
        return Sign("green", "✓", words)
    if word in _FAILED:
        return Sign("red", "✕", words)
    if word in _PASSED_OVER:
        return Sign("grey", "■", words)
    return Sign("amber", "●", words)


def sign_of_all(checks: Sequence[CheckRun]) -> Sign | None:
    """Tell how a head's checks stand together, by the worst of them; None where it has none."""
    signs = sorted(map(sign_of, checks), key=lambda sign: _WORST_FIRST.index(sign.tone))
    if not signs:
        return None
    alike = sum(sign.tone == signs[0].tone for sign in signs)
    which = "Check" if len(signs) == 1 else f"{alike} of {len(signs)} checks"
    return Sign(signs[0].tone, signs[0].mark, f"{which}: {signs[0].words}")


def counts_of(visit: Visit) -> Mapping[str, int]:
    """Count what some of the tabs hold, by their names."""
    world, pull, viewer = visit.world, visit.pull, visit.viewer.login
    said = [*world.state.issue_comments_of(pull.number), *world.state.comments_of(pull.number, viewer)]
    reviews = [review for review in world.state.reviews_of(pull.number, viewer) if review.body]
    return {
        "conversation": len(said) + len(reviews),
        "commits": _commits(world.shadow, pull.base_sha, pull.head_sha),
        "checks": len(checks_of(world, pull.head_sha)),
        "files": len(world.files(pull)),
    }


@lru_cache(maxsize=256)
def _commits(shadow: Shadow, base: str, head: str) -> int:
    return int(shadow.git("rev-list", "--count", f"{base}..{head}"))
