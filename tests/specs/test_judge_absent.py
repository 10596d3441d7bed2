"""Where there is no judge, what was found is posted as not verified; nothing is lost, resolved or posted twice."""

import json
from pathlib import Path

import pytest

from local.model import OFFLINE_MODEL, Reply, Request, Script, failure, is_judge, refusal, text
from tests.review_form.reading import unlinked
from tests.specs.conftest import FALLBACK, Opened, Stage, a_stage
from tests.specs.moods import DISCOUNT, OFF_BY_ONE, SHELF, questions
from tests.specs.pushing import EDITED, FIXED, ON_PUSH, statuses
from tests.specs.scripts import Json, a_finding, a_report, an_answer, says

BUSY = failure(529, retry_after=0)
ABSENT = [
    pytest.param(refusal(), "the model gave no answer (refusal)", 2, id="it refuses"),
    pytest.param(text("All of them are fine."), "the model's answer is not JSON", 2, id="it answers garbage twice"),
    pytest.param(BUSY, "the model was busy", None, id="it is overloaded until the last try"),
]
TWICE = a_finding(title="Discounts raise the price", severity="MEDIUM")
MISSING = {**OFF_BY_ONE, "severity": "MEDIUM"}
BLOCKING_LINE = "[MAJOR] src/orders.py (2): The discount is added\n"
MEDIUM_LINE = "[MEDIUM] src/stock.py (2): One is missing\n"


def without_judge(said: Reply, report: Json) -> Script:
    """A model that reports this of every change, and as the judge only ever answers so."""
    return Script(otherwise=says(report)).when(is_judge, said, always=True)


def push(opened: Opened, files: dict[str, object], said: Reply, report: Json) -> None:
    """Push files on top of the head, with what the reviewers report; the judge is still absent."""
    opened.stage.model.answers = without_judge(said, report)
    opened.push(opened.stage.commit(files, opened.head))  # type: ignore[arg-type]  # they are texts


@pytest.mark.parametrize(("said", "why", "asked"), ABSENT)
def test_what_nobody_judged_is_posted_as_not_verified_and_only_once(
    stage: Stage, said: Reply, why: str, asked: int | None
) -> None:
    """A blocking finding gets a comment, any other a line; the same code in the same category is one finding.

    At the next pushes it is known, and a claim that it is fixed, which nobody judged, resolves nothing.
    """
    since = stage.asked
    stage.model.answers = without_judge(said, a_report(a_finding(), TWICE, MISSING))
    opened = stage.open({**DISCOUNT, **SHELF}, config=ON_PUSH)

    caveat = f"Caveat: not verified: {why}."
    [review], [comment] = opened.reviews, opened.comments
    assert comment["body"].startswith("**[MAJOR] The discount is added**\n")
    assert caveat in comment["body"]
    body = unlinked(review["body"])
    assert (BLOCKING_LINE in body, MEDIUM_LINE in body, body.count(caveat)) == (True, True, 1)
    assert ":red_circle: **Address before merging** -- 1 MAJOR with impact" in body
    assert f"- Problem: no judge: {why}\n" in body
    assert "; 2 findings not verified\n" in body
    assert ": Discounts raise the price -- the same code as “The discount is added”\n" in body
    assert statuses(opened) == ["open", "open"]
    assert opened.check["conclusion"] == "neutral"
    assert asked is None or questions(stage, since, is_judge) == asked

    again = a_finding(title="Orders get dearer by their rebate")
    push(opened, {**EDITED}, said, a_report(again, {**MISSING, "title": "The last one is not counted"}))

    assert (len(opened.reviews), len(opened.comments), statuses(opened)) == (1, 1, ["open", "open"])
    assert stage.outcome()["delta"] == {"new": 0, "resolved": 0, "still_open": 2, "settled": 0}

    claims = [an_answer(known.id) for known in opened.ledger.findings()]
    push(opened, {**FIXED}, said, a_report(earlier=claims))

    assert (len(opened.reviews), len(opened.comments), statuses(opened)) == (1, 1, ["open", "open"])
    assert opened.check["output"]["title"] == "Address before merging · 1 major, 1 medium"


def test_without_a_judge_what_does_not_block_is_listed_and_the_verdict_is_not_green(stage: Stage) -> None:
    """It has no comment, and the line says that it is not verified."""
    stage.model.answers = without_judge(refusal(), a_report(MISSING))

    opened = stage.open(SHELF)

    [review] = opened.reviews
    assert opened.comments == []
    assert f"{MEDIUM_LINE}A discount of 5 makes an order of 100 cost 105." in unlinked(review["body"])
    assert "Caveat: not verified: the model gave no answer (refusal)." in review["body"]
    assert ":yellow_circle: **Ready to merge with minor items** -- 1 finding, not blocking" in review["body"]
    assert opened.check["conclusion"] == "neutral"


def test_a_judge_that_answers_at_the_second_attempt_is_heard(stage: Stage) -> None:
    """One slip costs neither the review nor the judging of its findings."""
    stage.model.answers = Script(otherwise=says(a_report(a_finding()))).when(is_judge, text("Well."))

    opened = stage.open(DISCOUNT)

    [comment] = opened.comments
    assert "Caveat" not in comment["body"]
    assert "; 1 finding verified\n" in opened.reviews[0]["body"]


def test_a_budget_that_ends_before_the_judge_leaves_the_findings_not_verified(tmp_path: Path) -> None:
    """Those that block are posted as not verified, the others are listed, and the next push posts neither again."""
    price = {"input": 1.0, "output": 10.0, "cache_read": 1.0, "cache_write": 1.0}
    with a_stage(tmp_path, parameters={"models/prices": json.dumps({OFFLINE_MODEL: price, FALLBACK: price})}) as priced:
        asked: list[Request] = []
        long_story = {"explanation": "It is so. " * 2_000}
        report = a_report(a_finding(**long_story), {**TWICE, **long_story}, MISSING)
        priced.model.answers = Script(otherwise=says(report)).when(is_judge, asked.append, always=True)

        opened = priced.open({**DISCOUNT, **SHELF}, config=f"{ON_PUSH}budget:\n  perPullRequest: 0.04\n")

        caveat = "Caveat: not verified: the budget is used up."
        [review], [comment] = opened.reviews, opened.comments
        body = unlinked(review["body"])
        assert asked == []
        assert comment["body"].startswith("**[MAJOR] The discount is added**\n")
        assert (caveat in comment["body"], body.count(caveat)) == (True, 1)
        assert (BLOCKING_LINE in body, MEDIUM_LINE in body) == (True, True)
        assert ":red_circle: **Address before merging** -- 1 MAJOR with impact" in body
        assert "- Problem: no judge: the budget is used up\n" in body

        opened.push(priced.commit(EDITED, opened.head))

        assert (len(opened.comments), statuses(opened)) == (1, ["open", "open"])
        assert opened.check["conclusion"] == "neutral"
