"""The rules of base branches: which checks have to be there before a pull request may be merged.

Sources: https://docs.github.com/rest/repos/rules#get-rules-for-a-branch and
https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/available-rules-for-rulesets
"""

from collections.abc import Sequence
from dataclasses import replace

from local.github.answers import ApiResponse
from local.github.call import Call, page
from local.github.hosted_repository import HostedRepository
from local.github.state import BranchRules
from local.github.views import Json


def require(repository: HostedRepository, branch: str, names: Sequence[str], app: int | None) -> None:
    """Add required checks to a branch's ruleset, which only that App may report, or anybody."""
    rules = rules_of(repository, branch) or BranchRules(repository.state.new_id())
    repository.state.rules[branch] = replace(rules, checks=rules.checks | dict.fromkeys(names, app))


def use_queue(repository: HostedRepository, branch: str) -> None:
    """Let pull requests into a branch be merged by a merge queue only."""
    rules = rules_of(repository, branch) or BranchRules(repository.state.new_id())
    repository.state.rules[branch] = replace(rules, has_queue=True)


def set_rules(repository: HostedRepository, branch: str, names: Sequence[str], *, has_queue: bool) -> None:
    """Let a branch require these checks and no others, those that it has of the same Apps, and a queue or none."""
    rules = rules_of(repository, branch) or BranchRules(repository.state.new_id())
    checks = {name: rules.checks.get(name) for name in names}
    repository.state.rules[branch] = replace(rules, checks=checks, has_queue=has_queue)


def rules_of(repository: HostedRepository, branch: str) -> BranchRules | None:
    """The ruleset of a branch."""
    return repository.state.rules.get(branch)


def is_required(repository: HostedRepository, branch: str, name: str, app: int | None) -> bool:
    """Whether a branch requires that check of that App; a commit status is of none."""
    rules = rules_of(repository, branch)
    return rules is not None and name in rules.checks and rules.checks[name] in (None, app)


def list_rules(call: Call) -> ApiResponse:
    """The active rules of a branch, whether it exists or not."""
    rules = rules_of(call.repository, call.params["branch"])
    views = [] if rules is None else _view_rules(rules)
    source = {"ruleset_source_type": "Repository", "ruleset_source": call.repository.full_name}
    return page(call, views, lambda view: view | source | {"ruleset_id": rules.id if rules else 0})


def _view_rules(rules: BranchRules) -> list[Json]:
    checks = [
        {"context": name} | ({} if app is None else {"integration_id": app}) for name, app in rules.checks.items()
    ]
    parameters = {"required_status_checks": checks, "strict_required_status_checks_policy": False}
    required = [{"type": "required_status_checks", "parameters": parameters}] if checks else []
    return [*required, {"type": "merge_queue", "parameters": _QUEUE}] if rules.has_queue else required


_QUEUE = {
    "check_response_timeout_minutes": 60,
    "grouping_strategy": "ALLGREEN",
    "max_entries_to_build": 5,
    "max_entries_to_merge": 5,
    "merge_method": "MERGE",
    "min_entries_to_merge": 1,
    "min_entries_to_merge_wait_minutes": 5,
}
