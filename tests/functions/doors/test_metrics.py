"""The metrics that CloudWatch takes from the lines of a day, and the fields that saved queries and widgets ask for."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, get_args

import jsonschema  # type: ignore[import-untyped]  # it ships no types
import pytest

from kodiai.core.metrics import UNITS
from kodiai.core.plan.candidate import Fate
from tests.functions.doors.conftest import Day
from tests.tables import each_row
from tests.template.monitoring import queries

TEXT = {"type": "string", "minLength": 1, "maxLength": 255}
AMOUNT = "Bytes|Kilobytes|Megabytes|Gigabytes|Terabytes|Bits|Kilobits|Megabits|Gigabits|Terabits|Count"
UNIT = f"^(Seconds|Microseconds|Milliseconds|Percent|None|({AMOUNT})(/Second)?)$"
METRICS = {
    "type": "array",
    "maxItems": 100,
    "items": {
        "type": "object",
        "required": ["Name"],
        "properties": {"Name": TEXT, "Unit": {"type": "string", "pattern": UNIT}},
        "additionalProperties": False,
    },
}
DIRECTIVE = {
    "type": "object",
    "required": ["Namespace", "Dimensions", "Metrics"],
    "properties": {
        "Namespace": TEXT,
        "Dimensions": {"type": "array", "minItems": 1, "items": {"type": "array", "maxItems": 9, "items": TEXT}},
        "Metrics": METRICS,
    },
    "additionalProperties": False,
}
SCHEMA = {
    "type": "object",
    "required": ["_aws"],
    "properties": {
        "_aws": {
            "type": "object",
            "required": ["Timestamp", "CloudWatchMetrics"],
            "properties": {
                "Timestamp": {"type": "integer", "minimum": 1_600_000_000_000},
                "CloudWatchMetrics": {"type": "array", "items": DIRECTIVE},
            },
            "additionalProperties": False,
        }
    },
}
"""The published rules, as a schema:
https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
"""

SYSTEM_FIELDS = {"@timestamp", "@message", "@logStream", "@log", "@ingestionTime"}
"""Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_AnalyzeLogData-discoverable-fields.html ."""
WORDS = {"filter", "fields", "stats", "sort", "limit", "by", "desc", "asc", "as", "and", "or", "not", "in"}
FATES = {f"dropped.{fate}" for fate in get_args(Fate) if fate != "keep"}
"""The number of findings of each fate; the offline reviewer drops none."""


def measured(day: Day) -> list[Mapping[str, Any]]:
    """The lines with metrics."""
    return [line for line in day.lines if "_aws" in line]


def names(line: Mapping[str, Any]) -> list[str]:
    """The metrics of a line."""
    return [metric["Name"] for each in line["_aws"]["CloudWatchMetrics"] for metric in each["Metrics"]]


def flat(value: Any, name: str = "") -> Iterator[str]:
    """The fields of a line as Logs Insights names them: "delta.new", "reviewers.0"."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield from flat(member, f"{name}.{key}" if name else str(key))
    if not isinstance(value, dict | list):
        yield name


def asked_for(query: str) -> set[str]:
    """The fields that a query names: what is no text, number, command, function or name of its own."""
    bare = re.sub(r"'[^']*'", "", query)
    own = set(re.findall(r"\bas (\w+)", bare))
    found = re.findall(r"`([^`]+)`|(@?[A-Za-z_][\w.]*)(?!\w*\()", bare)
    return {quoted or plain for quoted, plain in found} - own - WORDS


def test_every_line_with_metrics_is_in_the_embedded_metric_format(day: Day) -> None:
    """Each metric is a number at the top of its line, is named once, and has no dimension: one metric is one price."""
    assert measured(day)
    for line in measured(day):
        jsonschema.validate(line, SCHEMA)
        [directive] = line["_aws"]["CloudWatchMetrics"]
        assert (line["message"], directive["Namespace"], directive["Dimensions"]) == ("outcome", "Kodiai/dev", [[]])
        assert len(set(names(line))) == len(names(line)) > 0
        for metric in directive["Metrics"]:
            assert type(line[metric["Name"]]) in (int, float)
            assert line[metric["Name"]] > 0
            assert metric["Unit"] == UNITS[metric["Name"]]


def test_every_metric_is_really_written(day: Day) -> None:
    """An alarm on a metric that no function writes would never tell anybody."""
    assert {name for line in measured(day) for name in names(line)} == set(UNITS)


def test_the_metrics_say_what_the_lines_say(day: Day) -> None:
    """A completed review has its duration, cost and findings; a webhook with a wrong secret counts."""
    [first] = [line for line in day.lines if line.get("pull_request") == 2 and line.get("outcome") == "completed"]
    refused = [line for line in measured(day) if "WebhooksRefused" in line]
    failed = [line for line in measured(day) if "FailedJobs" in line]

    # The duration of the review has one decimal, that of the attempt three.
    assert first["ReviewSeconds"] == first["review_seconds"] <= round(first["seconds"], 1)
    assert first["CostUSD"] == pytest.approx(first["cost_usd"])
    assert first["OutputTokens"] == first["model"]["output_tokens"]
    assert first["InputTokens"] == sum(
        first["model"][f"{kind}_tokens"] for kind in ("input", "cache_read", "cache_write")
    )
    severities = {name.upper(): first[f"{name}Findings"] for name in ("Critical", "Major", "Medium", "Minor")}
    assert first["new_by_severity"] == severities
    assert sum(severities.values()) == first["delta"]["new"]
    assert [(line["status"], line["event"], line["WebhooksRefused"]) for line in refused] == [(401, "ping", 1)]
    assert [(line["outcome"], line["buried"]) for line in failed] == [("broken", True)] * 3


@each_row(("name", "groups", "query"), queries(), ids=[name for name, *_ in queries()])
def test_a_saved_query_asks_for_fields_that_the_lines_have(
    day: Day, name: str, groups: tuple[str, ...], query: str
) -> None:
    """In the log groups that it reads, and within the 200 fields of a line that Logs Insights finds."""
    lines = [line for line in day.lines if line["function"].removesuffix("Function") + "Logs" in groups]
    known = {field for line in lines for field in list(flat(line))[:200]}

    asked = asked_for(query)

    assert asked, name
    assert {field for field in asked if field.startswith("dropped.")} in (set(), FATES)
    assert asked - known - SYSTEM_FIELDS - FATES == set(), json.dumps(sorted(known))
