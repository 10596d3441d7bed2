"""Requests that pass boto3 and not AWS are refused, by AWS's own description of the operation."""

from typing import Any

import pytest

from local.aws.protocol import AwsError
from local.aws.shapes import check_request
from tests.tables import each_row

ARN = "arn:aws:s3vectors:us-east-1:123456789012:bucket/memory/index/model-2"
QUERY = {"indexArn": ARN, "topK": 1, "queryVector": {"float32": [1.0, 0.0]}}
VECTOR = {"key": "a", "data": {"float32": [1.0, 0.0]}}


@each_row(
    ("operation", "request_body", "message"),
    [
        ("QueryVectors", {"queryVector": QUERY["queryVector"]}, "QueryVectors lacks topK"),
        ("QueryVectors", QUERY | {"top": 1}, "QueryVectors has no member top"),
        ("QueryVectors", QUERY | {"topK": 0}, "QueryVectors.topK is 0, and has to be from 1 to None"),
        ("QueryVectors", QUERY | {"topK": True}, "QueryVectors.topK is no integer"),
        ("QueryVectors", QUERY | {"queryMode": "FAST"}, "QueryVectors.queryMode is none of CLASSIC, ENHANCED"),
        ("QueryVectors", QUERY | {"returnMetadata": "yes"}, "QueryVectors.returnMetadata is no boolean"),
        ("GetVectors", {"keys": []}, "the length of GetVectors.keys is 0, and has to be from 1 to 100"),
        ("GetVectors", {"keys": ["a", "b" * 1_025]}, "the length of GetVectors.keys[1] is 1025"),
        ("GetVectors", {"keys": ["a"], "indexName": "ab"}, "the length of GetVectors.indexName is 2"),
        (
            "DeleteVectors",
            {"keys": ["a"] * 501},
            "the length of DeleteVectors.keys is 501, and has to be from 1 to 500",
        ),
        ("PutVectors", {"vectors": [VECTOR, {"key": "b"}]}, "PutVectors.vectors[1] lacks data"),
        ("GetVectors", {"keys": ["a"], "indexArn": "arn"}, "GetVectors.indexArn does not match arn:aws"),
    ],
)
def test_a_request_that_does_not_fit_awss_description_is_refused(
    operation: str, request_body: dict[str, Any], message: str
) -> None:
    """The error has the place of the mistake."""
    with pytest.raises(AwsError) as raised:
        check_request("s3vectors", operation, request_body)

    assert raised.value.code == "ValidationException"
    assert message in raised.value.message


def test_everything_that_is_wrong_is_named_and_what_is_right_passes() -> None:
    """Documents, such as filters and metadata, have no description."""
    check_request("s3vectors", "QueryVectors", QUERY | {"filter": {"$or": [{"a": 1}]}, "queryMode": "CLASSIC"})
    check_request("s3vectors", "PutVectors", {"vectors": [VECTOR | {"metadata": {"a": [1, "b"]}}]})

    with pytest.raises(AwsError) as raised:
        check_request("s3vectors", "QueryVectors", {"a": 1})

    assert raised.value.message == (
        "2 validation error(s) detected: QueryVectors lacks topK; QueryVectors has no member a"
    )
