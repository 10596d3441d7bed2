"""Scripted models: reports and rulings, by the tools of readers and of the judge."""

from collections.abc import Mapping
from typing import Any

from local.model import (
    Answer,
    ModelRequest,
    Request,
    Script,
    approve_all,
    confirmations,
    is_find,
    is_judge,
    is_reading,
    json_reply,
    reporting,
    ruling,
)

Json = dict[str, Any]

DISCOUNTED = "def total(prices, discount=0):\n    return sum(prices) + discount\n"
STALE = """\
--- a/src/orders.py
+++ b/src/orders.py
@@ -1,2 +1,2 @@
 def total(prices):
-    return sum(prices) + discount
+    return sum(prices) - discount
"""
"""A diff that fixes the finding, made before the change."""
CHANGE: Mapping[str, Any] = {
    "description": "Take the discount off\n\nIt was added.",
    "changes": [{"what": "total() subtracts the discount", "why": "A discount of 5 makes an order of 100 cost 105"}],
}


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
        "pre_existing": False,
        **more,
    }


def a_report(*findings: Mapping[str, Any], **more: Any) -> Json:
    """A report with these findings."""
    return {
        "what_changed": "Orders take a discount.",
        "strengths": [],
        "findings": list(findings),
        **more,
    }


Ruling = tuple[int | str, Json]
"""The judge's ruling on a candidate, by its number or its title, where it does not keep it as it is."""


Readings = Mapping[str, str]
"""The decisions that a model reads in replies, by their texts."""


def says(
    report: Json,
    *rulings: Ruling,
    resolves: bool = True,
    confirms: bool | None = None,
    readings: Readings | None = None,
) -> Script:
    """A model that reports the same of every change, for ever, and judges it as `judged` does.

    In replies it reads what `readings` say, and else that they decide nothing.
    """
    script = Script().when(is_find, reporting(report), always=True)
    script.when(is_reading, lambda request: reading(request, readings or {}), always=True)
    return judged(script, *rulings, resolves=resolves, confirms=confirms)


def reading(request: Request, readings: Readings) -> Answer:
    """The decision that such a model reads in the reply of a request."""
    said = ModelRequest(request).reply
    decision = readings.get(said, "none")
    return json_reply({"words": said if said in readings else "", "doubt": "none", "decision": decision})


def rules(candidate: int | str, **fields: Any) -> Ruling:
    """A ruling on the candidate with that number or title: the fields in which it is not just kept.

    `same_as` may be a title too.
    """
    return candidate, fields


def judged(script: Script, *rulings: Ruling, resolves: bool = True, confirms: bool | None = None) -> Script:
    """Add a judge that keeps every candidate in its own words, once, but for what `rulings` say.

    Of everything that is said to be resolved it says that this is so, or that it is not, by the evidence it is shown.
    Its second ruling, on what the first lets go, agrees if it `confirms` that; if that is None, there is none.
    """

    def answer(request: Request) -> Answer:
        return decision(request, *rulings, resolves=resolves, confirms=confirms)

    return script.when(is_judge, answer, always=True)


def decision(request: Request, *rulings: Ruling, resolves: bool = True, confirms: bool | None = None) -> Answer:
    """The answer of such a judge to one request."""
    numbers = {one["title"]: one["number"] for one in reversed(ModelRequest(request).candidates)}
    said = {numbers.get(candidate, candidate): fields for candidate, fields in rulings}
    answer = approve_all(request)
    for each in answer["rulings"]:
        each.update(said.get(each["number"], {}))
        each["same_as"] = numbers.get(each["same_as"], each["same_as"])
    for resolution in answer["resolutions"]:
        resolution["resolved"] = resolves
    if confirms is not None:
        answer["confirmations"] = confirmations(ModelRequest(request).let_go, agrees=confirms)
    return ruling(answer)


def texts(request: Request) -> str:
    """The texts of the first message of a question."""
    return "\n".join(ModelRequest(request).texts)


def an_answer(finding: str, answer: str = "ADDRESSED", **more: Any) -> Json:
    """The model's answer about an earlier finding; its quote is a line that fixes DISCOUNT, unless given."""
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
