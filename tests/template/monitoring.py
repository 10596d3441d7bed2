"""The template's monitoring, resolved as CloudFormation would: alarms, the dashboard, saved queries."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from local.lambdas.resources import describe
from local.lambdas.stack import Attributes, Stack
from local.lambdas.system import PSEUDO_PARAMETERS
from local.lambdas.template import read_template
from local.machine import TEMPLATE

STAGE = "staging"


def _queue(name: str, _: Mapping[str, Any]) -> Attributes:
    return {"Ref": name, "Arn": name, "QueueName": name}


STACK = Stack(read_template(TEMPLATE), {"Stage": STAGE}, PSEUDO_PARAMETERS, {"AWS::SQS::Queue": _queue}, describe, {})


def properties(kind: str) -> dict[str, dict[str, Any]]:
    """The properties of the resources of one type, by logical id."""
    return {name: STACK.properties(name) for name in STACK.of_type(kind)}


def widgets() -> list[dict[str, Any]]:
    """The widgets of the dashboard."""
    [dashboard] = properties("AWS::CloudWatch::Dashboard").values()
    found: list[dict[str, Any]] = json.loads(dashboard["DashboardBody"])["widgets"]
    return found


def metrics(widget: Mapping[str, Any]) -> list[Sequence[Any]]:
    """The metrics of a widget, without what is calculated from them."""
    return [each for each in widget["properties"].get("metrics", ()) if isinstance(each[0], str)]


def queries() -> list[tuple[str, tuple[str, ...], str]]:
    """Each query, saved or of a widget, with its name and the logical ids of the log groups that it reads."""
    saved = [
        (each["Name"], tuple(each["LogGroupNames"]), each["QueryString"])
        for each in properties("AWS::Logs::QueryDefinition").values()
    ]
    shown = [(each["properties"]["title"], each["properties"]["query"]) for each in widgets() if each["type"] == "log"]
    source = re.compile(r"SOURCE '(\w+)' \| ")
    return [*saved, *((title, tuple(source.findall(query)), source.sub("", query)) for title, query in shown)]
