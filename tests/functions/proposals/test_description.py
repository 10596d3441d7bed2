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


def test_the_published_description_is_that_of_the_routes(api: Api) -> None:
    """Run scripts/openapi.py after a change of the API. The API gives the same to everybody."""
    answer = api.ask("GET", "/openapi.json", token=None)

    assert FILE.read_text(encoding="utf-8") == description_text() == answer.text
    assert (answer.status, answer.kind) == (200, "application/json")


def test_the_description_is_valid(described: Any) -> None:
    """Generators of clients could not use a faulty one."""
    validate(described)


def test_each_route_is_described(described: Any) -> None:
    """With a summary, and all answers that it may give."""
    found = {
        f"{method.upper()} {path}": sorted(operation["responses"])
        for path, operations in described["paths"].items()
        for method, operation in operations.items()
        if operation["summary"] and operation["description"]
    }

    reads = ["200", "401", "404", "422", "503"]
    acts = ["200", "400", "401", "403", "404", "409", "413", "415", "422", "503"]
    one = "/proposals/{proposal_id}"
    assert found == {
        "GET /proposals": reads,
        "POST /proposals": ["201", *(status for status in acts if status not in ("200", "409"))],
        f"GET {one}": reads,
        f"PUT {one}": acts,
        f"POST {one}/apply": acts,
        f"POST {one}/claim": acts,
        f"POST {one}/close": acts,
        f"GET {one}/diff": reads,
        f"POST {one}/verdict": acts,
    }
    assert described["security"] == [{"github": []}]


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
