"""Requests to the judge, put together by hand as the engine puts them together."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from kodiai.core.findings.report import FINISH
from kodiai.core.judge.ruling import CONFIRM, RESOLVE, RULE, Confirmation, Resolution, Ruling

Json = dict[str, Any]
_FORMS: Mapping[str, type[BaseModel]] = {RULE: Ruling, RESOLVE: Resolution, CONFIRM: Confirmation}


def read_rulings(content: Iterable[Mapping[str, Any]]) -> Json:
    """Read what the judge ruled in one turn, by the engine's own forms, until it finished."""
    *calls, last = content
    assert last["name"] == FINISH
    inputs: Json = {name: [each["input"] for each in calls if each["name"] == name] for name in _FORMS}
    for name, form in _FORMS.items():
        for each in inputs[name]:
            assert set(each) <= set(form.model_fields)
            form.model_validate(each)
    return {name: rows for name, rows in inputs.items() if rows}


def a_candidate(number: int = 1, **more: Any) -> Json:
    """A candidate as the judge is shown it."""
    return {
        "number": number,
        "reviewer": "generalist",
        "severity": "MAJOR",
        "category": "correctness",
        "kind": "impact",
        "path": "src/orders.py",
        "lines": "2",
        "title": "The discount is added",
        "mechanism": "A discount of 5 makes an order of 100 cost 105.",
        "quote": "return sum(prices) + discount",
        "cause": None,
        "replacement": None,
        "presumed": None,
        "notes": [],
        **more,
    }


def a_claim(finding: str = "F-1", **more: Any) -> Json:
    """An earlier finding that is said to be resolved, as the judge is shown it."""
    return {
        "finding": finding,
        "title": "The discount is added",
        "problem": "A discount of 5 makes an order of 100 cost 105.",
        "quote": "return sum(prices) + discount",
        "before": "    return sum(prices) + discount",
        "after": "    return sum(prices) - discount",
        "evidence": {"path": "src/orders.py", "quote": "return sum(prices) - discount"},
        "why": "The discount is subtracted.",
        **more,
    }


def judge_blocks(candidates: Sequence[Json], claims: Sequence[Json] = (), *before: str) -> list[str]:
    """The blocks of the judge's own, after the material that is given as `before`."""
    shown: Mapping[str, Sequence[Json]] = {"# Candidates": candidates, "# Said to be resolved": claims}
    blocks = ["\n".join([heading, "", *map(json.dumps, rows)]) for heading, rows in shown.items() if rows]
    return [*before, *blocks, "# Your part: judge\n\nDecide."]


def a_judge_request(candidates: Sequence[Json], claims: Sequence[Json] = (), *before: str, **more: Any) -> Json:
    """The body of a request that asks the judge."""
    content = [{"type": "text", "text": text} for text in judge_blocks(candidates, claims, *before)]
    return {"messages": [{"role": "user", "content": content}], **more}
