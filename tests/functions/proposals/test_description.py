"""The published description of the HTTP API."""

import json
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator
from openapi_spec_validator import validate

from scripts.openapi import FILE, description_text
from tests.functions.proposals.scene import BEN, HEAD, REVISION, Api
from tests.tables import each_row


@pytest.fixture(scope="module")
def described() -> Any:
    return json.loads(FILE.read_text(encoding="utf-8"))


def test_the_published_description_is_valid_and_that_of_the_routes(api: Api, described: Any) -> None:
    """Run scripts/openapi.py after a change of the API. The API gives the same to everybody."""
    validate(described)

    answer = api.ask("GET", "/openapi.json", token=None)

    assert FILE.read_text(encoding="utf-8") == description_text() == answer.text
    assert (answer.status, answer.kind) == (200, "application/json")


def test_the_examples_are_real(described: Any, api: Api) -> None:
    """Each of them is a request that the API accepts."""
    examples = {
        name: each["examples"][0] for name, each in described["components"]["schemas"].items() if "examples" in each
    }

    submitted = api.ask("POST", "/proposals", examples["NewProposal"])
    path = f"/proposals/{submitted.json['id']}"
    claimed = api.ask("POST", f"{path}/claim", examples["NewClaim"], token=BEN)
    decided = api.ask("POST", f"{path}/verdict", examples["NewVerdict"], token=BEN)
    revised = api.ask("PUT", path, {**examples["Revision"], "description": "Round down"})

    assert set(examples) == {"NewProposal", "NewClaim", "NewVerdict", "Revision"}
    assert [each.status for each in (submitted, claimed, decided, revised)] == [201, 200, 200, 200]


@each_row(
    ("target", "status"),
    [
        ({"pull_request": 7}, 201),
        ({"pull_request": 7, "base": None}, 201),
        ({"base": HEAD}, 201),
        ({"base": HEAD, "pull_request": 7}, 422),
        ({"base": None}, 422),
        ({}, 422),
    ],
)
def test_the_description_of_a_submission_has_one_target(
    described: Any, api: Api, target: dict[str, Any], status: int
) -> None:
    """The pull request or the commit, as the API takes it."""
    schema = {"$ref": "#/components/schemas/NewProposal", "components": described["components"]}
    body = {**REVISION, "repository": "octo/widgets", **target}

    assert api.ask("POST", "/proposals", body).status == status
    assert Draft202012Validator(schema).is_valid(body) == (status == 201)


def test_a_parameter_is_left_out_and_never_null(described: Any) -> None:
    """In Python it is None; HTTP has no null."""
    operations = [each for path in described["paths"].values() for each in path.values()]
    schemas = [parameter["schema"] for each in operations for parameter in each.get("parameters", ())]

    assert {each["type"] for each in schemas} == {"string", "integer"}


def test_too_many_requests_have_the_answer_of_api_gateway(described: Any) -> None:
    """It refuses them before they reach the function."""
    answers = [each["responses"]["429"] for path in described["paths"].values() for each in path.values()]

    assert {json.dumps(each["content"]) for each in answers} == {
        '{"application/json": {"schema": {"$ref": "#/components/schemas/Throttled"}}}'
    }
    assert described["components"]["schemas"]["Throttled"]["required"] == ["message"]
