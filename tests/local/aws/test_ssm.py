"""SSM's parameters, as its documents describe them, to unmodified boto3."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.aws import LocalAws


@pytest.fixture
def ssm(aws: LocalAws) -> Any:
    return aws.client("ssm")


@pytest.fixture
def prefix(fresh_name: Any) -> str:
    return f"/kodiai/{fresh_name()}"


def put(ssm: Any, name: str, value: str = "v", **more: Any) -> int:
    return int(ssm.put_parameter(Name=name, Value=value, **{"Type": "String", **more})["Version"])


def refusal(call: Any, **request: Any) -> str:
    with pytest.raises(ClientError) as refused:
        call(**request)
    return str(refused.value.response["Error"]["Code"])


def test_a_parameter_is_overwritten_only_on_request_and_keeps_its_type(ssm: Any, prefix: str) -> None:
    """Each value has a version."""
    first = put(ssm, f"{prefix}/a", Type="SecureString")

    refused = refusal(ssm.put_parameter, Name=f"{prefix}/a", Value="w", Type="String")
    second = int(ssm.put_parameter(Name=f"{prefix}/a", Value="w", Overwrite=True)["Version"])

    found = ssm.get_parameter(Name=f"{prefix}/a", WithDecryption=True)["Parameter"]
    assert (first, refused, second) == (1, "ParameterAlreadyExists", 2)
    assert (found["Type"], found["Value"], found["Version"]) == ("SecureString", "w", 2)
    assert found["ARN"] == f"arn:aws:ssm:us-east-1:123456789012:parameter{prefix}/a"


def test_a_secret_is_in_clear_only_on_request(ssm: Any, prefix: str) -> None:
    """Each way of reading shows other text without decryption."""
    put(ssm, f"{prefix}/a", "hush", Type="SecureString")

    one = ssm.get_parameter(Name=f"{prefix}/a")["Parameter"]
    [below] = ssm.get_parameters_by_path(Path=prefix)["Parameters"]

    assert "hush" not in {one["Value"], below["Value"]}


def test_parameters_by_path_come_in_pages_of_ten(ssm: Any, prefix: str) -> None:
    """A path with the same beginning is another one; deeper folders are read on request."""
    names = [f"{prefix}/{number:02}" for number in range(23)]
    for name in [*names, f"{prefix}/deep/er", f"{prefix}x/a"]:
        put(ssm, name)
    pages = ssm.get_paginator("get_parameters_by_path")

    flat, deep = (list(pages.paginate(Path=prefix, Recursive=recursive)) for recursive in (False, True))

    assert [len(page["Parameters"]) for page in flat] == [10, 10, 3]
    assert [each["Name"] for page in deep for each in page["Parameters"]] == [*names, f"{prefix}/deep/er"]


def test_deleting_names_those_that_were_not_there(ssm: Any, prefix: str) -> None:
    """One that is asked for alone is an error."""
    put(ssm, f"{prefix}/a")

    deleted = ssm.delete_parameters(Names=[f"{prefix}/a", f"{prefix}/b"])

    assert (deleted["DeletedParameters"], deleted["InvalidParameters"]) == ([f"{prefix}/a"], [f"{prefix}/b"])
    for call in (ssm.delete_parameter, ssm.get_parameter):
        assert refusal(call, Name=f"{prefix}/a") == "ParameterNotFound"


@pytest.mark.parametrize(
    "request_",
    [
        {"Name": "/aws/a"},
        {"Name": "ssm-a"},
        {"Name": "a/b"},
        {"Name": "/a b"},
        {"Name": "/a//b"},
        {"Value": ""},
        {"Value": "x" * 4097},
        {"Value": "{{other}}"},
        {"Type": "Text"},
        {"Description": "x" * 1025},
    ],
    ids=str,
)
def test_an_invalid_parameter_is_refused_as_documented(ssm: Any, prefix: str, request_: dict[str, str]) -> None:
    """Names, values, types: https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_PutParameter.html."""
    given = {"Name": f"{prefix}/a", "Value": "v", "Type": "String", **request_}

    assert refusal(ssm.put_parameter, **given) == "ValidationException"
    assert ssm.get_parameters_by_path(Path=prefix)["Parameters"] == []


def test_limits_that_have_names_of_their_own(ssm: Any, prefix: str) -> None:
    """A type is required once, a hierarchy has 15 levels, and a path begins with a slash."""
    assert refusal(ssm.put_parameter, Name=f"{prefix}/a", Value="v") == "ValidationException"
    assert refusal(put, ssm=ssm, name="/a" * 16) == "HierarchyLevelLimitExceededException"
    assert refusal(ssm.get_parameters_by_path, Path="kodiai") == "ValidationException"
    assert refusal(ssm.delete_parameters, Names=[f"/{number}" for number in range(11)]) == "ValidationException"
