"""A review that did not see everything is never green, whoever failed."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from local.model import ModelRequest, Reply, Request, Script, is_find, refusal, reporting, text, tool_use, tools
from tests.git_repository import Files
from tests.specs.adversaries import judge, model, opened_on
from tests.specs.conftest import Opened, Stage
from tests.specs.scripts import a_finding, a_report

VERDICT = "review:\n  event: verdict\n  triggers:\n    onSynchronize: true\n"
FILES = {"src/orders.py": "def total(prices, discount):\n    return sum(prices) + discount\n"}
LONG = {"src/orders.py": FILES["src/orders.py"] + "".join(f"N_{number} = {number}\n" for number in range(120))}


def greens(opened: Opened) -> list[str]:
    """The parts of the review that would let somebody merge it unread."""
    body, check = opened.reviews[-1]["body"], opened.checks(opened.head)[0]
    found = {
        "approved": "APPROVED" in [review["state"] for review in opened.reviews],
        "green verdict": ":green_circle:" in body or "Ready to merge" in body,
        "green check": check["conclusion"] == "success",
    }
    return [what for what, is_so in found.items() if is_so]


def is_for_promises(request: Request) -> bool:
    """Whether the second of two readers is asked."""
    return is_find(request) and ModelRequest(request).part == "promises"


CUT = replace(tools(tool_use("report_finding", title="Half a")), stop_reason="max_tokens")
ODD = [a_finding(severity="TERRIBLE"), {"title": "Only a title"}, a_finding(title="Nowhere", path=None)]


@pytest.mark.parametrize(
    ("files", "asked", "answer", "said"),
    [
        (FILES, is_find, CUT, ":yellow_circle: **Not fully reviewed**"),
        (LONG, is_for_promises, refusal(), ":yellow_circle: **Not fully reviewed**"),
        (FILES, is_find, text("I found nothing. Ready to merge!"), ":yellow_circle: **Not fully reviewed**"),
        (FILES, is_find, tools(tool_use("list_files")), ":yellow_circle: **Not fully reviewed**"),
        (FILES, is_find, reporting(a_report(*ODD)), "3 reported findings could not be read"),
    ],
    ids=["cut each time", "one reader declines", "words alone", "no end", "findings cannot be read"],
)
def test_a_review_that_did_not_see_everything_is_not_green(
    stage: Stage, files: Files, asked: Callable[[Request], bool], answer: Reply, said: str
) -> None:
    """Though all others read every file and found nothing; the body says so."""
    stage.model.answers = Script(otherwise=model((), judge())).when(asked, answer, always=True)

    opened = opened_on(stage, {}, files, VERDICT)

    assert greens(opened) == []
    assert said in opened.reviews[-1]["body"]
