"""A template's stack: its intrinsic functions resolved, each resource made when it is first needed."""

import re
from collections.abc import Callable, Mapping
from typing import Any

Attributes = Mapping[str, str]
"""The names that a resource is known by: "Ref" and the names for Fn::GetAtt."""
Creator = Callable[[str, Mapping[str, Any]], Attributes]
"""Make one resource from its logical id and its resolved properties."""

_SLOT = re.compile(r"\$\{([^}]+)\}")
_NO_VALUE = object()


class Stack:
    """The resources of one template, as CloudFormation would see them.

    `create` makes a resource by its type; `describe` names those of all other types without making them.
    `overrides` replaces properties by logical id, for a run that must not wait as long as a deployed one.
    """

    def __init__(
        self,
        template: Mapping[str, Any],
        parameters: Mapping[str, str],
        pseudo: Mapping[str, str],
        create: Mapping[str, Creator],
        describe: Creator,
        overrides: Mapping[str, Mapping[str, Any]],
    ) -> None:
        self.template = template
        self._parameters = _with_defaults(template, parameters)
        self._pseudo = pseudo
        self._create = create
        self._describe = describe
        self._overrides = overrides
        self._made: dict[str, Attributes | None] = {}

    def exists(self, name: str) -> bool:
        """Tell whether a resource's condition lets it exist."""
        condition = self.template["Resources"][name].get("Condition")
        return condition is None or self.holds(condition)

    def of_type(self, kind: str) -> list[str]:
        """Return the logical ids of the resources of one type that their condition lets exist."""
        resources = self.template["Resources"]
        return [name for name in resources if resources[name]["Type"] == kind and self.exists(name)]

    def make_all(self) -> None:
        """Make everything that there is a creator for."""
        for kind in self._create:
            for name in self.of_type(kind):
                self.attributes(name)

    def properties(self, name: str) -> dict[str, Any]:
        """Return a resource's resolved properties."""
        given = self.template["Resources"][name].get("Properties", {})
        resolved = self.resolve({**given, **self._overrides.get(name, {})})
        assert isinstance(resolved, dict)  # noqa: S101 -- a mapping resolves to a mapping
        return resolved

    def attributes(self, name: str) -> Attributes:
        """Return what a resource is known by, and makes it first if nobody has asked before.

        Raises ValueError for an unknown name and for resources that need each other.
        """
        if name not in self.template["Resources"]:
            raise ValueError(f"the template has no resource {name}")
        if name not in self._made:
            self._made[name] = None
            for needed in _listed(self.template["Resources"][name].get("DependsOn", [])):
                # Before its transform, a template does not have the resources that this adds.
                if needed in self.template["Resources"] and self.exists(needed):
                    self.attributes(needed)
            kind = self.template["Resources"][name]["Type"]
            creator = self._create.get(kind)
            made = creator(name, self.properties(name)) if creator else self._describe(name, {"Type": kind})
            self._made[name] = made
        known = self._made[name]
        if known is None:
            raise ValueError(f"{name} needs itself")
        return known

    def outputs(self) -> dict[str, str]:
        """Return the template's outputs by name."""
        return {name: str(self.resolve(output["Value"])) for name, output in self.template.get("Outputs", {}).items()}

    def resolve(self, value: Any) -> Any:
        """Return the value with every intrinsic function worked out.

        Raises ValueError for a function or a name that is not known.
        """
        if isinstance(value, Mapping):
            if len(value) == 1:
                ((name, argument),) = value.items()
                if name == "Ref" or name.startswith("Fn::"):
                    return self._function(name)(argument)
            pairs = ((key, self.resolve(item)) for key, item in value.items())
            return {key: item for key, item in pairs if item is not _NO_VALUE}
        if isinstance(value, list):
            return [item for item in map(self.resolve, value) if item is not _NO_VALUE]
        return value

    def holds(self, condition: Any) -> bool:
        """Tell whether a condition, by name or written out, is true."""
        if isinstance(condition, str):
            return self.holds(self.template["Conditions"][condition])
        ((name, argument),) = condition.items()
        match name:
            case "Fn::Equals":
                left, right = map(self.resolve, argument)
                return str(left) == str(right)
            case "Fn::Not":
                return not self.holds(argument[0])
            case "Condition":
                return self.holds(argument)
        raise ValueError(f"{name} is no condition")

    def _function(self, name: str) -> Callable[[Any], Any]:
        known: Mapping[str, Callable[[Any], Any]] = {
            "Ref": self._ref,
            "Fn::GetAtt": self._get_att,
            "Fn::Sub": self._sub,
            "Fn::If": self._if,
            "Fn::FindInMap": self._find_in_map,
            "Fn::Join": self._join,
        }
        if name not in known:
            raise ValueError(f"{name} is not known here")
        return known[name]

    def _ref(self, name: str) -> Any:
        if name == "AWS::NoValue":
            return _NO_VALUE
        for known in (self._pseudo, self._parameters):
            if name in known:
                return known[name]
        return self.attributes(name)["Ref"]

    def _get_att(self, argument: list[str]) -> str:
        name, attribute = argument
        known = self.attributes(name)
        if attribute not in known:
            raise ValueError(f"{name} has no attribute {attribute}")
        return known[attribute]

    def _sub(self, argument: str | list[Any]) -> str:
        text, own = (argument, {}) if isinstance(argument, str) else argument

        def fill(slot: re.Match[str]) -> str:
            name = slot[1]
            if name in own:
                return str(self.resolve(own[name]))
            return str(self._get_att(name.split(".", 1)) if "." in name else self._ref(name))

        return _SLOT.sub(fill, text)

    def _join(self, argument: list[Any]) -> str:
        separator, parts = argument
        return str(separator).join(map(str, self.resolve(parts)))

    def _if(self, argument: list[Any]) -> Any:
        condition, then, otherwise = argument
        return self.resolve(then if self.holds(condition) else otherwise)

    def _find_in_map(self, argument: list[Any]) -> Any:
        """Look up a value; AWS::LanguageExtensions allows a fourth argument, with the value if there is none."""
        table, row, column, *more = map(self.resolve, argument)
        found = self.template["Mappings"][table].get(row, {})
        if column not in found and not more:
            raise ValueError(f"{table} has no {row}.{column}")
        return found[column] if column in found else more[0]["DefaultValue"]


def _listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _with_defaults(template: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, Any]:
    declared = template.get("Parameters", {})
    if unknown := sorted(set(given) - set(declared)):
        raise ValueError(f"the template has no parameter {', '.join(unknown)}")
    values = {name: given.get(name, declaration.get("Default")) for name, declaration in declared.items()}
    if missing := sorted(name for name, value in values.items() if value is None):
        raise ValueError(f"the template's parameter {', '.join(missing)} has no value")
    return values
