"""The template's parameters: the values that they take, and the file in which the SAM CLI reads them unchanged."""

import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from cli.errors import CommandError
from cli.parser import did_you_mean
from kodiai.core.config.settings import BadParameters, DeploymentSettings
from local.cloudformation.parameters import check_value
from local.lambdas.resources import describe
from local.lambdas.stack import Stack as TemplateStack
from local.lambdas.system import PSEUDO_PARAMETERS
from local.lambdas.template import read_template

ROOT = Path(__file__).resolve().parent.parent.parent
"""The folder of the project, with the template."""

_QUOTED_BY_SAM = " \"'"


@cache
def template() -> dict[str, Any]:
    """The template, read once. Raises CommandError without one."""
    try:
        return read_template(ROOT / "template.yaml")
    except FileNotFoundError as error:
        raise CommandError(f"{ROOT} has no template.yaml: use the command of a copy of the project.") from error


def template_defaults() -> dict[str, str]:
    """The defaults of the template's parameters."""
    return {name: str(each["Default"]) for name, each in template()["Parameters"].items() if "Default" in each}


def check_values(values: Mapping[str, str]) -> None:
    """Check what a deployment is to be given, before anything is built. Raises CommandError with all that is wrong."""
    wrong = [*filter(None, (_mistake(name, value) for name, value in values.items()))]
    if wrong:
        raise CommandError("; ".join(wrong))


def stored_by(values: Mapping[str, str], region: str) -> dict[str, str]:
    """The parameters that the template stores with these values of its own, by their names below the prefix."""
    known = {name: value for name, value in values.items() if name in template()["Parameters"]}
    stack = TemplateStack(template(), known, {**PSEUDO_PARAMETERS, "AWS::Region": region}, {}, describe, {})
    made = (stack.properties(name) for name in stack.of_type("AWS::SSM::Parameter"))
    return {each["Name"].split("/", 3)[3]: str(each["Value"]) for each in made}


def settings_before_the_app(stored: Mapping[str, str], prefix: str) -> DeploymentSettings:
    """The settings as the functions will read them once the App is registered. Raises BadParameters."""
    return DeploymentSettings.from_parameters({"github/token": "none", **stored}, prefix)


def settings_mistake(given: Mapping[str, str]) -> str | None:
    """Return the mistake in settings that replace the template's, by their names below the prefix, None without one."""
    usual, prefix = {"anthropic/api-key": "none", **stored_by({}, "us-east-1")}, "/kodiai/prod"
    read = settings_before_the_app(usual, prefix)
    groups = [getattr(read, name) for name in DeploymentSettings.model_fields]
    names = [str(field.alias) for group in groups for field in type(group).model_fields.values()]
    for name in given:
        if name not in names:
            hint = did_you_mean(name, names, ": docs/configuration.md lists them", most=3)
            return f"--set: a deployment has no setting {name}{hint}"
    try:
        settings_before_the_app({**usual, **given}, prefix)
    except BadParameters as error:
        return f"--set: {error}"
    return None


def merged(named: Mapping[str, tuple[str, str | None]], others: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The values of options of their own, by parameter with the option's name, and those of --set.

    Raises CommandError for what the template does not take, and where two options differ.
    """
    values = {name: value for name, (_, value) in named.items() if value is not None}
    for name, value in others:
        if name in named and values.get(name, value) != value:
            raise CommandError(f"{name} is {values[name]!r} by {named[name][0]}, and {value!r} by --set.")
        values[name] = value
    check_values(values)
    return values


def _mistake(name: str, value: str) -> str | None:
    parameters = template()["Parameters"]
    if name not in parameters:
        return f"The template has no parameter {name}{did_you_mean(name, parameters, ': see docs/operators.md')}"
    # XML, in which CloudFormation answers, has no such characters: the value could not be read again.
    if any(unicodedata.category(each) in ("Cc", "Cs") for each in value if each not in "\n\t"):
        return f"Parameter '{name}' must not hold control characters"
    try:
        check_value(name, value, parameters[name])
    except ValueError as error:
        return str(error)
    return None


def sam_file(values: Mapping[str, str]) -> str:
    """The text of a file for `--parameter-overrides file://`, in YAML.

    On the command line the SAM CLI refuses `Name=` and ends a value at a space, a brace or a quote. Of a file's values
    it removes the backslash before a space and before either quote, and quotes around the whole, twice: once for the
    file and once for the option (`CfnParameterOverridesType` in samcli/cli/types.py). So each gets its backslash twice.
    """
    escape = str.maketrans({each: f"\\{each}" for each in _QUOTED_BY_SAM})
    escaped = {name: value.translate(escape).translate(escape) for name, value in values.items()}
    return yaml.safe_dump(escaped, default_style='"', width=float("inf"))
