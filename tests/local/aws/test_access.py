"""The key of a local AWS protects it: any program, and any page, can reach its port."""

import json
from contextlib import closing

import httpx
import pytest
from botocore.exceptions import ClientError

from local.aws import LocalAws, local_session
from local.machine import GitHubAccess, LocalMachine
from local.model import Script

INVALID = "The security token included in the request is invalid."


def parameter(aws: LocalAws, key: str) -> str:
    """Read a secret with an access key id."""
    with closing(local_session(key).client("ssm", endpoint_url=aws.address)) as client:
        return str(client.get_parameter(Name="/secret", WithDecryption=True)["Parameter"]["Value"])


@pytest.fixture
def holding(aws: LocalAws) -> LocalAws:
    """One with a secret."""
    aws.client("ssm").put_parameter(Name="/secret", Value="hush", Type="SecureString", Overwrite=True)
    return aws


@pytest.mark.parametrize("key", ["local", "operator", "ReviewRole", "operator-", "operator-" + "0" * 32])
def test_a_guessed_key_opens_nothing(holding: LocalAws, key: str) -> None:
    """The name of a role neither: each start has a key of 128 random bits."""
    with pytest.raises(ClientError, match=INVALID) as refused:
        parameter(holding, key)

    assert refused.value.response["Error"]["Code"] == "UnrecognizedClientException"
    assert parameter(holding, holding.access_key()) == "hush"


@pytest.mark.parametrize("target", ["AmazonSSM.GetParameter", "DynamoDB_20120810.ListTables", "AmazonSQS.ListQueues"])
def test_without_a_signature_there_is_nothing(holding: LocalAws, target: str) -> None:
    """Each service refuses it in the form of its errors."""
    answer = httpx.post(holding.address, headers={"x-amz-target": target}, content=b"{}", trust_env=False)

    assert (answer.status_code, answer.json()["message"]) == (403, INVALID)
    bucket = httpx.post(f"{holding.address}/ListVectorBuckets", content=b"{}", trust_env=False)
    assert (bucket.status_code, bucket.json()["message"]) == (403, INVALID)


def test_no_server_answers_under_a_name_that_was_pointed_at_this_machine() -> None:
    """A page of that name would be of the same origin, and could read everything. A tunnel may have any name."""
    access = GitHubAccess("http://127.0.0.1:9", {"github/token": "t"})
    with LocalMachine(access, answers=Script()) as machine:
        assert machine.model is not None
        key = machine.aws.access_key()
        signed = f"AWS4-HMAC-SHA256 Credential={key}/20260101/us-east-1/ssm/aws4_request"
        headers = {"authorization": signed, "x-amz-target": "AmazonSSM.GetParametersByPath"}

        def status(url: str, host: str | None = None) -> int:
            given = {**headers, **({} if host is None else {"host": host})}
            return httpx.post(url, headers=given, content=json.dumps({"Path": "/"}), trust_env=False).status_code

        port = machine.aws.address.rpartition(":")[2]
        assert [status(machine.aws.address, host) for host in (None, f"localhost:{port}", "evil.example", "")] == [
            200,
            200,
            421,
            421,
        ]
        assert status(machine.model.url, f"127.0.0.1.evil.example:{port}") == 421
        assert status(machine.system.webhook_url, "a-tunnel.example") != 421
