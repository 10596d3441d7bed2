"""Requests to the judge, put together by hand as the engine puts them together."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from kodiai.core.judge.ruling import Resolution, Ruling

Json = dict[str, Any]


def read_answer(text: str) -> Json:
    """Read what the judge said: JSON, with all the fields that the engine reads and no other.

    `unwanted` is only asked for where something may be.
    """
    answer: Json = json.loads(text)
    assert list(answer) == ["rulings", "resolutions"]
    for kind, form in (("rulings", Ruling), ("resolutions", Resolution)):
        for entry in answer[kind]:
            assert set(entry) | {"unwanted"} == set(form.model_fields) | {"unwanted"}
            form.model_validate(entry)
    return answer


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
