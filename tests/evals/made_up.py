"""Small cases that are made up for the tests, written into folders as real ones are."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from evals.case import Case, read_cases
from evals.result import CaseResult, PostedFinding, PushResult, RunResult

Json = dict[str, Any]

BASE = {
    "README.md": "# A shop\n",
    "shop/orders.py": "def total(prices):\n    return sum(prices)\n",
}
DISCOUNTED = (
    "def total(prices, discount=0):\n    return sum(prices) + discount\n\n\ndef first(prices):\n    return prices[0]\n"
)
FIXED = DISCOUNTED.replace("+ discount", "- discount")
ADDED = "A discount is added to the sum instead of being taken off, so that every discount makes an order dearer."
EMPTY = "An order without prices raises an IndexError, because the first price of an empty list is read."


def expected(**more: Any) -> Json:
    """A problem on line 2 of shop/orders.py."""
    return {
        "id": "discount-added",
        "path": "shop/orders.py",
        "lines": [2, 2],
        "category": "correctness",
        "severity": "MAJOR",
        "mechanism": ADDED,
        **more,
    }


EMPTY_PROBLEM = expected(id="empty-order", lines=[6, 6], severity="MEDIUM", mechanism=EMPTY)


def recorded(**more: Any) -> Json:
    """A recorded finding of that problem."""
    quote = "return sum(prices) + discount"
    return {
        "label": True,
        "expects": "discount-added",
        "fate": "kept",
        "severity": "MAJOR",
        "category": "correctness",
        "kind": "impact",
        "path": "shop/orders.py",
        "start_line": 2,
        "end_line": 2,
        "title": "The discount is added instead of taken off",
        "explanation": "A discount of 5 makes an order of 100 cost 105: it is added to the sum.",
        "quote": quote,
        "replacement": None,
        "ruling": {
            "why": "The sum and the discount are added up.",
            "problem": "A discount of 5 makes an order of 100 cost 105.",
            "fix": "Subtract the discount.",
        },
        **more,
    }


INVENTED = recorded(
    label=False,
    expects=None,
    fate="wrong",
    title="The cache is never emptied",
    explanation="Prices are kept in a cache that grows for ever.",
    quote="CACHE[prices] = cached_total",
    ruling={"quote": "def total(prices, discount=0):", "why": "Nothing is kept from one call to the next."},
)
DEFECT: Json = {
    "title": "Give a discount",
    "description": "Orders may have a discount.\n",
    "language": "python",
    "pushes": [
        {"message": "Give a discount", "expected": [expected()]},
        {"message": "Take it off", "statuses": {"discount-added": "resolved"}},
    ],
}
DEFECT_RECORDED: Json = {
    "pushes": [
        {"reports": {"generalist": [recorded(), INVENTED]}},
        {
            "reports": {},
            "earlier": [
                {
                    "id": "discount-added",
                    "answer": "ADDRESSED",
                    "path": "shop/orders.py",
                    "quote": "return sum(prices) - discount",
                    "why": "The discount is taken off now.",
                    "resolved": True,
                }
            ],
        },
    ]
}
CLEAN: Json = {
    "title": "Say more in the README",
    "language": "python",
    "clean": True,
    "pushes": [{"forbidden": [{"path": "README.md", "lines": [1, 1], "mechanism": "Says that the title is wrong."}]}],
}
CLEAN_RECORDED: Json = {
    "pushes": [
        {"reports": {"generalist": [{**INVENTED, "path": "README.md", "ruling": {"quote": "It sells.", "why": "…"}}]}}
    ]
}


def write_case(
    root: Path, slug: str, sheet: Json, *pushes: Mapping[str, str], base: Mapping[str, str] = BASE, said: Any = None
) -> None:
    """Write a case below `root`; `said` is its recording."""
    folder = root / slug
    for name, files in [("base", base), *((f"push-{number}", files) for number, files in enumerate(pushes, 1))]:
        for path, text in files.items():
            file = folder / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "case.yaml").write_text(yaml.safe_dump(sheet, sort_keys=False), encoding="utf-8")
    if said is not None:
        (folder / "recorded.yaml").write_text(yaml.safe_dump(said, sort_keys=False), encoding="utf-8")


def write_both(root: Path) -> list[Case]:
    """Write a case with a defect that the second push fixes, and a clean one; read them."""
    fixed = {"shop/orders.py": FIXED}
    write_case(root, "python/discount", DEFECT, {"shop/orders.py": DISCOUNTED}, fixed, said=DEFECT_RECORDED)
    write_case(root, "python/readme", CLEAN, {"README.md": "# A shop\n\nIt sells.\n"}, said=CLEAN_RECORDED)
    return read_cases(root)


def a_finding(name: str = "F-1", **more: Any) -> PostedFinding:
    """A posted finding about the discount."""
    fields = {key: value for key, value in recorded().items() if key in PostedFinding.model_fields}
    return PostedFinding(**{"id": name, **fields, **more})


def pushed(*findings: PostedFinding, **more: Any) -> PushResult:
    """A push after which these findings are posted."""
    return PushResult(**{"head": "a" * 40, "outcome": "completed", "reason": "first", "posted": findings, **more})


def reviewed(case: str, *pushes: PushResult, repeat: int = 1, failed: str | None = None) -> CaseResult:
    """A pull request that was reviewed."""
    return CaseResult(case=case, repeat=repeat, pushes=pushes, failed=failed)


def a_run(*results: CaseResult, reviewer: str = "somebody") -> RunResult:
    """A run of these pull requests."""
    return RunResult(reviewer=reviewer, began="2026-03-02T09:00:00+00:00", seconds=12.0, results=results)
