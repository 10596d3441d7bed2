"""The branch names that a pull request gets from the revisions that a person named."""

from local.github.hosted_repository import HostedRepository
from local.github.repository import UnusableRepository


def name_base(repository: HostedRepository, base: str | None, head: str, number: int) -> tuple[str, str]:
    """Name and tip of the branch that a pull request goes into.

    The first pull request into a branch decides where it stands; a later one that means an older or newer commit of
    it gets a branch of its own, so that it does not move the first one's base. Raises UnusableRepository.
    """
    if base is None:
        name, sha = repository.default_branch, _default_base(repository, head)
    else:
        name, sha = repository.copy.branch_named(base) or repository.default_branch, repository.copy.resolve(base)
    taken = any(pull.base_ref == name and pull.base_sha != sha for pull in repository.state.pulls.values())
    return (f"{name}-{number}" if taken else name), sha


def _default_base(repository: HostedRepository, head: str) -> str:
    tip = repository.copy.tip(f"refs/heads/{repository.default_branch}")
    if tip is not None and not repository.copy.contains(head, tip):
        return tip
    parent = repository.copy.first_parent(head)
    if parent is None:
        raise UnusableRepository(f"{head[:7]} has no parent to compare it with: name a base")
    return parent


def name_head(repository: HostedRepository, head: str, base_ref: str, number: int) -> str:
    """The name of a pull request's own branch."""
    name = repository.copy.branch_named(head)
    open_heads = {pull.head_ref for pull in repository.state.pulls.values() if pull.state == "open"}
    in_use = open_heads | {repository.default_branch, base_ref}
    return name if name is not None and name not in in_use else f"change-{number}"
