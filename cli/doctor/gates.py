"""Checks of gates: whether the default branch requires our check run, and whether anything ever fails it.

Sources: https://docs.github.com/en/rest/repos/rules#get-rules-for-a-branch and
https://docs.github.com/en/rest/branches/branches#get-a-branch
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cli.doctor.finding import Report, State
from cli.registered_app import AppFacts, RegisteredApp
from kodiai.core.config.keys import FailOn
from kodiai.core.config.read import OWNER_REPOSITORY, BranchFile, OwnerFile, read_settings
from kodiai.core.config.settings import DeploymentSettings, GitHubSettings
from kodiai.core.errors import KodiaiError, Refused
from kodiai.core.events.missed import Installation
from kodiai.core.github.ci import CHECK_NAME
from kodiai.edges.github_connection import Access
from kodiai.edges.github_files import RepositoryFiles
from kodiai.edges.github_permissions import FILES, TokenPermissions, granted_part

MOST = 20
"""Repositories of an installation; each takes three requests."""

_ANY_SOURCE = (None, -1)
_REPO = "/repos/{owner}/{repo}"
_PAGE = "see docs/gate.md"
_UNSEEN = (
    "GitHub does not show the App who may bypass a rule, nor a merge queue of a classic branch protection; "
    "only default branches were checked"
)


@dataclass(frozen=True)
class _Gate:
    """The gate of a default branch.

    `sources` are the Apps from which the branch requires our check, None for any; empty where it does not.
    `unseen` is why GitHub does not show that.
    """

    repository: str
    branch: str
    fail_on: FailOn
    sources: tuple[int | None, ...] = ()
    has_queue: bool = False
    unseen: str | None = None

    @property
    def is_meant(self) -> bool:
        """Whether anybody wanted one."""
        return bool(self.sources) or self.fail_on != "never"


class _Repositories(RepositoryFiles):
    """The repositories of an installation, read with one token for all of them."""

    def __init__(self, settings: GitHubSettings, installation: Installation) -> None:
        permissions = TokenPermissions(granted_part(FILES.reads, installation.permissions))
        super().__init__(Access(settings, installation.id, permissions), repository="")
        self._only = {}

    def active(self) -> list[Any]:
        """The repositories that are not archived, latest push first."""
        listed = self._pages("/installation/repositories", key="repositories")
        active = [each for each in listed if not (each["archived"] or each["disabled"])]
        return sorted(active, key=lambda each: each["pushed_at"] or "", reverse=True)

    def owner_file(self, owner: str) -> OwnerFile:
        """The settings of their owner."""
        return OwnerFile(f"{owner}/{OWNER_REPOSITORY}", self.settings_file(None, owner=owner, repo=OWNER_REPOSITORY))

    def gate(self, listed: Any, above: OwnerFile) -> _Gate:
        """The gate of a listed repository. Raises Refused where its settings cannot be followed."""
        owner, repo, branch = listed["owner"]["login"], listed["name"], listed["default_branch"]
        file = BranchFile(branch, self.settings_file(None, owner=owner, repo=repo))
        config = read_settings(file, None, None if repo == OWNER_REPOSITORY else above)
        if config.refusal is not None:
            raise Refused(config.refusal)
        known = listed["full_name"], branch, config.review.check.fail_on
        try:
            return _Gate(*known, *self._protection(owner, repo, branch))
        except KodiaiError as error:
            return _Gate(*known, unseen=str(error))

    def _protection(self, owner: str, repo: str, branch: str) -> tuple[tuple[int | None, ...], bool]:
        """The sources from which rulesets and a classic protection require our check, and whether there is a queue."""
        route = f"{_REPO}/branches/{{branch}}"
        rules = list(self._pages(f"{_REPO}/rules/branches/{{branch}}", owner=owner, repo=repo, branch=branch))
        found = self._find(route, owner=owner, repo=repo, branch=branch) or {}
        classic = found.get("protection", {}).get("required_status_checks") or {}
        required = [(each["context"], each["app_id"]) for each in classic.get("checks", ())]
        for rule in rules:
            if rule["type"] == "required_status_checks":
                checks = rule["parameters"]["required_status_checks"]
                required += [(each["context"], each.get("integration_id")) for each in checks]
        sources = tuple(None if app in _ANY_SOURCE else app for context, app in required if context == CHECK_NAME)
        return sources, any(rule["type"] == "merge_queue" for rule in rules)


def check_gates(
    app: RegisteredApp, facts: AppFacts, settings: DeploymentSettings, report: Report, *, most: int = MOST
) -> None:
    """Check the gates of repositories that are served, of each installation those that were pushed to last."""
    gates: list[_Gate] = []
    for installation in app.installations():
        with _Repositories(settings.github, installation) as repositories:
            active = repositories.active()
            served = [each for each in active if settings.repositories.why_not(each["full_name"]) is None]
            above = repositories.owner_file(served[0]["owner"]["login"]) if served else OwnerFile("", None)
            for each in served[:most]:
                try:
                    gate = repositories.gate(each, above)
                except KodiaiError as error:
                    report.add("gate", "unchecked", f"{each['full_name']}: {error}")
                    continue
                gates.append(gate)
                for state, text, *fix in _found(gate, installation, facts, settings):
                    report.add("gate", state, f"{gate.repository}: {text}", *fix)
        if len(served) > most:
            text = f"{most} of {len(served)} repositories were checked, those with the latest pushes"
            report.add("gates", "note", text)
    if without := [each.repository for each in gates if not (each.is_meant or each.unseen)]:
        report.add("gates", "fine", f"none is configured in {', '.join(without)}")
    if any(each.is_meant for each in gates):
        report.add("gates", "note", _UNSEEN)


def _found(
    gate: _Gate, installation: Installation, facts: AppFacts, settings: DeploymentSettings
) -> Iterator[tuple[State, str] | tuple[State, str, str]]:
    required, fails = f"{gate.branch} requires the check {CHECK_NAME}", f"review.check.failOn is {gate.fail_on}"
    deaf = [] if "merge_group" in facts.events else ["is not subscribed to merge_group"]
    deaf += [] if "merge_queues" in installation.permissions else ["may not read merge queues"]
    if gate.has_queue and deaf:
        text = f"{gate.branch} has a merge queue, whose events the App does not receive: it {' and '.join(deaf)}"
        yield "problem", text, f"open {facts.permissions_page}, and see docs/operators.md, Upgrade"
    others = [str(each) for each in gate.sources if each not in (None, facts.id)]
    if gate.unseen is not None:
        state: State = "unchecked" if gate.is_meant else "note"
        yield state, f"GitHub does not show whether {required}: {gate.unseen}"
    elif others:
        text = f"{required} from the App {', '.join(others)}, not from {facts.id}: pull requests wait forever"
        yield "problem", text, _PAGE
    elif gate.sources and settings.github.dry_run:
        yield "problem", f"{required}, and github/publish is dry-run: pull requests wait forever", _PAGE
    elif gate.sources and gate.fail_on == "never":
        yield "note", f"{required}, and nothing ever fails it: {fails}", _PAGE
    elif gate.sources:
        source = "any source" if None in gate.sources else "this App"
        yield "fine", f"{required} from {source}{', with a merge queue' if gate.has_queue else ''}, and {fails}"
    elif gate.is_meant:
        yield "problem", f"{fails}, and nothing requires the check {CHECK_NAME} on {gate.branch}", _PAGE
