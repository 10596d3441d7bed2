"""SSM parameters by moto, with the size limit that it does not know."""

from typing import Any

import pytest

from local.aws import LocalAws


@pytest.fixture(scope="session")
def ssm(aws: LocalAws) -> Any:
    return aws.client("ssm")


def test_parameters_are_read_by_path_with_secrets_decrypted(ssm: Any) -> None:
    """The functions read everything below their prefix at once, and nothing beside it."""
    ssm.put_parameter(Name="/kodiai/a/webhook/secret", Value="s3cret", Type="SecureString")
    ssm.put_parameter(Name="/kodiai/a/github/api-url", Value="https://api.github.com", Type="String")
    ssm.put_parameter(Name="/kodiai/ab/other", Value="x", Type="String")

    found = ssm.get_parameters_by_path(Path="/kodiai/a", Recursive=True, WithDecryption=True)["Parameters"]

    assert {one["Name"]: one["Value"] for one in found} == {
        "/kodiai/a/webhook/secret": "s3cret",
        "/kodiai/a/github/api-url": "https://api.github.com",
    }


def test_a_path_of_many_parameters_comes_in_pages_of_ten(ssm: Any) -> None:
    """Who reads one page only misses some."""
    for n in range(12):
        ssm.put_parameter(Name=f"/kodiai/paged/{n:02}", Value="x", Type="String")

    pages = list(ssm.get_paginator("get_parameters_by_path").paginate(Path="/kodiai/paged"))

    assert [len(page["Parameters"]) for page in pages] == [10, 2]


def test_a_secret_that_is_not_decrypted_is_not_shown(ssm: Any) -> None:
    """Forgetting WithDecryption shows here."""
    ssm.put_parameter(Name="/kodiai/b/secret", Value="s3cret", Type="SecureString")

    assert ssm.get_parameter(Name="/kodiai/b/secret")["Parameter"]["Value"] != "s3cret"


def test_a_missing_parameter_raises_parameter_not_found(ssm: Any) -> None:
    """The wiring turns this into one clear error."""
    with pytest.raises(ssm.exceptions.ParameterNotFound):
        ssm.get_parameter(Name="/kodiai/nowhere")


def test_a_parameter_is_not_overwritten_unless_told_to(ssm: Any) -> None:
    """boto3 raises ParameterAlreadyExists."""
    ssm.put_parameter(Name="/kodiai/c/one", Value="1", Type="String")

    with pytest.raises(ssm.exceptions.ParameterAlreadyExists):
        ssm.put_parameter(Name="/kodiai/c/one", Value="2", Type="String")
    ssm.put_parameter(Name="/kodiai/c/one", Value="2", Type="String", Overwrite=True)

    assert ssm.get_parameter(Name="/kodiai/c/one")["Parameter"]["Value"] == "2"
