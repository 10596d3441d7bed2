"""The types that requests are held against."""

import json
from typing import Any

import pytest

from local.model.request_types import type_error
from tests.tables import each_row


@pytest.mark.xdist_group("sdk")
def test_the_types_are_those_of_the_sdk() -> None:
    """Run scripts/request_types.py after a change of the SDK's version."""
    from scripts.request_types import FILE, request_types  # noqa: PLC0415 - the SDK takes seconds to import

    assert FILE.read_text(encoding="utf-8") == request_types()


@each_row(
    ("messages", "why"),
    [
        ([{"role": "\ud800", "content": "a"}], "surrogates not allowed"),
        (json.loads("[" * 900 + "]" * 900), "Recursion limit reached"),
    ],
)
def test_unusual_json_is_refused(messages: Any, why: str) -> None:
    """Half a surrogate pair and excessive depth are errors like others."""
    error = type_error({"model": "m", "max_tokens": 1, "messages": messages})

    assert why in str(error)
