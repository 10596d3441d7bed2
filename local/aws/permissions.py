"""The permissions of roles by their policies, as IAM evaluates them: denied unless a statement allows it.

Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from local.aws.protocol import ACCOUNT, AwsError

_FORBIDDEN = 403


@dataclass(frozen=True)
class _Statement:
    actions: frozenset[str]
    resources: Sequence[str]
    arn_like: Mapping[str, str]

    def allowing(self, action: str, resource: str, context: Mapping[str, str]) -> set[str]:
        """The resources, as they are written, that allow an action on a resource."""
        holds = all(fnmatchcase(context.get(key, ""), pattern) for key, pattern in self.arn_like.items())
        if not holds or not any(fnmatchcase(action, each) for each in self.actions):
            return set()
        return {each for each in self.resources if fnmatchcase(resource, each)}


class Permissions:
    """The roles with their policies. Any other role, such as an operator, may do everything.

    `used` are the rights that let something pass so far: a role, an action and a resource as the policy writes it.
    """

    def __init__(self) -> None:
        self.used: set[tuple[str, str, str]] = set()
        self._roles: dict[str, list[_Statement]] = {}

    def give(self, role: str, statements: Iterable[Mapping[str, Any]]) -> None:
        """Give a role its policy: statements with Effect Allow, each with actions and resources.

        In both "*" stands for any text. Of conditions, ArnLike is known.
        """
        self._roles[role] = [
            _Statement(
                frozenset(_listed(statement["Action"])),
                tuple(_listed(statement["Resource"])),
                statement.get("Condition", {}).get("ArnLike", {}),
            )
            for statement in statements
        ]

    @property
    def given(self) -> set[tuple[str, str, str]]:
        """Every right of every role, in the form of `used`."""
        return {
            (role, action, resource)
            for role, statements in self._roles.items()
            for statement in statements
            for action in statement.actions
            for resource in statement.resources
        }

    def binds(self, role: str) -> bool:
        """Whether there is anything to check."""
        return role in self._roles

    def allows(self, role: str, action: str) -> bool:
        """Whether a role may do something on every resource; nothing is noted as used."""
        return not self.binds(role) or any(each.allowing(action, "*", {}) for each in self._roles[role])

    def check(self, role: str, actions: Iterable[tuple[str, str]], context: Mapping[str, str]) -> None:
        """Check every action on its resource; `context` is what conditions ask about.

        Raises AwsError in the words of IAM.
        """
        for action, resource in actions:
            rights = {
                (role, action, each)
                for statement in self._roles[role]
                for each in statement.allowing(action, resource, context)
            }
            if not rights:
                raise AwsError(
                    "AccessDeniedException",
                    f"User: arn:aws:sts::{ACCOUNT}:assumed-role/{role}/local is not authorized to perform: {action} on "
                    f"resource: {resource} because no identity-based policy allows the {action} action",
                    _FORBIDDEN,
                )
            self.used |= rights


def _listed(value: str | Sequence[str]) -> Sequence[str]:
    return [value] if isinstance(value, str) else value
