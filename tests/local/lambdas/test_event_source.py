"""An event source mapping hands messages to a function, and deletes those that are done."""

import json
from typing import Any

from local.lambdas.event_source import finished, record_of
from local.lambdas.runtime_api import Result
from tests.tables import each_row

BATCH = [{"MessageId": "one"}, {"MessageId": "two"}]


@each_row(
    ("answer", "done"),
    [
        (None, ["one", "two"]),
        ({}, ["one", "two"]),
        ({"batchItemFailures": None}, ["one", "two"]),
        ({"batchItemFailures": []}, ["one", "two"]),
        ({"batchItemFailures": [{"itemIdentifier": "two"}]}, ["one"]),
        ({"batchItemFailures": [{"itemIdentifier": "three"}]}, []),
        ({"batchItemFailures": [{"itemIdentifier": ""}]}, []),
        ({"batchItemFailures": [{"itemIdentifier": None}]}, []),
        ({"batchItemFailures": [{"wrong": "two"}]}, []),
        ({"batchItemFailures": "two"}, []),
        ("fine", []),
        ([], []),
    ],
)
def test_only_what_the_answer_does_not_name_as_failed_is_done(answer: Any, done: list[str]) -> None:
    """An answer that cannot be read fails the whole batch: a message is rather done twice than lost."""
    result = Result(json.dumps(answer).encode())

    assert [message["MessageId"] for message in finished(BATCH, result, reports_failures=True)] == done


def test_nothing_is_done_when_the_function_failed() -> None:
    """An error, a timeout or a crash leaves every message in the queue, whatever the function reports."""
    failure = Result.failure("Runtime.ExitError", "gone")

    assert finished(BATCH, failure, reports_failures=True) == []
    assert finished(BATCH, failure, reports_failures=False) == []


def test_a_source_without_reports_takes_any_answer_for_success() -> None:
    """An answer that names failures means nothing without ReportBatchItemFailures."""
    result = Result(json.dumps({"batchItemFailures": [{"itemIdentifier": "one"}]}).encode())

    assert finished(BATCH, result, reports_failures=False) == BATCH


def test_a_record_has_the_form_that_lambda_gives_it() -> None:
    """Names are lower camel case, the queue is named by its ARN."""
    message = {
        "MessageId": "m",
        "ReceiptHandle": "r",
        "Body": "b",
        "MD5OfBody": "5",
        "Attributes": {"MessageGroupId": "g", "ApproximateReceiveCount": "1"},
        "MessageAttributes": {"a": {"StringValue": "v", "DataType": "String"}},
    }

    assert record_of(message, "arn:queue") == {
        "messageId": "m",
        "receiptHandle": "r",
        "body": "b",
        "md5OfBody": "5",
        "attributes": {"MessageGroupId": "g", "ApproximateReceiveCount": "1"},
        "messageAttributes": {"a": {"stringValue": "v", "dataType": "String"}},
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:queue",
        "awsRegion": "us-east-1",
    }
