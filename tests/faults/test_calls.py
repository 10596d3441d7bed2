"""Every call to AWS has a name, by which the harness finds it again in the next run."""

import json

import pytest

from tests.faults.calls import name_call

KEY = {"pk": {"S": "PR#acme/widgets#7"}, "sk": {"S": "FINDING#F-1"}}


@pytest.mark.parametrize(
    ("path", "target", "body", "name"),
    [
        ("/", "DynamoDB_20120810.UpdateItem", {"Key": KEY}, "DynamoDB UpdateItem FINDING"),
        (
            "/",
            "DynamoDB_20120810.TransactWriteItems",
            {"TransactItems": [{"Update": {"Key": KEY}}, {"Update": {"Key": KEY}}]},
            "DynamoDB TransactWriteItems FINDING",
        ),
        ("/", "AmazonSQS.SendMessage", {}, "SQS SendMessage"),
        ("/QueryVectors", None, {"topK": 5}, "S3Vectors QueryVectors"),
        ("/PutVectors", None, {"vectors": []}, "S3Vectors PutVectors"),
        ("/model/amazon.titan-embed-text-v2%3A0/invoke", None, {"inputText": "a"}, "Bedrock InvokeModel"),
    ],
)
def test_a_call_to_aws_is_named_by_its_service_and_operation(
    path: str, target: str | None, body: object, name: str
) -> None:
    """JSON services say the operation in a header, REST ones in the path."""
    headers = {} if target is None else {"x-amz-target": target}

    assert name_call("aws", "POST", path, headers, json.dumps(body).encode()) == name
