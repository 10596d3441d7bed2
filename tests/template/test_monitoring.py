"""The alarms, the dashboard and the saved queries: what they watch exists, and each alarm says what to do."""

import re
from typing import Any

import pytest

from kodiai.consume import backoff
from kodiai.core.findings.finding import SEVERITIES
from kodiai.core.metrics import UNITS
from kodiai.flows.forget_repositories import WAIT_SECONDS
from local.machine import TEMPLATE
from tests.template.monitoring import STACK, STAGE, metrics, properties, queries, widgets

RUNBOOK = (TEMPLATE.parent / "docs" / "runbook.md").read_text("utf-8")
ALARMS = properties("AWS::CloudWatch::Alarm")
OWN = f"Kodiai/{STAGE}"
COUNTED = {given["MetricTransformations"][0]["MetricName"] for given in properties("AWS::Logs::MetricFilter").values()}
"""The counts of CloudWatch in the log of the API: no function sees them."""

OURS = "AWS::Serverless::Function"
MEASURED_BY_AWS = {
    # https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-metrics.html
    ("AWS/ApiGateway", "4xx"): ("ApiId", "AWS::Serverless::HttpApi"),
    ("AWS/ApiGateway", "5xx"): ("ApiId", "AWS::Serverless::HttpApi"),
    # https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
    ("AWS/Lambda", "Errors"): ("FunctionName", OURS),
    ("AWS/Lambda", "Throttles"): ("FunctionName", OURS),
    # https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
    ("AWS/SQS", "ApproximateAgeOfOldestMessage"): ("QueueName", "AWS::SQS::Queue"),
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible"): ("QueueName", "AWS::SQS::Queue"),
}
"""Each metric of AWS that is used, with its dimension, and the type of the resources that have it."""

HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_KINDS = {"metric", "log", "alarm"}


def sections() -> dict[str, str]:
    """The sections of the runbook by their anchors."""
    _, *parts = HEADING.split(RUNBOOK)
    titles, texts = parts[::2], parts[1::2]
    return {
        re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-"): text for title, text in zip(titles, texts, strict=True)
    }


def check_metric(namespace: str, name: str, dimensions: dict[str, str]) -> None:
    """Check that somebody measures this."""
    if namespace == OWN:
        assert name in {*UNITS, *COUNTED}
        assert dimensions == {}
        return
    dimension, kind = MEASURED_BY_AWS[namespace, name]
    assert list(dimensions) == [dimension]
    assert set(dimensions.values()) <= set(STACK.of_type(kind))


@pytest.mark.parametrize(
    ("alarm", "metric", "threshold", "period", "periods"),
    [
        ("WebhooksRefusedAlarm", "WebhooksRefused", 0, 300, 1),
        ("ApiServerErrorsAlarm", "5xx", 0, 60, 1),
        ("TurnedAwayWebhooksAlarm", "TurnedAwayWebhooks", 0, 300, 1),
        ("SweepErrorsAlarm", "Errors", 0, 300, 1),
        ("IngestErrorsAlarm", "Errors", 0, 60, 1),
        ("IngestThrottlesAlarm", "Throttles", 0, 60, 1),
        ("ApiClientErrorsAlarm", "4xx", 100, 300, 3),
        ("ProposalsErrorsAlarm", "Errors", 0, 60, 1),
        ("ReviewErrorsAlarm", "Errors", 2, 900, 1),
        ("MentionErrorsAlarm", "Errors", 2, 900, 1),
        ("FailedJobsAlarm", "FailedJobs", 0, 300, 1),
        ("ReviewsAgeAlarm", "ApproximateAgeOfOldestMessage", 900, 60, 1),
        ("MentionsAgeAlarm", "ApproximateAgeOfOldestMessage", 900, 60, 1),
        ("ReviewsDeadAlarm", "ApproximateNumberOfMessagesVisible", 0, 60, 1),
        ("MentionsDeadAlarm", "ApproximateNumberOfMessagesVisible", 0, 60, 1),
        ("SpendingAlarm", "CostUSD", 50, 86_400, 1),
    ],
)
def test_an_alarm_reports_a_failure_that_the_system_cannot_fix(
    alarm: str, metric: str, threshold: int, period: int, periods: int
) -> None:
    """A lost webhook, a lost review or lost money raises an alarm as soon as no retry is left."""
    given = ALARMS[alarm]

    assert (given["MetricName"], given["Threshold"]) == (metric, threshold)
    assert (given["Period"], given["EvaluationPeriods"]) == (period, periods)
    assert given["ComparisonOperator"] == "GreaterThanThreshold"


@pytest.mark.parametrize("alarm", ALARMS)
def test_an_alarm_watches_what_somebody_measures_and_leads_to_its_runbook(alarm: str) -> None:
    """Nothing measured is no alarm: an idle queue wakes nobody. The mail says what to do."""
    given = ALARMS[alarm]

    check_metric(
        given["Namespace"], given["MetricName"], {each["Name"]: each["Value"] for each in given.get("Dimensions", ())}
    )
    assert given["TreatMissingData"] == "notBreaching"
    text, _, anchor = given["AlarmDescription"].partition(" Runbook: docs/runbook.md#")
    assert text.endswith(".")
    assert f"`{alarm}`" in sections()[anchor]
    source: dict[str, Any] = STACK.template["Resources"][alarm]["Properties"]
    assert source["AlarmActions"] == {"Fn::If": ["HasAlarmEmail", [{"Ref": "AlarmTopic"}], {"Ref": "AWS::NoValue"}]}


def test_the_age_of_a_message_is_an_alarm_before_its_last_attempt_and_not_while_it_waits_as_it_should() -> None:
    """A push waits a minute, a second look after an uninstallation ten at a time, and a job takes ten minutes."""
    quiet = int(STACK.template["Parameters"]["QuietSeconds"]["Default"])
    longest = max(STACK.properties(name)["Timeout"] for name in ("ReviewFunction", "MentionFunction"))
    last = sum(map(backoff, range(1, int(STACK.template["Parameters"]["Receives"]["Default"]) - 1)))

    for alarm in ("ReviewsAgeAlarm", "MentionsAgeAlarm"):
        assert quiet + longest < ALARMS[alarm]["Threshold"] < last
        assert ALARMS[alarm]["Threshold"] > WAIT_SECONDS


def test_the_dashboard_shows_only_what_somebody_measures_and_logs() -> None:
    """A widget of a metric that does not exist stays empty, and nobody notices."""
    assert {each["type"] for each in widgets()} == _KINDS
    for widget in widgets():
        for namespace, name, *rest in metrics(widget):
            names = [each for each in rest if isinstance(each, str)]
            check_metric(namespace, name, dict(zip(names[::2], names[1::2], strict=True)))
        known = {each[-1]["id"] for each in metrics(widget) if isinstance(each[-1], dict) and "id" in each[-1]}
        for each in widget["properties"].get("metrics", ()):
            if isinstance(each[0], dict):
                assert set(re.findall(r"[a-z]\w*", each[0]["expression"])) <= known


def test_the_dashboard_shows_what_was_promised_without_overlaps() -> None:
    """Every own metric and every alarm is on it; the widgets fit on its 24 columns."""
    shown = {name for widget in widgets() for namespace, name, *_ in metrics(widget) if namespace == OWN}
    [alarms] = [widget["properties"]["alarms"] for widget in widgets() if widget["type"] == "alarm"]
    cells = [
        (x, y)
        for each in widgets()
        for x in range(each["x"], each["x"] + each["width"])
        for y in range(each["y"], each["y"] + each["height"])
    ]

    assert [widget["properties"]["title"] for widget in widgets()] == [
        "Alarms; docs/runbook.md says what to do",
        "Reviews a day",
        "Duration of a review",
        "Cost of the models a day, US dollars",
        "Tokens a day",
        "New findings a day",
        "Address rate a week",
        "Suppressed findings by reason",
        "What became of reviews and answers",
        "Errors",
        "Age of the oldest message, minutes",
        "Dead letters",
    ]
    assert shown == set(UNITS)
    assert {arn.rpartition(":")[2] for arn in alarms} == set(ALARMS)
    assert len(set(cells)) == len(cells)
    assert max(x for x, _ in cells) < 24


@pytest.mark.parametrize(("name", "groups", "query"), queries(), ids=[name for name, *_ in queries()])
def test_a_query_reads_log_groups_of_the_template(name: str, groups: tuple[str, ...], query: str) -> None:
    """Their fields are held against real lines in tests/functions/doors."""
    assert name
    assert query.startswith("filter ")
    assert set(groups) <= set(STACK.of_type("AWS::Logs::LogGroup"))
    assert groups


def test_each_severity_has_its_metric() -> None:
    """A severity without one would fail where it is logged."""
    assert {f"{severity.capitalize()}Findings" for severity in SEVERITIES} <= set(UNITS)


def test_the_functions_write_into_the_namespace_that_is_watched() -> None:
    """It carries the stage, as everything does."""
    variables = STACK.resolve(STACK.template["Globals"]["Function"]["Environment"]["Variables"])

    assert variables["KODIAI_METRICS"] == OWN
    assert {each["Namespace"] for each in ALARMS.values() if not each["Namespace"].startswith("AWS/")} == {OWN}
