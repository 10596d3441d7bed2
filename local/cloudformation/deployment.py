"""Carries out what a change set says, and takes it back where something fails.

Policies: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-attribute-deletionpolicy.html
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from botocore.exceptions import ClientError

from local.cloudformation.resource_types import ResourceTypes
from local.cloudformation.stacks import DeployedStack, Resource, Version
from local.lambdas.resources import describe
from local.lambdas.stack import Attributes, Creator, Stack
from local.lambdas.system import PSEUDO_PARAMETERS

_KEEPS = {"Retain", "RetainExceptOnCreate"}

Start = Callable[[Version, Mapping[str, Resource]], None]
"""Start what runs on the resources of a version; where that cannot be, raise ValueError and leave all as it is."""


class Failed(Exception):
    """A resource that cannot be made, changed or deleted; its text is the reason that people see."""


class _Unknown(dict[str, str]):
    """The placeholder attributes of a resource before its creation."""

    def __contains__(self, _: object) -> bool:
        return True

    def __missing__(self, name: str) -> str:
        return f"({name} is known when it is made)"


class Deployment:
    """One change of a stack to another version."""

    def __init__(self, stack: DeployedStack, version: Version, types: ResourceTypes) -> None:
        self._stack = stack
        self._version = version
        self._types = types
        self._after: dict[str, Resource] = {}
        self._undo: list[Callable[[], object]] = []
        kinds = {each["Type"] for each in version.processed["Resources"].values()}
        self._resolved = stack_of(stack, version, {kind: self._maker(kind) for kind in kinds})

    def run(self, start: Start) -> None:
        """Make and change the resources, then start what runs on them; the stack's status tells whether it worked.

        What did not work is taken back: resources that this made are deleted, unless their policy is Retain.
        """
        stack = self._stack
        written: Mapping[str, Any] = self._version.processed.get("Outputs", {})
        word = "UPDATE" if stack.version else "CREATE"
        stack.turn(f"{word}_IN_PROGRESS", "User Initiated")
        stack.tried = stack.version or self._version
        try:
            for name in filter(self._resolved.exists, self._version.processed["Resources"]):
                self._resolved.attributes(name)
            outputs = [
                {"OutputKey": name, "OutputValue": value, "Description": written[name].get("Description")}
                for name, value in self._resolved.outputs().items()
            ]
            start(self._version, self._after)
        except (Failed, ValueError) as failure:
            self._take_back("UPDATE_ROLLBACK" if stack.version else "ROLLBACK", str(failure))
            return
        before = stack.resources
        stack.version, stack.outputs, stack.resources = self._version, outputs, self._after
        if word == "UPDATE":
            stack.turn("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS")
        for old in reversed(before.values()):
            self._clean_up(old)
        stack.turn(f"{word}_COMPLETE")

    def _maker(self, kind: str) -> Creator:
        def make(name: str, given: Mapping[str, Any]) -> Attributes:
            written = self._version.processed["Resources"][name]
            policies = [
                str(self._resolved.resolve(written.get(each, "Delete")))
                for each in ("DeletionPolicy", "UpdateReplacePolicy")
            ]
            old = self._stack.resources.get(name)
            if old and old.kind == kind and not changed(old.properties, given) & self._types.of(kind).fixed:
                attributes = self._change(old, given)
            else:
                attributes = self._create(name, kind, given, policies[0])
            self._after[name] = Resource(name, kind, given, attributes, *policies)
            return attributes

        return make

    def _change(self, old: Resource, given: Mapping[str, Any]) -> Attributes:
        if changed(old.properties, given):
            update = self._types.of(old.kind).update
            self._stack.note(old.name, old.kind, old.physical_id, "UPDATE_IN_PROGRESS")
            self._try("UPDATE", old.name, old.kind, lambda: update(given))
            self._undo.append(lambda: update(old.properties))
            self._stack.note(old.name, old.kind, old.physical_id, "UPDATE_COMPLETE")
        return old.attributes

    def _create(self, name: str, kind: str, given: Mapping[str, Any], policy: str) -> Attributes:
        self._stack.note(name, kind, "", "CREATE_IN_PROGRESS")
        own = f"{self._stack.name}-{name}"  # what has no name gets this one
        made: Attributes = self._try("CREATE", name, kind, lambda: self._types.create(own, kind, given))
        self._stack.note(name, kind, made["Ref"], "CREATE_COMPLETE")
        resource = Resource(name, kind, given, made, policy, policy)
        self._undo.append(lambda: delete(self._stack, self._types, resource, keeps=policy == "Retain"))
        return made

    def _try(self, verb: str, name: str, kind: str, act: Callable[[], Any]) -> Any:
        try:
            return act()
        except (ClientError, ValueError) as error:
            self._stack.note(name, kind, "", f"{verb}_FAILED", str(error))
            raise Failed(f"The following resource(s) failed to {verb.lower()}: [{name}].") from error

    def _take_back(self, word: str, reason: str) -> None:
        self._stack.turn(f"{word}_IN_PROGRESS", reason)
        left = []
        for undo in reversed(self._undo):
            try:
                undo()
            except (Failed, ClientError, ValueError) as failure:
                left.append(str(failure))
        self._stack.turn(f"{word}_FAILED" if left else f"{word}_COMPLETE", " ".join(left) or None)

    def _clean_up(self, old: Resource) -> None:
        """Delete what the new version has no more, or has another one for."""
        new = self._after.get(old.name)
        if new is not None and new.attributes is old.attributes:
            return
        policy = old.replacement if new else old.deletion
        with suppress(Failed):  # it stays, which an event says, and the stack is up to date
            delete(self._stack, self._types, old, keeps=policy in _KEEPS)


def stack_of(
    stack: DeployedStack, version: Version, create: Mapping[str, Creator], otherwise: Creator = describe
) -> Stack:
    """Return a version of a stack with its functions resolved; resources are made as they are asked for."""
    pseudo = {**PSEUDO_PARAMETERS, "AWS::StackName": stack.name, "AWS::StackId": stack.id}
    return Stack(version.processed, version.parameters, pseudo, create, otherwise, {})


def delete(stack: DeployedStack, types: ResourceTypes, resource: Resource, *, keeps: bool) -> None:
    """Delete a resource, or skip it where its policy keeps it. Raises Failed."""
    known = (resource.name, resource.kind, resource.physical_id)
    if keeps:
        stack.note(*known, "DELETE_SKIPPED")
        return
    stack.note(*known, "DELETE_IN_PROGRESS")
    try:
        types.of(resource.kind).delete(resource.attributes, resource.properties)
    except ClientError as error:
        stack.note(*known, "DELETE_FAILED", str(error))
        raise Failed(f"The following resource(s) failed to delete: [{resource.name}].") from error
    stack.note(*known, "DELETE_COMPLETE")


def delete_stack(stack: DeployedStack, types: ResourceTypes, retained: frozenset[str]) -> None:
    """Delete a stack's resources, the last one first; what a policy keeps, or `retained` names, stays."""
    stack.turn("DELETE_IN_PROGRESS", "User Initiated")
    failures = []
    for resource in reversed(list(stack.resources.values())):
        try:
            delete(stack, types, resource, keeps=resource.deletion in _KEEPS or resource.name in retained)
        except Failed as failure:
            failures.append(str(failure))
        else:
            del stack.resources[resource.name]
    stack.turn("DELETE_FAILED" if failures else "DELETE_COMPLETE", " ".join(failures) or None)


def changes(stack: DeployedStack, version: Version, types: ResourceTypes) -> list[Mapping[str, Any]]:
    """Return what becomes of each resource, as a change set says it."""
    known = stack.resources

    def describe_known(name: str, _: Mapping[str, Any]) -> Attributes:
        return known[name].attributes if name in known else _Unknown()

    planned = stack_of(stack, version, {}, describe_known)
    wanted = {name: each["Type"] for name, each in version.processed["Resources"].items() if planned.exists(name)}
    found: list[Mapping[str, Any]] = []
    for name, kind in wanted.items():
        of_it = {"LogicalResourceId": name, "ResourceType": kind}
        old = known.get(name)
        if old is None:
            found.append({"Action": "Add", **of_it})
        elif different := changed(old.properties, planned.properties(name)):
            replaced = "True" if different & types.of(kind).fixed else "False"
            found.append({"Action": "Modify", "PhysicalResourceId": old.physical_id, "Replacement": replaced, **of_it})
    for name in sorted(known.keys() - wanted.keys()):
        of_it = {"LogicalResourceId": name, "ResourceType": known[name].kind}
        found.append({"Action": "Remove", "PhysicalResourceId": known[name].physical_id, **of_it})
    return [{"Type": "Resource", "ResourceChange": each} for each in found]


def changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> set[str]:
    """Return the names of the properties that differ."""
    return {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}
