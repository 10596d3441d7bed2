"""What a scripted model says: a report in prose, and the data that it is turned into."""

import json
from collections.abc import Mapping
from typing import Any

from local.model import Answer, Request, Script, filled, is_extract, is_find, is_verdicts, is_verify, text

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
    return confirming(
        Script()
        .when(is_find, text(f"I found this and that: {json.dumps(report)}"), always=True)
        .when(is_extract, filled(report), always=True)
    )


def confirming(script: Script) -> Script:
    """Add a second look that says yes to everything, by the first line that each finding quotes."""
    return script.when(lambda request: is_verify(request) or is_verdicts(request), confirmed, always=True)


def confirmed(request: Request) -> Answer:
    """A second look that says yes to everything, or the data that it is turned into."""
    return _confirm(request) if is_verify(request) else _as_data(request)


def a_verdict(number: int, quote: str, **noes: str) -> Json:
    """Yes four times, by this line of src/orders.py, but for those that are given with the reason of their no."""
    names = ("valid", "actionable", "specific", "valuable")
    return {
        "number": number,
        **{
            name: {"yes": name not in noes, "path": "src/orders.py", "quote": quote, "why": noes.get(name, "I looked.")}
            for name in names
        },
    }


def _confirm(request: Request) -> Answer:
    blocks = [block["text"] for block in request["messages"][0]["content"]]
    shown = next(text for text in blocks if text.startswith("# Findings to verify"))
    findings = [json.loads(line) for line in shown.split("\n") if line.startswith("{")]
    verdicts = [
        {
            "number": finding["number"],
            **{
                name: {"yes": True, "path": finding["path"], "quote": finding["quote"].split("\n")[0], "why": "So."}
                for name in ("valid", "actionable", "specific", "valuable")
            },
        }
        for finding in findings
    ]
    return text(json.dumps({"verdicts": verdicts}))


def _as_data(request: Request) -> Answer:
    """The second look is data already."""
    lines = request["messages"][0]["content"][0]["text"].split("\n")
    return filled(json.loads(next(line for line in lines if line.startswith("| {")).removeprefix("| ")))


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
