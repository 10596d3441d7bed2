"""The merge box: the checks of the head, which of them are required, and whether the pull request can be merged."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from local.github.rules import rules_of
from local.page.header import CheckLine, StateLabel, check_lines, worst_of
from local.page.page_request import Context, PageRequest

RESULTS = ("success", "failure", "in_progress", "neutral", "skipped", "cancelled", "timed_out", "action_required")
"""The results that a check of another App may be given here."""

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
        return StateLabel(worst.tone, worst.mark, _HEADINGS.get(worst.tone, "All checks have passed"))

    @property
    def counts(self) -> str:
        """The number in each state, such as "1 failure, 2 success"."""
        counted = Counter(line.state.words for line in self.lines)
        return ", ".join(f"{count} {words}" for words, count in counted.items())


def view(request: PageRequest) -> Context:
    """The values that the box shows."""
    repository, pull = request.repository, request.pull
    rules = rules_of(repository, pull.base_ref)
    return {
        "head": CheckGroup(pull.head_sha, check_lines(repository, pull.base_ref, pull.head_sha)),
        "required": list(rules.checks) if rules else [],
        "results": RESULTS,
        "commits": commits_of(request),
    }


def commits_of(request: PageRequest) -> dict[str, str]:
    """The commits on which a check can be reported, each with what it is."""
    return {request.pull.head_sha: "latest commit"}
