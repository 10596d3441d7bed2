"""The merge box: the checks of the head, which of them are required, and whether the pull request can be merged."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from local.github.merge_queue import entry_of, live_groups
from local.github.mergeability import why_not_mergeable
from local.github.repository import RepositoryCopy, UnusableRepository
from local.github.rules import rules_of
from local.page.header import CheckLine, StateLabel, check_lines, worst_of
from local.page.page_request import Context, PageRequest

RESULTS = ("success", "failure", "in_progress", "neutral", "skipped", "cancelled", "timed_out", "action_required")
"""The results that a check of another App may be given here."""

_PASSED = StateLabel("green", "✓", "All checks have passed")
_HEADINGS = {"red": "Some checks were not successful", "amber": "Some checks haven't completed yet"}


@dataclass(frozen=True)
class CheckGroup:
    """The checks of one commit."""

    commit: str
    lines: Sequence[CheckLine]

    @property
    def heading(self) -> StateLabel:
        """The worst of them, in GitHub's words."""
        worst = worst_of(self.lines)
        if worst is None:
            return StateLabel("grey", "○", "No checks have reported")
        return replace(worst, words=_HEADINGS[worst.tone]) if worst.tone in _HEADINGS else _PASSED

    @property
    def counts(self) -> str:
        """The number in each state, such as "1 failure, 2 success"."""
        counted = Counter(line.state.words for line in self.lines)
        return ", ".join(f"{count} {words}" for words, count in counted.items())


@dataclass(frozen=True)
class QueuePlace:
    """A place in the merge queue, from 1, and the checks of its commit; `after` is the pull request before it."""

    position: int
    after: int | None
    checks: CheckGroup


def view(request: PageRequest) -> Context:
    """The values that the box shows."""
    repository, pull = request.repository, request.pull
    rules = rules_of(repository, pull.base_ref)
    return {
        "head": CheckGroup(pull.head_sha, check_lines(repository, pull.base_ref, pull.head_sha)),
        "place": _place(request),
        "reasons": _reasons(request) if pull.state == "open" else (),
        "required": list(rules.checks) if rules else [],
        "has_queue": rules is not None and rules.has_queue,
        "results": RESULTS,
        "commits": commits_of(request),
    }


def commits_of(request: PageRequest) -> Mapping[str, str]:
    """The commits on which a check can be reported, each with its name."""
    group = entry_of(request.repository, request.pull)
    return ({group.head: "merge queue"} if group else {}) | {request.pull.head_sha: "latest commit"}


def _place(request: PageRequest) -> QueuePlace | None:
    repository, branch = request.repository, request.pull.base_ref
    queue = live_groups(repository, branch)
    numbers = [group.number for group in queue]
    if request.pull.number not in numbers:
        return None
    index = numbers.index(request.pull.number)
    checks = CheckGroup(queue[index].head, check_lines(repository, branch, queue[index].head))
    return QueuePlace(index + 1, numbers[index - 1] if index else None, checks)


def _reasons(request: PageRequest) -> Sequence[str]:
    """The reasons for which the pull request cannot be merged now, in GitHub's words."""
    repository, pull = request.repository, request.pull
    draft = ["This pull request is still a draft."] if pull.draft else []
    return [*draft, *_conflicts(repository.copy, pull.base_sha, pull.head_sha), *why_not_mergeable(repository, pull)]


@lru_cache(maxsize=256)
def _conflicts(copy: RepositoryCopy, base: str, head: str) -> Sequence[str]:
    """Whether a head can be merged, by git; in its words where it cannot say."""
    try:
        return () if copy.merge_tree(base, head) else ("This branch has conflicts that must be resolved.",)
    except UnusableRepository as error:
        return (str(error),)
