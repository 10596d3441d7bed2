"""Checks of gates: whether the default branch requires our check run, and whether anything ever fails it.

Sources: https://docs.github.com/en/rest/repos/rules#get-rules-for-a-branch and
https://docs.github.com/en/rest/branches/branches#get-a-branch
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cli.doctor.deployment import Deployment
from cli.doctor.finding import Report, State
from cli.registered_app import AppFacts, RegisteredApp
from kodiai.core.config import OWNER_REPOSITORY, BranchFile, Config, OwnerFile, read_settings
from kodiai.core.config.keys import FailOn
from kodiai.core.errors import KodiaiError
from kodiai.core.events.missed import Installation
from kodiai.core.settings import DeploymentSettings, GitHubSettings
from kodiai.edges.github import CHECK_NAME
from kodiai.edges.github_files import RepositoryFiles
from kodiai.edges.github_permissions import FILES, Access, granted_part

_MOST = 20  # repositories of an installation; each takes three requests
_ANY_SOURCE = (None, -1)
_REPO = "/repos/{owner}/{repo}"
_UNSEEN = (
    "GitHub does not show the App who may bypass a rule, nor a merge queue of a classic branch protection; "
    "only default branches were looked at"
)


@dataclass(frozen=True)
class _Gate:
    """The gate of a default branch, as far as GitHub shows it.

    `sources` are the Apps from which the branch requires our check, None for any; empty where it does not.
    """

    repository: str
    branch: str
    fail_on: FailOn
    sources: tuple[int | None, ...]
    has_queue: bool


class _Repositories(RepositoryFiles):
    """The repositories of an installation, read with one token for all of them."""

    def __init__(self, settings: GitHubSettings, installation: Installation) -> None:
        access = Access(granted_part(FILES.reads, installation.permissions))
        super().__init__(settings, repository="", installation=installation.id, access=access)
        self._only = {}

    def active(self) -> list[Any]:
        """Those that are not archived, last pushed to first."""
        listed = self._pages("/installation/repositories", key="repositories")
        active = [each for each in listed if not (each["archived"] or each["disabled"])]
        return sorted(active, key=lambda each: each["pushed_at"] or "", reverse=True)

    def owner_file(self, owner: str) -> OwnerFile:
        """The settings of their owner."""
        return OwnerFile(f"{owner}/{OWNER_REPOSITORY}", self.settings_file(None, owner=owner, repo=OWNER_REPOSITORY))

    def config(self, owner: str, repo: str, branch: str, above: OwnerFile) -> Config:
        """The settings that count for pull requests into the default branch."""
        file = BranchFile(branch, self.settings_file(None, owner=owner, repo=repo))
        return read_settings(file, None, above if repo != OWNER_REPOSITORY else None)

    def protection(self, owner: str, repo: str, branch: str) -> tuple[tuple[int | None, ...], bool]:
        """The sources from which rulesets and a classic protection require our check, and whether there is a queue."""
        place = {"owner": owner, "repo": repo, "branch": branch}
        rules = list(self._pages(f"{_REPO}/rules/branches/{{branch}}", **place))
        found = self._find(f"{_REPO}/branches/{{branch}}", **place) or {}
        classic = found.get("protection", {}).get("required_status_checks") or {}
        required = [(each["context"], each["app_id"]) for each in classic.get("checks", ())]
        for rule in rules:
            if rule["type"] == "required_status_checks":
                checks = rule["parameters"]["required_status_checks"]
                required += [(each["context"], each.get("integration_id")) for each in checks]
        sources = tuple(None if app in _ANY_SOURCE else app for context, app in required if context == CHECK_NAME)
        return sources, any(rule["type"] == "merge_queue" for rule in rules)


def check_gates(app: RegisteredApp, facts: AppFacts, deployment: Deployment, report: Report) -> None:
    """Check the gates of repositories that are served, of each installation those that were pushed to last."""
    if deployment.settings is None:
        report.add("gates", "unchecked", "the parameters are not in order")
        return
    for installation in app.installations():
        with _Repositories(deployment.settings.github, installation) as repositories:
            _check_installed(repositories, installation, facts, deployment.settings, report)


def _check_installed(
    repositories: _Repositories,
    installation: Installation,
    facts: AppFacts,
    settings: DeploymentSettings,
    report: Report,
) -> None:
    served = [each for each in repositories.active() if settings.repositories.why_not(each["full_name"]) is None]
    if not served:
        return
    above = repositories.owner_file(served[0]["owner"]["login"])
    open_, unseen, has_gate = [], [], False
    for each in served[:_MOST]:
        name, fail_on = each["full_name"], "unknown"
        place = each["owner"]["login"], each["name"], each["default_branch"]
        try:
            config = repositories.config(*place, above)
            if config.refusal is not None:
                report.add("gate", "problem", f"{name}: {config.refusal}", "kodiai config check .kodiai.yml")
                continue
            fail_on = config.review.check.fail_on
            gate = _Gate(name, place[2], fail_on, *repositories.protection(*place))
        except KodiaiError as error:
            if fail_on == "never":
                unseen.append(name)
            else:
                report.add("gate", "unchecked", f"{name}: {error}")
            continue
        has_gate = has_gate or bool(gate.sources) or fail_on != "never"
        found = [*_found(gate, installation, facts, settings)]
        for state, text, *fix in found:
            report.add("gate", state, f"{name}: {text}", *fix)
        open_ += [] if found else [name]
    if open_:
        report.add("gates", "fine", f"none, and none is meant: {', '.join(open_)}")
    if unseen:
        report.add("gates", "note", f"GitHub does not show whether the check is required: {', '.join(unseen)}")
    if len(served) > _MOST:
        report.add("gates", "note", f"{len(served) - _MOST} more were not looked at, only the last {_MOST} pushed to")
    if has_gate:
        report.add("gates", "note", _UNSEEN)


def _found(
    gate: _Gate, installation: Installation, facts: AppFacts, settings: DeploymentSettings
) -> Iterator[tuple[State, str] | tuple[State, str, str]]:
    admin, required = f"an admin of {gate.repository}", f"{gate.branch} requires the check {CHECK_NAME}"
    queue = " with a merge queue" if gate.has_queue else ""
    others = [str(app) for app in gate.sources if app not in (None, facts.id)]
    deaf = [] if "merge_group" in facts.events else ["is not subscribed to merge_group"]
    if "merge_queues" not in installation.permissions:
        deaf.append("may not read merge queues")
    if gate.has_queue and deaf:
        text = f"{gate.branch} has a merge queue, of which the App does not hear: it {' and '.join(deaf)}"
        yield "problem", text, f"open {facts.permissions_page}, then the owner accepts: docs/operators.md#upgrade"
    if others:
        text = f"{gate.branch} expects the check {CHECK_NAME} from the App {', '.join(others)}, not from {facts.id}"
        yield "problem", f"{text}: pull requests wait for ever", f"{admin} chooses the source: docs/gate.md"
    elif gate.sources and settings.github.dry_run:
        yield "problem", f"{required}, and github/publish is dry-run: pull requests wait for ever", "docs/gate.md"
    elif gate.sources and gate.fail_on == "never":
        yield "note", f"{required}, and nothing ever fails it: review.check.failOn is never", "docs/gate.md"
    elif gate.sources:
        source = "any source" if None in gate.sources else "this App"
        yield "fine", f"{required} from {source}{queue}, and review.check.failOn is {gate.fail_on}"
    elif gate.fail_on != "never":
        text = f"review.check.failOn is {gate.fail_on}, and {gate.branch} does not require the check {CHECK_NAME}"
        yield "problem", text, f"{admin} requires it: docs/gate.md"
