"""The gate: the conclusion of a head's check run, by the result of its review and the repository's `failOn`.

A required check lets a change pass with `success`, `neutral` and `skipped`, and with no other conclusion.
Source: https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/collaborating-on-repositories-with-code-quality-features/about-status-checks
"""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from kodiai.core.config.keys import FailOn
from kodiai.core.findings.finding import Finding
from kodiai.core.judge.delta import Delta
from kodiai.core.judge.judgement import is_shown

Conclusion = Literal["success", "skipped", "neutral", "cancelled", "action_required", "failure"]

Result = Literal[
    "ready",
    "findings",
    "severe",
    "not-readable",
    "in-part",
    "ci-red",
    "no-model",
    "refused",
    "failed",
    "waiting",
    "draft",
    "skipped",
    "superseded",
    "opened",
]
"""The result for a head: the verdict of its review, or why there is no review."""


class Row(NamedTuple):
    """A row of the table: the result and the title of the check run in words, and the conclusion with each `failOn`."""

    what: str
    title: str
    without_gate: Conclusion
    with_gate: Conclusion


TABLE: Mapping[Result, Row] = {
    "ready": Row("everything was read, and nothing is open", "Ready to merge", "success", "success"),
    "findings": Row("findings are open, none as severe as `failOn`", "the verdict", "neutral", "neutral"),
    "severe": Row(
        "a finding that blocks is as severe as `failOn`, or a rule fails as an error",
        "Address before merging",
        "neutral",
        "failure",
    ),
    "not-readable": Row(
        "nothing blocks, and something changed that no review reads, such as a binary file",
        "Nothing blocking in what was read",
        "neutral",
        "neutral",
    ),
    "in-part": Row("a file that has to be read was not", "Not fully reviewed", "neutral", "action_required"),
    "ci-red": Row("nothing blocks, and a required check of another App has failed", "CI is red", "neutral", "neutral"),
    "no-model": Row("no model has read the change", "Offline checks only", "neutral", "action_required"),
    "refused": Row("the budget, the settings or GitHub refused it", "Not reviewed", "neutral", "action_required"),
    "failed": Row("the review failed", "Not reviewed", "neutral", "action_required"),
    "waiting": Row(
        "the author has no write access, and nobody with it has asked",
        "Waits for a request",
        "neutral",
        "action_required",
    ),
    "draft": Row("the pull request is a draft", "Waiting: the pull request is a draft", "skipped", "action_required"),
    "skipped": Row("the settings exclude the pull request", "Skipped", "skipped", "skipped"),
    "superseded": Row("a newer push came before the review ended", "Superseded", "neutral", "cancelled"),
    "opened": Row("somebody broke the glass", "Overridden by", "neutral", "neutral"),
}
"""The one rule for conclusions; docs/gate.md shows it."""

_BEST_FIRST: tuple[Conclusion, ...] = ("success", "skipped", "neutral", "cancelled", "action_required", "failure")
PASSING: frozenset[Conclusion] = frozenset({"success", "skipped", "neutral"})
"""The conclusions with which a required check lets a change pass."""


def conclusion(result: Result, fail_on: FailOn) -> Conclusion:
    """The conclusion of a check run."""
    row = TABLE[result]
    return row.without_gate if fail_on == "never" else row.with_gate


def review_result(changes: Delta, fail_on: FailOn) -> Result:
    """The result of a review. A part that was not read counts for more than findings below `failOn`."""
    if changes.verdict == "no-verdict":
        return "no-model"
    if any(_closes(each, fail_on) for each in changes.open_findings):
        return "severe"
    if changes.coverage.unread:
        return "in-part"
    if changes.verdict in ("ready", "ci-red"):
        return changes.verdict
    return "findings" if changes.coverage.is_whole else "not-readable"


def _closes(finding: Finding, fail_on: FailOn) -> bool:
    """Whether an open finding closes the gate; a rule that fails as an error closes every gate."""
    if fail_on == "never" or not finding.blocks:
        return False
    return finding.rule is not None or (fail_on != "rules" and is_shown(finding, fail_on))


def worst(conclusions: Iterable[Conclusion]) -> Conclusion:
    """The worst of several conclusions, at least one: that of a commit that several pull requests share."""
    return max(conclusions, key=_BEST_FIRST.index)
