"""Whether the required checks of a commit are there and passed, in the words of GitHub's merge box."""

from dataclasses import dataclass
from typing import Literal

from local.github.hosted_repository import HostedRepository
from local.github.state import CheckRun, CommitStatus, PullRequest

SATISFYING = frozenset({"success", "neutral", "skipped"})
"""The conclusions that let a pull request be merged.

Source: https://docs.github.com/pull-requests/collaborating-with-pull-requests/collaborating-on-repositories-with-code-quality-features/troubleshooting-required-status-checks
"""


_WORST_FIRST = ("failed", "waiting", "satisfied")


@dataclass(frozen=True)
class Requirement:
    """A required check of a commit: how it stands, and the merge box's words for that."""

    name: str
    state: Literal["satisfied", "waiting", "failed"]
    words: str


def requirements(repository: HostedRepository, branch: str, commit: str) -> list[Requirement]:
    """The checks that a branch requires of a commit; of a name the newest check run counts, and the newest status."""
    rules = repository.state.rules.get(branch)
    return [] if rules is None else [_judge(repository, commit, name, app) for name, app in rules.required]


def _judge(repository: HostedRepository, commit: str, name: str, app: int | None) -> Requirement:
    runs = [
        each
        for each in repository.state.checks_of(commit)
        if each.name == name and app in (None, repository.app_named(each.app).id)
    ]
    statuses = [each for each in repository.state.statuses_of(commit) if each.context == name and app is None]
    newest: list[CheckRun | CommitStatus] = [*runs[-1:], *statuses]
    found = [_judge_one(name, each) for each in newest]
    missing = Requirement(name, "waiting", "Expected — Waiting for status to be reported")
    return min(found, key=lambda each: _WORST_FIRST.index(each.state), default=missing)


def _judge_one(name: str, each: CheckRun | CommitStatus) -> Requirement:
    if isinstance(each, CheckRun):
        word, title = each.conclusion or each.status, each.title
    else:
        word, title = each.state, each.description
    if word in SATISFYING:
        return Requirement(name, "satisfied", title or "Successful")
    plain = word.replace("_", " ")
    if word in ("queued", "in_progress", "pending"):
        return Requirement(name, "waiting", " — ".join(filter(None, (plain.capitalize(), title))))
    return Requirement(name, "failed", f"Failing — {title or plain}")


def why_not_mergeable(repository: HostedRepository, pull: PullRequest) -> tuple[str, ...]:
    """The required checks of a pull request's head that are missing, open or failed, each with its words."""
    found = requirements(repository, pull.base_ref, pull.head_sha)
    return tuple(f"{each.name}: {each.words}" for each in found if each.state != "satisfied")
