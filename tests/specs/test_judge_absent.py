"""Findings without a judge are posted as not verified; none is lost, resolved or posted twice."""

import pytest

from local.model import Reply, Script, is_judge, refusal, text, tool_use, tools
from tests.git_repository import Files
from tests.review_form.reading import unlinked
from tests.specs.conftest import Opened, Stage
from tests.specs.moods import DISCOUNT, OFF_BY_ONE, SHELF, questions
from tests.specs.pushing import EDITED, FIXED, ON_PUSH, statuses
from tests.specs.scripts import Json, a_finding, a_report, an_answer, says

CAVEAT = "Caveat: not verified: the model declined."
TWICE = a_finding(title="Discounts raise the price", severity="MEDIUM")
MISSING = {**OFF_BY_ONE, "severity": "MEDIUM"}
BLOCKING_LINE = "[MAJOR] src/orders.py (2): The discount is added\n"
MEDIUM_LINE = "[MEDIUM] src/stock.py (2): One is missing\n"


def without_judge(report: Json) -> Script:
    """A model that reports this of every change, and refuses to judge."""
    return Script(otherwise=says(report)).when(is_judge, refusal(), always=True)


def push(opened: Opened, files: Files, report: Json) -> None:
    """Push files on top of the head, with what the reviewers report; the judge is still absent."""
    opened.stage.model.answers = without_judge(report)
    opened.push(opened.stage.commit(files, opened.head))


def test_unjudged_findings_are_posted_as_not_verified_and_only_once(stage: Stage) -> None:
    """A blocking finding gets a comment, any other a line; the same code in the same category is one finding.

    At the next pushes it is known, and a claim that it is fixed, which nobody judged, resolves nothing.
    """
    stage.model.answers = without_judge(a_report(a_finding(), TWICE, MISSING))
    opened = stage.open({**DISCOUNT, **SHELF}, config=ON_PUSH)

    [review], [comment] = opened.reviews, opened.comments
    assert comment["body"].startswith("**[MAJOR] The discount is added**\n")
    assert CAVEAT in comment["body"]
    body = unlinked(review["body"])
    assert (BLOCKING_LINE in body, MEDIUM_LINE in body, body.count(CAVEAT)) == (True, True, 1)
    assert ":red_circle: **Address before merging** -- 1 MAJOR finding" in body
    assert "- Problem: no judge: the model declined\n" in body
    assert "; 2 findings not verified\n" in body
    assert ": Discounts raise the price -- the same code as “The discount is added”\n" in body
    assert statuses(opened) == ["open", "open"]
    assert opened.check["conclusion"] == "neutral"
    assert questions(stage, is_judge) == 1

    again = a_finding(title="Orders get dearer by their rebate")
    push(opened, EDITED, a_report(again, {**MISSING, "title": "The last one is not counted"}))

    assert (len(opened.reviews), len(opened.comments), statuses(opened)) == (1, 1, ["open", "open"])
    assert stage.outcome()["delta"] == {"new": 0, "resolved": 0, "still_open": 2, "settled": 0}

    claims = [an_answer(known.id) for known in opened.ledger.findings()]
    push(opened, FIXED, a_report(earlier=claims))

    assert (len(opened.reviews), len(opened.comments), statuses(opened)) == (1, 1, ["open", "open"])
    assert opened.check["output"]["title"] == "Address before merging · 1 major · not blocking: 1 medium"


LOOKS = tools(tool_use("read_files", files=[{"path": "src/orders.py"}]))


@pytest.mark.parametrize(
    ("said", "why"),
    [(LOOKS, "the model did not finish."), (text("I would keep them all."), "")],
    ids=["uses tools that it has not", "cannot be read"],
)
def test_a_judge_that_gives_no_ruling_is_absent(stage: Stage, said: Reply, why: str) -> None:
    """As one that refuses: what was found is posted, and blocks."""
    stage.model.answers = Script(otherwise=says(a_report(a_finding(), MISSING))).when(is_judge, said, always=True)

    opened = stage.open({**DISCOUNT, **SHELF}, config=f"{ON_PUSH}  event: verdict\n")

    assert stage.outcome()["outcome"] == "completed"
    assert statuses(opened) == ["open", "open"]
    assert f"Caveat: not verified: {why}" in opened.comments[0]["body"]
    assert [review["state"] for review in opened.reviews] == ["CHANGES_REQUESTED"]
