"""The head of every tab: the state of the pull request and its checks, and how much each tab holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from local.github.hosted_repository import HostedRepository
from local.github.repository import RepositoryCopy
from local.github.rules import is_required, rules_of
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

_FAILED = ("failure", "error", "timed_out", "cancelled", "startup_failure", "stale")
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


def check_state(word: str) -> StateLabel:
    """The state of a check run by its conclusion, or by its status while it has none."""
    words = word.replace("_", " ")
    if word == "success":
        return StateLabel("green", "✓", words)
    if word in _FAILED:
        return StateLabel("red", "✕", words)
    if word == "action_required":
        return StateLabel("red", "!", words)
    if word in ("neutral", "skipped"):
        return StateLabel("grey", "■", words)
    return StateLabel("amber", "●", words)


@dataclass(frozen=True)
class CheckLine:
    """A check of a commit: a check run, a commit status, or a required check that has not reported yet.

    `detail` is its title or its description. `run` is the check run, None for the others.
    """

    name: str
    state: StateLabel
    detail: str | None
    is_required: bool
    run: CheckRun | None = None

    @property
    def is_ours(self) -> bool:
        """Whether it is a check run of our App."""
        return self.run is not None and self.run.app is None


def check_lines(repository: HostedRepository, branch: str, commit: str) -> Sequence[CheckLine]:
    """The checks of a commit, and those that it lacks before it may come into a branch."""

    def is_needed(name: str, app: int | None) -> bool:
        return is_required(repository, branch, name, app)

    runs = [
        CheckLine(
            run.name,
            check_state(run.conclusion or run.status),
            run.title,
            is_needed(run.name, repository.app_named(run.app).id),
            run,
        )
        for run in repository.state.latest_checks_of(commit)
    ]
    statuses = [
        CheckLine(each.context, check_state(each.state), each.description, is_needed(each.context, None))
        for each in repository.state.statuses_of(commit)
    ]
    rules, reported = rules_of(repository, branch), {line.name for line in (*runs, *statuses) if line.is_required}
    missing = dict.fromkeys(name for name, _ in (rules.required if rules else ()) if name not in reported)
    expected = StateLabel("amber", "●", "expected")
    waiting = [CheckLine(name, expected, "Waiting for status to be reported", True) for name in missing]
    return [*waiting, *statuses, *runs]


def worst_of(lines: Sequence[CheckLine]) -> StateLabel | None:
    """The worst state of some checks; None without checks."""
    return min((line.state for line in lines), key=lambda state: _WORST_FIRST.index(state.tone), default=None)


def combined_state(lines: Sequence[CheckLine]) -> StateLabel | None:
    """The state of some checks together; None without checks."""
    worst = worst_of(lines)
    if worst is None:
        return None
    same = sum(line.state.tone == worst.tone for line in lines)
    which = "Check" if len(lines) == 1 else f"{same} of {len(lines)} checks"
    return StateLabel(worst.tone, worst.mark, f"{which}: {worst.words}")


def counts_of(request: PageRequest) -> Mapping[str, int]:
    """The number of things that some of the tabs hold, by their names."""
    repository, pull, viewer = request.repository, request.pull, request.viewer.login
    comments = [*repository.state.issue_comments_of(pull.number), *repository.state.comments_of(pull.number, viewer)]
    reviews = [review for review in repository.state.reviews_of(pull.number, viewer) if review.body]
    return {
        "conversation": len(comments) + len(reviews),
        "commits": _commits(repository.copy, pull.base_sha, pull.head_sha),
        "checks": len(repository.state.latest_checks_of(pull.head_sha)),
        "files": len(repository.files(pull)),
    }


@lru_cache(maxsize=256)
def _commits(copy: RepositoryCopy, base: str, head: str) -> int:
    return int(copy.git("rev-list", "--count", f"{base}..{head}"))
