"""What a scripted model says: a report in prose, and the data that it is turned into."""

import json
from collections.abc import Mapping
from typing import Any

from local.model import Script, filled, is_extract, is_find, text

Json = dict[str, Any]


def a_finding(**more: Any) -> Json:
    """A finding on line 2 of src/orders.py, as the model would give it."""
    return {
        "severity": "MAJOR",
        "category": "correctness",
        "kind": "impact",
        "path": "src/orders.py",
        "start_line": 2,
        "end_line": 2,
        "title": "The discount is added",
        "explanation": "A discount of 5 makes an order of 100 cost 105.",
        "quote": "return sum(prices) + discount",
        "replacement": None,
        **more,
    }


def a_report(*findings: Mapping[str, Any], **more: Any) -> Json:
    """A report with these findings."""
    return {
        "what_changed": "Orders take a discount.",
        "strengths": [],
        "suggestions": [],
        "findings": list(findings),
        **more,
    }


def says(report: Json) -> Script:
    """A model that reports the same of every change, for ever, and another report in other words."""
    return (
        Script()
        .when(is_find, text(f"I found this and that: {json.dumps(report)}"), always=True)
        .when(is_extract, filled(report), always=True)
    )


def an_answer(finding: str, answer: str = "ADDRESSED", **more: Any) -> Json:
    """What the model says of a finding of before; its quote is a line that mends DISCOUNT, unless given."""
    return {
        "finding": finding,
        "answer": answer,
        "path": "src/orders.py",
        "quote": "return sum(prices) - discount",
        "why": "The discount is taken off now.",
        "severity": None,
        "concedes": False,
        **more,
    }
