"""CI: what other Apps and services say of the head, in check runs and commit statuses."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

CHECK_NAME = "Kodiai"
"""The name of our own check runs, which are no CI."""

PENDING = "pending"
_FAILED = frozenset({"failure", "timed_out", "startup_failure", "error"})
_SATISFIES = frozenset({"success", "neutral", "skipped"})


@dataclass(frozen=True)
class CiAnnotation:
    """An annotation of a check run on lines of the head."""

    path: str
    start_line: int
    end_line: int
    title: str
    message: str


@dataclass(frozen=True)
class CiCheck:
    """A check run of another App, or a commit status; GitHub requires both where they share a required name.

    `state` is GitHub's word for how it ended, PENDING until then. `is_required` is whether the pull request needs it.
    Source: https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/collaborating-on-repositories-with-code-quality-features/troubleshooting-required-status-checks
    """

    name: str
    state: str
    is_required: bool = False
    annotations: tuple[CiAnnotation, ...] = ()

    @property
    def outcome(self) -> Literal["passed", "failed", "pending", "not passed"]:
        """The outcome; a required one fails with everything that does not satisfy GitHub."""
        if self.state in _SATISFIES:
            return "passed"
        if self.state == PENDING:
            return "pending"
        return "failed" if self.is_required or self.state in _FAILED else "not passed"


@dataclass(frozen=True)
class CiResults:
    """The checks of a head, the newest of each name. `is_whole` is whether GitHub has shown them all."""

    checks: tuple[CiCheck, ...] = ()
    is_whole: bool = True

    @cached_property
    def failed(self) -> tuple[CiCheck, ...]:
        """The failed checks."""
        return tuple(check for check in self.checks if check.outcome == "failed")

    @cached_property
    def failed_required(self) -> tuple[CiCheck, ...]:
        """The failed checks without which the pull request cannot be merged."""
        return tuple(check for check in self.failed if check.is_required)

    @property
    def is_red(self) -> bool:
        """Whether any has failed."""
        return bool(self.failed)

    @property
    def is_green(self) -> bool:
        """Whether what is required was reported, and has passed; nothing is green before anything ran."""
        required = {check.outcome for check in self.checks if check.is_required}
        return self.is_whole and required == {"passed"}


NO_CI = CiResults()
"""The results where nobody else checks the head."""


@dataclass(frozen=True)
class OwnCheck:
    """A check run of ours on the head, by GitHub's global id; `conclusion` is None while it is open."""

    id: str
    external_id: str
    conclusion: str | None
    title: str
