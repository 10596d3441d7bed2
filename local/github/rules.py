"""The rules of base branches: which checks have to be there before a pull request may be merged.

Sources: https://docs.github.com/rest/repos/rules#get-rules-for-a-branch,
https://docs.github.com/rest/branches/branches#get-a-branch and
https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/available-rules-for-rulesets
"""

from dataclasses import replace
from typing import Any

from local.github.answers import ApiResponse, not_found
from local.github.call import Call, page
from local.github.git_data import view_commit
from local.github.hosted_repository import HostedRepository
from local.github.state import BranchRules
from local.github.views import Json


def change_rules(repository: HostedRepository, branch: str, **changes: Any) -> None:
    """Give a branch rules, or other ones than it has: fields of `BranchRules`."""
    rules = rules_of(repository, branch) or BranchRules(repository.state.new_id())
    repository.state.rules[branch] = replace(rules, **changes)


def rules_of(repository: HostedRepository, branch: str) -> BranchRules | None:
    """The ruleset of a branch."""
    return repository.state.rules.get(branch)


def is_required(repository: HostedRepository, branch: str, name: str, app: int | None) -> bool:
    """Whether a branch requires that check of that App; a commit status is of none."""
    rules = rules_of(repository, branch)
    return rules is not None and any(name == known and by in (None, app) for known, by in rules.required)


def list_rules(call: Call) -> ApiResponse:
    """The active rules of a branch, whether it exists or not."""
    rules = rules_of(call.repository, call.params["branch"])
    views = [] if rules is None else _view_rules(rules)
    source = {"ruleset_source_type": "Repository", "ruleset_source": call.repository.full_name}
    return page(call, views, lambda _, view: view | source | {"ruleset_id": rules.id if rules else 0})


def get_branch(call: Call) -> ApiResponse:
    """A branch with its classic protection, of which rulesets are no part."""
    repository, name = call.repository, call.params["branch"]
    tip, rules = repository.copy.tip(f"refs/heads/{name}"), rules_of(repository, name)
    if tip is None:
        raise not_found()
    required = rules.classic if rules is not None else {}
    api = f"{repository.api}/branches/{name}"
    return ApiResponse(
        body={
            "name": name,
            "commit": view_commit(repository, tip),
            "_links": {"self": api, "html": f"{repository.html}/tree/{name}"},
            "protected": bool(required),
            "protection": {
                "enabled": bool(required),
                "required_status_checks": {
                    "enforcement_level": "non_admins" if required else "off",
                    "contexts": [*required],
                    "checks": [{"context": context, "app_id": app} for context, app in required.items()],
                },
            },
            "protection_url": f"{api}/protection",
        }
    )


def _view_rules(rules: BranchRules) -> list[Json]:
    checks = [
        {"context": name} | ({} if app is None else {"integration_id": app}) for name, app in rules.checks.items()
    ]
    parameters = {"required_status_checks": checks, "strict_required_status_checks_policy": False}
    required = {"type": "required_status_checks", "parameters": parameters}
    queue = {"type": "merge_queue", "parameters": {**_QUEUE, "grouping_strategy": rules.strategy}}
    return [required] * bool(checks) + [queue] * rules.has_queue


_QUEUE = {
    "check_response_timeout_minutes": 60,
    "max_entries_to_build": 5,
    "max_entries_to_merge": 5,
    "merge_method": "MERGE",
    "min_entries_to_merge": 1,
    "min_entries_to_merge_wait_minutes": 5,
}
