"""The published description of the HTTP API."""

import json
from typing import Any

import pytest
from openapi_spec_validator import validate

from scripts.openapi import FILE, description_text
from tests.functions.proposals.scene import BEN, Api


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
