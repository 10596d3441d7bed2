"""The whole deployment, its functions led to the outside another way and set up for a test."""

from local.machine import GitHubAccess, LocalMachine
from local.model import Script

ACCESS = GitHubAccess("http://127.0.0.1:9/api", {"github/token": "t"})


def parameters(machine: LocalMachine) -> dict[str, str]:
    prefix = machine.system.outputs["ParameterPrefix"]
    pages = machine.aws.client("ssm").get_paginator("get_parameters_by_path")
    found = pages.paginate(Path=prefix, Recursive=True, WithDecryption=True).search("Parameters[]")
    return {each["Name"].removeprefix(f"{prefix}/"): each["Value"] for each in found}


def test_the_functions_reach_each_outside_through_what_is_in_front_of_it() -> None:
    """GitHub, the model and every AWS service, each asked for once; the platform itself asks the AWS directly."""
    asked: list[tuple[str, str]] = []

    def through(name: str, url: str) -> str:
        asked.append((name, url))
        return f"http://127.0.0.1:9/{name}"

    with LocalMachine(ACCESS, answers=Script(), through=through) as machine:
        assert machine.model is not None
        known = {"github": ACCESS.api_url, "model": machine.model.url, "aws": machine.aws.address}
        stored = parameters(machine)
        endpoints = {value for name, value in machine.system.environment.items() if name.startswith("AWS_ENDPOINT_URL")}
        machine.system.wait_until_quiet(20)

    assert (len(asked), dict(asked)) == (3, known)
    assert stored["github/api-url"] == "http://127.0.0.1:9/github"
    assert stored["anthropic/base-url"] == "http://127.0.0.1:9/model"
    assert endpoints == {"http://127.0.0.1:9/aws"}


def test_the_template_can_be_given_other_parameters_and_properties() -> None:
    """Without anything between them, the functions have the addresses that there are."""
    with LocalMachine(
        ACCESS,
        answers=Script(),
        stack_parameters={"BatchTokens": "70000"},
        overrides={"ReviewsQueue": {"VisibilityTimeout": 3}},
    ) as machine:
        stored = parameters(machine)
        attributes = machine.aws.client("sqs").get_queue_attributes(
            QueueUrl=machine.system.environment["KODIAI_REVIEWS_QUEUE_URL"], AttributeNames=["VisibilityTimeout"]
        )

        assert machine.system.environment.items() >= machine.aws.endpoints.items()
        assert stored["limits/batch-tokens"] == "70000"
        assert stored["github/api-url"] == ACCESS.api_url
        assert machine.settings().limits.batch_tokens == 70_000
        assert attributes["Attributes"] == {"VisibilityTimeout": "3"}
