"""A review that did not see everything is never green, whoever failed."""

from collections.abc import Callable

import pytest

from local.model import ModelRequest, Reply, Request, Script, is_extract, is_find, json_reply, refusal, text
from tests.git_repository import Files
from tests.specs.adversaries import is_lead, judge, model, opened_on
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


def is_for_correctness(request: Request) -> bool:
    """Whether one of four reviewers is asked."""
    return is_find(request) and ModelRequest(request).part == "correctness"


CUT = text('{"what_changed": "Orders", "findings": [', "max_tokens")
ODD = [a_finding(severity="TERRIBLE"), {"title": "Only a title"}, a_finding(path=None)]


@pytest.mark.parametrize(
    ("files", "asked", "answer", "said"),
    [
        (FILES, is_extract, CUT, ":yellow_circle: **Not fully reviewed**"),
        (LONG, is_for_correctness, refusal(), ":yellow_circle: **Not fully reviewed**"),
        (FILES, is_extract, json_reply(a_report(*ODD)), "reported findings could not be read"),
    ],
    ids=["extraction cut each time", "one reviewer declines", "findings cannot be read"],
)
def test_a_review_that_did_not_see_everything_is_not_green(
    stage: Stage, files: Files, asked: Callable[[Request], bool], answer: Reply, said: str
) -> None:
    """Though all others read every file and found nothing; the body says so."""
    stage.model.answers = Script(otherwise=model((), judge())).when(asked, answer, always=True)

    opened = opened_on(stage, {}, files, VERDICT)

    assert greens(opened) == []
    assert said in opened.reviews[-1]["body"]


def test_a_report_of_which_a_part_became_no_data_is_not_green(stage: Stage) -> None:
    """In any form and any language: only where all of it became data is the change approved."""
    titles = ("Der Rabatt wird addiert", "Die Summe ist zu klein", "Der Preis wird gerundet", "Eine Zeile fehlt")
    four = [a_finding(title=title, explanation=f"{title}, bei jeder Bestellung.", severity="MINOR") for title in titles]
    sections = [f"### Befund {n}\n{each['title']}\n\n{each['explanation']}\n" for n, each in enumerate(four, 1)]
    found: list[tuple[list[str], list[str]]] = []
    for kept in (four[:0], four[:1], four):
        # Other prose for each: what was extracted once is not asked for again.
        prose = text("\n".join([f"# {len(kept)}\n\nOrders take a discount.\n", *sections]))
        answers = Script(otherwise=model(kept, judge())).when(is_lead, prose, always=True)
        stage.model.answers = answers

        opened = opened_on(stage, {}, FILES, VERDICT)

        found.append(([review["state"] for review in opened.reviews], greens(opened)))
        is_unread = "1 passage of the generalist report became no data" in opened.reviews[-1]["body"]
        assert is_unread == (kept != four)

    assert found == [(["COMMENTED"], []), (["COMMENTED"], []), (["APPROVED"], ["approved", "green verdict"])]
