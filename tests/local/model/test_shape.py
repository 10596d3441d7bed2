"""What a schema leaves of a value, and what the limits leave of a text."""

import json
from typing import Any

import anthropic
import pytest

from kodiai.core.findings.report import FollowUpReport, Report
from local.model import cut_text, cut_title, shaped

FINDING = {
    "number": 1,
    "severity": "MAJOR",
    "category": "correctness",
    "kind": "impact",
    "path": "a.py",
    "start_line": 1,
    "end_line": 1,
    "title": "t",
    "explanation": "e",
    "quote": "q",
    "replacement": None,
    "cause": {"path": "b.py", "quote": "q", "more": 1},
    "mood": "good",
}


@pytest.mark.parametrize("report", [Report, FollowUpReport])
def test_fields_that_the_schema_lacks_are_dropped_behind_references_and_alternatives_too(report: type[Report]) -> None:
    """In the schema as pydantic writes it, and as the SDK sends it."""
    value = {"findings": [FINDING], "earlier": [{"finding": "F-1", "mood": 1}], "strengths": ["s"], "mood": "good"}
    schema = report.model_json_schema()

    for each in (schema, anthropic.transform_schema(schema)):
        left = shaped(value, json.loads(json.dumps(each)))

        assert set(left) == {"findings", "strengths"} | ({"earlier"} if report is FollowUpReport else set())
        assert set(left["findings"][0]) == FINDING.keys() - {"mood"}
        assert left["findings"][0]["cause"] == {"path": "b.py", "quote": "q"}
        assert left.get("earlier", [{"finding": "F-1"}]) == [{"finding": "F-1"}]


@pytest.mark.parametrize(
    ("value", "schema", "left"),
    [
        ({"a": 1}, {}, {"a": 1}),
        ({"a": 1}, {"type": "object", "properties": {}}, {}),
        ({"b": 2, "a": 1}, {"properties": {"a": {}, "b": {}, "c": {}}}, {"a": 1, "b": 2}),
        ([{"a": 1, "b": 2}], {"items": {"properties": {"a": {}}}}, [{"a": 1}]),
        (None, {"anyOf": [{"properties": {}}, {"type": "null"}]}, None),
    ],
)
def test_what_a_schema_leaves(value: Any, schema: Any, left: Any) -> None:
    """Nothing is made up, and a part that names no fields takes everything; the order is the schema's."""
    assert json.dumps(shaped(value, schema)) == json.dumps(left)


@pytest.mark.parametrize(
    ("title", "cut"),
    [
        ("Short", "Short"),
        ("x" * 90, "x" * 80),
        ("a " * 40 + "b", "a " * 39 + "…"),
        ("two\nlines", "two lines"),
    ],
)
def test_a_title_is_cut_after_a_word(title: str, cut: str) -> None:
    """It stays one line of at most 80 characters."""
    assert cut_title(title) == cut
    assert len(cut) <= 80


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("", ""),
        ("One two. Three four.", "One two. Three four."),
        ("One two. Three four five.", "One two."),
        ("One, e.g. two. Three.", "One, e.g. two. Three."),
        ("One two three four five.", "One two three four…"),
    ],
)
def test_a_text_is_cut_after_a_sentence(text: str, cut: str) -> None:
    """Only a first sentence that is too long in itself ends in the middle."""
    assert cut_text(text, 4) == cut
